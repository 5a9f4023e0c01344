import pytest

from league_sdk.dialect import SPELLINGS
from league_sdk.errors import InvalidField, MissingField, ProtocolVersionMismatch
from league_sdk.protocol.registration import (
    LeagueRegisterRequest,
    LeagueRegisterResponse,
    RefereeRegisterRequest,
    RefereeRegisterResponse,
    check_protocol_version,
    version_numbers,
)
from tests.league_sdk.protocol.samples import CODEC, example
from tests.requirements.marker import requirement

META = {
    "display_name": "Agent Alpha",
    "version": "1.0.0",
    "game_types": ["even_odd"],
    "contact_endpoint": "http://localhost:8101/mcp",
}


@requirement("003-TYPE-18")
@pytest.mark.parametrize(
    ("text", "numbers"),
    [("2", (2, 0, 0)), ("2.1", (2, 1, 0)), ("2.1.7", (2, 1, 7)), ("2.1.0-rc.1", (2, 1, 0)), ("10.0.3+b7", (10, 0, 3))],
)
def test_a_version_has_three_numbers(text, numbers):
    assert version_numbers(text) == numbers


@pytest.mark.parametrize("text", ["", "two", "2.", "2.1.0.0", "v2.1.0", "2.1.0 ", "2.1.0-", "\u0662.\u0661", "9" * 10])
def test_what_is_no_version_is_refused(text):
    with pytest.raises(InvalidField):
        version_numbers(text)
    request = example(LeagueRegisterRequest, player_meta={**META, "protocol_version": text})
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(request, LeagueRegisterRequest)
    assert refusal.value.context["field"] == "player_meta.protocol_version"


@requirement("003-PROTO-02")
@pytest.mark.parametrize("text", ["2.0.0", "2.0.1", "2.1.0", "2.99.0"])
def test_a_version_from_the_minimum_on_is_spoken(text):
    check_protocol_version(text)


@requirement("003-PROTO-02", "004-V2-04", "004-LM-01")
@pytest.mark.parametrize("text", ["1.9.9", "1", "0.1.0", "3.0.0"])
def test_an_older_version_or_another_major_one_is_e018(text):
    with pytest.raises(ProtocolVersionMismatch) as refusal:
        check_protocol_version(text)
    assert refusal.value.code == "E018"
    assert refusal.value.context == {
        "field": "protocol_version",
        "value": text,
        "expected": "2.0.0 or newer, below 3.0.0",
    }


@requirement("000-LM-PLAY-01", "002-PREG-01", "003-TYPE-18", "004-LM-06")
@pytest.mark.parametrize("field", ["contact_endpoint", "display_name"])
def test_a_player_has_to_say_its_name_and_its_endpoint(field):
    meta = {name: value for name, value in META.items() if name != field}
    with pytest.raises(MissingField) as refusal:
        CODEC.parse(example(LeagueRegisterRequest, player_meta=meta), LeagueRegisterRequest)
    assert refusal.value.context == {"field": f"player_meta.{field}"}


@requirement("000-LM-REF-01", "002-RREG-01")
def test_a_referee_takes_one_match_at_least():
    request = example(RefereeRegisterRequest, referee_meta={**META, "max_concurrent_matches": 0})
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(request, RefereeRegisterRequest)
    assert refusal.value.context == {
        "field": "referee_meta.max_concurrent_matches",
        "value": 0,
        "expected": "a number of 1 or more",
    }


def _name(text):
    request = example(LeagueRegisterRequest, player_meta={**META, "display_name": text})
    return CODEC.parse(request, LeagueRegisterRequest).player_meta.display_name


def test_a_name_that_nobody_can_read_is_refused_and_a_good_one_is_trimmed(subtests: pytest.Subtests):
    for text in ("", "   ", "x" * 65, "Agent\u200b", "two\nlines"):
        with subtests.test(text=text):
            with pytest.raises(InvalidField) as refusal:
                _name(text)
            assert refusal.value.context["field"] == "player_meta.display_name"
            assert refusal.value.context["expected"] == "a name of 1 to 64 visible characters"
    assert _name(" Agent Alpha ") == "Agent Alpha"


def test_an_agent_may_say_how_it_wants_to_be_spoken_to(subtests: pytest.Subtests):
    for kind, field, meta in (
        (LeagueRegisterRequest, "player_meta", META),
        (RefereeRegisterRequest, "referee_meta", {**META, "max_concurrent_matches": 1}),
    ):
        with subtests.test(kind=kind):
            assert getattr(CODEC.parse(example(kind, **{field: meta}), kind), field).dialect is None
            for spoken in SPELLINGS:
                request = example(kind, **{field: {**meta, "dialect": spoken}})
                assert getattr(CODEC.parse(request, kind), field).dialect == spoken
            with pytest.raises(InvalidField) as refusal:
                CODEC.parse(example(kind, **{field: {**meta, "dialect": "morse"}}), kind)
            assert refusal.value.context == {
                "field": f"{field}.dialect",
                "value": "morse",
                "expected": f"one of {', '.join(SPELLINGS)}",
            }


@requirement("000-LM-REF-02", "000-LM-PLAY-02", "002-RREG-02", "002-PREG-02", "003-LM-02", "003-LM-03")
@pytest.mark.parametrize(
    ("kind", "agent_id"), [(LeagueRegisterResponse, "player_id"), (RefereeRegisterResponse, "referee_id")]
)
def test_who_is_accepted_gets_an_id_a_token_and_a_league(kind, agent_id):
    whole = example(kind, status="ACCEPTED", **{agent_id: "X01"}, auth_token="secret", league_id="l")
    assert getattr(CODEC.parse(whole, kind), agent_id) == "X01"
    for field in (agent_id, "auth_token", "league_id"):
        for part in ({**whole, field: None}, {name: value for name, value in whole.items() if name != field}):
            with pytest.raises(MissingField) as refusal:
                CODEC.parse(part, kind)
            assert refusal.value.context == {"field": field}


@requirement("002-RREG-03")
@pytest.mark.parametrize("kind", [LeagueRegisterResponse, RefereeRegisterResponse])
def test_who_is_rejected_gets_a_reason_alone(kind):
    response = CODEC.parse(example(kind, status="REJECTED", reason="full", error_code="E015"), kind)
    assert (response.reason, response.error_code, response.auth_token) == ("full", "E015", None)


@requirement("002-RREG-02", "002-PREG-02")
def test_a_reason_that_is_missing_is_written_as_null():
    response = LeagueRegisterResponse(
        sender="league_manager",
        timestamp="2025-01-15T10:00:00Z",
        conversation_id="c",
        status="ACCEPTED",
        player_id="P01",
        auth_token="secret",
        league_id="l",
    )
    written = CODEC.render(response)
    assert written["reason"] is None
    assert "error_code" not in written
    assert "peer_token" not in written

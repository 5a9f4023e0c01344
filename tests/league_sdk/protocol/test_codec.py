import logging
import re

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from league_sdk.errors import (
    InvalidField,
    InvalidQueryType,
    InvalidTimestamp,
    LeagueError,
    MissingField,
    ProtocolVersionMismatch,
)
from league_sdk.game import MoveSpec
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.match import GameInvitation, GameOver, MatchResultReport, MoveCall, MoveResponse
from league_sdk.protocol.operator import StartMatch
from league_sdk.protocol.queries import LeagueErrorMessage
from league_sdk.protocol.registration import LeagueRegisterRequest
from league_sdk.protocol.rounds import LeagueStandingsUpdate, RoundAnnouncement
from tests.league_sdk.protocol.samples import (
    CODEC,
    KINDS,
    PARITY,
    WRONG_VALUES,
    anything,
    complete,
    example,
    fits,
    spec_for,
    wire,
)
from tests.requirements.marker import requirement

REFUSALS = (InvalidField, MissingField, ProtocolVersionMismatch, InvalidTimestamp, InvalidQueryType)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def _refusal(arguments, kind):
    """The error that a message of a kind is refused with; None when it is read."""
    try:
        CODEC.parse(arguments, kind, spec=spec_for(kind))
    except REFUSALS as error:
        return error
    return None


@requirement("001-COMP-07", "004-OBJ-01", "project-PROTO-05")
@given(anything)
@settings(suppress_health_check=SLOW)
def test_every_message_survives_being_written_and_read(sample):
    kind, arguments = sample
    message = complete(CODEC.parse(arguments, kind, spec=spec_for(kind)))
    written = CODEC.render(message, spec=spec_for(kind))
    assert CODEC.parse(written, kind, spec=spec_for(kind)) == message
    assert CODEC.parse(written, kind) == message
    assert fits(CODEC.output_schema(kind, spec=spec_for(kind)), written)


@requirement(
    "000-MAP-07", "002-NOTE-05", "003-ARCH-06", "003-CAP-01", "003-PHASE-01", "003-TEST-P-01", "004-LM-06", "004-LM-10"
)
def test_what_the_schema_allows_is_what_is_read():
    for kind in KINDS:
        _reads_what_its_schema_allows(kind)


def _reads_what_its_schema_allows(kind):
    schema = CODEC.input_schema(kind, spec=spec_for(kind))

    @given(wire(kind), st.data())
    @settings(max_examples=12, suppress_health_check=SLOW)
    def is_read_when_it_is_allowed(arguments, data):
        note(kind.__name__)
        assert fits(schema, arguments)
        assert _refusal(arguments, kind) is None
        place = _somewhere(data, schema, arguments)
        if place is None:
            return
        part, field = place
        if data.draw(st.booleans()):
            part.pop(field, None)
        else:
            part[field] = data.draw(st.sampled_from(WRONG_VALUES))
        assert (_refusal(arguments, kind) is None) == fits(schema, arguments)

    is_read_when_it_is_allowed()


def _somewhere(data, schema, arguments):
    """An object in a message, and the name of a field that it may have."""
    while True:
        # What a player or a referee says of substituted moves is read leniently, on purpose.
        fields = sorted(name for name in schema.get("properties", {}) if name != "substituted")
        if not fields:
            return None
        field = data.draw(st.sampled_from(fields))
        inner, value = schema["properties"][field], arguments.get(field)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            inner, value = (inner.get("anyOf") or [inner])[0].get("items", {}), value[0]
        if not isinstance(value, dict) or not inner.get("properties") or data.draw(st.booleans()):
            return arguments, field
        schema, arguments = inner, value


@requirement(
    "000-LM-REF-11",
    "000-MAP-07",
    "001-RPC-02",
    "002-ENV-03",
    "002-RREG-04",
    "002-NOTE-05",
    "002-NOTE-07",
    "003-LM-02",
    "003-LM-03",
    "003-CAP-01",
    "003-TEST-P-02",
    "003-TEST-E-05",
    "004-ERR-05",
    "project-PROTO-11",
)
def test_every_required_field_is_missed_when_it_is_missing(subtests: pytest.Subtests):
    for kind in KINDS:
        with subtests.test(kind=kind.__name__):
            assert _refusal(example(kind), kind) is None
            for field in CODEC.input_schema(kind, spec=spec_for(kind))["required"]:
                refusal = _refusal({name: value for name, value in example(kind).items() if name != field}, kind)
                assert isinstance(refusal, MissingField), (kind, field)
                assert refusal.code == "E003", (kind, field)
                assert refusal.message == f"{field} is missing", (kind, field)
                assert refusal.context == {"field": field}, (kind, field)


@requirement(
    "000-LM-REF-11",
    "000-MAP-07",
    "001-SEC-03",
    "002-RREG-04",
    "002-NOTE-05",
    "003-COMPL-03",
    "003-CAP-01",
    "003-TEST-P-03",
    "project-PROTO-11",
)
def test_every_field_is_refused_when_its_type_is_wrong():
    for kind in KINDS:
        message = example(kind)
        for field, about in CODEC.input_schema(kind, spec=spec_for(kind))["properties"].items():
            if field == "substituted":  # what a player says of itself costs it nothing, however it says it
                assert kind is MoveResponse
                continue
            is_valid = Draft202012Validator(about).is_valid
            for value in WRONG_VALUES:
                if isinstance(value, str) or is_valid(value):
                    continue
                # An object in place of another one lacks its fields, or has a value that is no time;
                # everything else is of the wrong type.
                of_objects = (InvalidField, MissingField, InvalidTimestamp)
                expected = of_objects if isinstance(value, dict) else InvalidField
                refusal = _refusal({**message, field: value}, kind)
                assert isinstance(refusal, expected), (kind, field, value)
                place = refusal.context["field"]
                assert place.partition(".")[0].partition("[")[0] == field, (kind, field, value)


@requirement("001-PRIN-02", "002-ENV-04")
def test_another_protocol_is_e018_whatever_else_is_wrong():
    for kind in KINDS:
        for protocol in ("league.v1", "league.v3", "LEAGUE.V2", "mcp", ""):
            refusal = _refusal({"protocol": protocol}, kind)
            assert isinstance(refusal, ProtocolVersionMismatch), (kind, protocol)
            assert refusal.code == "E018", (kind, protocol)
            expected = {"field": "protocol", "value": protocol, "expected": "league.v2"}
            assert refusal.context == expected, (kind, protocol)


def test_a_protocol_that_is_no_text_is_mistyped():
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(example(GameInvitation, protocol=2), GameInvitation)
    assert refusal.value.context == {"field": "protocol", "value": 2, "expected": "'league.v2'"}


@pytest.mark.parametrize("arguments", [None, "x", 3, [], [{}]])
def test_only_an_object_is_a_message(arguments):
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(arguments, GameInvitation)
    assert refusal.value.context["expected"] == "an object"


def test_the_first_of_several_faults_is_told():
    message = example(GameInvitation, round_id="1", game_type=7)
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(message, GameInvitation)
    assert refusal.value.message == "round_id: expected a whole number"
    assert refusal.value.context == {"field": "round_id", "value": "1", "expected": "a whole number"}


@pytest.mark.parametrize(
    ("kind", "field", "value", "place", "expected"),
    [
        (RoundAnnouncement, "matches", [{}, 3], "matches[0].match_id", None),
        (RoundAnnouncement, "matches", {"x": 1}, "matches", "an array"),
        (LeagueRegisterRequest, "player_meta", [], "player_meta", "an object"),
        (MatchResultReport, "result", {"winner": None, "score": [], "details": {}}, "result.score", "an object"),
        (LeagueErrorMessage, "context", "x", "context", "an object"),
    ],
)
def test_a_fault_inside_is_told_by_its_place(kind, field, value, place, expected):
    with pytest.raises((InvalidField, MissingField)) as refusal:
        CODEC.parse(example(kind, **{field: value}), kind)
    assert refusal.value.context["field"] == place
    assert refusal.value.context.get("expected") == expected


@pytest.mark.parametrize(
    ("value", "shown"),
    [("x" * 1000, "x" * 200), ({"auth_token": "secret"}, "an object"), (["secret"], "an array"), (True, True)],
)
def test_an_error_repeats_a_wrong_value_only_as_far_as_that_is_safe(value, shown):
    message = example(GameInvitation, role_in_match=value)
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(message, GameInvitation)
    assert refusal.value.context["value"] == shown


@requirement("002-LERR-03")
def test_an_error_never_repeats_a_token():
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(example(GameInvitation, auth_token=["secret"]), GameInvitation)
    assert refusal.value.context == {"field": "auth_token", "expected": "a text"}


SECRETS = ("auth_token", "peer_token", "player_A_ticket", "player_B_ticket")


def test_no_secret_shows_when_a_message_is_printed(subtests: pytest.Subtests):
    for kind in KINDS:
        with subtests.test(kind=kind.__name__):
            fields = CODEC.input_schema(kind, spec=spec_for(kind))["properties"]
            secrets = {name: "s3cret" for name in SECRETS if name in fields}
            assert secrets
            assert "s3cret" not in repr(CODEC.parse(example(kind, **secrets), kind, spec=spec_for(kind)))


def test_no_secret_shows_in_the_cause_of_an_error():
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(example(GameInvitation, auth_token=["s3cret"]), GameInvitation)
    assert "s3cret" not in str(refusal.value.__cause__)


def test_an_integer_may_be_written_with_a_point():
    assert CODEC.parse(example(GameInvitation, round_id=3.0), GameInvitation).round_id == 3


@requirement("project-PROTO-11")
def test_unknown_fields_are_ignored_and_noted_for_those_who_debug(caplog):
    row = {"rank": 1, "player_id": "P01", "display_name": "A", "wins": 0, "draws": 0, "losses": 0, "points": 0}
    message = example(
        LeagueStandingsUpdate,
        mood="sunny",
        standings=[{**row, "games_played": 0}, {**row, "elo": 1500}],
    )
    with caplog.at_level(logging.DEBUG, "league_sdk.protocol.codec"):
        parsed = CODEC.parse(message, LeagueStandingsUpdate)
    assert CODEC.render(parsed) == CODEC.render(
        CODEC.parse(example(LeagueStandingsUpdate, standings=[row, row]), LeagueStandingsUpdate)
    )
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("DEBUG", "LeagueStandingsUpdate: ignored unknown fields ['mood', 'standings[1].elo']")
    ]


PYDANTIC = re.compile(r"\b(valid|should|Input|type|instance|dictionary|tuple|parse|mapping)\b")


def test_a_refusal_says_in_plain_words_what_was_expected():
    refusals: list[LeagueError] = []
    for kind in KINDS:
        good = example(kind)
        for name in good:
            for value in (*WRONG_VALUES, 1e99, "x" * 5000):
                try:
                    CODEC.parse({**good, name: value}, kind)
                except LeagueError as error:
                    refusals.append(error)
    assert len(refusals) > 500
    assert [error for error in refusals if "field" not in error.context] == []
    assert [error for error in refusals if PYDANTIC.search(error.context.get("expected", ""))] == []


def test_nothing_is_noted_about_a_message_without_unknown_fields(caplog):
    result = {"status": "DRAW", "winner_player_id": None, "reason": "", "drawn_number": 3}
    with caplog.at_level(logging.DEBUG, "league_sdk.protocol.codec"):
        CODEC.parse(example(GameOver, game_result=result), GameOver)
        CODEC.parse(example(StartMatch, scoring={"win": 3}), StartMatch)
    assert caplog.records == []


def test_unknown_fields_cost_nothing_when_nobody_debugs(caplog):
    with caplog.at_level(logging.INFO, "league_sdk.protocol.codec"):
        CODEC.parse(example(GameInvitation, mood="sunny"), GameInvitation)
    assert caplog.records == []


def test_a_message_of_another_kind_is_refused():
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(example(GameOver), GameInvitation)
    assert refusal.value.context == {"field": "message_type", "value": "GAME_OVER", "expected": "'GAME_INVITATION'"}


# Moves, in each game's own spelling


def _move(message_type, **fields):
    envelope = {"protocol": "league.v2", "message_type": message_type, "timestamp": "2025-01-15T10:00:00Z"}
    return {**envelope, "match_id": "R1M1", "player_id": "P01", **fields}


@requirement("002-CALL-05", "003-TYPE-13")
@pytest.mark.parametrize("spec", [PARITY, None])
@pytest.mark.parametrize("message_type", ["CHOOSE_PARITY_RESPONSE", "PARITY_CHOICE"])
def test_a_game_s_answer_is_read_under_each_of_its_names(message_type, spec):
    response = CODEC.parse(_move(message_type, parity_choice="odd"), MoveResponse, spec=spec)
    assert (response.move, response.message_type) == ("odd", "CHOOSE_PARITY_RESPONSE")


@requirement("003-TYPE-13")
def test_a_game_s_answer_is_written_in_its_own_spelling():
    message = _move("PARITY_CHOICE", parity_choice="odd", sender="player:P01", conversation_id="c")
    written = CODEC.render(CODEC.parse(message, MoveResponse))
    assert written["message_type"] == "CHOOSE_PARITY_RESPONSE"
    assert written["parity_choice"] == "odd"
    assert "move" not in written


def test_an_answer_is_written_in_the_spelling_that_was_asked_for():
    response = CODEC.parse(_move("MOVE_RESPONSE", move="odd", sender="player:P01", conversation_id="c"), MoveResponse)
    assert CODEC.render(response, spec=PARITY)["parity_choice"] == "odd"
    assert CODEC.render(response)["move"] == "odd"


def test_a_call_is_written_in_the_spelling_that_was_asked_for():
    call = CODEC.parse(example(MoveCall, league_id="l", round_id=1), MoveCall)
    assert CODEC.render(call)["message_type"] == "CHOOSE_PARITY_CALL"
    assert CODEC.render(call, spec=MoveSpec())["message_type"] == "MOVE_CALL"


def test_the_general_field_does_not_stand_in_for_the_game_s():
    with pytest.raises(MissingField) as refusal:
        CODEC.parse(_move("CHOOSE_PARITY_RESPONSE", move="odd"), MoveResponse)
    assert refusal.value.context == {"field": "parity_choice"}


@pytest.mark.parametrize("message_type", ["MOVE_RESPONSE", "GAME_JOIN_ACK", 3, ["PARITY_CHOICE"]])
def test_an_answer_to_another_game_is_refused(message_type):
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(_move(message_type, parity_choice="odd"), MoveResponse, spec=PARITY)
    assert refusal.value.context["expected"] == "CHOOSE_PARITY_RESPONSE or PARITY_CHOICE"


def test_a_call_of_another_game_is_refused():
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse(example(MoveCall), MoveCall, spec=MoveSpec())
    assert refusal.value.context["expected"] == "MOVE_CALL"
    with pytest.raises(InvalidField):
        CODEC.parse(example(MoveCall), MoveCall.__mro__[0], spec=MoveSpec())


def test_a_move_of_a_game_that_nobody_declared_cannot_be_written():
    call = CODEC.parse(example(MoveCall, league_id="l", round_id=1), MoveCall)
    with pytest.raises(ValueError, match="no game spells a move 'CHOOSE_PARITY_CALL'; known are MOVE_CALL"):
        Codec().render(call)


@pytest.mark.parametrize(
    "specs",
    [
        [MoveSpec(call_type="GAME_OVER")],
        [MoveSpec(response_aliases=("GAME_JOIN_ACK",))],
        [MoveSpec(), MoveSpec(choice_field="cell")],
        [MoveSpec(), MoveSpec(call_type="MOVE_RESPONSE", response_type="OTHER")],
        [MoveSpec(choice_field="player_id")],
    ],
)
def test_games_whose_spellings_collide_are_refused(specs):
    with pytest.raises(ValueError, match="MoveSpec"):
        Codec(specs)


def test_games_may_share_a_spelling():
    Codec([MoveSpec(), MoveSpec(), MoveSpec(resolving_label="SHOWING")])


@requirement("001-COMP-07", "003-TYPE-01", "004-OBJ-01", "004-V2-10")
def test_every_message_type_is_known_by_name():
    types = CODEC.message_types()
    assert types["PARITY_CHOICE"] is types["CHOOSE_PARITY_RESPONSE"] is types["MOVE_RESPONSE"] is MoveResponse
    assert types["CHOOSE_PARITY_CALL"] is MoveCall
    assert types["LEAGUE_ERROR"] is LeagueErrorMessage
    assert len(types) == len(set(types))
    types.clear()
    assert CODEC.message_types()


def test_every_kind_of_message_has_a_type_of_its_own():
    named = [kind.model_fields["message_type"].default for kind in KINDS]
    assert len(set(named)) == len(named)

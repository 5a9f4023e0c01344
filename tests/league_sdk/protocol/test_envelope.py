from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.model import Role
from league_sdk.errors import InvalidField, InvalidTimestamp, MissingField
from league_sdk.protocol.envelope import (
    Message,
    Sender,
    game_reply_to,
    parse_sender,
    reply_to,
    stamp,
    utc,
    wire_name,
)
from league_sdk.protocol.match import GameError, GameErrorAck, GameInvitation, GameJoinAck, GameOver
from league_sdk.protocol.operator import StartLeagueRequest
from league_sdk.protocol.queries import LeagueErrorMessage
from tests.league_sdk.protocol.samples import CODEC, example, names, needed
from tests.requirements.marker import requirement

NOW = "2025-01-15T10:00:00Z"


@requirement("001-ENV-02", "001-SEC-03", "004-V2-09")
@pytest.mark.parametrize(
    ("text", "sender"),
    [
        ("league_manager", Sender(Role.LEAGUE_MANAGER)),
        ("league_manager:LM01", Sender(Role.LEAGUE_MANAGER, "LM01")),
        ("referee:REF01", Sender(Role.REFEREE, "REF01")),
        ("player:P01", Sender(Role.PLAYER, "P01")),
        ("player:Agent: Alpha", Sender(Role.PLAYER, "Agent: Alpha")),
    ],
)
def test_every_form_of_sender_is_read(text, sender):
    assert parse_sender(text) == sender


@requirement("001-ENV-02", "001-SEC-03", "004-V2-09")
@pytest.mark.parametrize(
    "text", ["", "referee", "player", "player:", "operator:x", "player_P01", "Player:P01", "player:a\nb", " player:P01"]
)
def test_other_senders_are_refused(text):
    with pytest.raises(InvalidField) as refusal:
        parse_sender(text)
    assert refusal.value.context == {
        "field": "sender",
        "value": text,
        "expected": "league_manager, referee:<id> or player:<id>",
    }
    with pytest.raises(InvalidField):
        CODEC.parse(example(GameInvitation, sender=text), GameInvitation)


@requirement("001-ENV-02")
def test_an_id_of_the_league_manager_is_read_and_never_written():
    assert parse_sender("league_manager:LM01").wire == "league_manager"


@given(st.sampled_from([Role.REFEREE, Role.PLAYER]), names)
def test_a_sender_that_is_written_is_read_back(role, name):
    sender = Sender(role, name)
    assert parse_sender(sender.wire) == sender


@requirement("003-PROTO-08", "003-TEST-P-05", "004-V2-03", "004-TEST-15", "project-WIRE-02")
@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("2025-01-15T10:30:00Z", "2025-01-15T10:30:00Z"),
        ("2025-01-15T10:30:00.5Z", "2025-01-15T10:30:00.500Z"),
        ("2025-01-15T10:30:00.123456Z", "2025-01-15T10:30:00.123Z"),
        ("2025-01-15T10:30:00+00:00", "2025-01-15T10:30:00Z"),
        ("0001-01-01T00:00:00.000+00:00", "0001-01-01T00:00:00.000Z"),
    ],
)
def test_a_time_in_utc_is_read_in_either_spelling(sent, read):
    assert CODEC.parse(example(GameInvitation, timestamp=sent), GameInvitation).timestamp == read


@requirement(
    "001-SEC-03",
    "002-ENV-05",
    "003-PROTO-07",
    "003-COMPL-05",
    "003-TEST-P-05",
    "004-OBJ-04",
    "004-V2-02",
    "004-TEST-15",
)
@pytest.mark.parametrize(
    "sent",
    [
        "2025-01-15T10:30:00",
        "2025-01-15T10:30:00+02:00",
        "2025-01-15T10:30:00-00:00",
        "2025-01-15 10:30:00Z",
        "2025-02-30T10:30:00Z",
        "2025-01-15T25:00:00Z",
        "2025-01-15",
        "now",
        "",
    ],
)
def test_a_time_that_is_not_in_utc_is_e021(sent):
    with pytest.raises(InvalidTimestamp) as refusal:
        CODEC.parse(example(GameInvitation, timestamp=sent), GameInvitation)
    assert refusal.value.code == "E021"
    assert refusal.value.context == {
        "field": "timestamp",
        "value": sent,
        "expected": "a time in UTC, such as 2025-01-15T10:30:00Z",
    }


@requirement(
    "001-SEC-03",
    "002-ENV-05",
    "003-PROTO-07",
    "003-COMPL-05",
    "003-TEST-P-05",
    "004-OBJ-04",
    "004-V2-02",
    "004-TEST-15",
)
def test_every_field_that_is_a_time_is_held_to_it():
    with pytest.raises(InvalidTimestamp) as refusal:
        CODEC.parse(example(GameJoinAck, arrival_timestamp="2025-01-15T10:30:00+01:00"), GameJoinAck)
    assert refusal.value.context["field"] == "arrival_timestamp"


def test_a_time_that_is_no_text_is_mistyped():
    with pytest.raises(InvalidField):
        CODEC.parse(example(GameInvitation, timestamp=1736937000), GameInvitation)


def _error_at(moment):
    return LeagueErrorMessage(
        sender="league_manager",
        timestamp=moment,
        conversation_id="c",
        error_code="E001",
        error_description="TIMEOUT_ERROR",
        context={},
    )


def test_a_clock_s_time_can_be_given_as_it_is():
    assert _error_at(datetime(2025, 1, 15, 10, 30, 0, 250_000, tzinfo=UTC)).timestamp == "2025-01-15T10:30:00.250Z"


@pytest.mark.parametrize("zone", [None, timezone(timedelta(hours=2))])
def test_a_datetime_of_another_zone_or_of_none_is_refused(zone):
    with pytest.raises(ValidationError):
        _error_at(datetime(2025, 1, 15, 10, 30, tzinfo=zone))


def test_a_timestamp_can_be_had_as_a_datetime():
    assert utc("2025-01-15T10:30:00.250Z") == datetime(2025, 1, 15, 10, 30, 0, 250_000, tzinfo=UTC)


@requirement("002-INV-01")
def test_seats_are_capital_letters_on_the_wire():
    assert wire_name("player_a_id") == "player_A_id"
    assert wire_name("player_b_endpoint") == "player_B_endpoint"
    assert wire_name("player_id") == "player_id"


def test_messages_are_immutable():
    invitation = CODEC.parse(example(GameInvitation), GameInvitation)
    with pytest.raises(ValidationError):
        invitation.match_id = "R9M9"  # pyright: ignore[reportAttributeAccessIssue]


@requirement("000-CL-INIT-01", "000-CL-FORM-01", "001-ENV-01", "004-MSG-01")
def test_a_new_message_gets_time_and_conversation():
    assert stamp(ManualClock(), ManualIds(), "referee:REF01") == {
        "sender": "referee:REF01",
        "timestamp": NOW,
        "conversation_id": "conv-1",
    }
    assert stamp(ManualClock(), ManualIds(), "referee:REF01", "conv-r1m1")["conversation_id"] == "conv-r1m1"


@requirement("002-ENV-06")
def test_a_reply_continues_the_conversation():
    invitation = CODEC.parse(example(GameInvitation, conversation_id="conv-7"), GameInvitation)
    assert reply_to(invitation, "player:P01", ManualClock()) == {
        "sender": "player:P01",
        "timestamp": NOW,
        "conversation_id": "conv-7",
    }


@pytest.mark.parametrize("message", [StartLeagueRequest(), Message()])
def test_a_reply_to_a_call_by_hand_has_a_conversation_too(message):
    assert reply_to(message, "league_manager", ManualClock())["conversation_id"] == "operator"


@requirement("002-INV-02", "004-MSG-03")
def test_a_player_s_reply_says_which_match_it_is_about():
    invitation = CODEC.parse(example(GameInvitation, league_id="l", round_id=2, match_id="R2M1"), GameInvitation)
    fields = game_reply_to(invitation, "player:P01", "P01", ManualClock())
    assert {name: fields[name] for name in ("league_id", "round_id", "match_id", "player_id")} == {
        "league_id": "l",
        "round_id": 2,
        "match_id": "R2M1",
        "player_id": "P01",
    }


@requirement("004-MSG-02")
def test_a_player_s_reply_leaves_out_what_a_terse_referee_did_not_tell():
    over = CODEC.parse(needed(GameOver, match_id="R2M1"), GameOver)
    fields = game_reply_to(over, "player:P01", "P01", ManualClock())
    assert fields.keys() & {"league_id", "round_id", "match_id"} == {"match_id"}
    error = CODEC.parse(needed(GameError), GameError)
    ack = GameErrorAck(**game_reply_to(error, "player:P01", "P01", ManualClock()))
    assert "match_id" not in CODEC.render(ack)


@requirement("001-ENV-01", "002-ENV-03", "003-COMPL-02", "004-MSG-01")
@pytest.mark.parametrize("field", ["protocol", "message_type", "sender", "timestamp", "conversation_id"])
def test_a_request_needs_its_whole_envelope(field):
    message = example(GameInvitation)
    del message[field]
    with pytest.raises(MissingField) as refusal:
        CODEC.parse(message, GameInvitation)
    assert refusal.value.context == {"field": field}


def test_a_peer_s_reply_may_leave_out_sender_and_conversation():
    message = needed(GameJoinAck)
    assert "sender" not in message
    assert "conversation_id" not in message
    assert CODEC.parse(message, GameJoinAck).sender == ""


@requirement("002-ENV-06")
def test_our_own_reply_may_not():
    reply = CODEC.parse(needed(GameJoinAck), GameJoinAck)
    with pytest.raises(ValueError, match="GameJoinAck has to be written with sender, conversation_id"):
        CODEC.render(reply)


@requirement("003-PROTO-03", "004-MSG-02")
def test_our_own_messages_in_a_match_name_league_and_round():
    over = CODEC.parse(needed(GameOver), GameOver)
    with pytest.raises(ValueError, match="GameOver has to be written with league_id, round_id, game_result"):
        CODEC.render(over)

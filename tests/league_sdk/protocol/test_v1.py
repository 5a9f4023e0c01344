"""The older dialect: what is written in it, what is read from it, and that nothing is lost on the way."""

import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft7Validator

from league_sdk.bounds import Bounds
from league_sdk.errors import InvalidField, LeagueError, MissingField, ProtocolVersionMismatch
from league_sdk.game import MoveSpec
from league_sdk.protocol.match import GameInvitation, GameJoinAck, GameOver, GameOverAck, MoveCall, MoveResponse
from league_sdk.protocol.operator import OperatorRequest, StartMatch
from league_sdk.protocol.queries import LeagueQuery
from league_sdk.protocol.registration import LeagueRegisterRequest, LeagueRegisterResponse, RefereeRegisterRequest
from league_sdk.protocol.v1 import NO_ID, V1Codec
from tests.league_sdk.protocol.samples import CODEC, PARITY, anything, example, spec_for

LEAGUE = "550e8400-e29b-41d4-a716-446655440000"
TALK = "880e8400-e29b-41d4-a716-446655440003"
BASE = {
    "protocol": "league.v1",
    "league_id": LEAGUE,
    "round_id": 1,
    "match_id": "R1M1",
    "conversation_id": TALK,
    "timestamp": "2025-12-13T22:05:00.000Z",
}
SCHEMA = {
    "type": "object",
    "required": [
        *("protocol", "message_type", "league_id", "round_id"),
        *("match_id", "conversation_id", "sender", "timestamp"),
    ],
    "properties": {
        "protocol": {"const": "league.v1"},
        "league_id": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
        "round_id": {"type": "integer", "minimum": 0},
        "match_id": {"type": "string"},
        "conversation_id": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
        "sender": {
            "type": "string",
            "pattern": "^(league_manager|referee|player|referee_.+|player_.+|league_manager:.+)$",
        },
    },
}
"""What 003 asks of every message; its examples sign as `referee_REF01`, its pattern as `referee`."""


@pytest.fixture
def codec() -> V1Codec:
    return V1Codec(CODEC, [PARITY, MoveSpec()])


def ours(message):
    """The message as one of ours would write it, with a round where it has one at all."""
    whole = {"sender": "player:P01", "conversation_id": "c", "league_id": "l", "round_id": 1}
    empty = {name: whole[name] for name in message.always_written if not getattr(message, name)}
    if getattr(message, "round_id", None) == 0:
        empty["round_id"] = 1
    if isinstance(message, OperatorRequest):
        empty["protocol"] = "league.v2"  # which an operator may leave out, and this dialect does not
    return message.model_copy(update=empty)


@given(anything)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_every_message_survives_the_way_there_and_back(sample):
    codec = V1Codec(CODEC, [PARITY, MoveSpec()])
    kind, arguments = sample
    message = ours(CODEC.parse(arguments, kind, spec=spec_for(kind)))
    written = codec.render(message, spec=spec_for(kind))
    if written.get("sender") and written.get("timestamp"):
        assert list(Draft7Validator(SCHEMA).iter_errors(written)) == []
    assert codec.parse(written, kind, spec=spec_for(kind)) == message
    assert codec.parse(written, kind) == message


@given(anything)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_what_looks_like_v1_and_is_not_is_refused_with_an_error_of_the_protocol(sample):
    kind, arguments = sample
    codec = V1Codec(CODEC, [PARITY])
    strange = {**arguments, "protocol": "league.v1", "game_info": 1, "game_state": [], "choice": [], "result": "x"}
    strange |= {"sender": 5, "conversation_id": [], "league_id": {}, "referee_meta": 3, "round_id": "one"}
    try:
        codec.parse(strange, kind)
    except LeagueError:
        return


def test_an_invitation_says_what_it_is_about_in_game_info(codec):
    invitation = CODEC.parse(
        example(GameInvitation, league_id="summer", round_id=1, match_id="R1M1", sender="referee:REF01"),
        GameInvitation,
    )
    written = codec.render(invitation)
    assert written["game_info"] == {"game_type": invitation.game_type, "opponent_id": "P02", "timeout_seconds": 5.0}
    assert written["sender"] == "referee_REF01"
    assert str(uuid.UUID(written["league_id"])) == written["league_id"]
    assert "game_type" not in written


def test_a_call_says_how_much_time_there_is(codec):
    moment = {"timestamp": "2025-01-15T10:30:00.000Z", "deadline": "2025-01-15T10:30:30.000Z"}
    call = CODEC.parse(example(MoveCall, league_id="summer", round_id=1, **moment), MoveCall)
    written = codec.render(call)
    assert written["game_state"] == {"game_type": call.game_type, "timeout_seconds": 30.0}
    bare = {name: value for name, value in written.items() if name not in ("deadline", "context", "player_id")}
    assert codec.parse(bare, MoveCall).deadline == call.deadline


def test_the_choice_of_a_player_is_read_from_its_value(codec):
    choice = {"value": "even", "reasoning": "Strategic choice based on probability"}
    said = {**BASE, "message_type": "PARITY_CHOICE", "sender": "player_P01", "choice": choice}
    answer = codec.parse(said, MoveResponse, spec=PARITY)
    assert (answer.move, answer.player_id, answer.match_id, answer.sender) == ("even", "P01", "R1M1", "player:P01")
    assert answer.message_type == "CHOOSE_PARITY_RESPONSE"


@pytest.mark.parametrize(
    ("fields", "move"),
    [
        ({"message_type": "CHOOSE_PARITY_RESPONSE", "parity_choice": "odd"}, "odd"),
        ({"message_type": "PARITY_CHOICE", "choice": "odd"}, "odd"),
        ({"message_type": "PARITY_CHOICE", "choice": {"value": "sideways"}}, "sideways"),
    ],
)
def test_a_choice_may_be_spelled_as_in_either_dialect(codec, fields, move):
    assert codec.parse({**BASE, "sender": "player_P01", **fields}, MoveResponse, spec=PARITY).move == move


def test_a_choice_without_a_value_is_a_missing_field(codec):
    said = {**BASE, "message_type": "PARITY_CHOICE", "sender": "player_P01", "choice": {"reasoning": "none"}}
    with pytest.raises(MissingField) as refused:
        codec.parse(said, MoveResponse, spec=PARITY)
    assert refused.value.context["field"] == "parity_choice"


def test_our_answer_is_written_as_a_choice_with_a_value(codec):
    answer = CODEC.parse(example(MoveResponse, parity_choice="odd", sender="player:P01"), MoveResponse, spec=PARITY)
    written = codec.render(answer.model_copy(update={"conversation_id": TALK}), spec=PARITY)
    assert (written["message_type"], written["choice"]) == ("PARITY_CHOICE", {"value": "odd"})
    assert "parity_choice" not in written


def test_a_player_that_says_no_more_than_that_it_is_there_accepts(codec):
    ack = codec.parse({**BASE, "message_type": "GAME_JOIN_ACK", "sender": "player_P01"}, GameJoinAck)
    assert (ack.accept, ack.player_id, ack.arrival_timestamp) == (True, "P01", BASE["timestamp"])


def test_a_result_names_winner_loser_and_points(codec):
    result = {"status": "WIN", "winner_player_id": "P01", "reason": "8 is even", "drawn_number": 8}
    result |= {"score": {"P01": 3, "P02": 0}, "choices": {"P01": "even", "P02": "odd"}}
    over = CODEC.parse(example(GameOver, game_result=result), GameOver)
    told = codec.render(over.model_copy(update={"league_id": "summer", "round_id": 1}))["result"]
    wanted = {"winner_id": "P01", "loser_id": "P02", "winner_choice": "even", "loser_choice": "odd"}
    assert {name: told[name] for name in wanted} == wanted
    assert (told["points_awarded"], told["drawn_number"]) == (3, 8)


def test_the_example_of_a_result_is_read(codec):
    told = {"drawn_number": 8, "number_parity": "even", "winner_id": "P01", "loser_id": "P02"}
    told |= {"winner_choice": "even", "loser_choice": "odd", "points_awarded": 3}
    said = {**BASE, "message_type": "GAME_OVER", "sender": "referee_REF01", "result": told}
    result = codec.parse(said, GameOver).game_result
    assert (result.status, result.winner_player_id, result.score) == ("WIN", "P01", {"P01": 3, "P02": 0})
    assert result.choices == {"P01": "even", "P02": "odd"}
    assert result.details == {"drawn_number": 8, "number_parity": "even"}


def test_the_examples_of_registration_are_read(codec):
    base = {**BASE, "round_id": 0, "match_id": "REGISTRATION"}
    meta = {"display_name": "AlphaAgent", "version": "1.0.0", "protocol_version": "2.1.0", "game_types": ["even_odd"]}
    meta |= {"contact_endpoint": "http://localhost:8101/mcp"}
    said = {**base, "message_type": "LEAGUE_REGISTER_REQUEST", "sender": "player_candidate", "player_meta": meta}
    asked = codec.parse(said, LeagueRegisterRequest)
    assert (asked.sender, asked.league_id, asked.player_meta.display_name) == ("player:candidate", None, "AlphaAgent")
    meta = {"referee_id": "REF01", "contact_endpoint": "http://localhost:8001/mcp", "supported_games": ["even_odd"]}
    said = {**base, "message_type": "REFEREE_REGISTER_REQUEST", "sender": "referee_REF01", "referee_meta": meta}
    offered = codec.parse(said, RefereeRegisterRequest).referee_meta
    assert (offered.display_name, offered.game_types, offered.max_concurrent_matches) == ("REF01", ("even_odd",), 1)


def test_an_answer_to_a_registration_has_a_uuid_for_its_league_that_is_known_from_then_on(codec):
    fields = {"status": "ACCEPTED", "player_id": "P01", "auth_token": "t", "league_id": "summer"}
    answer = CODEC.parse(example(LeagueRegisterResponse, **fields), LeagueRegisterResponse)
    written = codec.render(answer.model_copy(update={"sender": "league_manager", "conversation_id": TALK}))
    assert written["match_id"] == "REGISTRATION"
    asked = {**BASE, "message_type": "LEAGUE_QUERY", "sender": "player_P01", "query_type": "GET_STANDINGS"}
    assert codec.parse({**asked, "league_id": written["league_id"]}, LeagueQuery).league_id == "summer"
    assert codec.parse(asked, LeagueQuery).league_id == LEAGUE
    fresh = V1Codec(CODEC, [PARITY], leagues=["summer"])
    assert fresh.parse({**asked, "league_id": written["league_id"]}, LeagueQuery).league_id == "summer"


def test_a_league_that_names_itself_otherwise_keeps_its_name(codec):
    said = {**BASE, "message_type": "LEAGUE_QUERY", "sender": "player_P01", "query_type": "GET_STANDINGS"}
    assert codec.parse({**said, "league_id": "league_2025"}, LeagueQuery).league_id == "league_2025"


def test_a_message_of_the_other_dialect_is_read_as_such(codec):
    assert codec.parse(example(GameOverAck), GameOverAck) == CODEC.parse(example(GameOverAck), GameOverAck)
    with pytest.raises(ProtocolVersionMismatch):
        codec.parse(example(GameOverAck, protocol="chess.v9"), GameOverAck)


def test_what_has_no_counterpart_goes_in_the_same_envelope(codec):
    start = CODEC.parse(example(StartMatch, sender="league_manager", timestamp=BASE["timestamp"]), StartMatch)
    written = codec.render(start)
    assert (written["league_id"], written["round_id"], written["message_type"]) == (NO_ID, 0, "START_MATCH")


def test_a_message_that_is_too_deep_is_refused_before_it_is_looked_at():
    codec = V1Codec(CODEC, [PARITY], bounds=Bounds(depth=3))
    deep = {**BASE, "message_type": "GAME_OVER_ACK", "sender": "player_P01", "more": [[[[[1]]]]]}
    with pytest.raises(InvalidField):
        codec.parse(deep, GameOverAck)

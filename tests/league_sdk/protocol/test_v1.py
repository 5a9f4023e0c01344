"""The older dialect: what is written in it, what is read from it, and that nothing is lost on the way."""

import uuid
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft7Validator

from league_sdk.bounds import Bounds
from league_sdk.errors import InvalidField, LeagueError, MissingField, ProtocolVersionMismatch
from league_sdk.game import MoveSpec
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.match import (
    GameInvitation,
    GameJoinAck,
    GameOver,
    GameOverAck,
    MoveCall,
    MoveResponse,
    YourStandings,
)
from league_sdk.protocol.operator import MatchStatus, OperatorRequest, StartMatch
from league_sdk.protocol.queries import LeagueQuery
from league_sdk.protocol.registration import LeagueRegisterRequest, LeagueRegisterResponse, RefereeRegisterRequest
from league_sdk.protocol.rounds import RoundAnnouncement
from league_sdk.protocol.v1 import NO_ID, V1Codec
from tests.league_sdk.protocol.samples import CODEC, PARITY, anything, complete, example, spec_for
from tests.requirements.marker import requirement

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
"""Fields that 003 asks of every message; its examples sign as `referee_REF01`, its pattern as `referee`."""
ENVELOPE = Draft7Validator(SCHEMA)


@pytest.fixture
def codec() -> V1Codec:
    return V1Codec(CODEC, [PARITY, MoveSpec()])


def ours(message):
    """The message as one of ours would write it, with a round where it has one at all."""
    empty: dict[str, Any] = {}
    if getattr(message, "round_id", None) == 0:
        empty["round_id"] = 1
    if isinstance(message, OperatorRequest):
        empty["protocol"] = "league.v2"  # which an operator may leave out, and this dialect does not
    return complete(message).model_copy(update=empty)


def missing(codec, said, kind):
    """The field that a message is refused for, since it is not there."""
    with pytest.raises(MissingField) as refused:
        codec.parse(said, kind)
    return refused.value.context["field"]


@requirement("003-PROTO-01", "003-COMPL-01", "003-TECH-01")
@given(anything)
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_every_message_survives_the_way_there_and_back(sample):
    codec = V1Codec(CODEC, [PARITY, MoveSpec()])
    kind, arguments = sample
    message = ours(CODEC.parse(arguments, kind, spec=spec_for(kind)))
    written = codec.render(message, spec=spec_for(kind))
    if written.get("sender") and written.get("timestamp"):
        assert list(ENVELOPE.iter_errors(written)) == []
    assert codec.parse(written, kind, spec=spec_for(kind)) == message
    assert codec.parse(written, kind) == message


@given(anything)
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_what_looks_like_v1_and_is_not_is_refused_with_an_error_of_the_protocol(sample):
    kind, arguments = sample
    codec = V1Codec(CODEC, [PARITY])
    strange = {**arguments, "protocol": "league.v1", "game_info": 1, "game_state": [], "choice": [], "result": "x"}
    strange |= {"sender": 5, "conversation_id": [], "league_id": {}, "referee_meta": 3, "round_id": "one"}
    try:
        codec.parse(strange, kind)
    except LeagueError:
        return


@requirement("003-PROTO-06", "003-TYPE-19")
def test_an_invitation_says_what_it_is_about_in_game_info(codec):
    invitation = CODEC.parse(
        example(GameInvitation, league_id="summer", round_id=1, match_id="R1M1", sender="referee:REF01"),
        GameInvitation,
    )
    written = codec.render(invitation)
    assert written["game_info"] == {"game_type": invitation.game_type, "opponent_id": "P02", "timeout_seconds": 5.0}
    assert written["sender"] == "referee_REF01"
    assert str(uuid.UUID(written["league_id"])) == written["league_id"]
    # 004's fields stand beside 003's.
    assert (written["game_type"], written["opponent_id"]) == (invitation.game_type, "P02")
    assert codec.parse(written, GameInvitation) == invitation


def test_an_invitation_may_say_more_in_game_info_or_nothing_at_all(codec):
    said = {**BASE, "message_type": "GAME_INVITATION", "sender": "referee_REF01"}
    info = {"game_type": "even_odd", "opponent_id": "P02", "opponent_name": "B", "player_id": "P01"}
    seated = codec.parse({**said, "game_info": {**info, "role_in_match": "PLAYER_B"}}, GameInvitation)
    assert (seated.game_type, seated.opponent_id, seated.role_in_match) == ("even_odd", "P02", "PLAYER_B")
    assert (seated.opponent_name, seated.player_id) == ("B", "P01")
    assert codec.parse({**said, "game_info": info}, GameInvitation).role_in_match == "PLAYER_A"
    assert codec.parse({**said, **info, "game_info": {"opponent_id": "P09"}}, GameInvitation).opponent_id == "P02"
    for nothing in (said, {**said, "game_info": ["even_odd"]}):
        assert codec.parse(nothing, GameInvitation).game_type == ""  # which is the league's game


@requirement("003-TYPE-19")
def test_a_call_says_how_much_time_there_is(codec):
    moment = {"timestamp": "2025-01-15T10:30:00.000Z", "deadline": "2025-01-15T10:30:30.000Z"}
    call = CODEC.parse(example(MoveCall, league_id="summer", round_id=1, **moment), MoveCall)
    written = codec.render(call)
    assert written["game_state"] == {"game_type": call.game_type, "timeout_seconds": 30.0}
    bare = {name: value for name, value in written.items() if name not in ("deadline", "context", "player_id")}
    assert codec.parse(bare, MoveCall).deadline == call.deadline


CALL = {**BASE, "message_type": "CHOOSE_PARITY_CALL", "sender": "referee_REF01"}


def test_a_call_that_says_no_more_than_the_game_is_filled_up(codec):
    state = {"game_type": "even_odd", "timeout_seconds": 1.5, "opponent_id": "P02"}
    call = codec.parse({**CALL, "game_state": state}, MoveCall)
    assert (call.player_id, call.deadline) == ("unknown", "2025-12-13T22:05:01.500Z")
    assert (call.context.opponent_id, call.context.round_id) == ("P02", 1)
    assert call.context.your_standings == YourStandings(wins=0, losses=0, draws=0)
    assert codec.parse({**CALL, "game_state": {**state, "player_id": "P01"}}, MoveCall).player_id == "P01"


def test_a_deadline_that_a_call_names_stands_whatever_its_time_limit(codec):
    state = {"game_type": "even_odd", "timeout_seconds": 1.5}
    call = codec.parse({**CALL, "game_state": state, "deadline": "2025-12-13T22:06:00.000Z"}, MoveCall)
    assert call.deadline == "2025-12-13T22:06:00.000Z"


def test_a_call_without_a_time_limit_that_makes_sense_has_no_deadline(codec, subtests: pytest.Subtests):
    for seconds in (None, "soon", [], "nan", "inf", 1e300):
        with subtests.test(seconds=seconds):
            state = {"game_type": "even_odd", "timeout_seconds": seconds}
            assert codec.parse({**CALL, "game_state": state}, MoveCall).deadline == ""
    assert codec.parse({**CALL, "game_state": {"game_type": "even_odd"}}, MoveCall).deadline == ""
    assert codec.parse(CALL, MoveCall).game_type == ""
    timeless = {name: value for name, value in CALL.items() if name != "timestamp"}
    assert missing(codec, {**timeless, "game_state": {"timeout_seconds": 3}}, MoveCall) == "timestamp"


@requirement("003-TYPE-19")
def test_the_choice_of_a_player_is_read_from_its_value(codec):
    choice = {"value": "even", "reasoning": "Strategic choice based on probability"}
    said = {**BASE, "message_type": "PARITY_CHOICE", "sender": "player_P01", "choice": choice}
    answer = codec.parse(said, MoveResponse, spec=PARITY)
    assert (answer.move, answer.player_id, answer.match_id, answer.sender) == ("even", "P01", "R1M1", "player:P01")
    assert answer.message_type == "CHOOSE_PARITY_RESPONSE"


@requirement("004-MSG-04")
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


def test_an_answer_is_read_in_the_spelling_of_its_game_when_none_is_named(codec, subtests: pytest.Subtests):
    said = {**BASE, "sender": "player_P01"}
    for kind, fields, read in (
        ("PARITY_CHOICE", {"choice": {"value": "odd"}}, "CHOOSE_PARITY_RESPONSE"),
        ("MOVE_RESPONSE", {"choice": {"value": "odd"}}, "MOVE_RESPONSE"),
        ("MOVE_RESPONSE", {"move": "odd"}, "MOVE_RESPONSE"),
        ("MOVE_RESPONSE", {"move": "odd", "choice": {"value": "even"}}, "MOVE_RESPONSE"),
    ):
        with subtests.test(kind=kind, fields=fields):
            answer = codec.parse({**said, "message_type": kind, **fields}, MoveResponse)
            assert (answer.message_type, answer.move) == (read, "odd")


def test_an_answer_of_no_known_type_is_refused_for_its_type(codec, subtests: pytest.Subtests):
    said = {**BASE, "sender": "player_P01", "choice": {"value": "odd"}}
    assert missing(codec, said, MoveResponse) == "message_type"
    for kind in ("CHESS_MOVE", 5):
        with subtests.test(kind=kind):
            with pytest.raises(InvalidField) as refused:
                codec.parse({**said, "message_type": kind}, MoveResponse)
            assert (refused.value.context["field"], refused.value.context["value"]) == ("message_type", kind)


def test_a_game_may_call_its_move_a_choice_itself(subtests: pytest.Subtests):
    spec = MoveSpec(tool="pick", call_type="PICK_CALL", response_type="PICK", choice_field="choice")
    codec = V1Codec(Codec([spec]), [spec])
    said = {**BASE, "message_type": "PICK", "sender": "player_P01"}
    for choice, move in (("rock", "rock"), ({"value": "rock"}, "rock"), ({"stone": 1}, {"stone": 1}), (None, None)):
        with subtests.test(choice=choice):
            answer = codec.parse({**said, "choice": choice}, MoveResponse)
            assert answer.move == move
            assert codec.render(answer)["choice"] == {"value": move}
    assert missing(codec, said, MoveResponse) == "choice"


@requirement("003-TYPE-13")
def test_our_answer_is_written_as_a_choice_with_a_value(codec):
    answer = CODEC.parse(example(MoveResponse, parity_choice="odd", sender="player:P01"), MoveResponse, spec=PARITY)
    written = codec.render(answer.model_copy(update={"conversation_id": TALK}), spec=PARITY)
    assert (written["message_type"], written["choice"]) == ("PARITY_CHOICE", {"value": "odd"})
    assert "parity_choice" not in written


def test_a_player_that_says_no_more_than_that_it_is_there_accepts(codec):
    ack = codec.parse({**BASE, "message_type": "GAME_JOIN_ACK", "sender": "player_P01"}, GameJoinAck)
    assert (ack.accept, ack.player_id, ack.arrival_timestamp) == (True, "P01", BASE["timestamp"])


def test_an_answer_says_who_it_is_from_and_when(codec, subtests: pytest.Subtests):
    said = {**BASE, "message_type": "GAME_JOIN_ACK", "sender": "player_P01"}
    timeless = {name: value for name, value in said.items() if name != "timestamp"}
    assert missing(codec, timeless, GameJoinAck) == "timestamp"
    for stranger in ({"sender": "referee_REF01"}, {"sender": "league_manager"}, {}):
        with subtests.test(stranger=stranger):
            anonymous = {name: value for name, value in said.items() if name != "sender"} | stranger
            assert missing(codec, anonymous, GameJoinAck) == "player_id"
            assert codec.parse({**anonymous, "player_id": "P01"}, GameJoinAck).player_id == "P01"


def test_a_sender_without_an_id_is_somebody_unknown(codec, subtests: pytest.Subtests):
    said = {**BASE, "message_type": "LEAGUE_QUERY", "query_type": "GET_STANDINGS"}
    for written, read in (
        ("player", "player:unknown"),
        ("referee", "referee:unknown"),
        ("referee_REF01", "referee:REF01"),
        ("league_manager", "league_manager"),
    ):
        with subtests.test(written=written):
            assert codec.parse({**said, "sender": written}, LeagueQuery).sender == read
    assert missing(codec, said, LeagueQuery) == "sender"


def test_what_stands_for_nothing_is_read_as_nothing_unless_the_message_has_to_name_it(codec):
    nothing = {**BASE, "league_id": NO_ID, "conversation_id": NO_ID, "round_id": 0, "match_id": "LEAGUE"}
    row = {**nothing, "message_type": "ROUND_ANNOUNCEMENT", "sender": "league_manager", "matches": []}
    announced = codec.parse(row, RoundAnnouncement)
    assert (announced.league_id, announced.conversation_id, announced.round_id) == ("", NO_ID, 0)
    said = {**nothing, "message_type": "GAME_OVER_ACK", "sender": "player_P01"}
    ack = codec.parse(said, GameOverAck)
    assert (ack.match_id, ack.conversation_id) == ("LEAGUE", "")
    over = codec.parse({**said, "message_type": "GAME_OVER", "result": {"winner_id": None}}, GameOver)
    assert (over.league_id, over.match_id) == ("", "LEAGUE")
    asked = codec.parse({**said, "message_type": "MATCH_STATUS"}, MatchStatus)
    assert (asked.conversation_id, asked.match_id) == (None, None)


def test_so_many_conversations_are_remembered_and_the_latest_longest(codec, monkeypatch):
    monkeypatch.setattr("league_sdk.protocol.v1.REMEMBERED", 2)
    ack = CODEC.parse(example(GameOverAck, sender="player:P01"), GameOverAck)
    written = {}
    for talk in ("first", "second", "first", "third"):
        written[talk] = codec.render(ack.model_copy(update={"conversation_id": talk}))
    assert len({said["conversation_id"] for said in written.values()}) == 3
    read = {talk: codec.parse(said, GameOverAck).conversation_id for talk, said in written.items()}
    assert read == {"first": "first", "second": written["second"]["conversation_id"], "third": "third"}


@requirement("003-TYPE-19")
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


def test_a_result_is_read_however_little_it_tells(codec, subtests: pytest.Subtests):
    said = {**BASE, "message_type": "GAME_OVER", "sender": "referee_REF01"}
    won = {"winner_id": "P01", "loser_id": "P02"}
    chosen = {"P01": "even", "P02": "odd"}
    for told, status, winner, score, choices in (
        ({"winner_id": None, "drawn_number": 8}, "DRAW", None, None, None),
        (won, "WIN", "P01", None, None),
        ({"winner_id": "P01", "points_awarded": 3}, "WIN", "P01", None, None),
        ({**won, "points_awarded": 0}, "WIN", "P01", {"P01": 0, "P02": 0}, None),
        ({**won, "winner_choice": "even", "loser_choice": "odd"}, "WIN", "P01", None, chosen),
        ({**won, "points_awarded": 3, "score": {"P01": 5}}, "WIN", "P01", {"P01": 5}, None),
        ({**won, "status": "TECHNICAL_LOSS"}, "TECHNICAL_LOSS", "P01", None, None),
    ):
        with subtests.test(told=told):
            result = codec.parse({**said, "result": told}, GameOver).game_result
            read = (result.status, result.winner_player_id, result.score, result.choices)
            assert read == (status, winner, score, choices)
    ours = {"status": "WIN", "winner_player_id": "P01"}
    assert codec.parse({**said, "game_result": ours}, GameOver).game_result.winner_player_id == "P01"
    both = {"game_result": {**ours, "winner_player_id": "P02"}, "result": won}
    assert codec.parse({**said, **both}, GameOver).game_result.winner_player_id == "P02"
    for nothing in ({}, {"result": {}}, {"result": "won"}):
        with subtests.test(nothing=nothing):
            assert codec.parse({**said, **nothing}, GameOver).game_result is None


def test_a_draw_and_a_match_of_three_have_no_loser(codec, subtests: pytest.Subtests):
    for winner, score, choices in (
        (None, {"P01": 1, "P02": 1}, {"P01": "odd", "P02": "odd"}),
        (None, {}, {"P01": "odd"}),
        ("P01", {"P01": 3, "P02": 0, "P03": 0}, {}),
    ):
        with subtests.test(winner=winner, score=score):
            status = "WIN" if winner else "DRAW"
            result = {"status": status, "winner_player_id": winner, "score": score, "choices": choices}
            over = CODEC.parse(example(GameOver, game_result=result, league_id="summer", round_id=1), GameOver)
            written = codec.render(over)
            told = {
                name: written["result"][name] for name in ("winner_id", "loser_id", "points_awarded", "loser_choice")
            }
            points = score[winner] if winner else None
            assert told == {"winner_id": winner, "loser_id": None, "points_awarded": points, "loser_choice": None}
            assert codec.parse(written, GameOver) == over


def test_a_referee_says_its_name_and_games_in_the_words_of_either_dialect(codec):
    meta = {"display_name": "Ref", "version": "2.0.0", "game_types": ["even_odd"], "max_concurrent_matches": 4}
    meta |= {"contact_endpoint": "http://localhost:8001/mcp"}
    offer = CODEC.parse(example(RefereeRegisterRequest, referee_meta=meta), RefereeRegisterRequest)
    written = codec.render(offer)
    assert written["referee_meta"]["referee_id"] == "Ref"
    assert written["referee_meta"]["supported_games"] == ["even_odd"]
    assert "game_types" not in written["referee_meta"]
    assert written["match_id"] == "REGISTRATION"
    assert codec.parse(written, RefereeRegisterRequest) == offer
    assert codec.parse({**written, "referee_meta": meta}, RefereeRegisterRequest) == offer
    both = {**meta, "supported_games": ["chess"], "referee_id": "REF01"}
    assert codec.parse({**written, "referee_meta": both}, RefereeRegisterRequest) == offer
    with pytest.raises(InvalidField) as refused:
        codec.parse({**written, "referee_meta": ["Ref"]}, RefereeRegisterRequest)
    assert (refused.value.context["field"], refused.value.context["expected"]) == ("referee_meta", "an object")
    anonymous = {"supported_games": ["even_odd"], "contact_endpoint": "http://localhost:8001/mcp"}
    nameless = {**written, "referee_meta": anonymous}
    assert missing(codec, nameless, RefereeRegisterRequest) == "referee_meta.display_name"
    del written["referee_meta"]
    assert missing(codec, written, RefereeRegisterRequest) == "referee_meta"


@requirement("003-TYPE-19")
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

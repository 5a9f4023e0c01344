"""Answers of simple agents: what our own call says of them, and what it never does."""

from collections.abc import Mapping
from typing import Any

import pytest

from game_rules.even_odd import EvenOdd
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.derived_fields import Unwrapped, derived_text
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.match import GameJoinAck, GameOverAck, MoveResponse
from league_sdk.protocol.replies import Answering, UnfitReply, read_reply
from league_sdk.protocol.rounds import RoundAnnouncementAck
from league_sdk.protocol.v1 import V1Codec

SPEC = EvenOdd.move_spec
CODEC = Codec([SPEC])
REQUEST = {
    "protocol": "league.v2",
    "message_type": "GAME_INVITATION",
    "conversation_id": "conv-1",
    "league_id": "cup",
    "round_id": 1,
    "match_id": "R1M1",
}
ARRIVED = "2025-01-15T10:00:00.250Z"
JOINING = {"arrival_timestamp": "2025-01-15T10:00:00Z", "accept": True}


class Notes:
    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, message_type: str, fields: Mapping[str, Any]) -> None:
        self.told.append((message_type, dict(fields)))


def read(answer: Any, expect: type[Message], *, notes: Notes | None = None, **changes: Any) -> Any:
    answering = None if notes is None else Answering("P01", ARRIVED, notes)
    request = {**REQUEST, **changes}
    v1 = {"league.v1": V1Codec(CODEC, [SPEC])}
    return read_reply(answer, request, expect, CODEC, spec=SPEC, dialects=v1, answering=answering)


def test_an_answer_may_be_nothing_but_what_it_decides():
    notes = Notes()
    answer = read(JOINING, GameJoinAck, notes=notes)
    assert (answer.match_id, answer.player_id, answer.timestamp) == ("R1M1", "P01", ARRIVED)
    assert answer.derived == ("protocol", "match_id", "message_type", "timestamp", "player_id")
    ((kind, fields),) = notes.told
    assert kind == "GAME_JOIN_ACK"
    assert fields["player_id"] == "P01"


def test_a_move_is_answered_in_the_games_words():
    answer = read({"parity_choice": "even"}, MoveResponse, notes=Notes())
    assert (answer.message_type, answer.move) == ("CHOOSE_PARITY_RESPONSE", "even")


def test_an_agent_of_the_older_protocol_is_read_in_it():
    answer = read({"choice": {"value": "odd"}}, MoveResponse, notes=Notes(), protocol="league.v1")
    assert answer.move == "odd"


def test_null_counts_as_missing():
    nothing = {"sender": None, "conversation_id": None, "timestamp": None, "player_id": None, "league_id": None}
    answer = read({**JOINING, **nothing}, GameJoinAck, notes=Notes())
    assert {"sender", "timestamp", "player_id"} <= set(answer.derived)


@pytest.mark.parametrize("wrong", [{"player_id": "P02"}, {"player_id": 7}, {"sender": "P01"}, {"sender": "player:P02"}])
def test_a_wrong_identity_in_an_answer_to_our_own_call_counts_as_missing(wrong: Any):
    answer = read({**JOINING, "match_id": "R1M1", **wrong}, GameJoinAck, notes=Notes())
    assert (answer.player_id, answer.sender) == ("P01", "")


def test_a_right_signature_stays():
    for sender in ("player:P01", "player_P01"):
        protocol = "league.v1" if "_" in sender else "league.v2"
        answer = read(
            {**JOINING, "sender": sender, "protocol": protocol}, GameJoinAck, notes=Notes(), protocol=protocol
        )
        assert answer.sender == "player:P01"


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        ({"arrival_timestamp": ARRIVED}, GameJoinAck),
        ({"message_type": "CHOOSE_PARITY_RESPONSE"}, MoveResponse),
        ({"winner": "P01"}, MoveResponse),
        ({"error": "Unknown method"}, GameOverAck),
        ({"error_code": "E007"}, RoundAnnouncementAck),
        ({"whatever": 1}, RoundAnnouncementAck),
        ({**JOINING, "timestamp": "yesterday"}, GameJoinAck),
        ({**JOINING, "protocol": "league.v9"}, GameJoinAck),
        ({**JOINING, "message_type": "GAME_OVER"}, GameJoinAck),
    ],
)
def test_a_decision_is_never_derived_and_a_wrong_value_is_refused(answer: Any, expect: type[Message]):
    with pytest.raises(UnfitReply):
        read(answer, expect, notes=Notes())


def test_a_strict_reader_refuses_what_is_missing():
    with pytest.raises(UnfitReply, match="protocol is missing"):
        read(JOINING, GameJoinAck)


def test_missing_parts_of_the_envelope_of_json_rpc_are_told_too():
    notes = Notes()
    assert read(Unwrapped(JOINING, ("jsonrpc", "id", "result")), GameJoinAck, notes=notes).accept
    assert {"jsonrpc", "id", "result"} <= set(notes.told[0][1])


def test_a_complete_answer_is_told_of_nobody():
    notes = Notes()
    head = {"protocol": "league.v2", "message_type": "GAME_JOIN_ACK", "timestamp": ARRIVED}
    answer = read({**head, **JOINING, "match_id": "R1M1", "player_id": "P01"}, GameJoinAck, notes=notes)
    assert (answer.derived, notes.told) == ((), [])


def test_the_warning_shows_what_was_taken_and_no_null():
    fields: dict[str, Any] = {"jsonrpc": None, "player_id": "P03"}
    assert derived_text(fields, "GAME_JOIN_ACK") == (
        'GAME_JOIN_ACK without jsonrpc, player_id: we took the message as it stands, player_id ("P03"); send them'
    )
    assert derived_text({"protocol": "league.v2"}, "GAME_OVER_ACK") == (
        'GAME_OVER_ACK without protocol: we took protocol ("league.v2"); send it'
    )

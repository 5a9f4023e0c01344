"""Replies that say no more than that the request arrived."""

import pytest

from league_sdk.protocol.acknowledgements import acknowledgement, says_only_that_it_arrived
from league_sdk.protocol.match import GameJoinAck, GameOver, GameOverAck
from league_sdk.protocol.rounds import RoundAnnouncement, RoundAnnouncementAck
from tests.league_sdk.protocol.samples import CODEC, example

REQUEST = {"message_type": "GAME_INVITATION"}


@pytest.mark.parametrize(
    "reply",
    [
        "ok",
        "Acknowledged",
        {"status": "success", "message": "Invitation accepted"},
        {"status": "ACKNOWLEDGED", "match_id": "R1M1", "player_id": "P01"},
        {"acknowledged": True},
        {"message_type": "ACK"},
        {"message_type": "GAME_INVITATION_ACK", "status": "received"},
    ],
)
def test_a_reply_may_say_only_that_the_request_arrived(reply):
    assert says_only_that_it_arrived(reply, REQUEST, GameJoinAck)


@pytest.mark.parametrize(
    "reply",
    [
        "even",
        None,
        True,
        [],
        {},
        {"status": "failed"},
        {"acknowledged": "yes"},
        {"status": "ok", "accept": True},
        {"status": "ok", "parity_choice": "even"},
        {"message_type": "GAME_OVER_ACK", "status": "ACKNOWLEDGED"},
        {"message_type": "GAME_JOIN_ACK", "status": "ok"},
        {"message_type": "GAME_INVITATION_ACK", "status": "refused"},
    ],
)
def test_whatever_says_more_or_something_else_is_an_answer(reply):
    assert not says_only_that_it_arrived(reply, REQUEST, GameJoinAck)


def test_the_very_message_that_was_expected_is_read_as_such():
    request = {"message_type": "ROUND_ANNOUNCEMENT"}
    reply = {"message_type": "ROUND_ANNOUNCEMENT_ACK", "status": "ACKNOWLEDGED"}
    assert not says_only_that_it_arrived(reply, request, RoundAnnouncementAck)


def test_it_stands_for_the_acknowledgement_that_was_asked_for():
    over = CODEC.parse(example(GameOver, match_id="R1M1"), GameOver)
    stands_for = acknowledgement(over, GameOverAck, "P01")
    assert stands_for is not None
    assert (stands_for.match_id, stands_for.player_id, stands_for.status) == ("R1M1", "P01", "ACKNOWLEDGED")
    announced = CODEC.parse(example(RoundAnnouncement, round_id=3), RoundAnnouncement)
    assert acknowledgement(announced, RoundAnnouncementAck, "REF01") is not None


def test_it_stands_for_no_answer():
    assert acknowledgement(CODEC.parse(example(GameOver), GameOver), GameJoinAck, "P01") is None

"""The few fields that a receiver needs of each message; all others are read where they are, and not missed."""

import pytest

from league_sdk.errors import MissingField
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.match import GameError, GameInvitation, GameOver, MatchResultReport, MoveCall
from league_sdk.protocol.registration import LeagueRegisterRequest, RefereeRegisterRequest
from league_sdk.protocol.rounds import (
    LeagueCompletedMessage,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundCompletedMessage,
)
from tests.league_sdk.protocol.samples import CODEC, example, needed

ENVELOPE = {"protocol", "message_type", "sender", "timestamp", "conversation_id"}
NEEDED: dict[type[Message], set[str]] = {
    GameInvitation: {"match_id", "role_in_match"},
    MoveCall: {"match_id"},
    GameOver: {"match_id"},
    GameError: set(),
    RoundAnnouncement: {"round_id"},
    RoundCompletedMessage: {"round_id"},
    LeagueStandingsUpdate: set(),
    LeagueCompletedMessage: set(),
    LeagueRegisterRequest: {"player_meta"},
    RefereeRegisterRequest: {"referee_meta"},
    MatchResultReport: {"league_id", "round_id", "match_id", "game_type", "result"},
}


@pytest.mark.parametrize("kind", NEEDED)
def test_a_message_is_read_with_what_its_receiver_needs_and_refused_without(kind):
    least = needed(kind)
    assert least.keys() == ENVELOPE | NEEDED[kind]
    CODEC.parse(least, kind)
    for field in NEEDED[kind]:
        with pytest.raises(MissingField) as refusal:
            CODEC.parse({name: value for name, value in least.items() if name != field}, kind)
        assert refusal.value.context["field"] == field


@pytest.mark.parametrize("kind", NEEDED)
def test_what_is_written_has_what_a_receiver_can_do_without(kind):
    read = CODEC.parse(needed(kind), kind)
    assert example(kind).keys() == needed(kind).keys() | set(kind.always_written)
    if kind.always_written:
        with pytest.raises(ValueError, match=f"{kind.__name__} has to be written with"):
            CODEC.render(read)


@pytest.mark.parametrize(
    ("kind", "field"), [(LeagueRegisterRequest, "player_meta"), (RefereeRegisterRequest, "referee_meta")]
)
def test_who_registers_needs_a_name_and_an_endpoint(kind, field):
    assert needed(kind)[field].keys() == {"display_name", "contact_endpoint"}

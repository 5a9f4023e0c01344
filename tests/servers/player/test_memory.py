"""A player whose memory fails still plays, and still answers."""

import pytest

from tests.requirements.marker import requirement
from tests.servers.player.player_harness import FakeMemory, player

pytestmark = pytest.mark.anyio


class BrokenMemory(FakeMemory):
    """A history file on a disk that is full, and damaged."""

    def remember(self, past, *, round_id, timestamp):
        raise OSError("no space left on device")

    def past_matches(self, league_id=None, opponents=None):
        raise ValueError("history.json is damaged")


@requirement("000-PL-OVER-03")
async def test_a_memory_that_cannot_be_written_is_logged_and_the_result_acknowledged():
    made = player(memory=BrokenMemory())
    await made.invite()
    answer = await made.tell()
    assert answer["message_type"] == "GAME_OVER_ACK"
    ((level, details),) = made.journal.named("HISTORY_NOT_SAVED")
    assert (level, details["reason"]) == ("ERROR", "no space left on device")


async def test_a_memory_that_cannot_be_read_is_logged_and_the_strategy_does_without():
    made = player(memory=BrokenMemory())
    await made.invite()
    await made.ask()
    assert made.views[0].history == ()
    assert made.journal.named("HISTORY_NOT_READ")

"""A handful of leagues with hostile players; `make soak` plays a hundred."""

import pytest

from tests.faults.hostile_leagues import GAMES, TABLES, hostile_league, judged
from tests.requirements.marker import requirement

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@requirement("project-TRUST-09")
@pytest.mark.parametrize("seed", range(len(GAMES)), ids=GAMES)
async def test_every_match_with_a_hostile_player_is_decided_once_and_nobody_else_pays(seed: int, tmp_path):
    told, wrong = judged(await hostile_league(tmp_path, seed))
    assert not wrong
    assert told["matches"] == (4 if GAMES[seed] == TABLES else 6)
    assert told["evidence omitted"] == 0, "reports are taken as they are"


async def test_a_league_with_referees_that_lie_is_decided_as_without_them(tmp_path):
    held = await hostile_league(tmp_path, 0, liars=2)
    told, wrong = judged(held)
    assert not wrong
    assert told["matches"] == 6

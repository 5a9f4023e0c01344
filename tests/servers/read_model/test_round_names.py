"""Rounds by their names, and progress of leagues that are paired round by round."""

import pytest

from game_rules.tic_tac_toe import TicTacToe
from league_sdk.domain.commands import StopLeague
from league_sdk.domain.model import StageRules
from servers import read_model
from servers.agent.manager_lock import PAUSED
from servers.cli.views import phase
from servers.read_model import feed_entry, round_name
from tests.servers.league_history import LeagueHistory, begun, under_way
from tests.servers.ui.report.leagues import tournament
from tests.servers.ui.web.site import Site

pytestmark = pytest.mark.anyio


def knockout(rounds: int | None = None) -> LeagueHistory:
    """A knockout of eight, best of three."""
    return tournament(TicTacToe(), 8, (StageRules("knockout", {"best_of": 3}),), rounds)


def swiss() -> LeagueHistory:
    """A Swiss of five rounds in its third."""
    return tournament(TicTacToe(), 8, (StageRules("swiss", {"rounds": 5}),), 2)


def test_rounds_of_a_knockout_have_the_names_of_its_stages_and_the_numbers_of_their_games():
    league = knockout().league
    names = [round_name(league, scheduled.round_id) for scheduled in league.rounds]
    assert names[:2] == ["quarter-final, game 1", "quarter-final, game 2"]
    assert "semi-final, game 2" in names
    assert names[-1].startswith("final, game ")


def test_feed_terminal_and_page_say_the_same_name():
    history = knockout(1)
    started = [entry.text for record in history.records() if (entry := feed_entry(history.league, record))]
    assert "Quarter-final, game 2 started." in started
    assert any(text.startswith("Quarter-final, game 1 complete") for text in started)
    assert ": RUNNING, quarter-final, game 2, " in phase(history.league)


async def test_the_page_names_stages_too():
    site = Site(knockout(1))
    assert "Quarter-final, game 2" in (await site.page("/")).text
    assert "Quarter-final, game 2" in (await site.page("/rounds/2")).text


async def test_a_league_that_is_paired_round_by_round_counts_rounds_and_not_the_matches_so_far():
    history = swiss()
    view = read_model.overview(history.league)
    assert (view.paired_one_by_one, view.total_matches) == (True, 12)
    assert phase(history.league).startswith("summer: RUNNING, round 3 of 5, 1 running, 10 matches decided")
    assert phase(history.league, short=True) == "summer: RUNNING, round 3/5, 1 running, 10 decided"
    seen = await Site(history).page("/")
    bars = [attrs for tag, attrs in seen.tags if tag == "progress"]
    assert [(bar["max"], bar["value"], bar["aria-label"]) for bar in bars] == [("5", "2", "Rounds complete")]
    assert "of 12" not in seen.text


def test_a_schedule_that_is_known_counts_matches():
    assert "0 of 6 matches decided" in phase(under_way(4).league)


async def test_a_paused_league_is_called_paused_everywhere_and_not_stopped():
    history = begun()
    history.do(StopLeague(PAUSED))
    assert phase(history.league).startswith("summer: PAUSED, round 0 of 3")
    assert phase(history.league, short=True).startswith("summer: PAUSED, ")
    seen = await Site(history).page("/")
    assert ("Paused" in seen.text, "topped" in seen.text) == (True, False)
    history = begun()
    history.do(StopLeague("paused: REF01 refuses"))
    assert "The league is paused: REF01 refuses." in (await Site(history).page("/")).text
    assert "topped" not in " ".join(entry.text for r in history.records() if (entry := feed_entry(history.league, r)))

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from league_sdk import plugins
from league_sdk.settings import Workspace
from servers.agent.event_store import read_records
from servers.experiments.league_engine import LEAGUES
from servers.experiments.match_loop import LEAGUE_ID
from servers.experiments.results import ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import make_spec
from servers.experiments.standings import ExperimentStandings
from servers.launcher.run_options import PlanError

PLUGINS = [str(Path(__file__).parent / "history_reader")]
AS_IN_LEAGUES = {"memory": True, "paired": False}
SHARED_COLUMNS = 12


def ignore(done: int) -> None:
    """Progress that nobody looks at."""


def both(tmp_path: Path, **fields):
    """The same experiment, played in leagues and directly."""
    found = []
    for name, own in (("league", {"engine": "league"}), ("direct", AS_IN_LEAGUES)):
        folder = ResultsFolder.create(tmp_path / name, make_spec({"plugins": PLUGINS, **fields, **own}))
        play_experiment(folder, 1, ignore)
        found.append(folder)
    return found


def table(folder: ResultsFolder) -> list[list[str]]:
    """The columns that both engines have, reasons of faults by their first words."""
    rows = [row[:SHARED_COLUMNS] for row in folder.rows()]
    return [[*row[:10], *(fault.partition(" ")[0] for fault in row[10:])] for row in rows]


def test_a_league_gives_the_same_matches_histories_and_standings_as_the_direct_engine(tmp_path):
    league, direct = both(tmp_path, game="rock_paper_scissors", strategies=["history-reader", "random"], matches=6)
    assert table(league) == table(direct)
    costs = {"move_seconds", "tokens", "cost_usd"}
    ours, theirs = (ExperimentStandings(folder).rows() for folder in (league, direct))
    assert [{**row, **dict.fromkeys(costs)} for row in ours] == theirs
    assert all(row["move_seconds"] is not None for row in ours)
    forgetful = ResultsFolder.create(
        tmp_path / "forgetful", make_spec({**vars_of(direct), "memory": False, "paired": False})
    )
    play_experiment(forgetful, 1, ignore)
    assert table(forgetful) != table(direct), "the strategy looks at its history"


def vars_of(folder: ResultsFolder) -> dict[str, object]:
    spec = folder.spec
    return {
        "game": spec.game,
        "strategies": list(spec.strategies),
        "matches": spec.matches,
        "plugins": list(spec.plugins),
    }


@pytest.mark.slow
def test_leagues_of_every_game_and_strategy_equal_the_direct_engine(tmp_path):
    games = [name for name, game in plugins.games().items() if game.min_players == 2]
    names = [name for name, found in plugins.strategies().items() if found.make_with_model is None]
    names = ["history-reader" if name == "always" else name for name in names]
    pairs = list(zip(names[::2], [*names[1::2], "history-reader"], strict=False))
    for number in range(max(len(games), len(pairs))):
        game, pair = games[number % len(games)], pairs[number % len(pairs)]
        league, direct = both(tmp_path / str(number), game=game, strategies=list(pair), matches=2)
        assert table(league) == table(direct), (game, pair)


@pytest.mark.slow
def test_a_league_killed_half_way_is_gone_on_with_and_a_played_one_is_not_played_again(tmp_path):
    fields = {
        "game": "even_odd",
        "strategies": ["random", "mirror"],
        "matches": 20,
        "repetitions": 2,
        "engine": "league",
    }
    folder = ResultsFolder.create(tmp_path / "x", make_spec(fields | {"matches": 40}))
    command = [sys.executable, "-m", "servers", "experiment", "resume", str(folder.path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    second = Workspace(folder.path / LEAGUES / "R2P1-2")
    while len(read_records(second, LEAGUE_ID, None)) < 12:
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    first = Workspace(folder.path / LEAGUES / "R1P1-2")
    known = [records_of(each) for each in (first, second)]
    assert play_experiment(folder, 1, ignore) == 40
    after = [records_of(each) for each in (first, second)]
    assert after[0] == known[0]
    assert after[1][: len(known[1])] == known[1]
    assert len(list(folder.rows())) == folder.spec.total
    folder.table.unlink()
    assert play_experiment(folder, 1, ignore) == folder.spec.total
    assert [records_of(each) for each in (first, second)] == after


def records_of(workspace: Workspace) -> list[str]:
    return [record.digest for record in read_records(workspace, LEAGUE_ID, None)]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"engine": "leage"}, "engine is 'leage', expected one of"),
        ({"engine": "league", "memory": False}, "memory cannot be false"),
        ({"strategies": ["random", "http://localhost:1/mcp"]}, "plays in leagues"),
        ({"engine": "league", "strategies": ["random", "http://localhost:99999/mcp"]}, "expected the URL of an agent"),
    ],
)
def test_what_no_league_can_be_is_refused(fields, said):
    with pytest.raises(PlanError, match=said):
        make_spec({"game": "even_odd", "strategies": ["random", "mirror"], **fields})


def test_agents_at_urls_play_one_league_at_a_time(tmp_path):
    far = {"game": "even_odd", "strategies": ["random", "name=Far,url=http://localhost:1/mcp"], "engine": "league"}
    folder = ResultsFolder.create(tmp_path, make_spec(far))
    assert folder.spec.players == ("random", "Far")
    with pytest.raises(PlanError, match="one league at a time"):
        play_experiment(folder, 2, ignore)
    with pytest.raises(PlanError, match="on this machine"):
        play_experiment(folder, 1, ignore, "ray")
    assert not list(folder.rows())

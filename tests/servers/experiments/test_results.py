import csv
import os
import signal
import subprocess
import sys
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servers.experiments.batches import batches, columns_of, play_batch
from servers.experiments.results import ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import ExperimentSpec
from servers.experiments.standings import ExperimentStandings
from servers.launcher.run_options import PlanError

LEAGUE = (sys.executable, "-m", "servers")
SPEC = ExperimentSpec("even_odd", ("random", "frequency", "random"), matches=10, repetitions=2, batch=4)
HEADER = (",".join(columns_of(SPEC)) + "\n").encode()
WHOLE = HEADER + "".join(play_batch(SPEC, batch) for batch in batches(SPEC)).encode()


def ignore(done: int) -> None:
    """Progress that nobody looks at."""


def played(folder: ResultsFolder) -> bytes:
    play_experiment(folder, 1, ignore)
    return folder.table.read_bytes()


@given(cut=st.integers(0, len(WHOLE)))
def test_a_table_cut_anywhere_is_resumed_to_the_same_bytes(tmp_path_factory, cut: int):
    folder = ResultsFolder.create(tmp_path_factory.mktemp("cut"), SPEC)
    folder.table.write_bytes(WHOLE[:cut])
    assert played(folder) == WHOLE


@pytest.mark.slow
def test_workers_change_nothing(tmp_path):
    folder = ResultsFolder.create(tmp_path, SPEC)
    play_experiment(folder, 2, ignore)
    assert folder.table.read_bytes() == WHOLE


def test_only_what_is_missing_is_played(tmp_path):
    folder = ResultsFolder.create(tmp_path, SPEC)
    assert play_experiment(folder, 1, ignore) == SPEC.total == 60
    told: list[int] = []
    assert play_experiment(ResultsFolder.open(tmp_path), 1, told.append) == 0
    assert told == [60]


def test_progress_goes_from_batch_to_batch(tmp_path):
    told: list[int] = []
    play_experiment(ResultsFolder.create(tmp_path, SPEC), 1, told.append)
    assert told == list(accumulate((batch.matches for batch in batches(SPEC)), initial=0))


def test_both_matches_of_a_pair_have_swapped_seats_and_the_same_chance():
    spec = ExperimentSpec("even_odd", ("always-even", "always-odd"), matches=200)
    rows = list(csv.reader("".join(play_batch(spec, batch) for batch in batches(spec)).splitlines()))
    winners = [row[5] for row in rows]
    assert {row[3] for row in rows[::2]} == {"always-even"}
    assert {row[3] for row in rows[1::2]} == {"always-odd"}
    assert winners[::2] == winners[1::2]
    assert {"always-even", "always-odd"} == set(winners)


@pytest.mark.parametrize(("memory", "least", "most"), [(False, 0, 20), (True, 36, 40)])
def test_players_remember_earlier_matches_only_when_asked_to(tmp_path, memory: bool, least: int, most: int):
    names, options = ("always-rock", "frequency"), {"rounds": 1}
    spec = ExperimentSpec("rock_paper_scissors", names, matches=20, repetitions=2, options=options, memory=memory)
    folder = ResultsFolder.create(tmp_path, spec)
    play_experiment(folder, 1, ignore)
    assert least <= ExperimentStandings(folder).scores["frequency"].won <= most


def test_substituted_moves_are_counted(tmp_path):
    folder = ResultsFolder.create(tmp_path, ExperimentSpec("even_odd", ("random", "always-no"), matches=8))
    play_experiment(folder, 1, ignore)
    best, other = (ExperimentStandings(folder).scores[name] for name in ("always-no", "random"))
    assert (best.name, best.substituted, best.faults["raised ValueError"]) == ("always-no", 8, 8)
    assert (other.substituted, other.won, other.lost, other.drawn) == (0, best.lost, best.won, best.drawn)
    assert best.score + other.score == 1
    assert best.matches == other.matches == 8


def test_two_runs_of_one_experiment_at_once_are_refused(tmp_path):
    folder = ResultsFolder.create(tmp_path, SPEC)
    with folder.appending(), pytest.raises(PlanError, match="another process"):
        play_experiment(folder, 1, ignore)


def test_a_folder_is_neither_overwritten_nor_made_up(tmp_path: Path):
    ResultsFolder.create(tmp_path / "one", SPEC)
    with pytest.raises(PlanError, match=r"experiment resume .*one"):
        ResultsFolder.create(tmp_path / "one", SPEC)
    (tmp_path / "file.toml").touch()
    for folder in (tmp_path, tmp_path / "file.toml"):
        with pytest.raises(PlanError, match="no experiment"):
            ResultsFolder.open(folder)
    (tmp_path / "one" / "experiment.json").write_text("[]")
    with pytest.raises(PlanError, match="cannot be read"):
        ResultsFolder.open(tmp_path / "one")
    assert ResultsFolder.create(tmp_path / "two", SPEC).spec == ResultsFolder.open(tmp_path / "two").spec
    with pytest.raises(PlanError, match=r"some in its folders, such as .*one"):
        ResultsFolder.open(tmp_path)


@pytest.mark.slow
@pytest.mark.end_to_end
@pytest.mark.parametrize("workers", [1, 2])
def test_an_experiment_killed_in_the_middle_is_resumed_to_the_same_bytes(tmp_path, workers: int):
    run = ("experiment", "run", "--game", "even_odd", "-s", "random", "-s", "random", "--matches", "100000")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run([*LEAGUE, *run, "--output", whole], check=True, capture_output=True)
    process = subprocess.Popen(
        [*LEAGUE, *run, "--output", killed, "--workers", str(workers)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with process:
        next(iter(process.stderr or ()))
        process.kill()
    assert 0 < (killed / "matches.csv").stat().st_size < (whole / "matches.csv").stat().st_size
    subprocess.run([*LEAGUE, "experiment", "resume", killed], check=True, capture_output=True)
    assert (killed / "matches.csv").read_bytes() == (whole / "matches.csv").read_bytes()


@pytest.mark.end_to_end
def test_ctrl_c_ends_a_run_with_workers_and_says_how_to_go_on(tmp_path):
    run = ("experiment", "run", "--game", "even_odd", "-s", "random", "-s", "random", "--matches", "40000")
    stopped = subprocess.Popen(
        [*LEAGUE, *run, "--output", tmp_path / "x", "--workers", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with stopped:
        next(iter(stopped.stderr or ()))
        os.killpg(stopped.pid, signal.SIGINT)
        _, told = stopped.communicate(timeout=240)  # ends with the last process that holds the pipe
    assert stopped.returncode == 130
    assert told.splitlines()[-1] == f"interrupted; continue with: league experiment resume {tmp_path / 'x'}"
    assert "Traceback" not in told

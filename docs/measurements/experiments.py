"""Measure experiments, and put the figures into docs/performance.md.

    python -m docs.measurements.experiments

Needs a quiet machine for four minutes, and what requirements/slow.txt pins: Axelrod's library and OpenSpiel.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from docs.measurements.performance import BEGIN, END, PAGE, table
from servers.experiments.batches import batches, play_batch
from servers.experiments.spec import ExperimentSpec, make_spec
from tests.servers.experiments.axelrod_basic.basic import NAMES

PLUGINS = [str(Path("tests/servers/experiments/axelrod_basic").absolute())]
AXELROD = {"game": "iterated_prisoners_dilemma", "options": {"turns": 200}, "plugins": PLUGINS}
TIMES = 3
"""Measurements of each speed; the best one counts, as other work on the machine only takes time."""


def best(play: Callable[[], int]) -> float:
    """Matches in a second of processor time, at best."""
    speeds = list[float]()
    for _ in range(TIMES):
        begin = time.process_time()
        matches = play()
        speeds.append(matches / (time.process_time() - begin))
    return max(speeds)


def ours(spec: ExperimentSpec) -> int:
    """Play all of an experiment in this process."""
    return sum(play_batch(spec, batch).count("\n") for batch in batches(spec))


def axelrods(repetitions: int) -> int:
    """Its own tournament of the ten basic strategies; it plays deterministic matches once."""
    axelrod: Any = import_module("axelrod")
    players = [player() for player in axelrod.basic_strategies]
    axelrod.Tournament(players, turns=200, repetitions=repetitions, seed=1).play(processes=None, progress_bar=False)
    return repetitions * len(players) * (len(players) + 1) // 2


def openspiels(name: str, matches: int, *, texts: bool = False) -> int:
    """OpenSpiel's own loop in Python: random legal moves, with all of their texts if asked for."""
    pyspiel: Any = import_module("pyspiel")
    random: Any = import_module("random").Random(1)
    game = pyspiel.load_game(name)
    for _ in range(matches):
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            if texts:
                [state.action_to_string(action) for action in actions]
            state.apply_action(random.choice(actions))
        state.returns()
    return matches


def beside_openspiel(name: str, matches: int) -> list[str]:
    """A row of the table for one of its games."""
    spec = make_spec({"game": f"openspiel:{name}", "strategies": ["random", "random"], "matches": matches})
    theirs, mine = best(lambda: openspiels(name, matches)), best(lambda: ours(spec))
    told = theirs / best(lambda: openspiels(name, matches, texts=True))
    return [
        f"`openspiel:{name}` of two random strategies",
        f"{mine:,.0f} matches/s of CPU; OpenSpiel's loop in Python {theirs:,.0f}: ours take {theirs / mine:.1f} times "
        f"as long, that loop with the texts of all legal moves {told:.1f} times",
    ]


def run(matches: int, workers: int) -> tuple[float, int]:
    """Seconds and greatest memory in MB of Even/Odd by the command."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "servers", "experiment", "run", "--game", "even_odd", "-s", "random"]
        command += ["-s", "alternating", "--matches", str(matches), "--workers", str(workers), "--out", f"{folder}/x"]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0
        return time.monotonic() - begin, usage.ru_maxrss // 1024


def measured() -> str:
    """All figures as a table."""
    dilemma = make_spec({**AXELROD, "strategies": list(NAMES), "matches": 10})
    three = make_spec({"game": "tic_tac_toe", "strategies": ["random", "random"], "matches": 2000})
    theirs, mine = best(lambda: axelrods(10)), best(lambda: ours(dilemma))
    toe = best(lambda: ours(three))
    one, two = run(100_000, 1)[0], run(100_000, 2)[0]
    (_, small), (long, large) = run(20_000, 1), run(1_000_000, 1)
    rows = [
        ["prisoner's dilemma, 200 turns, ten strategies, 10 repetitions", f"{mine:,.0f} matches/s of CPU"],
        ["the same in Axelrod 4.13.1", f"{theirs:,.0f} matches/s of CPU; ours are {mine / theirs:.2f} times as many"],
        ["tic-tac-toe of two random strategies", f"{toe:,.0f} matches/s of CPU"],
        *(beside_openspiel(name, n) for name, n in (("tic_tac_toe", 2000), ("connect_four", 500), ("chess", 10))),
        ["100,000 matches of Even/Odd, one worker", f"{one:.1f} s"],
        ["with two workers", f"{two:.1f} s, {one / two:.2f} times as fast"],
        ["1,000,000 matches of Even/Odd", f"{long:.0f} s, {large} MB at most ({small} MB for 20,000)"],
    ]
    return table(["experiment", "found"], rows)


def main() -> None:
    """Write the table between its marks."""
    text, begin, end = PAGE.read_text("utf-8"), BEGIN.format("experiments"), END.format("experiments")
    before, rest = text.split(begin)
    PAGE.write_text(f"{before}{begin}\n{measured()}\n{end}{rest.split(end)[1]}", "utf-8")


if __name__ == "__main__":
    main()

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
from random import Random
from typing import Any

from docs.measurements.performance import BEGIN, END, PAGE, table
from servers.experiments.batches import batches, play_batch
from servers.experiments.spec import ExperimentSpec, make_spec
from tests.servers.experiments.axelrod_basic.basic import NAMES

PLUGINS = [str(Path("tests/servers/experiments/axelrod_basic").absolute())]
AXELROD = {"game": "iterated_prisoners_dilemma", "options": {"turns": 200}, "plugins": PLUGINS}
OPENSPIEL = (("tic_tac_toe", 500), ("connect_four", 200), ("kuhn_poker", 1500), ("chess", 4))
TIMES = 6
"""Measurements of each speed; the best one counts, as other work on the machine only takes time."""


def speeds(*plays: Callable[[], int]) -> list[float]:
    """Matches in a second of processor time of each, at best; they take turns."""
    found = [list[float]() for _ in plays]
    for _ in range(TIMES):
        for play, times in zip(plays, found, strict=True):
            begin = time.process_time()
            matches = play()
            times.append(matches / (time.process_time() - begin))
    return [max(times) for times in found]


def ours(spec: ExperimentSpec) -> int:
    """Play all of an experiment in this process."""
    return sum(play_batch(spec, batch).count("\n") for batch in batches(spec))


def axelrods(repetitions: int) -> int:
    """Its own tournament of the ten basic strategies; it plays deterministic matches once."""
    axelrod: Any = import_module("axelrod")
    players = [player() for player in axelrod.basic_strategies]
    axelrod.Tournament(players, turns=200, repetitions=repetitions, seed=1).play(processes=None, progress_bar=False)
    return repetitions * len(players) * (len(players) + 1) // 2


def openspiels(name: str, matches: int, chance: Any) -> int:
    """OpenSpiel's own loop in Python for bots, with its random bots in Python."""
    pyspiel: Any = import_module("pyspiel")
    evaluate_bots: Any = import_module("open_spiel.python.algorithms.evaluate_bots").evaluate_bots
    bot: Any = import_module("open_spiel.python.bots.uniform_random").UniformRandomBot
    game = pyspiel.load_game(name)
    bots = [bot(0, chance), bot(1, chance)]
    for _ in range(matches):
        evaluate_bots(game.new_initial_state(), bots, chance)
    return matches


class PythonChance(Random):
    """Python's generator with the `choice` that OpenSpiel calls: NumPy's."""

    def choice(self, seq: Any, p: Any = None) -> Any:
        return self.choices(seq, p)[0] if p else super().choice(seq)


def bare_loop(name: str, matches: int) -> int:
    """Random legal actions without players."""
    pyspiel: Any = import_module("pyspiel")
    chance, game = Random(1), pyspiel.load_game(name)
    for _ in range(matches):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
        state.returns()
    return matches


def beside_openspiel(name: str, matches: int) -> list[str]:
    """A row of the table for one of its games."""
    spec = make_spec({"game": f"openspiel:{name}", "strategies": ["random", "random"], "matches": matches})
    numpy: Any = import_module("numpy")
    mine, theirs, python, bare = speeds(
        lambda: ours(spec),
        lambda: openspiels(name, matches, numpy.random.RandomState(1)),
        lambda: openspiels(name, matches, PythonChance(1)),
        lambda: bare_loop(name, matches),
    )
    return [
        f"`openspiel:{name}` of two random strategies",
        f"{mine:,.0f} matches/s of CPU; `evaluate_bots` {theirs:,.0f}, ours take {theirs / mine:.1f} times as long; "
        f"with Python's chance {python:,.0f}, {python / mine:.1f} times; "
        f"a loop without players {bare:,.0f}, {bare / mine:.1f} times",
    ]


def run(matches: int, workers: int, game: str = "even_odd", against: str = "alternating") -> tuple[float, int]:
    """Seconds and greatest memory in MB of a random strategy against another by the command."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "servers", "experiment", "run", "--game", game, "-s", "random"]
        command += ["-s", against, "--matches", str(matches), "--workers", str(workers), "--output", f"{folder}/x"]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0
        return time.monotonic() - begin, usage.ru_maxrss // 1024


def measured() -> str:
    """All figures as a table."""
    dilemma = make_spec({**AXELROD, "strategies": list(NAMES), "matches": 10})
    three = make_spec({"game": "tic_tac_toe", "strategies": ["random", "random"], "matches": 500})
    theirs, mine, toe = speeds(lambda: axelrods(10), lambda: ours(dilemma), lambda: ours(three))
    one, two = run(100_000, 1)[0], run(100_000, 2)[0]
    search = [run(300, workers, "tic_tac_toe", "mcts-50")[0] for workers in (1, 2)]
    (_, small), (long, large) = run(20_000, 1), run(1_000_000, 1)
    rows = [
        ["prisoner's dilemma, 200 turns, ten strategies, 10 repetitions", f"{mine:,.0f} matches/s of CPU"],
        ["the same in Axelrod 4.13.1", f"{theirs:,.0f} matches/s of CPU; ours are {mine / theirs:.2f} times as many"],
        ["tic-tac-toe of two random strategies", f"{toe:,.0f} matches/s of CPU"],
        *(beside_openspiel(name, n) for name, n in OPENSPIEL),
        ["100,000 matches of Even/Odd, one worker", f"{one:.1f} s"],
        ["with two workers", f"{two:.1f} s, {one / two:.2f} times as fast"],
        ["300 matches of tic-tac-toe, random against `mcts-50`, one worker", f"{search[0]:.1f} s"],
        ["with two workers", f"{search[1]:.1f} s, {search[0] / search[1]:.2f} times as fast"],
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

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
from league_sdk.clock import HashRng
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


def openspiels(name: str, matches: int, *, texts: bool = False, chance: bool = False) -> int:
    """OpenSpiel's own loop in Python: random legal moves.

    With all of their texts if asked for; or with what a replay needs: states that stay, and chance by SHA-256.
    """
    pyspiel: Any = import_module("pyspiel")
    random: Any = import_module("random").Random(1)
    game = pyspiel.load_game(name)
    for number in range(matches):
        state, turn = game.new_initial_state(), 0
        while not state.is_terminal():
            actions = state.legal_actions()
            if texts:
                [state.action_to_string(action) for action in actions]
            if chance:
                random, turn = HashRng(f"1:random:R1P1-2M{number}:{turn}"), turn + 1
                state = state.clone()
            state.apply_action(random.choice(actions))
        state.returns()
    return matches


def beside_openspiel(name: str, matches: int) -> list[str]:
    """A row of the table for one of its games."""
    spec = make_spec({"game": f"openspiel:{name}", "strategies": ["random", "random"], "matches": matches})
    theirs, mine, texts, chance = speeds(
        lambda: openspiels(name, matches),
        lambda: ours(spec),
        lambda: openspiels(name, matches, texts=True),
        lambda: openspiels(name, matches, chance=True),
    )
    return [
        f"`openspiel:{name}` of two random strategies",
        f"{mine:,.0f} matches/s of CPU; OpenSpiel's loop in Python {theirs:,.0f}: ours take {theirs / mine:.1f} times "
        f"as long, that loop with clones and chance by SHA-256 {theirs / chance:.1f} times, with the texts of all "
        f"legal moves {theirs / texts:.1f} times",
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

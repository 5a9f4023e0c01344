"""Measures an experiment on one and two nodes of a Ray cluster, beside plain processes.

`python -m tests.soak.cluster_speed MATCHES RUNS`: each run plays tic-tac-toe of `random` against `mcts-50` as one plain
process, as two at once, and in a cluster on this machine of one node and of two with one processor each. Prints a line
for each run.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

from tests.servers.ray_nodes import ray_nodes

LEAGUE = Path(sys.executable).with_name("league")
GAME = ("--game", "tic_tac_toe", "-s", "random", "-s", "mcts-50")


def start(folder: Path, matches: int, *options: str) -> subprocess.Popen[bytes]:
    """Start an experiment; its table goes to the folder."""
    command = [str(LEAGUE), "experiment", "run", *GAME, "--matches", str(matches), "--output", str(folder), "--json"]
    return subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def seconds(*started: subprocess.Popen[bytes]) -> float:
    """The longest time that any of the experiments took, by its own clock."""
    return max(float(json.loads(each.communicate()[0])["seconds"]) for each in started)


def main() -> None:
    matches, runs = map(int, sys.argv[1:])
    print("run, load, s: one process, two at once, one node, two nodes; speed: two processes, two nodes to one, to one")
    with ray_nodes(1) as nodes, tempfile.TemporaryDirectory() as made:
        for run in range(runs):
            load, folder = os.getloadavg()[0], Path(made) / str(run)
            one = seconds(start(folder / "one", matches))
            two = seconds(*(start(folder / f"two-{number}", matches) for number in range(2)))
            node = seconds(start(folder / "node", matches, "--on", "ray"))
            nodes.add(1)
            began = monotonic()
            both = seconds(start(folder / "nodes", matches, "--on", "ray"))
            whole = monotonic() - began
            nodes.lose_last()
            tables = {
                (folder / name / "matches.csv").read_bytes() for name in ("one", "two-0", "two-1", "node", "nodes")
            }
            assert len(tables) == 1, "the tables differ"
            print(
                f"{run}, {load:.1f}, {one:.1f}, {two:.1f}, {node:.1f}, {both:.1f} ({whole:.1f} with its start); "
                f"{2 * one / two:.2f}, {node / both:.2f}, {one / both:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

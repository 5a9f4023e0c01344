"""Loses a machine of a Ray cluster in the middle of a league of fifty, and prints what that cost.

    python -m tests.soak.lost_machine [link | power] [--players 50] [--picture FILE]

Three machines are network namespaces with addresses of their own; needs root, `ip`, Ray and PostgreSQL. The machine
that has the manager is lost, once a third of the matches is recorded: its link goes down, or its processes are killed.
The exit code is 0 when every match has one result, no player is blamed, and the audit finds nothing.
"""

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from docs.images.terminal_picture import animated, framed
from tests.end_to_end.program_harness import LEAGUE, until
from tests.network_namespaces import Node
from tests.servers.ray_machines import ENVIRONMENT, RayMachines, ray_machines
from tests.terminal_recording import Terminal

SIZE = (100, 24)
FRAMES = 13
LIMIT_SEC = 1800
WAYS: dict[str, tuple[Callable[[Node], None], str]] = {
    "link": (Node.unplug, "its link is down"),
    "power": (Node.lose_power, "its processes are killed"),
}


class Run:
    """One league whose manager's machine is lost."""

    def __init__(self, cluster: RayMachines, players: int) -> None:
        self._cluster, self._matches = cluster, players * (players - 1) // 2
        crew = ("--players", str(players), "--referees", "2:6", "--agents-per-process", "8")
        self.typed = f"league run --on ray {' '.join(crew)} --store {cluster.store}"
        environment = {**os.environ, **ENVIRONMENT, "RAY_ADDRESS": cluster.address}
        home = ("--data", str(cluster.head.harness.data), "--league-id", "cup")
        with cluster.head.inside():
            command = [str(LEAGUE), *self.typed.split()[1:], *home]
            self.terminal = Terminal(command, environment, cluster.head.harness.folder, SIZE)
        self.captions: list[tuple[float, str]] = [(0.0, "three machines: the head at " + cluster.head.address)]

    def lose(self, way: str) -> None:
        """Lose the manager's machine, and wait for the end."""
        until(lambda: self._recorded() > self._matches // 3 or self.terminal.over, "a third is recorded", LIMIT_SEC)
        lost = until(self._cluster.manager, "the manager is connected to the database")
        lose, told = WAYS[way]
        lose(lost)
        self._tell(f"machine {lost.address}, the manager's: {told}")
        before = self._recorded()
        until(lambda: self._recorded() > before or self.terminal.over, "the league goes on", LIMIT_SEC)
        self._tell(f"the league goes on at {getattr(self._cluster.manager(), 'address', 'no machine')}")
        self.terminal.end(LIMIT_SEC)
        self._tell("the end")

    def judge(self) -> list[str]:
        """Print what came of it; all that is wrong."""
        records = self._cluster.records("cup")
        kinds = Counter(record["type"] for record in records)
        results = [record["result"] for record in records if record["type"] == "MatchRecorded"]
        decided = Counter(result["match_id"] for result in results)
        again = [record for record in records if record["type"] == "MatchAssigned" and record["attempt"] > 1]
        audit = self._cluster.head.harness.run("audit", "cup", "--store", self._cluster.store_here)
        faults = [fault for result in results for fault in result["faults"]]
        wrong = {
            "the command did not end with 0": self.terminal.end(1) != 0,
            "the league is not complete": kinds["LeagueCompleted"] != 1,
            "matches are lost": len(decided) != self._matches,
            "matches are doubled": len(results) != len(decided),
            "players are blamed": bool(faults),
            "the audit found something": audit.end() != 0,
        }
        print(f"{len(decided):,} of {self._matches:,} matches, {len(again)} played again")
        print(f"{len(faults)} lost on time")
        print(f"{kinds['RefereeRegistered']} referees, {kinds['AgentReturned']} agents came back, audit {audit.end()}")
        return [what for what, true in wrong.items() if true]

    def picture(self) -> str:
        """The recording as an animated picture."""
        end = self.captions[-1][0]
        moments = sorted(
            {*(end * number / FRAMES for number in range(1, FRAMES + 1)), *(at for at, _ in self.captions)}
        )
        prompt = f"$ {self.typed.partition(' --store')[0]} --store postgresql://…"
        home = str(self._cluster.head.harness.folder)
        drawn = [
            framed(number, SIZE, prompt, [line.replace(home, "~") for line in self.terminal.screen(at)], caption)
            for number, at in enumerate(moments)
            for caption in (f"{at:4.0f} s  {self._caption(at)}",)
        ]
        return animated(drawn, "A league in a Ray cluster that loses a machine", (SIZE[0], SIZE[1] + 2))

    def _recorded(self) -> int:
        return self._cluster.recorded() or 0

    def _tell(self, text: str) -> None:
        self.captions.append((self.terminal.seconds, text))
        print(f"{self.terminal.seconds:6.1f} s  {self._recorded():>5} matches  {text}", flush=True)

    def _caption(self, seconds: float) -> str:
        return [text for at, text in self.captions if at <= seconds][-1]


def main(way: str, players: int, picture: Path | None) -> int:
    """Play, and tell; the exit code."""
    with tempfile.TemporaryDirectory(prefix="league-lost-") as folder, ray_machines(Path(folder), 0, 6, 6) as cluster:
        run = Run(cluster, players)
        try:
            run.lose(way)
            wrong = run.judge()
        finally:
            run.terminal.kill()
        if picture is not None:
            picture.write_text(run.picture(), encoding="utf-8")
    print(f"load average {os.getloadavg()[0]:.1f}", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", nargs="?", choices=[*WAYS], default="link")
    parser.add_argument("--players", type=int, default=50)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    try:
        sys.exit(main(given.way, given.players, given.picture))
    except pytest.skip.Exception as missing:
        sys.exit(str(missing))

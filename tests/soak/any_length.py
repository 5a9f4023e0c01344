"""Plays a ladder of very many rounds in one process, and measures what a round of it costs.

    python -m tests.soak.any_length [--rounds 10000]

The manager leads with its ledger, its files and its page; stand-ins take the matches, report them at once and forget.
Work is counted in calls of Python functions, so that it doesn't depend on the machine. The exit code is 1 when a late
round costs more than an early one allows.
"""

import argparse
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock

import anyio

from league_sdk.domain.events import Record
from league_sdk.domain.league_state import League
from league_sdk.domain.model import Role, StageRules
from league_sdk.json_value import Json
from league_sdk.settings import Workspace
from league_sdk.stores import JsonFiles, atomic_files, json_files, repositories
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import recorded
from servers.cli.views import SilentView
from servers.launcher.plan import LaunchPlan
from servers.launcher.supervisor import Supervisor
from servers.league_manager import pairing
from servers.league_manager.projection import Projection
from servers.read_model.live import Live
from tests.servers.fakes import rules
from tests.servers.league_manager.runner_harness import runner_harness

WINDOW = 100
"""Rounds over which a round's cost is taken: two pages of earlier ones."""
MOST = 1.5
"""Growth of a round's cost that is allowed between the first measurement and the last."""
PLAYERS = 4


@dataclass
class RoundCost:
    """Mean cost of a round from a number on."""

    round_id: int
    calls: float = 0.0  # of Python functions, in the manager
    milliseconds: float = 0.0
    written: float = 0.0  # bytes of files, without those of matches
    launcher: int = 0  # bytes of the league that a launcher keeps

    def __str__(self) -> str:
        return (
            f"round {self.round_id:>6,}: {self.calls:>8,.0f} calls, {self.milliseconds:6.2f} ms, "
            f"{self.written:>9,.0f} bytes written, the launcher's league {self.launcher:>9,} bytes"
        )


class _Forgetful(list[Any]):
    """The calls of stand-ins, which nobody looks at."""

    def append(self, item: Any) -> None:
        del item


@dataclass
class CostMeter:
    """Takes the cost of rounds after those numbers."""

    starts: Sequence[int]
    launcher: Callable[[], int]
    costs: list[RoundCost] = field(default_factory=list[RoundCost])
    written: int = 0
    _calls: int = 0
    _began: float = 0.0

    def take(self, league: League, records: Sequence[Record]) -> None:
        """Take new records; begins and ends a measurement."""
        if not any(record.type == "RoundCompleted" for record in records):
            return
        if league.rounds_completed in self.starts:
            self.costs.append(RoundCost(league.rounds_completed))
            self.written, self._calls, self._began = 0, 0, time.process_time()
            sys.setprofile(self._count)
        elif self.costs and league.rounds_completed == self.costs[-1].round_id + WINDOW:
            sys.setprofile(None)
            cost = self.costs[-1]
            cost.milliseconds = (time.process_time() - self._began) / WINDOW * 1000
            cost.calls, cost.written = self._calls / WINDOW, self.written / WINDOW
            cost.launcher = self.launcher()

    def write(self, path: Path, value: dict[str, Json]) -> None:
        """Write a file as the league does, and add up its bytes."""
        if path.parent.parent.name != "matches":
            self.written += len(atomic_files.pretty(value).encode())
        atomic_files.write_json(path, value)

    def _count(self, frame: FrameType, event: str, argument: Any) -> None:
        del frame, argument
        self._calls += event == "call"


async def costs_of(starts: Sequence[int], folder: Path) -> list[RoundCost]:
    """The cost of a round after each of these numbers of rounds."""
    rounds = max(starts) + WINDOW + 1
    stages = (StageRules("ladder", {"rounds": rounds}),)
    plan = LaunchPlan("summer", Workspace(folder), rules(), AgentSpec(Role.LEAGUE_MANAGER, "Manager", folder), (), ())
    launcher = Supervisor(plan, _no_launch, SilentView())
    meter = CostMeter(starts, lambda: len(pickle.dumps(launcher._league)))

    async def inline(made: Callable[..., Any], *arguments: Any, **_: Any) -> Any:
        return made(*arguments)  # in this thread, whose calls are counted

    with (
        mock.patch.object(json_files, "write_json", meter.write),
        mock.patch.object(repositories, "write_json", meter.write),
        mock.patch.object(pairing.anyio.to_thread, "run_sync", inline),
    ):
        async with runner_harness(PLAYERS, limit_sec=None, stages=stages) as held:
            ledger = held.manager.ledger
            projection = Projection(JsonFiles(folder), ledger, held.manager.journal)
            held.peers.calls, held.manager.records = _Forgetful(), _Forgetful()
            live = Live(whole=ledger.results, running=held.running)
            known = await held.store.read("summer")

            def hear(_: League, records: Sequence[Record]) -> None:
                for record in records:
                    launcher._take(plan.manager, recorded(record), [])

            for listen in (projection.take, live.take, hear):
                listen(ledger.league, known)
                ledger.subscribe(listen)
            ledger.subscribe(meter.take)
            held.begin()
            await ledger.until(lambda league: league.rounds_completed >= rounds - 1)
            await projection.close()
    return meter.costs


async def _no_launch(*_: object) -> int:
    return 0


def main(rounds: int) -> int:
    """Play, and print the table; the exit code."""
    starts = [each for each in (100, 1_000, rounds - WINDOW) if each < rounds]
    with tempfile.TemporaryDirectory(prefix="league-long-") as folder:
        began = time.monotonic()
        costs = anyio.run(costs_of, starts, Path(folder))
        print(*costs, f"{rounds:,} rounds in {time.monotonic() - began:.0f} s", sep="\n")
    wrong = grown(costs)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


def grown(costs: Sequence[RoundCost]) -> list[str]:
    """The excess cost of the last of these rounds."""
    first, last = costs[0], costs[-1]
    return [
        f"{name}: {late:,.0f} after {last.round_id:,} rounds, {early:,.0f} after {first.round_id:,}"
        for name, early, late in (("calls", first.calls, last.calls), ("bytes written", first.written, last.written))
        if late > MOST * early
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10_000)
    sys.exit(main(parser.parse_args().rounds))

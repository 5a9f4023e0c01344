"""Agents that were started one by one, killed, and started again by hand take up their seats."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.forked_program import ForkedProgram
from tests.ports import free_base
from tests.soak.sweep import ROOT, stored_records

pytestmark = pytest.mark.end_to_end
QUICK = ("--set", "heartbeat_interval_sec=1", "--set", "retry_policy.backoff_base_sec=0.2")


class Terminal:
    """Commands, each in a window of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.base = folder, free_base()
        self.windows: dict[str, ForkedProgram] = {}

    def open(self, window: str, *command: str) -> None:
        """Run a command of `league`; what it says is added to what was said there before."""
        with (self.folder / f"{window}.txt").open("ab") as said:
            environment = {**os.environ, "LEAGUE_DATA": str(self.folder / "data")}
            self.windows[window] = ForkedProgram(
                "servers", command, cwd=ROOT, env=environment, stdout=said, stderr=said
            )

    def manager(self, *more: str) -> None:
        self.open("manager", "manager", "--port", str(self.base), *QUICK, *more)

    def referee(self) -> None:
        where = ("--manager", f"http://localhost:{self.base}/mcp", "--port", str(self.base + 1))
        self.open("referee", "referee", "--name", "Whistle", *where, *QUICK)

    def player(self, number: int) -> None:
        where = ("--manager", f"http://localhost:{self.base}/mcp", "--port", str(self.base + 100 + number))
        self.open(f"player {number}", "player", "--name", f"Player {number}", *where, *QUICK)

    def kill(self, window: str) -> None:
        self.windows[window].send_signal(signal.SIGKILL)
        self.windows[window].wait()

    def end(self) -> None:
        for process in self.windows.values():
            process.kill()
            process.wait()

    def said(self) -> str:
        return "\n".join(f"--- {file.name}\n{file.read_text()}" for file in sorted(self.folder.glob("*.txt")))

    def types(self) -> list[str]:
        return [record["type"] for record in self.records()]

    def records(self) -> list[dict[str, Any]]:
        for database in self.folder.glob("data/data/leagues/*/events.db"):
            return stored_records(database)
        return []

    def until(self, condition: Callable[[], bool], limit: float = 90.0) -> None:
        end = time.monotonic() + limit
        while not condition():
            assert time.monotonic() < end, f"nothing happened any more\n{self.types()}\n{self.said()[-6000:]}"
            time.sleep(0.1)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path)
    yield made
    made.end()


def test_everybody_who_was_killed_and_started_again_by_hand_keeps_its_seat(terminal: Terminal):
    terminal.manager("--players", "2", "--referees", "1", "--league-id", "cup")
    terminal.referee()
    terminal.player(1)
    terminal.until(lambda: {"RefereeRegistered", "PlayerRegistered"} <= set(terminal.types()))
    terminal.kill("referee")
    terminal.kill("player 1")
    terminal.kill("manager")
    terminal.manager("--resume", "cup")
    terminal.referee()
    terminal.player(1)
    terminal.until(lambda: terminal.types().count("AgentReturned") == 2)
    terminal.player(2)
    terminal.until(lambda: terminal.types()[-1:] == ["LeagueCompleted"])
    records = terminal.records()
    assert terminal.types().count("PlayerRegistered") == 2
    assert terminal.types().count("RefereeRegistered") == 1
    (result,) = [record["result"] for record in records if record["type"] == "MatchRecorded"]
    assert result["faults"] == []
    back = [record["agent"]["display_name"] for record in records if record["type"] == "AgentReturned"]
    assert sorted(back) == ["Player 1", "Whistle"]

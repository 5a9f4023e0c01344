"""A place in which programs are started as a user starts them, and nothing is left when it is closed."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from servers.cli import main
from tests.forked_program import ForkedProgram
from tests.ports import free_base

T = TypeVar("T")

LEAGUE = Path(sys.executable).with_name("league")
PATIENCE = 240.0
"""Seconds that anything may take on a slow machine that has much else to do."""
QUICK = ("--set", "retry_policy.backoff_base_sec=0.05")
GATED_STRATEGY = '''
import asyncio
from pathlib import Path
from league_sdk import strategy

GATE = Path(__file__).with_suffix(".open")


@strategy("gated")
async def gated(view):
    """Takes the first move; from round 2 on only once the gate is open."""
    while view.round_id > 1 and not GATE.exists():
        await asyncio.sleep(0.01)
    return view.legal_moves[0]
'''


def until(found: Callable[[], T | None], what: str, seconds: float = PATIENCE) -> T:
    """Look until something is there; a condition outside of this process sends no message."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if thing := found():
            return thing
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds:g} s: {what}")


class Program:
    """One `league` command that runs beside the test.

    Args:
        command: The whole command line.
        folder: Where its output goes.
        environment: Its environment.
        fresh: Whether it loads its modules itself.
        module: The module that is run, and arguments before those of the command.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: dict[str, str],
        fresh: bool,
        module: tuple[str, ...] = ("servers",),
    ) -> None:
        self.command = command
        self._process: ForkedProgram | subprocess.Popen[Any]
        self._out, self._err = folder / "out.txt", folder / "err.txt"
        with self._out.open("w") as out, self._err.open("w") as err:
            given: dict[str, Any] = {
                "cwd": folder,
                "env": environment,
                "stdout": out,
                "stderr": err,
                "start_new_session": True,
            }
            if fresh:
                # Whoever runs the tests in the background has their programs born deaf to Ctrl-C.
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, preexec_fn=_hear_interrupts, **given
                )
            else:
                self._process = ForkedProgram(module[0], [*module[1:], *command[1:]], **given)
        self.pid = self._process.pid

    @property
    def out(self) -> str:
        """Standard output so far."""
        return self._out.read_text(encoding="utf-8")

    @property
    def err(self) -> str:
        """Standard error so far."""
        return self._err.read_text(encoding="utf-8")

    @property
    def over(self) -> bool:
        """True if it has ended."""
        return self._process.poll() is not None

    def says(self, pattern: str) -> re.Match[str]:
        """Wait until it has printed something."""

        def found() -> re.Match[str] | None:
            match = re.search(pattern, self.out) or re.search(pattern, self.err)
            if match is None and self.over:
                raise AssertionError(f"ended without {pattern!r}:\n{self.out}\n{self.err}")
            return match

        try:
            return until(found, repr(pattern))
        except AssertionError as missing:
            missing.add_note(f"{' '.join(self.command)} printed:\n{self.out}\n{self.err}")
            raise

    def end(self, seconds: float = PATIENCE) -> int:
        """Wait for its end; its exit code."""
        return self._process.wait(seconds)

    def interrupt(self) -> None:
        """Ctrl-C: the signal reaches the whole group, as it does from a terminal."""
        os.killpg(self.pid, signal.SIGINT)

    def kill(self) -> None:
        """Kill it alone."""
        self._process.kill()
        self._process.wait(PATIENCE)


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class ProgramHarness:
    """Commands, ports and a folder that belong together.

    Args:
        folder: Where everything is written.

    Attributes:
        variables: Environment variables of its programs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "play"
        self.base = free_base()
        self._mark = f"LEAGUE_TOWN={uuid.uuid4().hex}"
        self._programs: list[Program] = []
        self.variables: dict[str, str] = {}

    @property
    def manager(self) -> str:
        """The league manager's endpoint."""
        return f"http://localhost:{self.base}/mcp"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every program of this harness."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("LEAGUE_", "COV_"))}
        name, _, value = self._mark.partition("=")
        path = f"{LEAGUE.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        return {**clean, name: value, "PATH": path, "COLUMNS": "200", "PYTHONWARNINGS": "default", **self.variables}

    def start(self, *arguments: object, fresh: bool = False, module: tuple[str, ...] = ("servers",)) -> Program:
        """Start `league` with these arguments, writing to this harness's folder."""
        folder = self.folder / f"program {len(self._programs) + 1}"
        folder.mkdir()
        command = [str(LEAGUE), *(str(argument) for argument in arguments), "--data", str(self.data)]
        self._programs.append(Program(command, folder, self.environment, fresh, module))
        return self._programs[-1]

    def run(self, *arguments: object) -> Program:
        """Run `league` to its end."""
        program = self.start(*arguments)
        program.end(2 * PATIENCE)
        return program

    def shell(self, line: str) -> subprocess.CompletedProcess[str]:
        """Type a line into a shell."""
        return subprocess.run(
            line,
            shell=True,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE,
            check=False,
        )

    def json(self, *arguments: object) -> Any:
        """The JSON output of a `league` command that runs to its end."""
        program = self.run(*arguments)
        assert program.end() == 0, program.err
        return json.loads(program.out)

    def look(self, *arguments: object) -> Any:
        """The same in this process, which is quicker for commands that only look."""
        out, before = io.StringIO(), sys.argv
        sys.argv = ["league", *(str(argument) for argument in arguments), "--data", str(self.data)]
        try:
            with contextlib.redirect_stdout(out), pytest.raises(SystemExit) as end:
                main()
        finally:
            sys.argv = before
        assert end.value.code in (0, None)
        return json.loads(out.getvalue())

    def plug_in(self, name: str, text: str) -> Path:
        """A folder with a plug-in of the user's."""
        folder = self.folder / "mine"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        return folder

    def gated(self, *players: str) -> list[object]:
        """Options for players who stop in round 2, until the gate is open."""
        folder = self.plug_in("gated", GATED_STRATEGY)
        return ["--plugins", folder, *(f"--player=name={name},strategy=gated" for name in players)]

    def open_gate(self) -> None:
        """Let the gated players continue."""
        (self.folder / "mine" / "gated.open").touch()

    def people(self) -> dict[int, str]:
        """Every process of this harness that lives: number to command line."""
        living: dict[int, str] = {}
        started = {program.pid for program in self._programs}
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                marked = self._mark.encode() in (folder / "environ").read_bytes().split(b"\0")
                if (marked or os.getsid(int(folder.name)) in started) and not _is_dead(folder):
                    living[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        return living

    def listeners(self) -> dict[int, int]:
        """Listening processes by port."""
        ports = _listening_sockets()
        found: dict[int, int] = {}
        for pid in self.people():
            with contextlib.suppress(OSError):
                for link in Path(f"/proc/{pid}/fd").iterdir():
                    with contextlib.suppress(OSError):
                        port = ports.get(str(link.readlink()))
                        if port is not None:
                            found[port] = pid
        return found

    def empty(self, seconds: float = PATIENCE) -> None:
        """Wait until no process of this harness is left, and fail when one is."""
        try:
            until(lambda: not self.people(), "everybody has gone", seconds)
        except AssertionError:
            raise AssertionError(f"left behind: {self.people()}") from None

    def close(self) -> None:
        """End whatever is left."""
        for pid in self.people():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for program in self._programs:
            program.kill()


def _is_dead(folder: Path) -> bool:
    return (folder / "stat").read_text().rpartition(")")[2].split()[0] in ("Z", "X")


def _listening_sockets() -> dict[str, int]:
    """`socket:[inode]` to port, of everything that listens on this machine."""
    listening: dict[str, int] = {}
    for name in ("tcp", "tcp6"):
        table = Path("/proc/net", name)
        for line in table.read_text().splitlines()[1:] if table.exists() else ():
            fields = line.split()
            if fields[3] == "0A":
                listening[f"socket:[{fields[9]}]"] = int(fields[1].rpartition(":")[2], 16)
    return listening


@contextlib.contextmanager
def program_harness(folder: Path) -> Generator[ProgramHarness]:
    """A harness, of which nothing is left afterwards."""
    place = ProgramHarness(folder)
    try:
        yield place
    finally:
        place.close()

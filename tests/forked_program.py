"""Programs that start at once: forked from one process that has the imports already.

Half of what a short command costs is the loading of modules. A test that is about something else starts its programs
here: each is a process of its own, with its own signals, session, folder, environment and output. That what a user
types starts, too, is shown by `test_make`, `test_the_main_job`, `test_readme` and `test_packaging`.

`ForkedProgram` is such a program; `forked_command` is for tests whose subject is started by something else, as hosts
start agents.
"""

import atexit
import contextlib
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import util
from pathlib import Path
from typing import IO, Any

from servers.launcher.fork_server import PRELOADED as FOR_AGENTS

ROOT = Path(__file__).parents[1]
RELAY = Path(__file__).with_name("forked_program_relay.py")
PRELOADED = (
    "servers.cli.app",
    "servers.cli.run",
    "servers.host.host_server",
    "servers.host.serving",
    "league_sdk.testing",
    *FOR_AGENTS,
)
_LARGEST_ORDER = 1 << 17


class ForkedProgram:
    """A program that runs beside the test; what is used of `subprocess.Popen`, by the same names.

    Args:
        module: The module that is run, as by `python -m`.
        arguments: Its arguments.
        cwd: Its folder.
        env: The whole of its environment.
        stdout: Where its output goes.
        stderr: Where its messages go.
        start_new_session: Whether it leads a session of its own, as one that is started in a terminal of its own.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdout: IO[Any],
        stderr: IO[Any],
        start_new_session: bool = False,
    ) -> None:
        order = {"module": module, "arguments": [*arguments], "cwd": str(cwd), "env": {**env}}
        order |= {"session": start_new_session}
        told, tell = os.pipe()
        self.returncode: int | None = None
        self._told = os.fdopen(told, "r")
        ends = [stdout.fileno(), stderr.fileno(), tell]
        socket.send_fds(_start_fork_server()[0], [json.dumps(order).encode()], ends)
        os.close(tell)
        self.pid = int(self._told.readline())

    def poll(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the exit code.

        Raises:
            subprocess.TimeoutExpired: It still runs after so many seconds.
        """
        code = self._look(None if timeout is None else timeout * 1000)
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _look(self, milliseconds: float | None) -> int | None:
        if self.returncode is None:
            ready = select.poll()
            ready.register(self._told, select.POLLIN)
            if ready.poll(milliseconds):
                self.returncode = int(self._told.readline())
                self._told.close()
        return self.returncode


def forked_command(*command: str) -> list[str]:
    """The script or module in place of `python` and `command`, and its arguments."""
    return [sys.executable, "-I", "-S", str(RELAY), str(_start_fork_server()[1]), *command]


@cache
def _start_fork_server() -> tuple[socket.socket, Path]:
    """The process from which all others are forked, as an end of a socket and the path of another one.

    It ends with the test session.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    folder = tempfile.TemporaryDirectory(prefix="warm-")
    door = Path(folder.name) / "door"
    with theirs, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(door))
        listener.listen()
        numbers = [theirs.fileno(), listener.fileno()]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.forked_program", *map(str, numbers)], cwd=ROOT, pass_fds=numbers
        )

    def end() -> None:
        ours.close()
        process.wait()
        folder.cleanup()

    atexit.register(end)
    return ours, door


def _keep(orders: socket.socket, door: socket.socket) -> dict[str, Any] | None:
    """Fork for every order, and tell how each child ended; in a child, return its order."""
    tells: dict[int, int] = {}
    deaths, death = os.pipe()
    os.set_blocking(death, False)
    signal.set_wakeup_fd(death, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        for ready in select.select([orders, door, deaths], [], [])[0]:
            if ready is deaths:
                os.read(deaths, 1024)
                _report_ended(tells)
                continue
            text, ends, tell = _ordered(orders) if ready is orders else _asked_at(door)
            if not text:
                return None
            if (pid := os.fork()) == 0:
                signal.set_wakeup_fd(-1)
                for number in (deaths, death, tell, *tells.values()):
                    os.close(number)
                orders.close()
                door.close()
                _become(order := json.loads(text), ends)
                return order
            tells[pid] = tell
            for end in ends:
                os.close(end)
            with contextlib.suppress(OSError):
                os.write(tell, f"{pid}\n".encode())


def _ordered(orders: socket.socket) -> tuple[bytes, list[int], int]:
    """An order of the test's, its streams, and where to tell how it ended; nothing when there will be no more."""
    text, ends, _, _ = socket.recv_fds(orders, _LARGEST_ORDER, 3)
    if not text:
        return b"", [], -1
    out, err, tell = ends
    return text, [os.open(os.devnull, os.O_RDONLY), out, err], tell


def _asked_at(door: socket.socket) -> tuple[bytes, list[int], int]:
    """The same from a relay."""
    relay, _ = door.accept()
    text, ends, _, _ = socket.recv_fds(relay, _LARGEST_ORDER, 3)
    return text, ends, relay.detach()


def _report_ended(tells: dict[int, int]) -> None:
    with contextlib.suppress(ChildProcessError):
        while (dead := os.waitpid(-1, os.WNOHANG))[0]:
            tell = tells.pop(dead[0])
            with contextlib.suppress(OSError):
                os.write(tell, f"{os.waitstatus_to_exitcode(dead[1])}\n".encode())
            os.close(tell)


def _become(order: dict[str, Any], ends: Sequence[int]) -> None:
    """Make this process what a new one would be."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if order["session"]:
        os.setsid()
    for target, source in enumerate(ends):
        os.dup2(source, target)
        os.close(source)
        # A stream remembers of what kind its file was.
        name, mode = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))[target]
        stream = open(target, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    if order["env"].get("PYTHONWARNINGS") == "default":
        warnings.simplefilter("default")
    sys.argv = [order.get("module") or order["script"], *order["arguments"]]
    util.spawnv_passfds = _fork_for


def _fork_for(path: bytes, command: Sequence[Any], kept: Sequence[int]) -> int:
    """Run multiprocessing's helpers, such as its fork server, with the imports done."""
    if (pid := os.fork()) == 0:
        for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
            if number > 2 and number not in kept:
                with contextlib.suppress(OSError):  # the one by which they were listed
                    os.close(number)
        with contextlib.suppress(SystemExit):
            exec(command[-1], {"__name__": "__main__"})  # what follows its `-c`
        os._exit(0)
    return pid


if __name__ == "__main__":
    for name in PRELOADED:
        __import__(name)
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as _orders, socket.socket(fileno=int(sys.argv[2])) as _door:
        _order = _keep(_orders, _door)
    if _order is not None and "module" in _order:
        runpy.run_module(_order["module"], run_name="__main__", alter_sys=True)
    elif _order is not None:
        runpy.run_path(_order["script"], run_name="__main__")

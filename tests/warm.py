"""Programs that start at once: forked from one process that has the imports already.

Half of what a short command costs is the loading of modules. A test that is about something else starts its programs
here: each is a process of its own, with its own signals, session, folder, environment and output. That what a user
types starts, too, is shown by `test_make`, `test_the_main_job`, `test_readme` and `test_packaging`.
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
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import util
from pathlib import Path
from typing import IO, Any

from servers.fork_server import PRELOADED as FOR_AGENTS

ROOT = Path(__file__).parents[1]
PRELOADED = ("servers.cli.app", "servers.cli.run", *FOR_AGENTS)
_LARGEST_ORDER = 1 << 17


class Warm:
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
        told, tell = os.pipe()
        self.returncode: int | None = None
        self._told = os.fdopen(told, "r")
        ends = [stdout.fileno(), stderr.fileno(), tell]
        socket.send_fds(_hearth(), [json.dumps(order | {"session": start_new_session}).encode()], ends)
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


@cache
def _hearth() -> socket.socket:
    """The process from which all others are forked; it ends with the test session."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        number = str(theirs.fileno())
        command = [sys.executable, "-m", "tests.warm", number]
        process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()])

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _keep(orders: socket.socket) -> dict[str, Any] | None:
    """Fork for every order, and tell how each child ended; in a child, return its order."""
    tells: dict[int, int] = {}
    deaths, death = os.pipe()
    os.set_blocking(death, False)
    signal.set_wakeup_fd(death, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        for ready in select.select([orders, deaths], [], [])[0]:
            if ready is not orders:
                os.read(deaths, 1024)
                _bury(tells)
                continue
            text, ends, _, _ = socket.recv_fds(orders, _LARGEST_ORDER, 3)
            if not text:
                return None
            out, err, tell = ends
            if (pid := os.fork()) == 0:
                signal.set_wakeup_fd(-1)
                for number in (deaths, death, tell, *tells.values()):
                    os.close(number)
                orders.close()
                _move_in(order := json.loads(text), out, err)
                return order
            tells[pid] = tell
            os.close(out)
            os.close(err)
            os.write(tell, f"{pid}\n".encode())


def _bury(tells: dict[int, int]) -> None:
    with contextlib.suppress(ChildProcessError):
        while (dead := os.waitpid(-1, os.WNOHANG))[0]:
            tell = tells.pop(dead[0])
            with contextlib.suppress(BrokenPipeError):
                os.write(tell, f"{os.waitstatus_to_exitcode(dead[1])}\n".encode())
            os.close(tell)


def _move_in(order: dict[str, Any], out: int, err: int) -> None:
    """Make this process what a new one would be."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if order["session"]:
        os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (out, 1), (err, 2)):
        os.dup2(source, target)
        os.close(source)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    if order["env"].get("PYTHONWARNINGS") == "default":
        warnings.simplefilter("default")
    sys.argv = [order["module"], *order["arguments"]]
    util.spawnv_passfds = _fork_for


def _fork_for(path: bytes, command: Sequence[Any], kept: Sequence[int]) -> int:
    """Where multiprocessing starts a helper of its own, a fork server above all: here that has the imports, too."""
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
    with socket.socket(fileno=int(sys.argv[1])) as _orders:
        _order = _keep(_orders)
    if _order is not None:
        runpy.run_module(_order["module"], run_name="__main__", alter_sys=True)

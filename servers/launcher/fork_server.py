"""The process that agents are forked from: it has imports loaded, and no threads.

Only the standard library is used here, so that it can be the first thing that a command starts: loading takes longer
than all the rest of its beginning, and runs beside it.
"""

import contextlib
import multiprocessing
import os
import signal
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext

PRELOADED = ["servers.launcher.preloading"]
LONGEST_TEMPORARY_FOLDER = 60
"""Characters: a Unix socket's path has at most 103 on macOS (`sun_path` of 104), of which multiprocessing adds 32."""
SAFE_PATH, OURS = "PYTHONSAFEPATH", "league"
"""The variable, and a value by which the fork server knows that it is not the user's, and keeps it from the agents."""


def start_fork_server() -> ForkServerContext | None:
    """Start the fork server unless it runs; None where nothing can be forked."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return None
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    with without_current_folder():
        resource_tracker.ensure_running()  # first, since it would let interrupts through again
    with deaf_to_interrupts(), without_current_folder(), temporary_folder_for_sockets():
        forkserver.ensure_running()
    return context


def end_fork_server() -> None:
    """End it at once, and whatever it is doing; nothing where none runs.

    By itself it ends when this process has, but not before it has loaded everything: a command that ends early would
    leave it at work for seconds, with our output held open. What it has forked is told by its own pipe.
    """
    server = forkserver.ensure_running.__self__
    pid = vars(server)["_forkserver_pid"]
    if pid is not None:
        # SIGTERM, since it does not heed its pipe while it loads; one that is gone already is what we want.
        with deaf_to_interrupts(), contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGTERM)
            vars(type(server))["_stop"](server)  # the library has this for its own tests


@contextmanager
def deaf_to_interrupts() -> Generator[None]:
    """Ignore Ctrl-C in children: it reaches the whole group, this process handles it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def temporary_folder_for_sockets() -> Generator[None]:
    """Use /tmp where the temporary folder is too long for a socket, as Python 3.14."""
    before = tempfile.tempdir
    if len(os.fsencode(tempfile.gettempdir())) > LONGEST_TEMPORARY_FOLDER:
        # The folder that is made in it has a random name, and is this user's alone.
        tempfile.tempdir = "/tmp"  # noqa: S108
    try:
        yield
    finally:
        tempfile.tempdir = before


@contextmanager
def without_current_folder() -> Generator[None]:
    """Start interpreters without the current folder, whose modules could shadow ours."""
    if os.environ.get(SAFE_PATH):
        yield
        return
    os.environ[SAFE_PATH] = OURS
    try:
        yield
    finally:
        del os.environ[SAFE_PATH]

"""The command `league`."""

import atexit
import gc
import sys
from importlib import import_module

_START_AGENTS = ("run", "resume")
_NO_AGENTS = ("--help", "-h", "--detach")
_IN_PROCESS = "--in-process"


def main() -> None:
    """Run the command line. Ctrl-C ends it in silence, even while it still loads."""
    # To look for garbage while modules load, and once more when everything goes, takes a quarter of a short league.
    gc.disable()
    atexit.register(gc.freeze)
    try:
        if sys.argv[1:] == ["--version"]:
            print_version()
        elif sys.argv[1:2] and sys.argv[1] in _START_AGENTS and not set(_NO_AGENTS) & set(sys.argv):
            _run_with_agents()
        else:
            _run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # 128 and the signal's number, without an import that could be interrupted


def print_version() -> None:
    """Print the version, without all that a command loads."""
    from league_sdk.release import DISTRIBUTION, release

    sys.stdout.write(f"{DISTRIBUTION} {release()}\n")


def _run_with_agents() -> None:
    """Run a command that starts agents, which takes much to load."""
    if _IN_PROCESS in sys.argv:
        import_module("servers.launcher.preloading")
        _run()
        return
    from servers.launcher.fork_server import end_fork_server, start_fork_server

    start_fork_server()  # it loads while we do
    try:
        _run()
    finally:
        end_fork_server()


def _run() -> None:
    from servers.agent.gc_tuning import settle_memory
    from servers.cli.app import run_app

    settle_memory()
    run_app()

"""The command `league`."""

import gc
import sys

_NEW_OBJECTS = 10_000
"""So many objects have to be new before garbage is looked for: with Python's 700 that is an eighth of all loading."""
_START_AGENTS = ("run", "resume")
_START_NONE = ("--in-process", "--help", "-h")


def main() -> None:
    """Run the command line. Ctrl-C ends it in silence, even while it still loads."""
    gc.set_threshold(_NEW_OBJECTS)
    try:
        if sys.argv[1:2] and sys.argv[1] in _START_AGENTS and not set(_START_NONE) & set(sys.argv):
            from servers.launcher.fork_server import end_fork_server, start_fork_server

            start_fork_server()  # it loads while we do
            try:
                _run()
            finally:
                end_fork_server()
        else:
            _run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # 128 and the signal's number, without an import that could be interrupted


def _run() -> None:
    from servers.cli.app import run_app

    run_app()

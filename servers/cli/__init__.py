"""The command `league`."""

import signal


def main() -> None:
    """Run the command line. Ctrl-C ends it in silence, even while it still loads."""
    try:
        from servers.cli.app import run_app

        run_app()
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None

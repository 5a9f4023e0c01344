"""The command `league`."""


def main() -> None:
    """Run the command line. Ctrl-C ends it in silence, even while it still loads."""
    try:
        from servers.cli.app import run_app

        run_app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # 128 and the signal's number, without an import that could be interrupted

"""Ports for tests that start whole leagues."""

import os
import socket

MEMBERS = (0, 1, 2, *range(101, 111))
"""The ports of a small league, counted from its base: manager, referees, players."""
RANGES = (20_000, 24_000, 26_000, 28_000, 30_000)
"""The first ports of workers' ranges: below those that the system hands out, and without Ray's, which takes 10,002 to
19,999 for its workers, and from 23,000 on for servers of clients."""


def free_base() -> int:
    """A port from which on a small league finds all of its ports free.

    Workers that test side by side look in ranges of their own.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    start = RANGES[worker % len(RANGES)]
    first = os.getpid() % 13  # and two sessions at a time begin in different places
    for step in range(13):
        base = start + (first + step) % 13 * 150
        if all(_free(base + offset) for offset in MEMBERS):
            return base
    raise AssertionError(f"no free ports from {start} on")


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True

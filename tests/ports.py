"""Ports for tests that start whole leagues."""

import os
import socket

MEMBERS = (0, 1, 2, *range(101, 111))
"""The ports of a small league, counted from its base: manager, referees, players."""


def free_base() -> int:
    """A port from which on a small league finds all of its ports free.

    Workers that test side by side look in ranges of their own, below those that the system hands out by itself.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    start = 20_000 + worker % 6 * 2_000
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

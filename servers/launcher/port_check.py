"""Checks that ports can be listened on, before any agent starts.

A port that is free now may be taken a moment later, which the agent itself reports; this is for the usual case.
"""

import errno
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final, TypeAlias

from league_sdk.clock import Clock
from league_sdk.names import joined

CheckPorts: TypeAlias = Callable[[str, Sequence[int]], None]
"""Looks at the ports of an address, and raises `PortsTaken`."""

IN_USE: Final = "in use"
PATIENCE_SEC = 5.0
"""Time for agents to free their ports whose `league run` was killed."""
LOOK_SEC = 0.1
"""The pause between two looks whether they have."""


class PortsTaken(Exception):
    """Needed ports can't be listened on; the message names them and the remedy."""


def obstacle(host: str, port: int) -> str:
    """The reason why a port cannot be listened on; empty when it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            return IN_USE if error.errno == errno.EADDRINUSE else f"cannot be used on {host}: {error.strerror}"
    return ""


def check_ports(host: str, ports: Sequence[int], option: str = "--port-base") -> None:
    """Look at every port.

    Port 0 stands for one that the system chooses; `option` is the setting that chooses others.

    Raises:
        PortsTaken: Some of them cannot be listened on.
    """
    found = {port: what for port in ports if port and (what := obstacle(host, port))}
    busy = [str(port) for port, what in found.items() if what == IN_USE]
    if len(busy) == 1:
        raise PortsTaken(
            f"port {busy[0]} on {host} is in use; stop the program that has it, or choose another with {option}"
        )
    if busy:
        raise PortsTaken(
            f"ports {joined(busy)} on {host} are in use; stop the programs that have them, "
            f"or choose others with {option}"
        )
    for port, what in found.items():  # an address that is not ours is none of ours at any port: one says it all
        raise PortsTaken(f"port {port} {what}; choose another address with --host, or other ports with {option}")


def free_ports(host: str, count: int) -> list[int]:
    """Free ports, chosen by the system.

    Raises:
        PortsTaken: The address is none of this machine's, or there are not so many.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with ExitStack() as trials:  # all of them open at once, so that none is given twice
        ports: list[int] = []
        try:
            for _ in range(count):
                trial = trials.enter_context(socket.socket(family, socket.SOCK_STREAM))
                trial.bind((host, 0))
                ports.append(trial.getsockname()[1])
        except OSError as error:
            raise PortsTaken(
                f"{count} free ports cannot be had on {host}: {error.strerror}; choose another address with --host, "
                "or ports with --port-base"
            ) from error
    return ports


async def wait_for_ports(host: str, ports: Sequence[int], clock: Clock) -> None:
    """Retry until all ports are free, for a while: their users may be ending.

    Raises:
        PortsTaken: Some of them still cannot be listened on.
    """
    end = clock.monotonic() + PATIENCE_SEC
    while True:
        try:
            check_ports(host, ports)
        except PortsTaken:
            if clock.monotonic() >= end:
                raise
        else:
            return
        await clock.sleep(LOOK_SEC)

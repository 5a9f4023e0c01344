"""Machines of one network, on this one: network namespaces, each with an address of its own, joined by a bridge.

`python -m tests.network_namespaces NAME SKEW …` is `league …` on that machine, its clock SKEW seconds ahead.
"""

import ctypes
import itertools
import os
import runpy
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.end_to_end.program_harness import Program, ProgramHarness

SUBNET = "10.213.7"
NOBODY = "02:ff:ff:ff:ff:ff"
"""A hardware address that no machine has: what is sent there is lost in silence."""
_CLONE_NEWNET = 0x40000000
_NETWORKS = itertools.count(1)


class Node:
    """A machine: it can be cut off from others, lose its link, and have its address taken over."""

    def __init__(self, network: "Network", name: str, address: str, skew: float = 0.0) -> None:
        self.name, self.address, self._network, self._skew = f"{network.name}-{name}", address, network, skew
        self.harness: ProgramHarness
        _ip("netns", "add", self.name)
        network.built.append(self.name)
        self._link = f"to-{name}"
        # Whoever takes over an address has its hardware's as well: nobody's table of neighbours has to learn anything.
        hardware = "02:00:00:00:00:" + f"{int(address.rpartition('.')[2]):02x}"
        if network.links is None:
            ours = (self._link, "netns", network.switch)
            _ip("link", "add", *ours, "type", "veth", "peer", "name", "eth0", "address", hardware, "netns", self.name)
        else:
            network.slow_link(self.name, self._link, hardware)
        _ip("-n", network.switch, "link", "set", self._link, "master", "bridge", "up")
        _ip("-n", self.name, "address", "add", f"{address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", self.name, "link", "set", device, "up")
        # By its default route a program learns which of a machine's addresses is the one that others reach.
        _ip("-n", self.name, "route", "add", "default", "via", network.address)

    def start(self, *arguments: object) -> Program:
        """Start `league` here."""
        return self.harness.start(*arguments, module=("tests.network_namespaces", self.name, str(self._skew)))

    def agent(self, *arguments: object) -> Program:
        """Start an agent that others reach at this machine's address."""
        return self.start(*arguments, "--host", self.address, "--public-host", self.address)

    def partition(self, *others: "Node") -> None:
        """Lose all packets between this machine and others, in silence."""
        for one, other in self._pairs(others):
            wrong = ("lladdr", NOBODY, "dev", "eth0", "nud", "permanent")
            _ip("-n", one.name, "neighbour", "replace", other.address, *wrong)

    def heal(self, *others: "Node") -> None:
        """Let them through again."""
        for one, other in self._pairs(others):
            _ip("-n", one.name, "neighbour", "delete", other.address, "dev", "eth0")

    def _pairs(self, others: "tuple[Node, ...]") -> "list[tuple[Node, Node]]":
        return [pair for other in others for pair in ((self, other), (other, self))]

    def unplug(self) -> None:
        """Lose the link, as a machine does that is switched off."""
        _ip("-n", self._network.switch, "link", "set", self._link, "down")

    def plug_in(self) -> None:
        """Have the link again."""
        _ip("-n", self._network.switch, "link", "set", self._link, "up")

    def inside(self) -> AbstractContextManager[None]:
        """Start processes and open connections here."""
        return inside(self.name)

    def lose_power(self) -> None:
        """Kill every process that runs here."""
        kill_all(self.name)


class SlowLinks(NamedTuple):
    """Links that delay each packet, and lose some: a packet passes two of them."""

    delay_ms: float
    loss_percent: float


class Network:
    """Machines that are joined, each with a folder of its own."""

    def __init__(self, folder: Path, links: SlowLinks | None = None) -> None:
        self.links = links
        self._relays: list[subprocess.Popen[str]] = []
        self.name = f"league{os.getpid()}n{next(_NETWORKS)}"
        self.switch = f"{self.name}-switch"
        self.built: list[str] = []
        self.folder = folder
        self._addresses = itertools.count(11)
        self.nodes: list[Node] = []
        _ip("netns", "add", self.switch)
        self.built.append(self.switch)
        _ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
        self.address = f"{SUBNET}.1"
        _ip("-n", self.switch, "address", "add", f"{self.address}/24", "dev", "bridge")
        for device in ("lo", "bridge"):
            _ip("-n", self.switch, "link", "set", device, "up")

    def node(self, name: str, *, address: str | None = None, skew: float = 0.0) -> Node:
        """One more machine; with the address of another one it takes that one's place."""
        made = Node(self, name, address or f"{SUBNET}.{next(self._addresses)}", skew)
        home = self.folder / name
        home.mkdir()
        made.harness = ProgramHarness(home)
        self.nodes.append(made)
        return made

    def slow_link(self, machine: str, name: str, hardware: str) -> None:
        """Join a machine by a slow link."""
        assert self.links is not None
        command = [sys.executable, "-m", "tests.slow_link", machine, self.switch, name, hardware, *map(str, self.links)]
        self._relays.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        said = self._relays[-1].stdout
        if said is None or said.readline() != "ready\n":
            raise RuntimeError(f"no slow link for {machine}")

    def close(self) -> None:
        """End all programs, and take the network down."""
        for node in self.nodes:
            node.harness.close()
        for relay in self._relays:
            relay.kill()
            relay.communicate()
        for name in self.built:
            kill_all(name)
            _ip("netns", "del", name)


@contextmanager
def network(folder: Path, links: SlowLinks | None = None) -> Generator[Network]:
    """A network without machines; skips the test where none can be made."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    if shutil.which("ip") is None:
        pytest.skip("network namespaces need the program ip")
    if links is not None and not Path("/dev/net/tun").exists():
        pytest.skip("slow links need /dev/net/tun")
    try:
        made = Network(folder, links)
    except RuntimeError as error:
        pytest.skip(f"no network namespaces here: {error}")
    try:
        yield made
    finally:
        made.close()


@contextmanager
def inside(name: str) -> Generator[None]:
    """Have this thread on another machine; what it starts meanwhile stays there."""
    with Path("/proc/thread-self/ns/net").open() as home:
        enter(name)
        try:
            yield
        finally:
            _move_to(home.fileno())


def kill_all(name: str) -> None:
    """Kill every process of a machine, those as well that are being started."""
    deadline = time.monotonic() + 60
    while found := _run("ip", "netns", "pids", name).split():
        if time.monotonic() > deadline:
            raise RuntimeError(f"processes of {name} outlive their end: {found}")
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.02)


def _ip(*arguments: str) -> None:
    _run("ip", *arguments)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def enter(name: str) -> None:
    """Move this process to a machine; threads that it starts later are there, too."""
    with Path("/run/netns", name).open() as namespace:
        _move_to(namespace.fileno())


def _move_to(namespace: int) -> None:
    if ctypes.CDLL(None, use_errno=True).setns(namespace, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "no way into a network namespace")


def _set_ahead(seconds: float) -> None:
    """Set this process's clock ahead; its stop-watch stays."""
    from league_sdk.clock import SystemClock

    now = SystemClock.now

    def ahead(clock: SystemClock) -> datetime:
        return now(clock) + timedelta(seconds=seconds)

    replaced: Any = SystemClock
    replaced.now = ahead


if __name__ == "__main__":
    enter(sys.argv[1])
    if float(sys.argv[2]):
        _set_ahead(float(sys.argv[2]))
    sys.argv = ["league", *sys.argv[3:]]
    runpy.run_module("servers", run_name="__main__", alter_sys=True)

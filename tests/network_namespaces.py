"""Machines of one network, on this one: network namespaces, each with an address of its own, joined by a bridge.

`python -m tests.network_namespaces NAME SKEW …` is `league …` on that machine, its clock SKEW seconds ahead.
"""

import ctypes
import itertools
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.program_harness import Program, ProgramHarness

SUBNET = "10.213.7"
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
        ours = (self._link, "netns", network.switch)
        _ip("link", "add", *ours, "type", "veth", "peer", "name", "eth0", "address", hardware, "netns", self.name)
        _ip("-n", network.switch, "link", "set", self._link, "master", "bridge", "up")
        _ip("-n", self.name, "address", "add", f"{address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", self.name, "link", "set", device, "up")

    def start(self, *arguments: object) -> Program:
        """Start `league` here."""
        return self.harness.start(*arguments, module=("tests.network_namespaces", self.name, str(self._skew)))

    def agent(self, *arguments: object) -> Program:
        """Start an agent that others reach at this machine's address."""
        return self.start(*arguments, "--host", self.address, "--public-host", self.address)

    def partition(self, *others: "Node") -> None:
        """Lose all packets between this machine and others, in silence."""
        self._firewall("-A", others)

    def heal(self, *others: "Node") -> None:
        """Let them through again."""
        self._firewall("-D", others)

    def _firewall(self, action: str, others: "tuple[Node, ...]") -> None:
        for other in others:
            for chain, side in (("INPUT", "-s"), ("OUTPUT", "-d")):
                rule = [action, chain, side, other.address, "-j", "DROP"]
                _run("ip", "netns", "exec", self.name, "iptables", "-w", *rule)

    def unplug(self) -> None:
        """Lose the link, as a machine does that is switched off."""
        _ip("-n", self._network.switch, "link", "set", self._link, "down")


class Network:
    """Machines that are joined, each with a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.name = f"league{os.getpid()}n{next(_NETWORKS)}"
        self.switch = f"{self.name}-switch"
        self.built: list[str] = []
        self.folder = folder
        self._addresses = itertools.count(11)
        self.nodes: list[Node] = []
        _ip("netns", "add", self.switch)
        self.built.append(self.switch)
        _ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", self.switch, "link", "set", "bridge", "up")

    def node(self, name: str, *, address: str | None = None, skew: float = 0.0) -> Node:
        """One more machine; with the address of another one it takes that one's place."""
        made = Node(self, name, address or f"{SUBNET}.{next(self._addresses)}", skew)
        home = self.folder / name
        home.mkdir()
        made.harness = ProgramHarness(home)
        self.nodes.append(made)
        return made

    def close(self) -> None:
        """End all programs, and take the network down."""
        for node in self.nodes:
            node.harness.close()
        for name in self.built:
            _ip("netns", "del", name)


@contextmanager
def network(folder: Path) -> Generator[Network]:
    """A network without machines; skips the test where none can be made."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    if not all(map(shutil.which, ("ip", "iptables"))):
        pytest.skip("network namespaces need the programs ip and iptables")
    try:
        made = Network(folder)
    except RuntimeError as error:
        pytest.skip(f"no network namespaces here: {error}")
    try:
        yield made
    finally:
        made.close()


def _ip(*arguments: str) -> None:
    _run("ip", *arguments)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")


def _enter(name: str) -> None:
    """Move this process to a machine; threads that it starts later are there, too."""
    with Path("/run/netns", name).open() as namespace:
        if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), _CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"no way into {name}")


def _set_ahead(seconds: float) -> None:
    """Set this process's clock ahead; its stop-watch stays."""
    from league_sdk.clock import SystemClock

    now = SystemClock.now

    def ahead(clock: SystemClock) -> datetime:
        return now(clock) + timedelta(seconds=seconds)

    replaced: Any = SystemClock
    replaced.now = ahead


if __name__ == "__main__":
    _enter(sys.argv[1])
    if float(sys.argv[2]):
        _set_ahead(float(sys.argv[2]))
    sys.argv = ["league", *sys.argv[3:]]
    runpy.run_module("servers", run_name="__main__", alter_sys=True)

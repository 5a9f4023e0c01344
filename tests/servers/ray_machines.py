"""A Ray cluster whose nodes are machines of a network, with addresses, links and processes of their own.

The league's database is reached by all of them, at the address of the network's switch.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from league_sdk.stores import SqlEventStore
from tests.end_to_end.program_harness import Program
from tests.league_sdk.stores.conftest import PostgresServer, private_postgres
from tests.network_namespaces import SUBNET, Network, Node, inside, network

RAY = Path(sys.executable).with_name("ray")
PORT = 6379
START_SEC = 180
ENVIRONMENT = {
    "RAY_raylet_start_wait_time_s": "150",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # Ray's workers have the lowest priority by default: beside other tests they wait for minutes.
    "RAY_worker_niceness": "0",
}


class RayMachines:
    """Machines on which Ray runs; commands are typed on the first one."""

    def __init__(self, net: Network, folder: Path, database: PostgresServer) -> None:
        self.net, self._folder, self._database = net, folder, database
        self.nodes: list[Node] = []
        database.admit(f"{SUBNET}.0/24")
        self.start_database()
        self.store_here = database.new_database()
        self.name = self.store_here.partition("?")[0].rpartition("/")[2]
        self.store = f"postgresql://league@{net.address}/{self.name}"

    @property
    def head(self) -> Node:
        return self.nodes[0]

    @property
    def address(self) -> str:
        """The cluster's address."""
        return f"{self.head.address}:{PORT}"

    def add(self, name: str, processors: float) -> Node:
        """Add a node: the first one is the head."""
        node = self.net.node(name)
        self.nodes.append(node)
        part = ("--head", "--port", PORT, "--temp-dir", self._folder / "ray", "--include-dashboard", "false")
        joins = part if node is self.head else ("--address", self.address)
        plain = ("--num-cpus", processors, "--object-store-memory", 80_000_000)
        own = self._folder / name
        own.mkdir()
        command = [RAY, "start", "--node-ip-address", node.address, *joins, *plain, "--disable-usage-stats"]
        with node.inside(), (self._folder / f"{name}.txt").open("w+") as said:
            done = subprocess.run(
                [str(word) for word in command],
                env={**os.environ, **ENVIRONMENT, "TMPDIR": str(own)},
                stdin=subprocess.DEVNULL,
                stdout=said,  # not a pipe: Ray's daemons would keep it open
                stderr=subprocess.STDOUT,
                timeout=START_SEC,
                check=False,
            )
            said.seek(0)
            assert done.returncode == 0, said.read()
        return node

    def league(self, *arguments: object) -> Program:
        """Start `league` on the head node."""
        os.environ["RAY_ADDRESS"] = self.address
        try:
            return self.head.start(*arguments)
        finally:
            del os.environ["RAY_ADDRESS"]

    def start_database(self) -> None:
        """Start the database, where all machines reach it."""
        with inside(self.net.switch):
            self._database.start(self.net.address)

    def stop_database(self) -> None:
        """Stop it as a crash does."""
        self._database.stop()

    def records(self, league_id: str) -> list[dict[str, Any]]:
        """A league's stored records."""

        async def read() -> list[Any]:
            store = await SqlEventStore.open(self.store_here)
            try:
                return await store.read(league_id)
            finally:
                await store.close()

        return [{"type": record.type, **record.payload} for record in asyncio.run(read())]

    def recorded(self) -> int:
        """The number of stored results."""
        return self._ask("SELECT count(*) FROM events WHERE type = 'MatchRecorded'")

    def manager(self) -> Node | None:
        """The machine that keeps a connection to the database: the manager's."""
        connected = f"FROM pg_stat_activity WHERE datname = '{self.name}' AND client_addr IS NOT NULL"
        address = self._ask(f"SELECT host(client_addr) {connected} ORDER BY backend_start DESC LIMIT 1")
        return next((node for node in self.nodes if node.address == address), None)

    def of(self, endpoint: str) -> Node:
        """The machine of an endpoint."""
        return next(node for node in self.nodes if node.address == urlsplit(endpoint).hostname)

    def _ask(self, query: str) -> Any:
        return asyncio.run(self._database.ask(self.name, query))


@contextmanager
def ray_machines(folder: Path, *processors: float) -> Generator[RayMachines]:
    """Machines with so many processors each, the head first."""
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed: requirements/slow.txt has it")
    short = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # a socket's path has 107 bytes at most
    try:
        with private_postgres() as database, network(folder) as net:
            cluster = RayMachines(net, short, database)
            for number, count in enumerate(processors):
                cluster.add(f"node{number}", count)
            yield cluster
    finally:
        shutil.rmtree(short, ignore_errors=True)

"""Agents on a node of a Ray cluster, and the league's address there."""

import asyncio
import contextlib
import io
import os
import shutil
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio

from league_sdk.domain.model import Role
from league_sdk.release import release
from league_sdk.settings import Workspace, write_secret
from servers.agent.agent_spec import AgentSpec
from servers.agent.place_reports import Loss, PlaceReports
from servers.agent.startup_status import Report
from servers.launcher.league_authority import TlsText
from servers.launcher.worker_processes import in_this_process

MOST_BYTES = 64_000_000
"""Files of a worker that are sent to the launcher; more stay on their node."""


@dataclass(frozen=True, slots=True)
class Luggage:
    """All that agents find on the launcher's machine."""

    league_id: str
    worker: str  # a folder's name of the worker's own
    release: str  # the launcher's version of this program
    config: bytes  # the configuration folder, packed
    plugins: tuple[bytes, ...]  # folders with games and strategies, packed
    environment: Mapping[str, str]  # variables with settings


def packed(folder: Path, *, without: tuple[str, ...] = ("__pycache__",)) -> bytes:
    """The files of a folder, as a compressed archive."""

    def wanted(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if Path(member.name).name in without else member

    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        archive.add(folder, arcname=".", filter=wanted)
    return data.getvalue()


def unpacked(data: bytes, folder: Path) -> Path:
    """The folder, with the files of an archive in it; none can lead out of it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        archive.extractall(folder, filter="data")
    return folder


class RayWorker:
    """A Ray actor that runs agents on its node, in their own folder."""

    def __init__(self, luggage: Luggage, address: str = "") -> None:
        if luggage.release != release():
            raise RuntimeError(f"this node has version {release()}, the launcher {luggage.release}")
        os.environ.update(luggage.environment)
        self._address = address or _own_address()
        self._folder = _private_folder() / luggage.league_id / luggage.worker
        self._config = unpacked(luggage.config, self._folder / "config")
        self._plugins = tuple(
            str(unpacked(data, self._folder / f"plugins-{number}")) for number, data in enumerate(luggage.plugins)
        )
        self._tls: dict[str, str] = {}
        self._agents: dict[int, asyncio.Task[None]] = {}
        self._leave: defaultdict[int, anyio.Event] = defaultdict(anyio.Event)
        self._place_reports = PlaceReports()
        self._said: list[Report] = []
        self._read = 0
        self._more = asyncio.Event()

    async def address(self) -> str:
        return self._address

    async def node(self) -> str:
        """The id of its node in the cluster."""
        ray: Any = import_module("ray")
        return str(ray.get_runtime_context().get_node_id())

    async def place_report(self, name: str, loss: Loss | None) -> None:
        """Tell the manager of another agent's loss, or that it is back."""
        if loss is None:
            self._place_reports.back(name)
        else:
            self._place_reports.lost(name, loss)

    async def equip(self, tls: TlsText) -> None:
        """Keep a certificate for the agents to come."""
        for name, text in tls._asdict().items():
            write_secret(self._folder / f"{name}.pem", text)
            self._tls[f"security.tls_{name}"] = str(self._folder / f"{name}.pem")

    async def tell(self, number: int, spec: AgentSpec | None) -> None:
        """Start an agent, or end it when there is no specification."""
        if spec is None:
            self._agents[number].cancel()
            return
        here = replace(self._at_home(spec), leave=self._leave[number])
        self._agents[number] = asyncio.create_task(self._keep(number, here))

    async def leave(self, number: int) -> None:
        """Ask an agent to withdraw."""
        self._leave[number].set()

    async def reports(self, read: int) -> list[Report]:
        """Wait for reports after those that were read; these are forgotten."""
        del self._said[: read - self._read]
        self._read = read
        while not self._said:
            self._more.clear()
            await self._more.wait()
        return list(self._said)

    async def finish(self) -> tuple[str, bytes | None]:
        """End all agents; the folder, and its files unless they are too many."""
        for task in self._agents.values():
            task.cancel()
        await asyncio.gather(*self._agents.values(), return_exceptions=True)
        workspace = self._folder / "workspace"
        if not workspace.is_dir():
            return "", None
        data = packed(workspace, without=("secrets", "__pycache__"))
        for path in (*self._folder.glob("*.pem"), workspace / "data" / "secrets"):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        if len(data) > MOST_BYTES:
            return f"{self._address}:{workspace}", None
        shutil.rmtree(self._folder)
        return "", data

    def _at_home(self, spec: AgentSpec) -> AgentSpec:
        """The agent as it lives on this node."""
        workspace = Workspace(self._folder / "workspace")
        workspace.prepare()
        manages = spec.role is Role.LEAGUE_MANAGER
        return replace(
            spec,
            place_reports=self._place_reports if manages else None,
            workspace=workspace.root,
            config=self._config,
            plugins=self._plugins,
            overrides={**spec.overrides, **self._tls},
            bind_host=self._address,
            public_host=self._address,
            port=0,
        )

    async def _keep(self, number: int, spec: AgentSpec) -> None:
        code = 0
        try:
            code = await in_this_process(spec, lambda report: self._say({"number": number, "report": report}))
        finally:
            self._say({"number": number, "code": code})

    def _say(self, what: Report) -> None:
        self._said.append(what)
        self._more.set()


class LeagueAddress:
    """A Ray actor that passes connections on to the manager, wherever that is.

    It lives on the cluster's head node: agents keep the manager's address when the manager moves.
    """

    def __init__(self) -> None:
        self._manager: tuple[str, int] | None = None
        self._passing: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def listen(self, port: int = 0) -> tuple[str, int]:
        """Listen on the node's address; the address and port."""
        address = _own_address()
        self._server = await asyncio.start_server(self._pass_on, address, port)
        return address, self._server.sockets[0].getsockname()[1]

    async def lead_to(self, manager: tuple[str, int] | None) -> None:
        """Pass on to another manager; connections to the one before end."""
        self._manager = manager
        for writer in tuple(self._passing):
            writer.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._passing.add(writer)
        try:
            if self._manager is None:
                return
            theirs, to = await asyncio.open_connection(*self._manager)
            self._passing.add(to)
            try:
                await asyncio.gather(_copy(reader, to), _copy(theirs, writer))
            finally:
                self._passing.discard(to)
                to.transport.abort()
        except OSError:
            pass  # no manager there: the caller sees a closed connection, and tries again
        finally:
            self._passing.discard(writer)
            writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        if writer.can_write_eof():
            writer.write_eof()


def _own_address() -> str:
    from importlib import import_module

    ray: Any = import_module("ray")
    return str(ray.util.get_node_ip_address())


def _private_folder() -> Path:
    """A folder for leagues, of this user alone."""
    folder = Path(tempfile.gettempdir()) / f"mcp-agent-league-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if folder.is_symlink() or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise RuntimeError(f"{folder} is not this user's alone; remove it")
    return folder


def worker_name(spec: AgentSpec) -> str:
    """A folder's name for the worker that begins with an agent."""
    name = "".join(letter if letter.isalnum() else "-" for letter in spec.name)
    return f"{spec.role}-{name}"[:80].lower() if spec.role is not Role.LEAGUE_MANAGER else "manager"

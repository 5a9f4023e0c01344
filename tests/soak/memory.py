"""Measures the memory of a manager after a long league, and of sessions to many peers.

`python -m tests.soak.memory manager [PLAYERS [ROUNDS]]` has a `league manager` in a process of its own, with its store,
its files and an SDK session to each agent, lead a whole league (100 players: 4,950 matches), or so many rounds of the
Swiss format. One process stands in for all others: it acknowledges every message and reports each match at once, with
the transcript of a match of even/odd. Printed are the manager's memory and processor time, and the bytes that one of
the players was sent.
`python -m tests.soak.memory peers [PEERS]` opens sessions to so many addresses, which a second process serves, calls
each once, and waits until they are closed as idle.
"""

import itertools
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import anyio
import httpx2

from clients.session_manager import SessionManager, SessionSettings
from league_sdk import transports
from league_sdk.clock import SystemClock
from league_sdk.domain.model import Role
from league_sdk.game import Json
from league_sdk.plugins import game
from league_sdk.ports import CallContext, ToolDescriptor
from league_sdk.testing.compliance.script import Script
from league_sdk.testing.compliance.scripted_agents import ScriptedEntrant
from league_sdk.testing.transports import EchoHost
from servers.agent.gc_tuning import EVERY_SEC, give_back_memory

RATES = ("requests_per_sec", "request_burst", "stranger_requests_per_sec", "stranger_burst")
"""Limits of calls from one address, at which all agents are here."""
EVERY = 500
AT_ONCE = 16
"""Registrations and reports under way."""
IDLE_SEC = 60.0


def resident_mb(pid: int) -> float:
    """Resident memory of a process, in megabytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


# A league's manager


def transcript_of(match_id: str, players: tuple[str, str]) -> list[dict[str, Json]]:
    """The messages of a match of even/odd, of the size that a referee reports."""
    steps = [
        "GAME_INVITATION",
        "GAME_JOIN_ACK",
        "CHOOSE_PARITY_CALL",
        "CHOOSE_PARITY_RESPONSE",
        "GAME_OVER",
        "GAME_OVER_ACK",
    ]
    told: list[dict[str, Json]] = []
    for (step, kind), player in itertools.product(enumerate(steps), players):
        entry: dict[str, Json] = {"sequence": len(told) + 1, "message_type": kind}
        entry |= {"timestamp": "2026-01-15T10:00:00.123Z", "from" if step % 2 else "to": player}
        if kind == "GAME_INVITATION":
            entry["draw_commitment"] = "0123456789abcdef" * 4
        if kind == "GAME_JOIN_ACK":
            entry |= {"accept": True, "draw_nonce": f"{match_id}{player}{time.monotonic_ns()}".ljust(43, "x")}
        if kind == "CHOOSE_PARITY_RESPONSE":
            entry["choice"] = "even"
        told.append(entry)
    return told


class _Referee(ScriptedEntrant):
    """Reports each match that it is given at once."""

    def __init__(self, script: Script) -> None:
        super().__init__(script, Role.REFEREE, "Whistle")
        self.send, self.given = anyio.create_memory_object_stream[Mapping[str, Json]](100_000)

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        reply = await super().call(tool, arguments, context)
        self.heard.clear()
        if tool == "start_match":
            self.send.send_nowait(arguments)
        return reply

    def whole_report(self, assignment: Mapping[str, Json]) -> dict[str, Json]:
        report = self.report(assignment)
        result: dict[str, Any] = report["result"]
        first, second = str(assignment["player_A_id"]), str(assignment["player_B_id"])
        result["transcript"] = transcript_of(str(assignment["match_id"]), (first, second))
        states = ("CREATED", "WAITING_FOR_PLAYERS", "COLLECTING_CHOICES", "DRAWING_NUMBER", "FINISHED")
        result["lifecycle"] = dict.fromkeys(states, "2026-01-15T10:00:00.123Z")
        return report


class _Player(ScriptedEntrant):
    """Acknowledges what it is told, and forgets it; adds up the bytes of it."""

    def __init__(self, script: Script, number: int) -> None:
        super().__init__(script, Role.PLAYER, f"Player {number}")
        self.bytes = 0

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        reply = await super().call(tool, arguments, context)
        self.heard.clear()
        self.bytes += len(json.dumps(arguments))
        return reply


async def _post(client: httpx2.AsyncClient, url: str, method: str, message: Mapping[str, Json]) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(message)}
    answer = (await client.post(url, json=body, timeout=60)).json()
    return answer["result"]


class _Crowd:
    """All players behind one listener, each at an address and a path of its own. Implements `ToolHost`."""

    name, version, instructions, resources = "crowd", "1.0.0", "Stands in for players.", None

    def __init__(self, script: Script, players: int) -> None:
        self.players = {number: _Player(script, number) for number in range(1, players + 1)}

    def tools(self) -> Sequence[ToolDescriptor]:
        return self.players[1].tools()

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        return await self.players[int(context.path.split("/")[2])].call(tool, arguments, context)

    async def register(self, client: httpx2.AsyncClient, url: str, port: int) -> None:
        """Take a seat for every player."""
        limit = anyio.CapacityLimiter(AT_ONCE)

        async def register(number: int, player: _Player) -> None:
            # Every address of 127.0.0.0/8 is this machine's, and to the manager each is another peer.
            player.endpoint = f"http://127.1.{number // 250}.{number % 250 + 1}:{port}/player/{number}/mcp"
            async with limit:
                while not player.agent_id:  # a manager that is late refuses, and is asked again
                    reply = await _post(client, url, "register_player", player.registration())
                    if reply.get("status") == "ACCEPTED":
                        player.take_seat(reply)

        async with anyio.create_task_group() as tasks:
            for number, player in self.players.items():
                tasks.start_soon(register, number, player)


class _Manager:
    """A `league manager` in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process, self.began = process, time.monotonic()

    async def url(self) -> str:
        """Its endpoint, once it listens."""
        assert self.process.stdout is not None
        while True:
            said = json.loads(await anyio.to_thread.run_sync(self.process.stdout.readline))
            if "endpoint" in said:
                return said["endpoint"]

    @property
    def cpu_sec(self) -> float:
        """Processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def show(self, matches: int, told: str) -> None:
        """Print a line about now."""
        took = time.monotonic() - self.began
        print(f"{matches:>6} matches {resident_mb(self.process.pid):>6.0f} MB {took:>5.0f} s, {told}", flush=True)


async def _lead(players: int, matches: int, manager: _Manager) -> None:
    url = await manager.url()
    manager.show(0, "no players")
    script = Script(game("even_odd"))
    referee, crowd = _Referee(script), _Crowd(script, players)
    given, done, one = referee.given, itertools.count(1), crowd.players[1]
    served = transports.serve(referee, bind_host="0.0.0.0", more={"/player/{number}/mcp": crowd}, grace=0)
    async with served as listener, httpx2.AsyncClient(trust_env=False) as client, anyio.create_task_group() as tasks:
        referee.endpoint = f"http://127.0.0.1:{listener.port}/mcp"
        referee.take_seat(await _post(client, url, "register_referee", referee.registration()))

        await crowd.register(client, url, listener.port)
        manager.show(0, "everybody is there")
        before, over = manager.cpu_sec, anyio.Event()

        async def report() -> None:
            async for assignment in given:
                number = next(done)
                if number > matches:
                    return
                await _post(client, url, "report_match_result", referee.whole_report(assignment))
                if number % EVERY == 0 or number == matches:
                    cost = (manager.cpu_sec - before) / number * 1000
                    manager.show(number, f"{cost:.1f} ms of CPU a match, {one.bytes} bytes to one player")
                if number == matches:
                    over.set()

        for _ in range(AT_ONCE):
            tasks.start_soon(report)
        await over.wait()
        await anyio.sleep(2 * EVERY_SEC)
        manager.show(matches, "a while later")
        tasks.cancel_scope.cancel()


def _settings(folder: Path) -> Path:
    """Copy the settings without the agents, for whose names the manager would keep seats."""
    return shutil.copytree(Path(__file__).parents[2] / "config", folder / "config", ignore=lambda *_: ["agents"])


def manager(players: int = 100, rounds: int = 0) -> None:
    """Measure the manager of a whole round-robin league, or of so many rounds of the Swiss format."""
    matches = rounds * players // 2 or players * (players - 1) // 2
    with tempfile.TemporaryDirectory(prefix="league-memory-") as folder:
        command = [sys.executable, "-m", "servers", "manager", "--port", "0", "--data", folder, "--json"]
        command += ["--config", str(_settings(Path(folder)))]
        command += ["--players", str(players), "--referees", "1", "--registration-timeout", "0"]
        if rounds:  # and one more, in whose middle the manager is measured
            command += ["--set", "league.schedule.algorithm=swiss"]
            command += ["--set", f'league.schedule.options={{"rounds": {rounds + 1}}}']
        for name in RATES:
            command += ["--set", f"limits.{name}=10000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                anyio.run(_lead, players, matches, _Manager(process))
            finally:
                process.terminate()


# Sessions to many peers


def _serve(pipe: Connection) -> None:
    async def serve() -> None:
        async with transports.serve(EchoHost(), bind_host="0.0.0.0", grace=0) as listener:
            pipe.send(listener.port)
            await anyio.to_thread.run_sync(pipe.recv)

    anyio.run(serve)


async def _call(sessions: SessionManager, endpoint: str) -> None:
    async with sessions.lease(endpoint) as connection:
        await connection.call("echo", {"text": "hi"}, timeout=30)


async def _open(count: int, port: int) -> None:
    settings = SessionSettings(heartbeat_interval=IDLE_SEC, idle_timeout=IDLE_SEC)
    # Every address of 127.0.0.0/8 is this machine's, and to a client each is another peer.
    endpoints = [f"http://127.0.{number // 250}.{number % 250 + 1}:{port}/mcp" for number in range(count + 1)]
    async with AsyncExitStack() as stack:
        connectors = await stack.enter_async_context(transports.connectors())
        sessions = await stack.enter_async_context(SessionManager(connectors, SystemClock(), settings))
        await _call(sessions, endpoints[0])  # and everything is loaded
        before, began = resident_mb(os.getpid()), time.monotonic()
        for endpoint in endpoints[1:]:
            await _call(sessions, endpoint)
        grown, took = resident_mb(os.getpid()) - before, time.monotonic() - began
        print(f"{len(sessions.open_endpoints)} sessions, {1000 * grown / count:.0f} kB each, opened in {took:.0f} s")
        with anyio.fail_after(10 * IDLE_SEC):
            while sessions.open_endpoints:  # noqa: ASYNC110 - only looking tells
                await anyio.sleep(1)
        give_back_memory()
        after = resident_mb(os.getpid()) - before
        print(f"none open {time.monotonic() - began - took:.0f} s later, {1000 * after / count:.0f} kB each kept")


def peers(count: int = 1000) -> None:
    """Measure sessions to so many peers."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=_serve, args=(theirs,))
    server.start()
    try:
        anyio.run(_open, count, ours.recv())
    finally:
        ours.send(None)
        server.join()


if __name__ == "__main__":
    {"manager": manager, "peers": peers}[sys.argv[1]](*map(int, sys.argv[2:]))

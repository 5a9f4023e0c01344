"""Measures the memory of a manager after a long league, and of sessions to many peers.

`python -m tests.soak.memory manager [PLAYERS]` has a `league manager` in a process of its own, with its store, its
files and an SDK session to each agent, lead a whole league (100 players: 4,950 matches). One process stands in for all
others: it acknowledges every message and reports each match at once, with the transcript of a match of even/odd.
`python -m tests.soak.memory peers [PEERS]` opens sessions to so many addresses, which a second process serves, calls
each once, and waits until they are closed as idle.
"""

import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
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
from league_sdk.ports import CallContext
from league_sdk.testing.compliance.script import Script
from league_sdk.testing.compliance.scripted_agents import ScriptedEntrant, open_servers
from league_sdk.testing.transports import EchoHost
from servers.agent.gc_tuning import give_back_memory

RATES = ("requests_per_sec", "request_burst", "stranger_requests_per_sec", "stranger_burst")
"""Limits of calls from one address, at which all agents are here."""
EVERY = 500
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
    """Acknowledges what it is told, and forgets it."""

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        reply = await super().call(tool, arguments, context)
        self.heard.clear()
        return reply


async def _post(client: httpx2.AsyncClient, url: str, method: str, message: Mapping[str, Json]) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(message)}
    answer = (await client.post(url, json=body, timeout=60)).json()
    return answer["result"]


async def _lead(players: int, manager: subprocess.Popen[str]) -> None:
    assert manager.stdout is not None
    url = ""
    while not url:
        said = json.loads(await anyio.to_thread.run_sync(manager.stdout.readline))
        url = said.get("endpoint", "")
    script = Script(game("even_odd"))
    referee = _Referee(script)
    everybody: list[ScriptedEntrant] = [referee]
    everybody += [_Player(script, Role.PLAYER, f"Player {number}") for number in range(1, players + 1)]
    began, matches = time.monotonic(), players * (players - 1) // 2
    async with open_servers() as start, httpx2.AsyncClient(trust_env=False) as client:
        for agent in everybody:
            await start(agent)
            method = "register_referee" if agent is referee else "register_player"
            agent.take_seat(await _post(client, url, method, agent.registration()))
        print(f"{0:>6} matches {resident_mb(manager.pid):>6.0f} MB, everybody is there", flush=True)
        for done in range(1, matches + 1):
            assignment = await referee.given.receive()
            await _post(client, url, "report_match_result", referee.whole_report(assignment))
            if done % EVERY == 0 or done == matches:
                took = time.monotonic() - began
                print(f"{done:>6} matches {resident_mb(manager.pid):>6.0f} MB, {took:.0f} s", flush=True)
        await anyio.to_thread.run_sync(manager.wait, 60)


def manager(players: int = 100) -> None:
    """Measure the manager of a whole league."""
    with tempfile.TemporaryDirectory(prefix="league-memory-") as folder:
        command = [sys.executable, "-m", "servers", "manager", "--port", "0", "--data", folder, "--json"]
        command += ["--players", str(players), "--referees", "1"]
        for name in RATES:
            command += ["--set", f"limits.{name}=10000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                anyio.run(_lead, players, process)
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

"""A small league on free ports, on this event loop, with a seat kept for a host."""

import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import anyio.abc
import mcp_types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.subscriptions import ResourceUpdated
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from league_sdk.domain.model import Role
from league_sdk.settings import ConfigLoader
from servers.agent.agent_spec import AgentSpec
from servers.host.options import Ask
from servers.launcher.agents import run_agent
from tests.forked_program import forked_command

GAME = "even_odd"
LEAGUE = "summer"
QUICK = {
    "retry_policy.backoff_base_sec": 0.01,
    "timeouts.generic_response_timeout_sec": 5,
    "heartbeat_interval_sec": 1,
}
PLENTY_SEC = 30.0
"""A time for a move that no test waits for."""
ERAS = ("legacy", "2026-07-28")


@dataclass
class SeatLeague:
    """A league that waits for its last player.

    Attributes:
        manager: The manager's endpoint.
        folder: Where the host's player may write.
        reports: What the agents reported, by name.
        spec: What its players are like.
        tasks: Where its agents run.
    """

    folder: Path
    spec: AgentSpec
    tasks: anyio.abc.TaskGroup
    reports: dict[str, list[Any]]
    manager: str = ""

    def add(self, name: str, strategy: str) -> None:
        """One more player."""
        spec = replace(self.spec, role=Role.PLAYER, name=name, strategy=strategy, manager_url=self.manager)
        self.tasks.start_soon(run_agent, spec, lambda _: None)

    @property
    def records(self) -> list[Any]:
        """Every event of the league, in order."""
        return [report["record"] for report in self.reports["Manager"] if report["kind"] == "record"]

    def log(self, agent_id: str) -> list[dict[str, Any]]:
        """The log of the host's player."""
        path = self.folder / "logs" / "agents" / f"{agent_id}.log.jsonl"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def result(self, match_id: str) -> Any:
        """A match as recorded."""
        found = [
            record["payload"]["result"]
            for record in self.records
            if record["type"] == "MatchRecorded" and record["payload"]["result"]["match_id"] == match_id
        ]
        assert len(found) == 1, self.records
        return found[0]


@asynccontextmanager
async def seat_league(
    folder: Path,
    others: Mapping[str, str],
    *,
    expected: int | None = None,
    move_sec: float = PLENTY_SEC,
    game: str = GAME,
    limit: float = 40.0,
) -> AsyncGenerator[SeatLeague]:
    """A league of these players by name and strategy, and one more, or so many."""
    overrides = {**QUICK, "timeouts.move_timeout_sec": move_sec}
    config = ConfigLoader(overrides=overrides)
    names = ("Host", *others)
    rules = config.league_rules(
        config.league_for_game(game),
        as_id=LEAGUE,
        expected_players=expected or len(names),
        expected_referees=1,
        seed="7",
        roster={name: f"P{number:02d}" for number, name in enumerate(names, start=1)},
        referee_roster={"Whistle": "REF01"},
    )
    plain = AgentSpec(
        Role.LEAGUE_MANAGER, "Manager", folder, overrides=overrides, game_types=(game,), league_id=LEAGUE, seed="7"
    )
    listening = anyio.Event()

    with anyio.fail_after(limit):
        async with anyio.create_task_group() as tasks:
            made = SeatLeague(folder / "host", plain, tasks, {"Manager": []})

            def hear(report: Any) -> None:
                made.reports["Manager"].append(report)
                if report["kind"] == "listening":
                    made.manager = report["endpoint"]
                    listening.set()

            tasks.start_soon(run_agent, replace(plain, rules=rules, stay=True), hear)
            await listening.wait()
            referee = replace(plain, role=Role.REFEREE, name="Whistle", manager_url=made.manager)
            tasks.start_soon(run_agent, referee, lambda _: None)
            for name, strategy in others.items():
                made.add(name, strategy)
            yield made
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def host_on_stdio(
    made: SeatLeague, mode: str, *options: str, log: Any = None, **client: Any
) -> AsyncGenerator[Client]:
    """An MCP host that starts `league host` as a process of its own."""
    words = ["host", "--name", "Host", "--manager", made.manager, "--data", str(made.folder), *options]
    program, *words = forked_command("-m", "servers", *words)
    parameters = StdioServerParameters(command=program, args=words)
    async with Client(stdio_client(parameters, errlog=log or sys.stderr), mode=mode, **client) as opened:
        yield opened


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool's answer; it has to succeed."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    assert result.structured_content is not None
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """The text of a tool's refusal."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    (content,) = result.content
    assert content.type == "text"
    return content.text


async def subscribe(client: Client, *uris: str) -> None:
    """Ask to be told of changes, as the revisions before 2026-07-28 do."""
    for uri in uris:
        params = types.SubscribeRequestParams(uri=uri)
        await client.session.send_request(types.SubscribeRequest(params=params), types.EmptyResult)


class Bell:
    """Rings when the host is told that something it watches has changed."""

    def __init__(self) -> None:
        self._ring, self._rung = anyio.create_memory_object_stream[str](100)

    async def hear(self, message: Any) -> None:
        """Take a notification of a session of the handshake era."""
        if isinstance(message, types.ResourceUpdatedNotification):
            self.ring(str(message.params.uri))

    def ring(self, uri: str) -> None:
        """This has changed."""
        self._ring.send_nowait(uri)

    async def rings(self, uri: str) -> None:
        """Wait for the next ring; it is for this."""
        assert await self._rung.receive() == uri

    async def rings_until(self, true: Callable[[], Awaitable[bool]]) -> None:
        """Wait for the ring after which something is true."""
        while not await true():
            await self._rung.receive()


@asynccontextmanager
async def watching(client: Client, bell: Bell, uri: str) -> AsyncGenerator[None]:
    """Let the bell ring for a resource, as the clients of its era are told."""
    if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        await subscribe(client, uri)
        yield
        return
    async with client.listen(resource_subscriptions=[uri]) as changes, anyio.create_task_group() as tasks:

        async def listen() -> None:
            async for change in changes:
                assert isinstance(change, ResourceUpdated)
                bell.ring(change.uri)

        tasks.start_soon(listen)
        yield
        tasks.cancel_scope.cancel()


async def the_end(client: Client) -> dict[str, Any]:
    """The end of the league."""
    while not (answer := await call(client, "wait_for_my_turn", seconds=30))["league_over"]:
        assert not answer["your_turn"], answer
    return answer


class Answers:
    """Answers of the person or the model in the host, in order; then none."""

    def __init__(self, *moves: str) -> None:
        self.moves = list(moves)
        self.asked: list[str] = []

    async def by_form(self, _: Any, params: Any) -> types.ElicitResult:
        """A person is asked."""
        self.asked.append(params.message)
        if not self.moves:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={"move": self.moves.pop(0)})

    async def by_model(self, _: Any, params: Any) -> types.CreateMessageResult:
        """A model is asked."""
        self.asked.append(params.messages[0].content.text)
        text = self.moves.pop(0) if self.moves else "I pass."
        return types.CreateMessageResult(role="assistant", content=types.TextContent(text=text), model="m")

    def of(self, ask: Ask) -> dict[str, Any]:
        """The host's capabilities."""
        return (
            {"elicitation_callback": self.by_form} if ask is Ask.ELICITATION else {"sampling_callback": self.by_model}
        )

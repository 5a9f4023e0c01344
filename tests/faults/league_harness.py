"""A whole league over sockets, in this process: a manager, a referee, three healthy players, and whoever joins them."""

import socket
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio
import httpx2
from anyio.abc import TaskGroup

from league_sdk.audit import Row, rows_from_jsonl
from league_sdk.audit.rows import compact
from league_sdk.domain.events import Event, event_from_json
from league_sdk.domain.league import League, fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Fault, LeagueRules, MatchResult, Role
from league_sdk.settings import Workspace
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent
from tests.faults.rogue import Call, Rogue

JOIN, MOVE, RESPONSE = 1.0, 1.0, 1.0
"""Seconds that a player has; those who are late are later than that."""
TRIES: Final = 2
PARTING: Final = 3.0
"""Seconds that an agent of ours has to leave after the end."""
HEALTHY: Final[Mapping[str, str]] = {"Ada": "even", "Ben": "odd", "Cyd": "even"}
"""Healthy players, and what each of them always chooses."""
FAULTY: Final = "Mal"
LEAGUE: Final = "faults"
OPERATOR: Final = "an operator's token of more than thirty-two characters"
SETTINGS: Final[Mapping[str, Any]] = {
    "timeouts.game_join_timeout_sec": JOIN,
    "timeouts.move_timeout_sec": MOVE,
    "timeouts.generic_response_timeout_sec": RESPONSE,
    "timeouts.http_request_timeout_sec": 2.0,
    "retry_policy.max_retries": TRIES - 1,
    "retry_policy.backoff_base_sec": 0.02,
    "retry_policy.backoff_max_sec": 0.02,
    "heartbeat_interval_sec": 0.5,
    "security.max_message_bytes": 200_000,
    "store_url": "memory:",
    "logging.level": "ERROR",
}


def patient_client() -> httpx2.AsyncClient:
    """An HTTP client for players of the tests: how long the others take is not what a slow machine should decide."""
    return httpx2.AsyncClient(trust_env=False, verify=False, timeout=30)


@dataclass
class LeagueHarness:
    """A league under way.

    Attributes:
        manager: The manager's endpoint.
        events: What it has stored so far.
        said: What every agent has reported: name, kind and text.
        report_answers: What hostile referees were told of their reports.
    """

    manager: str
    events: list[Event]
    said: list[tuple[str, Mapping[str, Any]]]
    tasks: TaskGroup
    spec: AgentSpec
    ended: anyio.Event
    changed: anyio.Event = field(default_factory=anyio.Event)
    report_answers: list[str] = field(default_factory=list[str])
    running: list[anyio.Event] = field(default_factory=list[anyio.Event])

    @property
    def league(self) -> League:
        """The league as stored."""
        return fold(self.events)

    @property
    def referee_secret(self) -> str:
        """The secret that admits a referee."""
        return Workspace(self.spec.workspace).referee_secret_file(self.spec.league_id).read_text()

    def start(self, role: Role, name: str, **changes: Any) -> anyio.CancelScope:
        """Start one agent of ours; the scope kills it."""
        spec = AgentSpec(
            role,
            name,
            self.spec.workspace,
            overrides=self.spec.overrides,
            manager_url=self.manager,
            game_types=self.spec.game_types,
            public_host="127.0.0.1",
            seed="7",
            **changes,
        )
        ended, killed = anyio.Event(), anyio.CancelScope()
        if role is not Role.SEATS:  # these would serve for ever
            self.running.append(ended)

        async def run() -> None:
            with killed:
                await run_agent(spec, lambda report: self.said.append((name, report)))
            ended.set()

        self.tasks.start_soon(run)
        return killed

    async def until(self, condition: Callable[[League], bool]) -> League:
        """Wait until the league, as stored, is as it should be."""
        while not (self.events and condition(self.league)):
            await self.changed.wait()
        return self.league

    async def over(self) -> None:
        """Wait until the league is over, and every agent of ours has left it."""
        await self.ended.wait()
        with anyio.move_on_after(PARTING):
            for ended in self.running:
                await ended.wait()

    @property
    def rows(self) -> list[Row]:
        """The records as an auditor reads them."""
        told = [report["record"] for name, report in self.said if name == "Manager" and report["kind"] == "record"]
        return rows_from_jsonl("".join(compact(record) + "\n" for record in told).encode())

    def failures(self) -> list[str]:
        """Exceptions of agents of ours."""
        return [f"{name}: {report['text']}" for name, report in self.said if report["kind"] == "failed"]


@asynccontextmanager
async def league_harness(
    folder: Path,
    *,
    players: int = 4,
    referees: int = 1,
    settings: Mapping[str, Any] | None = None,
    port: int | None = None,
    game: str = "even_odd",
    seats_port: int | None = None,
    own_referees: Sequence[str] = (),
    **rules: Any,
) -> AsyncGenerator[LeagueHarness]:
    """A manager that waits for its agents.

    It knows of a seats process at `seats_port`, and of referees that the launcher is said to start.
    """
    port = free_port() if port is None else port
    names = {name: f"P{number:02d}" for number, name in enumerate((*HEALTHY, FAULTY), 1)}
    spec = AgentSpec(
        Role.LEAGUE_MANAGER,
        "Manager",
        folder,
        overrides={**SETTINGS, **(settings or {})},
        public_host="127.0.0.1",
        port=port,
        league_id=LEAGUE,
        game_types=(game,),
        operator_token=OPERATOR,
        expected=tuple((Role.REFEREE, name) for name in own_referees),
        seats_url=f"http://127.0.0.1:{seats_port}/mcp" if seats_port else "",
        seed="7",
        rules=LeagueRules(
            LEAGUE,
            game,
            expected_players=players,
            expected_referees=referees,
            roster=names,
            seed="7",
            **rules,
        ),
    )
    async with anyio.create_task_group() as tasks:
        held = LeagueHarness(f"http://127.0.0.1:{port}/mcp", [], [], tasks, spec, anyio.Event())
        listening = anyio.Event()

        def report(told: Mapping[str, Any]) -> None:
            held.said.append(("Manager", told))
            if told["kind"] == "listening":
                listening.set()
            if told["kind"] == "record":
                record = told["record"]
                held.events.append(event_from_json(record["type"], record["payload"]))
                held.changed.set()
                held.changed = anyio.Event()

        async def lead() -> None:
            await run_agent(spec, report)
            assert listening.is_set(), held.said
            held.ended.set()

        tasks.start_soon(lead)
        await listening.wait()
        yield held
        tasks.cancel_scope.cancel()


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def healthy(name: str) -> Rogue:
    """A player that does as it should, and always chooses the same."""

    async def choose(call: Call) -> bytes:
        return call.result(call.good(parity_choice=HEALTHY[name]))

    return Rogue(name, {"move": choose})


async def play(held: LeagueHarness, rogues: Sequence[Rogue], http_client: httpx2.AsyncClient) -> League:
    """Bring everybody in, and wait for the end. The rogues listen already, or do not."""
    players = [healthy(name) for name in HEALTHY]
    for player in players:
        await player.listen()
    return await play_among(held, [*players, *rogues], http_client)


async def play_among(held: LeagueHarness, agents: Sequence[Rogue], http_client: httpx2.AsyncClient) -> League:
    """Bring a referee of ours and these players in, and wait for the end."""
    held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
    for agent in agents:
        await agent.register(held.manager, http_client)
    await held.over()
    for agent in agents:
        agent.vanish()
    assert held.league.state is LeagueState.COMPLETED, held.failures()
    return held.league


def among_healthy(league: League) -> dict[str, Any]:
    """The results of the healthy players among themselves, as far as the fault has no part in them."""
    ids = {f"P{number:02d}" for number in range(1, len(HEALTHY) + 1)}
    return {
        match_id: (result.status, result.winner, dict(result.score), _told(result))
        for match_id, result in league.results.items()
        if set(result.players) <= ids
    }


def faults_of(league: League, player_id: str) -> list[Fault]:
    """Every fault that a player was given."""
    return [fault for result in league.results.values() for fault in result.faults if fault.player_id == player_id]


def _told(result: MatchResult) -> dict[str, Any]:
    return {name: value for name, value in result.details.items() if name != "draw"}

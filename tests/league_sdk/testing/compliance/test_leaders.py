"""Referees and league managers that break the protocol: ours, with a message of this and that kind changed.

A fault in one kind of message does not hide a fault in another, so an agent has several, and all of them are named.
"""

import socket
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk.domain.model import Role
from league_sdk.protocol.codec import Codec
from league_sdk.settings import ConfigLoader
from league_sdk.testing.compliance import ComplianceReport, Timeouts, check_agent
from servers.agent import bootstrap
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent

pytestmark = pytest.mark.anyio

BARE = ("jsonrpc",)
QUICK = {"retry_policy.backoff_base_sec": 0.01, "retry_policy.backoff_max_sec": 0.02}
HASTE = Timeouts(join=2.0, move=2.0, response=2.0)

Change = Callable[[dict[str, Any]], Mapping[str, Any]]
"""Change made to a message."""


@dataclass(frozen=True)
class Fault:
    """A planted fault: what is done, to which messages, and the check that names it."""

    name: str
    kind: str
    change: Change
    check: str


def changed(**fields: Any) -> Change:
    """Changes fields; None leaves one out."""
    return lambda message: {k: v for k, v in {**message, **fields}.items() if v is not None}


def inside(name: str, **fields: Any) -> Change:
    """Changes fields of a part; None leaves one out."""
    return lambda message: {**message, name: changed(**fields)(message[name])} if name in message else message


def other_winner(message: dict[str, Any]) -> dict[str, Any]:
    """Tells the manager of a winner that the players are not told of."""
    result = message["result"]
    winner = "P01" if result["winner"] != "P01" else "P02"
    loser = "P02" if winner == "P01" else "P01"
    return {**message, "result": {**result, "winner": winner, "score": {winner: 3, loser: 0}}}


class Numbered:
    """Gives every session a number of its own."""

    number = 0

    def __call__(self, message: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        return {**message, "game_session_id": f"session {self.number}"}


def fewer(name: str) -> Change:
    """Leaves out the last of several."""
    return lambda message: {**message, name: message[name][:-1]} if message.get(name) else message


def renumbered(message: dict[str, Any]) -> dict[str, Any]:
    """Gives all players one id."""
    return {**message, "player_id": "P77"} if "player_id" in message else message


REPORT, MOVE = "MATCH_RESULT_REPORT", "CHOOSE_PARITY_CALL"

REFEREES = (
    Fault("writes times of its own zone", "GAME_INVITATION", changed(timestamp="2026-01-15T10:30:00+02:00"),
          "GAME_INVITATION: timestamp"),
    Fault("signs with its name", "GAME_INVITATION", changed(sender="referee:Ruth"), "GAME_INVITATION: sender"),
    Fault("names no seat", "GAME_INVITATION", changed(role_in_match=None), "GAME_INVITATION: role_in_match"),
    Fault("shows no ticket", "GAME_OVER", changed(auth_token=None), "a match: P01 is shown its ticket"),
    Fault("sets no deadline", MOVE, changed(deadline=None), "CHOOSE_PARITY_CALL: deadline"),
    Fault("tells another error", "GAME_ERROR", changed(error_code="E001"), "an illegal move is told to the player"),
    Fault("gives too many points", REPORT, inside("result", score={"P01": 5, "P02": 5}),
          "MATCH_RESULT_REPORT: the score fits the winner"),
    Fault("reports another winner", REPORT, other_winner, "MATCH_RESULT_REPORT: tells what the players are told"),
    Fault("reports without its token", REPORT, changed(auth_token=None),
          "MATCH_RESULT_REPORT: shows the referee's token"),
    Fault("begins a match twice", "START_MATCH_RESPONSE", Numbered(), "START_MATCH a second time is the same match"),
    Fault("never knows of its report", "MATCH_STEP_RESPONSE", changed(reported=False), "MATCH_STEP_RESPONSE: reported"),
    Fault("refuses with one code for all", "LEAGUE_ERROR", changed(error_code="E099"),
          "a START_MATCH without match_id is refused"),
)  # fmt: skip

MANAGERS = (
    Fault("rejects without a reason", "LEAGUE_REGISTER_RESPONSE", changed(reason=None),
          "a LEAGUE_REGISTER_REQUEST of another game is rejected"),
    Fault("gives one id to all", "LEAGUE_REGISTER_RESPONSE", renumbered, "an id is one agent's"),
    Fault("leaves out the token", "LEAGUE_REGISTER_RESPONSE", changed(auth_token=None),
          "LEAGUE_REGISTER_RESPONSE: auth_token"),
    Fault("hides the standings", "LEAGUE_QUERY_RESPONSE", changed(standings=None),
          "LEAGUE_QUERY_RESPONSE: GET_STANDINGS"),
    Fault("plans one match too few", "LEAGUE_QUERY_RESPONSE", fewer("schedule"), "the schedule is a round robin"),
    Fault("gives out matches without a place", "START_MATCH", changed(player_A_endpoint=None),
          "START_MATCH: player_A_endpoint"),
    Fault("shows no token to agents", "ROUND_ANNOUNCEMENT", changed(auth_token=None),
          "the manager shows its peer_token"),
    Fault("acknowledges another match", "MATCH_RESULT_ACK", changed(match_id="R9M9"), "MATCH_RESULT_ACK: match_id"),
    Fault("names a champion with no points", "LEAGUE_COMPLETED", inside("champion", player_id="P99"),
          "LEAGUE_COMPLETED: the champion has most points"),
    Fault("turns the table round", "LEAGUE_COMPLETED",
          lambda message: {**message, "final_standings": message["final_standings"][::-1]},
          "LEAGUE_COMPLETED: rank 1 comes first"),
    Fault("loses a player", "LEAGUE_COMPLETED", fewer("final_standings"),
          "LEAGUE_COMPLETED: the standings fit the results"),
    Fault("refuses with one code for all", "LEAGUE_ERROR", changed(error_code="E099"),
          "a LEAGUE_QUERY with a wrong auth_token is refused"),
)  # fmt: skip


def crews(faults: Sequence[Fault]) -> list[tuple[Fault, ...]]:
    """The faults, in as few agents as can be: one agent never has two faults in messages of one kind."""
    made: list[list[Fault]] = []
    for fault in faults:
        crew = next((crew for crew in made if all(fault.kind != other.kind for other in crew)), None)
        if crew is None:
            made.append([fault])
        else:
            crew.append(fault)
    return [tuple(crew) for crew in made]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Callable[[Sequence[Fault]], None]:
    """Have our agents write some messages wrong."""

    def planted(faults: Sequence[Fault]) -> None:
        changes = {fault.kind: fault.change for fault in faults}

        class Changing(Codec):
            def render(self, message: Any, *, spec: Any = None) -> dict[str, Any]:
                data = super().render(message, spec=spec)
                change = changes.get(data.get("message_type", ""))
                return data if change is None else dict(change(data))

        monkeypatch.setattr(bootstrap, "Codec", Changing)

    return planted


@asynccontextmanager
async def started(spec: AgentSpec) -> AsyncGenerator[str]:
    listening, where = anyio.Event(), list[str]()

    def hear(report: Any) -> None:
        if report["kind"] == "listening":
            where.append(report["endpoint"])
            listening.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run_agent, spec, hear)
        with anyio.fail_after(30):
            await listening.wait()
        yield where[0]
        tasks.cancel_scope.cancel()


def assert_named(report: ComplianceReport, faults: Sequence[Fault]) -> None:
    assert not report.complies
    found = {check.name for check in (*report.failed, *report.advised)}
    assert {fault.check for fault in faults} <= found, [(check.name, check.detail) for check in report.failed]


def names(faults: Sequence[Fault]) -> str:
    return ", ".join(fault.name for fault in faults)


@pytest.mark.parametrize("faults", crews(REFEREES), ids=names)
async def test_what_a_referee_does_wrong_is_found_out(tmp_path: Path, plant, faults: Sequence[Fault]):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    plant(faults)
    url = f"http://127.0.0.1:{port}/mcp"
    spec = AgentSpec(
        Role.REFEREE, "Ruth", tmp_path, manager_url=url, overrides=QUICK, game_types=("even_odd",), stay=True
    )
    async with started(spec) as where:
        report = await check_agent(where, "referee", manager_port=port, wait=5, dialects=BARE, timeouts=HASTE)
    assert_named(report, faults)


@pytest.mark.parametrize("faults", crews(MANAGERS), ids=names)
async def test_what_a_manager_does_wrong_is_found_out(tmp_path: Path, plant, faults: Sequence[Fault]):
    plant(faults)
    loader = ConfigLoader()
    rules = loader.league_rules(
        loader.load_league(), as_id="spoilt", expected_players=3, expected_referees=1, min_players=2
    )
    secret = "what referees show"
    spec = AgentSpec(
        Role.LEAGUE_MANAGER,
        "Manager",
        tmp_path,
        overrides={"security.referee_secret": secret},
        league_id="spoilt",
        game_types=("even_odd",),
        rules=rules,
        stay=True,
    )
    async with started(spec) as where:
        report = await check_agent(where, "manager", referee_secret=secret, wait=1, dialects=BARE, timeouts=HASTE)
    assert_named(report, faults)

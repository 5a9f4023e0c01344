"""Latencies of one player, measured by playing matches with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import anyio

from clients.session_manager import SessionManager
from clients.tool_registry import ToolRegistry
from league_sdk.clock import SystemClock
from league_sdk.domain.model import Role
from league_sdk.errors import LeagueError
from league_sdk.game import Game
from league_sdk.json_value import Json
from league_sdk.ports import CallRefused, Connection, MalformedReply
from league_sdk.protocol.calls import CallSpec
from league_sdk.protocol.catalog import calls_for
from league_sdk.testing.compliance.script import PLAYER, Script, Timeouts
from league_sdk.transports import connectors
from servers.bench.measures import Calls
from servers.bench.timed_agents import TimedConnection


@dataclass(slots=True)
class Latencies:
    """Latencies of an agent."""

    url: str
    matches: int  # matches played with it
    dialect: str = ""
    calls: Calls = field(default_factory=Calls)
    limits: dict[str, float] = field(default_factory=dict[str, float])  # seconds that it has for an answer, by tool
    refusals: list[str] = field(default_factory=list[str])  # what it said to calls that came to nothing, once each

    @property
    def late(self) -> list[str]:
        """Tools whose 99th percentile is more than the time that the agent has."""
        return [tool for tool, row in self.calls.by_tool().items() if row["p99_ms"] > self.limits[tool] * 1000]

    def as_json(self) -> dict[str, Any]:
        tools = {
            tool: {**row, "limit_ms": self.limits[tool] * 1000, "share_of_limit": _share(row, self.limits[tool])}
            for tool, row in self.calls.by_tool().items()
        }
        return {
            "url": self.url,
            "matches": self.matches,
            "dialect": self.dialect,
            "tools": tools,
            "late": self.late,
            "refusals": self.refusals,
        }


def _share(row: Mapping[str, float], limit: float) -> float:
    return round(row["p99_ms"] / 1000 / limit, 4)


async def measure_agent(url: str, game: Game[Any], *, matches: int, at_once: int, timeouts: Timeouts) -> Latencies:
    """Play matches with one player and time its answers."""
    found = Latencies(url, matches)
    async with (
        connectors() as transports,
        SessionManager(transports, SystemClock()) as sessions,
        sessions.lease(url) as connection,
    ):
        found.dialect = connection.dialect
        rival, numbers = _Rival(found, connection, game, timeouts), iter(range(1, matches + 1))

        async def work() -> None:
            for number in numbers:
                await rival.play(number)

        async with anyio.create_task_group() as tasks:
            for _ in range(at_once):
                tasks.start_soon(work)
    return found


class _Rival:
    """Plays the league's part."""

    def __init__(self, found: Latencies, connection: Connection, game: Game[Any], timeouts: Timeouts) -> None:
        self._found = found
        self._game = game
        self._timeouts = timeouts
        self._script = Script(game, timeouts)
        self._registry = ToolRegistry()
        self._connection = TimedConnection(connection, found.calls)
        self._calls: dict[str, CallSpec] = {call.tool: call for call in calls_for(Role.PLAYER, [game.move_spec])}

    async def play(self, number: int) -> None:
        """A round with one match in it."""
        script, match_id = self._script, f"R{number}M1"
        await self._call("notify_round", script.round_announcement(number, match_id))
        await self._call("handle_game_invitation", script.invitation(match_id, number))

        async def ask(state: Any, turn: int) -> Json:
            spec = self._game.move_spec
            reply = await self._call(spec.tool, script.move_call(match_id, number, state, turn))
            said = reply.get(spec.choice_field)
            return said if said in self._game.legal_moves(state, PLAYER) else None

        result = await script.play(match_id, ask)
        await self._call("notify_match_result", script.game_over(match_id, number, result))
        await self._call("update_standings", script.standings(number))
        await self._call("notify_round_completed", script.round_completed(number))

    async def _call(self, tool: str, message: Mapping[str, Json]) -> Mapping[str, Json]:
        call = self._calls[tool]
        names = await self._registry.names(self._found.url, self._connection, (tool, *call.aliases))
        limit = self._timeouts.of(call.timeout)
        self._found.limits[names[0]] = limit
        try:
            reply = await self._connection.call(names[0], message, timeout=limit)
        except (LeagueError, CallRefused, MalformedReply) as error:
            text = f"{names[0]}: {error}"
            if text not in self._found.refusals:
                self._found.refusals.append(text)
            return {}
        return cast("dict[str, Json]", reply) if isinstance(reply, dict) else {}

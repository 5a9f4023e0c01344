"""The check of one agent, from its URL to a report."""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import anyio

from league_sdk import plugins
from league_sdk.dialect import known_dialect
from league_sdk.domain.model import Role
from league_sdk.errors import PeerUnreachable
from league_sdk.game import Game
from league_sdk.net.serving import AddressUnusable
from league_sdk.protocol.catalog import calls_for
from league_sdk.protocol.derived_fields import speaker_at_registration
from league_sdk.settings import ConfigLoader
from league_sdk.testing.compliance.check_report import ComplianceCheck, ComplianceReport, Status
from league_sdk.testing.compliance.manager_suite import ManagerSuite
from league_sdk.testing.compliance.player_suite import PlayerSuite
from league_sdk.testing.compliance.readiness import readiness_of, refuse_other_game
from league_sdk.testing.compliance.referee_suite import RefereeSuite
from league_sdk.testing.compliance.reply_rules import A_MATCH
from league_sdk.testing.compliance.responses import AgentGone
from league_sdk.testing.compliance.script import OPPONENT, PLAYER, Script, Timeouts
from league_sdk.testing.compliance.scripted_agents import (
    REGISTER,
    ScriptedManager,
    ScriptedPlayer,
    open_servers,
)
from league_sdk.testing.compliance.scripted_league import ScriptedLeague
from league_sdk.testing.compliance.scripted_referee import ScriptedReferee
from league_sdk.testing.compliance.suite import ALL_CALLS, ON_THE_WIRE, GivenUp, Suite
from league_sdk.testing.compliance.wire import (
    BARE,
    DIALECTS,
    BareWire,
    Http,
    McpWire,
    NotSpoken,
    Wire,
    open_client,
)

ASK_AGAIN_SEC = 0.2
PROBE_SEC = 1.0
"""Seconds for the answer to a first request, which only shows that an agent listens."""
_ALONE = {"connection": "close"}
"""Header of that request: an agent that fails at it may drop its connection, which no other request should share."""
MOST_SILENT_DIALECTS = 2
"""Dialects without any answer, after which the others are skipped: each would take its time."""
AGENTS_MANAGER = 8000
"""The port at which an agent looks for its league manager by default."""

RoleName: TypeAlias = Literal["player", "referee", "manager"]


async def check_agent(
    url: str,
    role: RoleName = "player",
    *,
    game: str | Game[Any] | None = None,
    dialects: Sequence[str] = DIALECTS,
    timeouts: Timeouts | None = None,
    manager_port: int | None = None,
    operator_token: str | None = None,
    referee_secret: str | None = None,
    wait: float = 0.0,
    offer_sec: float | None = None,
) -> ComplianceReport:
    """Play the league's part against an agent, in every dialect that it speaks.

    Args:
        url: The agent, such as `http://localhost:8101/mcp`.
        role: The agent's role.
        game: The game to play, or its name; the one of the default league when left out.
        dialects: Dialects to try.
        timeouts: The agent's time; the protocol's own limits when left out.
        manager_port: The port of a scripted league manager, so that the agent registers; a referee always has to, and
            looks for it at 8000. None leaves a player alone.
        operator_token: Of a league manager: starts its league, if that does not start by itself.
        referee_secret: Of a league manager: what it asks referees for.
        wait: Seconds to wait for the agent to listen, and to register.
        offer_sec: Without `manager_port`, seconds in which a player may register at 8000. One that does not, or for
            which that port is not free, is checked alone.

    Raises:
        NotToBeChecked: The agent has another role or game, waits for its manager or is in a league.
        PeerUnreachable: The agent does not listen.
        AddressUnusable: The manager's port is in use.
        UnsupportedGameType: The game is not installed here.
    """
    started = time.monotonic()
    chosen = game_of(game)
    script = Script(chosen, timeouts or Timeouts(), referee_secret=referee_secret)
    report = ComplianceReport(url, role, chosen.name)
    async with open_client() as client:
        (await readiness_of(client, url)).refuse(url, role, alone=manager_port is None and offer_sec is None)
        check = _Checker(report, Http(client, url, script.timeouts.response), script, tuple(dialects), wait)
        if role == "referee":
            await check.referee(AGENTS_MANAGER if manager_port is None else manager_port)
        elif role == "manager":
            await check.manager(operator_token)
        elif manager_port is None and offer_sec is not None:
            await check.player(AGENTS_MANAGER, offer_sec)
        else:
            await check.player(manager_port)
    report.seconds = time.monotonic() - started
    return report


def game_of(game: str | Game[Any] | None) -> Game[Any]:
    """The game of this name; the default league's without one."""
    if isinstance(game, Game):
        return game
    return plugins.game(game or ConfigLoader().load_league().game_type)


@dataclass(frozen=True, slots=True)
class _Checker:
    """One check of an agent, in each dialect that it speaks."""

    report: ComplianceReport
    http: Http
    script: Script
    dialects: tuple[str, ...]
    wait: float

    async def player(self, manager_port: int | None, offer_sec: float | None = None) -> None:
        async with open_servers() as start:
            referee, seat = ScriptedReferee(self.script), None
            await start(referee)
            self.script.referee_endpoint = referee.endpoint
            manager = ScriptedManager(self.script, Role.PLAYER)
            if manager_port is not None:
                with suppress(*(() if offer_sec is None else (AddressUnusable,))):  # a league's own manager is there
                    await start(manager, manager_port)
            await self._until_there()
            if offer_sec is not None:
                if await manager.bell.wait_for(lambda: bool(manager.registrations), offer_sec * bool(manager.endpoint)):
                    seat = await self._seat(manager)
                else:
                    await self._refuse_unless_free()
            elif manager_port is not None:
                seat = await self._seat(manager)
            await self._play(seat, referee)

    async def _refuse_unless_free(self) -> None:
        async with open_client() as client:
            (await readiness_of(client, self.report.url)).refuse(self.report.url, Role.PLAYER, alone=True)

    async def _play(self, seat: str | None, referee: ScriptedReferee) -> None:
        wires = await open_wires(self.report, self.http, Role.PLAYER, self.script, self.dialects)
        for wire in wires:
            if (listed := await wire.tools()) is not None:
                refuse_other_game(self.report.url, listed, self.script.game)
                break
        # A league speaks the newest revision of MCP that an agent has, and JSON-RPC without MCP where it has none.
        # One that has said in its registration what it speaks is called in that.
        asked = known_dialect(self.script.translator.asked)
        wires = sorted(
            wires,
            key=lambda wire: (
                bool(asked.wire) and wire.dialect.startswith(asked.wire),
                wire.dialect != BARE,
                wire.dialect,
            ),
            reverse=True,
        )
        suites = [
            PlayerSuite(wire, self.report, self.script, Role.PLAYER, seat, number, referee=referee)
            for number, wire in enumerate(wires, start=1)
        ]
        for number, suite in enumerate(suites, start=1):
            await survive(suite, suite.run)
            if suite.given_up:
                for other in suites[number:]:
                    other.skip("the rest", ALL_CALLS, suite.given_up)
                return
        await _end_all(suites)

    async def referee(self, manager_port: int) -> None:
        """Check a referee, which registers first."""
        players = {name: ScriptedPlayer(self.script, name) for name in (PLAYER, OPPONENT)}
        manager = ScriptedManager(self.script, Role.REFEREE)
        async with open_servers() as start:
            await start(manager, manager_port)
            for player in players.values():
                await start(player)
            await self._until_there()
            if await self._seat(manager) is None:
                why = "it has no seat, so it can be given no match"
                self.report.add(ComplianceCheck("matches", A_MATCH, Status.SKIPPED, detail=why))
                return
            wires = await open_wires(self.report, self.http, Role.REFEREE, self.script, self.dialects)
            heard, *suites = (
                RefereeSuite(
                    wire, self.report, self.script, Role.REFEREE, manager.seat, n, manager=manager, players=players
                )
                for n, wire in enumerate((Wire(), *wires))
            )
            for suite in suites:
                await survive(suite, suite.run)
            heard.judge_all_heard()
            await _end_all(suites)

    async def manager(self, operator_token: str | None) -> None:
        """Check a league manager, with a whole league."""
        await self._until_there()
        wires = await open_wires(self.report, self.http, Role.LEAGUE_MANAGER, self.script, self.dialects)
        quiet, *suites = (
            ManagerSuite(wire, self.report, self.script, Role.LEAGUE_MANAGER) for wire in (Wire(), *wires)
        )
        patience = max(self.wait, self.script.timeouts.response)
        if suites:
            league = ScriptedLeague(self.script, suites, quiet, operator_token, patience)
            await survive(suites[0], league.run)

    async def _seat(self, manager: ScriptedManager) -> str | None:
        """Wait for the agent to register, and judge that; return its id, once it has one."""
        registered = await manager.bell.wait_for(lambda: bool(manager.registrations), self.wait)
        call = next(call for call in calls_for(Role.LEAGUE_MANAGER) if call.tool == REGISTER[manager.seat_role])
        suite = Suite(Wire(), self.report, self.script, manager.seat_role)
        suite.judge_heard(call, [heard.message for heard in manager.registrations])
        if not registered:
            return None
        if manager.seat_role is Role.PLAYER:
            self.script.translator.called_as(manager.registrations[-1].message, manager.registrations[-1].protocol)
        self.script.peer_token, self.script.auth_token = manager.peer_token, manager.auth_token
        sender, _ = speaker_at_registration(manager.registrations[-1].message)
        self.script.agent_name = sender.partition(":")[2] or self.script.agent_name
        return manager.seat

    async def _until_there(self) -> None:
        deadline, patience = time.monotonic() + self.wait, min(PROBE_SEC, self.http.patience)
        while (exchange := await self.http.post({}, patience, _ALONE)).gone:
            if time.monotonic() >= deadline:
                raise PeerUnreachable(f"{self.report.url}: {exchange.broken}")
            await anyio.sleep(ASK_AGAIN_SEC)


async def open_wires(
    report: ComplianceReport, http: Http, role: Role, script: Script, dialects: Sequence[str]
) -> tuple[Wire, ...]:
    """Open every one of these dialects that the agent speaks.

    An agent that speaks none, and yet answers as JSON-RPC, is taken to mean bare JSON-RPC, and to fail. A league calls
    bare JSON-RPC without a probe: a player that is late, hangs up or crashes at the probe may still play.
    """
    calls = {call.tool: call for call in calls_for(role, [script.game.move_spec])}
    probe = calls.get("handle_game_invitation") or next(iter(calls.values()))
    bare = BareWire(http, (probe.tool, *probe.aliases))
    wires: list[Wire] = []
    refusals: list[NotSpoken] = []
    unsettled = False

    def note(dialect: str, status: Status, why: str = "") -> None:
        report.add(ComplianceCheck("is spoken", ON_THE_WIRE, status, dialect, detail=why))

    for dialect in dialects:
        if sum(reason.silent for reason in refusals) >= MOST_SILENT_DIALECTS:
            why = f"it is not tried: {MOST_SILENT_DIALECTS} others got no answer at all"
            note(dialect, Status.SKIPPED, why)
            continue
        wire: Wire = bare if dialect == BARE else McpWire(http, dialect.removeprefix("mcp/"))
        try:
            await wire.open()
        except NotSpoken as reason:
            refusals.append(reason)
            unsettled = unsettled or (dialect == BARE and role is Role.PLAYER and reason.unsettled)
            note(dialect, Status.SKIPPED, f"it is not spoken: {reason}")
        except AgentGone as error:
            report.add(_not_there(dialect, Status.FAILED, str(error)))
            return ()
        else:
            wires.append(wire)
            report.agent_name = report.agent_name or getattr(wire, "server_name", "")
            note(dialect, Status.PASSED)
    if not wires:
        wires = [bare] if BARE in dialects and any(reason.heard for reason in refusals) else []
        if not (wires and unsettled):
            report.add(_speaks_nothing(refusals[0]))
    report.dialects = tuple(wire.dialect for wire in wires)
    return tuple(wires)


def _speaks_nothing(first: NotSpoken) -> ComplianceCheck:
    return ComplianceCheck(
        "speaks MCP or JSON-RPC",
        ON_THE_WIRE,
        Status.FAILED,
        sent=first.answer.sent,
        received=first.answer.received if first.answer.received is not None else first.answer.broken,
        expected="MCP over streamable HTTP, or JSON-RPC without MCP, at the URL that is checked (many end in /mcp)",
        detail=f"it does not: {first}",
        fatal=True,
    )


async def survive(suite: Suite, run: Callable[[], Awaitable[None]], *, may_be_gone: bool = False) -> bool:
    """Run a part of a check; true if the agent was there to its end.

    Once its league is over, the agent may be gone.
    """
    try:
        await run()
    except GivenUp as reason:
        suite.given_up = str(reason)
        suite.skip("the rest", ALL_CALLS, suite.given_up)
    except AgentGone as error:
        status = Status.SKIPPED if may_be_gone else Status.FAILED if suite.in_play else Status.ADVISED
        detail = "it has ended with its league" if may_be_gone else str(error)
        suite.report.add(_not_there(suite.wire.dialect, status, detail))
        return False
    return True


async def _end_all(suites: Sequence[PlayerSuite] | Sequence[RefereeSuite]) -> None:
    ended = False
    for suite in suites:
        ended = await survive(suite, suite.end, may_be_gone=ended) or ended


def _not_there(dialect: str, status: Status, detail: str) -> ComplianceCheck:
    expected = "an agent is there until its league is over"
    return ComplianceCheck("it is still there", ALL_CALLS, status, dialect, expected=expected, detail=detail)

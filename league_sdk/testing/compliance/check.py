"""The check of one agent, from its URL to a report."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import anyio

from league_sdk import plugins
from league_sdk.domain.model import Role
from league_sdk.errors import PeerUnreachable
from league_sdk.game import Game
from league_sdk.protocol.catalog import CallSpec, calls_for
from league_sdk.settings import ConfigLoader
from league_sdk.testing.compliance.answers import AgentGone
from league_sdk.testing.compliance.desk import Desk
from league_sdk.testing.compliance.exam import ALL_CALLS, ON_THE_WIRE, Exam, GivenUp
from league_sdk.testing.compliance.manager import ManagerExam
from league_sdk.testing.compliance.peers import open_servers
from league_sdk.testing.compliance.player import PlayerExam
from league_sdk.testing.compliance.referee import RefereeExam
from league_sdk.testing.compliance.report import ComplianceCheck, ComplianceReport, Status
from league_sdk.testing.compliance.rivals import Plan, Rival
from league_sdk.testing.compliance.rules import A_MATCH
from league_sdk.testing.compliance.script import OPPONENT, PLAYER, Script, Timeouts
from league_sdk.testing.compliance.season import Season
from league_sdk.testing.compliance.wire import (
    BARE,
    DIALECTS,
    BareWire,
    Http,
    McpWire,
    NotSpoken,
    NoWire,
    Wire,
    open_client,
)

ASK_AGAIN_SEC = 0.2
PROBE_SEC = 1.0
"""How long to wait for the answer to a first request: it only has to find out that somebody listens."""
_ALONE = {"connection": "close"}
"""With that request: an agent that fails at it may drop its connection, and nothing else is to be lost with that."""
MOST_SILENT_DIALECTS = 2
"""After so many dialects in which nothing comes back the others are not tried: each would take its time."""
REFEREES_MANAGER = 8000
"""Where a referee looks for its league manager, when it is told nothing else."""

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
    wait: float = 0.0,
) -> ComplianceReport:
    """Play the league's part against an agent, in every dialect that it speaks.

    Args:
        url: The agent, such as `http://localhost:8101/mcp`.
        role: What it is.
        game: The game to play, or its name; the one of the default league when left out.
        dialects: What to try to speak.
        timeouts: The agent's time; the protocol's own limits when left out.
        manager_port: Where to play the league manager, so that the agent registers; a referee always has to, and
            looks for it at 8000. None leaves a player alone.
        operator_token: Of a league manager: starts its league, where that does not start by itself.
        wait: Seconds to wait for the agent to be there, and to register.

    Raises:
        PeerUnreachable: Nobody is there.
        AddressUnusable: The manager's port is in use.
        UnsupportedGameType: The game is not installed here.
    """
    started = time.monotonic()
    chosen = game_of(game)
    script = Script(chosen, timeouts or Timeouts())
    report = ComplianceReport(url, role, chosen.name)
    async with open_client() as client:
        check = _Check(report, Http(client, url, script.timeouts.response), script, tuple(dialects), wait)
        if role == "referee":
            await check.referee(REFEREES_MANAGER if manager_port is None else manager_port)
        elif role == "manager":
            await check.manager(operator_token)
        else:
            await check.player(manager_port)
    report.seconds = time.monotonic() - started
    return report


def game_of(game: str | Game[Any] | None) -> Game[Any]:
    """The game that is meant."""
    if isinstance(game, Game):
        return game
    return plugins.game(game or ConfigLoader().load_league().game_type)


@dataclass(frozen=True, slots=True)
class _Check:
    """One check: what all parts of it need."""

    report: ComplianceReport
    http: Http
    script: Script
    dialects: tuple[str, ...]
    wait: float

    async def player(self, manager_port: int | None) -> None:
        """Check a player, registered or not."""
        if manager_port is None:
            await self._until_there()
            await self._play(None)
            return
        desk = Desk(self.script, Role.PLAYER)
        async with open_servers() as servers:
            await servers.start(desk.agent, manager_port)
            await self._until_there()
            seat = await self._seat(desk, calls_for(Role.LEAGUE_MANAGER)[1])
            await self._play(seat)

    async def _play(self, seat: str | None) -> None:
        wires = await open_wires(self.report, self.http, Role.PLAYER, self.script, self.dialects)
        # A league speaks the newest revision of MCP that an agent has, and JSON-RPC without MCP where it has none.
        wires = tuple(sorted(wires, key=lambda wire: (wire.dialect != BARE, wire.dialect), reverse=True))
        exams = [
            PlayerExam(self.exam(wire, Role.PLAYER, seat), self.script, number, counts=number == 1)
            for number, wire in enumerate(wires, start=1)
        ]
        silent = ""

        async def run(exam: PlayerExam) -> None:
            nonlocal silent
            try:
                await exam.run()
            except GivenUp as reason:
                silent = str(reason)
                raise

        for wire, exam in zip(wires, exams, strict=True):
            if silent:
                self.report.add(ComplianceCheck("the rest", ALL_CALLS, Status.SKIPPED, wire.dialect, detail=silent))
            else:
                await survive(self.report, wire, partial(run, exam), matters=lambda exam=exam: exam.in_play)
        ended = bool(silent)
        for wire, exam in () if silent else zip(wires, exams, strict=True):
            ended = await survive(self.report, wire, exam.end, may_be_gone=ended, matters=lambda: False) or ended

    async def referee(self, manager_port: int) -> None:
        """Check a referee, which registers first."""
        plans: dict[str, Plan] = {}
        rivals = {player: Rival(player, self.script, plans) for player in (PLAYER, OPPONENT)}
        desk = Desk(self.script, Role.REFEREE)
        async with open_servers() as servers:
            await servers.start(desk.agent, manager_port)
            for rival in rivals.values():
                await servers.start(rival.agent)
            await self._until_there()
            seat = await self._seat(desk, calls_for(Role.LEAGUE_MANAGER)[0])
            if seat is None:
                why = "it has no seat, so it can be given no match"
                self.report.add(ComplianceCheck("matches", A_MATCH, Status.SKIPPED, detail=why))
                return
            wires = await open_wires(self.report, self.http, Role.REFEREE, self.script, self.dialects)
            exams = [
                RefereeExam(self.exam(wire, Role.REFEREE, seat), self.script, desk, rivals, plans, number)
                for number, wire in enumerate(wires, start=1)
            ]
            for wire, exam in zip(wires, exams, strict=True):
                await survive(self.report, wire, exam.run)
            quiet = self.exam(NoWire(), Role.REFEREE, seat)
            RefereeExam(quiet, self.script, desk, rivals, plans, 0).judge_heard()
            ended = False
            for wire, exam in zip(wires, exams, strict=True):
                ended = await survive(self.report, wire, exam.end, may_be_gone=ended) or ended

    async def manager(self, operator_token: str | None) -> None:
        """Check a league manager, with a whole league."""
        await self._until_there()
        wires = await open_wires(self.report, self.http, Role.LEAGUE_MANAGER, self.script, self.dialects)
        exams = [ManagerExam(self.exam(wire, Role.LEAGUE_MANAGER, None)) for wire in wires]
        quiet = self.exam(NoWire(), Role.LEAGUE_MANAGER, None)
        season = Season(self.script, exams, quiet, operator_token, max(self.wait, self.script.timeouts.response))
        if exams:
            await survive(self.report, wires[0], season.run)

    def exam(self, wire: Wire, role: Role, agent_id: str | None) -> Exam:
        """How the agent is asked in one dialect."""
        script = self.script
        return Exam(wire, self.report, script.codec, role, script.timeouts, script.game.move_spec, agent_id)

    async def _seat(self, desk: Desk, call: CallSpec) -> str | None:
        """Wait for the agent to register, and judge how it does; its id, once it has one."""
        registered = await desk.registered(self.wait)
        exam = self.exam(NoWire(), desk.role, None)
        exam.judge_heard(call, [heard.message for heard in desk.registrations])
        if not registered:
            return None
        self.script.peer_token = desk.peer_token
        return desk.seat

    async def _until_there(self) -> None:
        """Wait for somebody to listen at the URL.

        Raises:
            PeerUnreachable: Nobody does in time.
        """
        deadline, patience = time.monotonic() + self.wait, min(PROBE_SEC, self.http.patience)
        while (exchange := await self.http.post({}, patience, _ALONE)).gone:
            if time.monotonic() >= deadline:
                raise PeerUnreachable(f"{self.report.url}: {exchange.broken}")
            await anyio.sleep(ASK_AGAIN_SEC)


async def open_wires(
    report: ComplianceReport, http: Http, role: Role, script: Script, dialects: Sequence[str]
) -> tuple[Wire, ...]:
    """Every dialect of these that the agent speaks.

    Who speaks none, and answers as JSON-RPC has it all the same, is taken to mean bare JSON-RPC, and to fail. A league
    does not ask before it speaks bare JSON-RPC, so a player that is late or hangs up at the question is not out yet.
    """
    calls = {call.tool: call for call in calls_for(role, [script.game.move_spec])}
    probe = calls.get("handle_game_invitation") or next(iter(calls.values()))
    known = {BARE: BareWire(http, (probe.tool, *probe.aliases))}
    wires: list[Wire] = []
    refusals: list[NotSpoken] = []
    unsettled = False
    for dialect in dialects:
        if sum(reason.silent for reason in refusals) >= MOST_SILENT_DIALECTS:
            why = f"it is not tried: {MOST_SILENT_DIALECTS} others got no answer at all"
            report.add(ComplianceCheck("is spoken", ON_THE_WIRE, Status.SKIPPED, dialect, detail=why))
            continue
        wire: Wire = known[dialect] if dialect in known else McpWire(http, dialect.removeprefix("mcp/"))
        try:
            await wire.open()
        except NotSpoken as reason:
            refusals.append(reason)
            unsettled = unsettled or (dialect == BARE and role is Role.PLAYER and reason.unsettled)
            report.add(
                ComplianceCheck("is spoken", ON_THE_WIRE, Status.SKIPPED, dialect, detail=f"it is not spoken: {reason}")
            )
        except AgentGone as error:
            expected = "an agent is there until its league is over"
            told = ComplianceCheck(
                "it is still there", ALL_CALLS, Status.FAILED, dialect, expected=expected, detail=str(error)
            )
            report.add(told)
            return ()
        else:
            wires.append(wire)
            report.add(ComplianceCheck("is spoken", ON_THE_WIRE, Status.PASSED, dialect))
    heard = any(reason.heard for reason in refusals)
    if not wires:
        wires = [known[BARE]] if BARE in dialects and heard else []
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


async def survive(
    report: ComplianceReport,
    wire: Wire,
    run: Callable[[], Awaitable[None]],
    *,
    may_be_gone: bool = False,
    matters: Callable[[], bool] = lambda: True,
) -> bool:
    """Run a part of a check; whether the agent was there to the end of it.

    Args:
        report: Where it is written down.
        wire: How the agent is asked.
        run: The part.
        may_be_gone: Whether its league is over, after which an agent may end.
        matters: Whether an agent that is gone now would lose a match by it.
    """
    try:
        await run()
    except GivenUp as reason:
        report.add(ComplianceCheck("the rest", ALL_CALLS, Status.SKIPPED, wire.dialect, detail=str(reason)))
    except AgentGone as error:
        status = Status.SKIPPED if may_be_gone else Status.FAILED if matters() else Status.ADVISED
        detail = "it has ended with its league" if may_be_gone else str(error)
        expected = "an agent is there until its league is over"
        report.add(
            ComplianceCheck("it is still there", ALL_CALLS, status, wire.dialect, expected=expected, detail=detail)
        )
        return False
    return True

"""Watches a referee while it has a match: heartbeat, result or setback."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from typing import TypeAlias

import anyio

from league_sdk.bounds import shorten
from league_sdk.clock import Clock, to_record_time
from league_sdk.domain.lifecycles import MatchState
from league_sdk.domain.matches.own_parts import OwnPart
from league_sdk.domain.model import Agent
from league_sdk.errors import LeagueError, MatchNotFound, PeerUnreachable, ResponseTimeout
from league_sdk.ports import MalformedReply, Priority
from league_sdk.protocol.operator import MatchStepResponse, OpenCall
from servers.league_manager.league_context import LeagueContext
from servers.league_manager.manager_timeouts import ManagerTimeouts
from servers.league_manager.operator_controls import OperatorControls
from servers.league_manager.refusals import is_refusal
from servers.league_manager.setbacks import Reason, Setback
from servers.read_model.replays import LONGEST_PICTURE, LONGEST_POSITION
from servers.read_model.running import Followed, MatchProgress
from servers.read_model.waits import Wait

LONGEST_FAULT = 300
"""Characters of a fault of a game that are recorded."""
LOOK_SEC = 3.0
"""Longest interval between two looks at a match that may wait for a player: a match that is faster costs no call."""
LASTING_SEC = 1.0
"""A call is shown as a wait once it is open for so long."""


Refused: TypeAlias = Callable[[str, LeagueError], Awaitable[None]]
"""Told of a referee that refuses the manager."""


class _Looks:
    """Times of the looks at a match, sooner while it waits for a player."""

    def __init__(self, clock: Clock, heartbeat: float, *, at_once: bool) -> None:
        self._clock = clock
        self._heartbeat = heartbeat
        self._soon = min(LOOK_SEC, heartbeat)
        self._asked = self._heard = clock.monotonic()
        self._beat = self._asked if at_once else self._asked + heartbeat
        self._next = min(self._beat, self._asked + self._soon)

    @property
    def left(self) -> float:
        """Seconds until the next look; below zero when it is late."""
        return self._next - self._clock.monotonic()

    def ask(self) -> None:
        self._asked = self._clock.monotonic()
        if self._asked >= self._beat:
            self._beat = self._asked + self._heartbeat  # waiting for an answer counts
        self._next = self._beat

    def answered(self, *, waits: bool) -> None:
        self._heard = self._clock.monotonic()
        self._next = min(self._asked + self._soon, self._beat) if waits else self._beat

    @property
    def silent(self) -> bool:
        """True if the last answer is long ago."""
        return self._clock.monotonic() - self._heard >= LOOK_SEC


class RefereeWatch:
    """Asks referees for the state of their matches, and gives up those that died."""

    def __init__(self, context: LeagueContext, controls: OperatorControls | None, refused: Refused) -> None:
        self._context = context
        self._ledger = context.ledger
        self._clock = context.clock
        self._journal = context.journal
        self._timeouts = context.timeouts
        self._controls = controls
        self._refused = refused

    async def await_result(
        self, match_id: str, referee: Agent, *, at_once: bool = False, trial: bool = False
    ) -> Setback | None:
        """Wait for the report while the referee lives; None, or why there will be none."""
        setbacks: list[Setback] = []
        async with anyio.create_task_group() as watch:

            def give_up(setback: Setback) -> None:
                setbacks.append(setback)
                watch.cancel_scope.cancel()

            watch.start_soon(self.pulse, match_id, referee, give_up, at_once or trial, trial)
            watch.start_soon(self._restart, referee, give_up)
            watch.start_soon(self._operator, match_id, referee.agent_id, give_up)
            watch.start_soon(self._node, match_id, referee.agent_id, give_up, at_once)
            await self._ledger.until(lambda league: league.decided(match_id))
            watch.cancel_scope.cancel()
        if self._ledger.league.decided(match_id):
            return None
        told = str(setbacks[0])
        self._journal.event("REFEREE_ERROR", "ERROR", referee_id=referee.agent_id, match_id=match_id, reason=told)
        return setbacks[0]

    async def last_chance(self, match_id: str, setback: Setback) -> Setback:
        """Wait for a result whose report was refused: the referee or operator may act."""
        self._journal.event("REPORT_REFUSED", "ERROR", match_id=match_id, reason=f"{setback}; the match stays open")
        with anyio.move_on_after(None) as waiting:
            async with anyio.create_task_group() as tasks:

                async def run_out() -> None:
                    await self._clock.sleep(self._timeouts.match)
                    waiting.cancel()

                def give_up(wanted: Setback) -> None:
                    nonlocal setback
                    setback = wanted
                    waiting.cancel()

                tasks.start_soon(run_out)
                tasks.start_soon(self._operator, match_id, setback.referee_id, give_up)
                await self._ledger.until(lambda league: league.decided(match_id))
                waiting.cancel()
        return setback

    async def pulse(
        self, match_id: str, referee: Agent, give_up: Callable[[Setback], None], at_once: bool, trial: bool = False
    ) -> None:
        """Poll a match at its referee until it ends there or `give_up` has a reason."""

        def fails(reason: Reason, detail: str = "") -> None:
            give_up(Setback(reason, referee.agent_id, detail))

        with self._context.running.follow(match_id) as followed:
            timeouts = self._timeouts.on_trial() if trial else self._timeouts
            await self._poll(match_id, referee, fails, followed, timeouts, at_once=at_once)

    async def _poll(
        self,
        match_id: str,
        referee: Agent,
        fails: Callable[..., None],
        followed: Followed,
        timeouts: ManagerTimeouts,
        *,
        at_once: bool,
    ) -> None:
        missed, peer, idle = 0, self._context.peer(referee), min(timeouts.silence, timeouts.match)
        deadline = self._clock.monotonic() + idle
        progress: tuple[str, int | None] | None = None
        looks = _Looks(self._clock, timeouts.heartbeat, at_once=at_once)
        while missed < timeouts.referee_failures:
            await self._pause(looks.left, anyio.Event() if missed else followed.wanted)
            followed.asking()
            looks.ask()
            message = self._context.announcements.match_status(match_id)
            try:
                status = await self._context.peers.call(
                    peer,
                    message,
                    MatchStepResponse,
                    timeout=timeouts.heartbeat,
                    priority=Priority.MATCH,
                    retry=False,
                )
            except MatchNotFound:
                fails(Reason.FORGOTTEN)
                return
            except (LeagueError, MalformedReply) as error:
                excused = await self._excused(referee.agent_id, error, deadline)
                if timeouts is not self._timeouts and not isinstance(error, ResponseTimeout | PeerUnreachable):
                    # It answers, whatever it says: no trial any more.
                    await self._poll(match_id, referee, fails, followed, self._timeouts, at_once=False)
                    return
                missed += not excused
                if looks.silent:
                    followed.silent(Wait(match_id, part=OwnPart.REFEREE.key))
                continue
            missed = 0
            timeouts, looks = self._limits_after(status, timeouts, looks)
            looks.answered(waits=bool(status.to_move))
            followed.tell(_progress(match_id, status, self._clock.now()))
            seen = (status.state, status.messages)
            if progress is None and not status.messages:
                progress = seen  # taken, and nothing of it sent
            elif seen != progress:
                # A player that takes all the time it has must not run the match out of time.
                progress, idle = seen, timeouts.match
                deadline = self._clock.monotonic() + idle
            if seen == progress and self._clock.monotonic() >= deadline:
                fails(Reason.STALLED, f"nothing happened for {idle:g} s")
                return
            if (ended := _ending(status)) is not None:  # by a result that has arrived, perhaps
                fails(ended, shorten(status.game_fault or "", LONGEST_FAULT))
                return
        fails(Reason.SILENT)

    def _limits_after(
        self, status: MatchStepResponse, timeouts: ManagerTimeouts, looks: _Looks
    ) -> tuple[ManagerTimeouts, _Looks]:
        """The limits of all, once a match on trial has its first message to a player.

        With those of a trial a player could flood its referee, and undo what it is losing.
        """
        if timeouts is self._timeouts or not status.messages:
            return timeouts, looks
        return self._timeouts, _Looks(self._clock, self._timeouts.heartbeat, at_once=False)

    async def _excused(self, referee_id: str, error: LeagueError | MalformedReply, deadline: float) -> bool:
        """True if a referee may refuse, not knowing the manager's new token: it reports."""
        if not is_refusal(error):
            return False
        await self._refused(referee_id, error)
        return referee_id in self._ledger.league.unaware and self._clock.monotonic() < deadline

    async def _pause(self, seconds: float, wanted: anyio.Event) -> None:
        """Wait until the time is over or the match is looked at."""
        if seconds <= 0:
            return
        async with anyio.create_task_group() as tasks:

            async def run_out() -> None:
                await self._clock.sleep(seconds)
                tasks.cancel_scope.cancel()

            tasks.start_soon(run_out)
            await wanted.wait()
            tasks.cancel_scope.cancel()

    async def _restart(self, referee: Agent, give_up: Callable[[Setback], None]) -> None:
        returns = self._ledger.league.returns.get(referee.agent_id)
        await self._ledger.until(lambda league: league.returns.get(referee.agent_id) != returns)
        give_up(Setback(Reason.RESTARTED, referee.agent_id))

    async def _node(self, match_id: str, referee_id: str, give_up: Callable[[Setback], None], taken_up: bool) -> None:
        lost = await self._context.lost_nodes.until_lost(self._ledger.league, match_id, taken_up=taken_up)
        give_up(Setback(Reason.NODE_LOST, referee_id, lost))

    async def _operator(self, match_id: str, referee_id: str, give_up: Callable[[Setback], None]) -> None:
        if self._controls is not None:
            await self._controls.wanted_again(match_id)
            give_up(Setback(Reason.WANTED, referee_id))


def _progress(match_id: str, status: MatchStepResponse, now: datetime) -> MatchProgress:
    """Progress to be shown; a referee's drawing is no longer than one of ours."""
    return MatchProgress(
        turn=status.turn,
        to_move=tuple(status.to_move or ()),
        deadlines=dict(status.deadlines or {}),
        position=shorten(status.position or "", LONGEST_POSITION),
        picture=picture if len(picture := status.picture or "") <= LONGEST_PICTURE else "",
        waits=_waits(match_id, status, [each for each in status.waits or () if each.waited_sec >= LASTING_SEC], now),
        open_calls=_waits(match_id, status, status.open_calls or (), now),
    )


def _waits(match_id: str, status: MatchStepResponse, calls: Iterable[OpenCall], now: datetime) -> tuple[Wait, ...]:
    """Calls that are not answered, those of one attempt together."""
    together: dict[tuple[int, int, str], list[OpenCall]] = {}
    for call in calls:
        together.setdefault((call.attempt, call.attempts, call.part or ""), []).append(call)
    waits: list[Wait] = []
    for (attempt, attempts, part), same in together.items():
        left = max((call.left_sec for call in same if call.left_sec is not None), default=None)
        until = "" if left is None else to_record_time(now + timedelta(seconds=left))
        players = tuple(call.player_id for call in same)
        waits.append(Wait(match_id, players, status.turn is not None, attempt, attempts, until, part))
    return tuple(waits)


def _ending(status: MatchStepResponse) -> Reason | None:
    """The reason a match at a referee ended without a result; None if it continues."""
    if status.state == MatchState.ABORTED and status.game_fault:
        return Reason.GAME_FAILED
    if status.state == MatchState.ABORTED:
        return Reason.NO_SEATS if status.failed_part == OwnPart.SEATS.key else Reason.ABORTED
    return Reason.UNREPORTED if status.reported or status.report_refused else None

"""The course of a league: registration, schedule, round after round, champion."""

from collections.abc import Callable
from contextlib import closing

import anyio
from anyio.abc import TaskGroup

from league_sdk import tokens, tracing
from league_sdk.bounds import shorten
from league_sdk.clock import Clock
from league_sdk.dialect import known_dialect
from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    Command,
    CompleteLeague,
    CompleteRound,
    StartLeague,
    StartRound,
    StopLeague,
    VoidMatch,
)
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Agent, Fixture
from league_sdk.domain.schedule import spread
from league_sdk.errors import InvalidState, LeagueError, RateLimited, ResponseTimeout
from league_sdk.ports import Journal, MalformedReply, Peer, PeerCalls, Priority
from league_sdk.protocol.operator import StartMatch, StartMatchResponse
from servers.league_manager.announcements import Announcements
from servers.league_manager.broadcast import Broadcaster
from servers.league_manager.ledger import Ledger
from servers.league_manager.match_watch import MatchWatch
from servers.league_manager.operator_controls import OperatorControls
from servers.league_manager.pace import Pace, seconds_to_start, waiting_for_start, within
from servers.league_manager.referee_pool import RefereePool
from servers.league_manager.setbacks import Reason, Setback


class LeagueRunner:
    """Leads one league from where it stands to its end. Everything it knows is in the ledger, so it can start anywhere.

    Args:
        ledger: The league.
        peers: How to call agents.
        announcements: The messages that the manager sends.
        clock: For waiting.
        journal: Where trouble is noted.
        operator_token: What peer tokens are derived from.
        pace: How long to wait.
        desk: What the operator wants; None when nobody can want anything.
        tidy: Called where there is time for it, once a round.
        tell: Told what the operator should see, in a sentence.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        peers: PeerCalls,
        announcements: Announcements,
        clock: Clock,
        journal: Journal,
        operator_token: str,
        pace: Pace,
        desk: OperatorControls | None = None,
        tidy: Callable[[], None] = lambda: None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._ledger = ledger
        self._peers = peers
        self._announcements = announcements
        self._clock = clock
        self._journal = journal
        self._operator_token = operator_token
        self._pace = pace
        self._tidy = tidy
        self._tell = tell
        self._room = RefereePool(ledger)
        self._tasks: TaskGroup | None = None
        self._watch = MatchWatch(
            ledger=ledger,
            peers=peers,
            announcements=announcements,
            clock=clock,
            journal=journal,
            peer=self.peer,
            pace=pace,
            desk=desk,
        )

    async def run(self) -> None:
        """Return when the league is complete or stopped, and everybody who answers has been told.

        A league that is complete already is announced once more: a manager that was killed may not have come to it.
        """
        self._room.reset()
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._end_when_stopped, tasks)
            with closing(Broadcaster(self._peers, tasks, self._journal, self._pace.response)) as broadcaster:
                if self._ledger.league.state is not LeagueState.COMPLETED:
                    await self._registration()
                    await self._ledger.until(lambda league: league.state is LeagueState.RUNNING)
                    await self._rounds(broadcaster)
                    await self._do(CompleteLeague())
                message, reply = self._announcements.league_completed(self._ledger.league, self._ledger.head)
                delivery = broadcaster.send(self._everyone(removed=True), message, reply)
            await delivery.wait(self._pace.response)
            tasks.cancel_scope.cancel()

    def peer(self, agent: Agent) -> Peer:
        """How to call an agent, with the token that tells it that the manager is calling."""
        token = tokens.peer_token(self._operator_token, self._ledger.league_id, agent.agent_id)
        return Peer(agent.agent_id, agent.endpoint, token, known_dialect(agent.dialect))

    async def _end_when_stopped(self, tasks: TaskGroup) -> None:
        await self._ledger.until(lambda league: league.state is LeagueState.STOPPED)
        tasks.cancel_scope.cancel()

    async def _do(self, command: Command) -> None:
        """Execute a command of the course; it has no effect when the league is stopped in the same moment."""
        try:
            await self._ledger.execute(command)
        except InvalidState:
            if self._ledger.league.state is not LeagueState.STOPPED:
                raise
            await anyio.sleep_forever()  # the end is on its way

    # Registration

    async def _registration(self) -> None:
        """Wait until registration is over, and start a league that was not closed by its operator."""
        if self._ledger.league.state is LeagueState.WAITING_FOR_REGISTRATIONS:
            await within(
                self._ledger,
                self._clock,
                self._ledger.league.rules.registration_timeout_sec or None,
                lambda league: league.quorum() or league.state is not LeagueState.WAITING_FOR_REGISTRATIONS,
            )
            await self._close_registration()
        league = self._ledger.league
        if league.state is LeagueState.SCHEDULED and league.closing_reason != "operator":
            wait = seconds_to_start(league, self._clock)
            if wait > 0:
                self._tell(waiting_for_start(league, wait))
                self._journal.event("WAITING_FOR_START_DATE", start_date=league.rules.start_date, seconds=round(wait))
            await within(self._ledger, self._clock, wait, lambda league: league.state is not LeagueState.SCHEDULED)
            await self._unless_overtaken(StartLeague(), LeagueState.SCHEDULED)

    async def _close_registration(self) -> None:
        league, rules = self._ledger.league, self._ledger.league.rules
        if league.state is not LeagueState.WAITING_FOR_REGISTRATIONS:
            return
        if league.quorum():
            await self._unless_overtaken(CloseRegistration("quorum"), league.state)
            return
        self._journal.event(
            "REGISTRATION_TIMEOUT", "WARNING", players=len(league.players), referees=len(league.referees)
        )
        if len(league.players) >= rules.min_players and league.referees:
            await self._unless_overtaken(CloseRegistration("timeout"), league.state)
            return
        reason = (
            f"registration timed out after {rules.registration_timeout_sec:g} s with {len(league.players)} players "
            f"(at least {rules.min_players} are needed) and {len(league.referees)} referees (1 is needed)"
        )
        await self._unless_overtaken(StopLeague(reason), league.state)

    async def _unless_overtaken(self, command: Command, state: LeagueState) -> None:
        """Execute a command, unless the operator has moved the league on from `state` in the same moment."""
        try:
            await self._do(command)
        except InvalidState:
            if self._ledger.league.state is state:
                raise

    # Rounds

    async def _rounds(self, broadcaster: Broadcaster) -> None:
        league = self._ledger.league
        if league.rounds_completed:
            self._tell_round_completed(league.rounds_completed, broadcaster)
        for scheduled in league.rounds[league.rounds_completed :]:
            if self._ledger.league.current_round is None:
                await self._rest()
                await self._do(StartRound(scheduled.round_id))
            await self._play(scheduled.round_id, broadcaster)
            await self._do(CompleteRound(scheduled.round_id))
            self._tell_round_completed(scheduled.round_id, broadcaster)

    async def _rest(self) -> None:
        league = self._ledger.league
        if league.rounds_completed and league.rules.match_delay_sec:
            await self._clock.sleep(league.rules.match_delay_sec)

    def _tell_round_completed(self, round_id: int, broadcaster: Broadcaster) -> None:
        """Tell everybody of a completed round; again after a restart, for it may not have been told."""
        everyone, players = self._everyone(), self._players()
        for message, reply, to_all in self._announcements.round_completed(self._ledger.league, round_id):
            broadcaster.send(everyone if to_all else players, message, reply)

    async def _play(self, round_id: int, broadcaster: Broadcaster) -> None:
        league = self._ledger.league
        plan = spread(league.rounds, tuple(league.referees), only=round_id)
        self._room.new_round()
        message, reply = self._announcements.round(league, round_id, plan)
        await broadcaster.send(self._everyone(), message, reply).wait(self._pace.grace)
        self._journal.event("ROUND_ANNOUNCEMENT_SENT", round_id=round_id)
        self._tidy()
        for fixture in league.round(round_id).fixtures:
            given = league.assignments.get(fixture.match_id)
            if given is not None and fixture.match_id in league.voided:
                self._room.occupy(given.referee_id)
                self._let_go(fixture.match_id, given.referee_id)
        async with anyio.create_task_group() as matches:
            for fixture in league.unfinished(round_id):
                matches.start_soon(self._see_through, fixture, plan[fixture.match_id])

    def _players(self) -> list[Peer]:
        league = self._ledger.league
        return [self.peer(league.player(player_id)) for player_id in league.staying()]

    def _everyone(self, *, removed: bool = False) -> list[Peer]:
        """All agents; also players that were removed, for which the end is the only news."""
        league = self._ledger.league
        gone = {**league.dismissed, **league.players} if removed else {}
        others = [self.peer(player) for player_id, player in gone.items() if player_id in league.removed]
        return [*self._players(), *others, *(self.peer(referee) for referee in league.referees.values())]

    # Matches

    async def _see_through(self, fixture: Fixture, planned: str) -> None:
        """Have one match played until it is decided; by another referee, when one comes to nothing."""
        setback = await self._take_up(fixture.match_id)
        if not self._ledger.league.decided(fixture.match_id):
            league_id = self._ledger.league_id
            with tracing.span("match", league_id=league_id, match_id=fixture.match_id, round_id=fixture.round_id):
                await self._play_through(fixture, planned, setback)

    async def _play_through(self, fixture: Fixture, preferred: str, setback: Setback | None) -> None:
        """Give a match to one referee after the other, as long as its setbacks are outside the players' reach."""
        match_id = fixture.match_id
        while not self._ledger.league.decided(match_id):
            if setback is not None and setback.reason is Reason.UNREPORTED:
                setback = await self._watch.last_chance(match_id, setback)
                if self._ledger.league.decided(match_id):
                    return
            worn_out = self._ledger.league.attempt(match_id) >= self._ledger.league.rules.max_attempts
            if worn_out or (setback is not None and not setback.reason.again):
                await self._unless_decided(VoidMatch(match_id, str(setback or "")))
                return
            referee_id = await self._room.take(preferred)
            try:
                setback = await self._attempt(fixture, referee_id, setback)
            finally:
                self._let_go(match_id, referee_id)
            self._room.judge(referee_id, failed=setback is not None)
            preferred = self._room.another(referee_id)

    async def _take_up(self, match_id: str) -> Setback | None:
        """After a restart: wait for a match that was given out before, if its referee still has it.

        Returns:
            Why that came to nothing; None when it has not been given out, or is decided.
        """
        league = self._ledger.league
        under_way = league.assignments.get(match_id)
        if under_way is None or league.decided(match_id):
            return None
        self._room.occupy(under_way.referee_id)
        try:
            return await self._watch.await_result(match_id, league.referee(under_way.referee_id), at_once=True)
        finally:
            self._let_go(match_id, under_way.referee_id)

    def _let_go(self, match_id: str, referee_id: str) -> None:
        """A referee has room again; when it plays a void match on, once it is done with that."""
        if match_id in self._ledger.league.voided and self._tasks is not None:
            self._tasks.start_soon(self._outlast, match_id, referee_id)
        else:
            self._room.release(referee_id)

    async def _outlast(self, match_id: str, referee_id: str) -> None:
        referee = self._ledger.league.referee(referee_id)
        try:
            await self._watch.pulse(match_id, referee, lambda _: None, at_once=True)
        finally:
            self._room.release(referee_id)

    async def _attempt(self, fixture: Fixture, referee_id: str, setback: Setback | None) -> Setback | None:
        """One attempt at a match; why it came to nothing, or None when it is decided."""
        match_id = fixture.match_id
        await self._unless_decided(AssignMatch(match_id, referee_id, str(setback or "")))
        league = self._ledger.league
        if league.decided(match_id):
            return None
        attempt, referee = league.attempt(match_id), league.referee(referee_id)
        message = self._announcements.start_match(league, fixture, attempt)
        try:
            await self._give_out(referee, message)
        except (LeagueError, MalformedReply) as error:
            self._journal.event("REFEREE_ERROR", "ERROR", referee_id=referee_id, match_id=match_id, reason=str(error))
            if isinstance(error, RateLimited):
                await self._clock.sleep(self._pace.grace)
            return Setback(Reason.NOT_TAKEN, referee_id, shorten(str(error)))
        return await self._watch.await_result(match_id, referee)

    async def _give_out(self, referee: Agent, message: StartMatch) -> None:
        """Have a referee take a match, in the time in which one that is silent loses the matches that it has.

        Raises:
            LeagueError, MalformedReply: It did not take it.
        """
        limit = self._pace.referee_failures * self._pace.heartbeat
        failures: list[Exception] = [ResponseTimeout(f"no answer within {limit:g} s")]

        async def give() -> None:
            peer, seconds = self.peer(referee), self._pace.response
            try:
                await self._peers.call(peer, message, StartMatchResponse, timeout=seconds, priority=Priority.MATCH)
            except (LeagueError, MalformedReply) as error:
                failures[:] = [error]
            else:
                failures.clear()
            giving.cancel_scope.cancel()

        async with anyio.create_task_group() as giving:
            giving.start_soon(give)
            await self._clock.sleep(limit)
            giving.cancel_scope.cancel()
        if failures:
            raise failures[0]

    async def _unless_decided(self, command: AssignMatch | VoidMatch) -> None:
        """Execute a command, unless a referee that was given up has reported in the same moment."""
        try:
            await self._do(command)
        except InvalidState:
            if not self._ledger.league.decided(command.match_id):
                raise

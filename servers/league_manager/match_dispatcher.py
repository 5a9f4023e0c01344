"""Gives the matches of a round to referees until each match is decided."""

from collections.abc import Awaitable, Callable, Mapping

import anyio
from anyio.abc import TaskGroup

from league_sdk import tracing
from league_sdk.bounds import shorten
from league_sdk.domain.commands import AssignMatch, CommitDraw, ForfeitMatch, SitOut, VoidMatch
from league_sdk.domain.matches.own_parts import OwnPart
from league_sdk.domain.model import Agent, Fixture
from league_sdk.domain.participants.sitting_out import SittingOutReason
from league_sdk.errors import InvalidState, LeagueError, MatchNotFound, PeerUnreachable, RateLimited, ResponseTimeout
from league_sdk.ports import MalformedReply, Priority
from league_sdk.protocol.operator import MatchStepResponse, StartMatch, StartMatchResponse
from servers.league_manager.league_context import LeagueContext
from servers.league_manager.operator_controls import OperatorControls
from servers.league_manager.referee_pool import RefereePool
from servers.league_manager.referee_watch import RefereeWatch
from servers.league_manager.refusals import Refusals, is_refusal
from servers.league_manager.setbacks import Reason, Setback, cause_of_void

NO_MATCH = "R0M0"
"""The id of a match that no league has."""
OVERUSED = "it overused the seats process, which failed"

Ready = Callable[[Fixture], Awaitable[None]]
"""Returns when a match may begin."""


async def at_once(_: Fixture) -> None:
    """Let a match begin with its round."""


class MatchDispatcher:
    """Assigns matches, watches them at their referees, reassigns after setbacks."""

    def __init__(self, context: LeagueContext, controls: OperatorControls | None) -> None:
        self._context = context
        self._pool = RefereePool(context.ledger)
        self._refusals = Refusals(context, controls, self._pool)
        self._watch = RefereeWatch(context, controls, self._refusals.refused)
        self._untaken: dict[str, str] = {}  # referee by match that it refused to a manager that it did not know
        self._tasks: TaskGroup | None = None

    def reset(self, tasks: TaskGroup) -> None:
        """Begin a run in which nothing is under way; `tasks` lasts as long as the run."""
        self._pool.reset()
        self._refusals.reset()
        self._tasks = tasks

    async def until_aware(self) -> None:
        """Wait for agents that do not know the operator's token of now."""
        await self._refusals.until_aware()

    async def look_at_newcomers(self) -> None:
        """Look at referees before their first match, and wait a little for their answers."""
        if self._tasks is None:
            return
        awaited = {referee.agent_id for referee in self._pool.newcomers()}
        for referee_id in awaited:
            self._tasks.start_soon(self._look_at, referee_id)
        await self._pool.until_heard(awaited, self._context.timeouts.grace)

    @property
    def silent(self) -> frozenset[str]:
        """The referees that do not answer."""
        return self._pool.silent

    def shared_among(self) -> dict[str, Agent]:
        """The referees among which the matches of a round are shared."""
        return self._pool.preferred()

    async def play(self, round_id: int, plan: Mapping[str, str], ready: Ready = at_once) -> None:
        """Return when every match of a round is decided or void.

        `plan` has the planned referee by match id; a match begins once `ready` returns.
        """
        league = self._context.league
        self._pool.new_round()
        for fixture in league.round(round_id).fixtures:
            given = league.assignments.get(fixture.match_id)
            if given is not None and league.by_default(fixture.match_id):
                self._pool.occupy(given.referee_id)
                self._let_go(fixture.match_id, given.referee_id)
        async with anyio.create_task_group() as matches:
            for fixture in league.unfinished(round_id):
                matches.start_soon(self._see_through, fixture, plan[fixture.match_id], ready)

    async def _see_through(self, fixture: Fixture, planned: str, ready: Ready) -> None:
        """Have one match played until it is decided, by other referees if need be."""
        setback = await self._take_up(fixture.match_id)
        await ready(fixture)
        if not self._context.league.decided(fixture.match_id):
            league_id = self._context.ledger.league_id
            with tracing.span("match", league_id=league_id, match_id=fixture.match_id, round_id=fixture.round_id):
                await self._play_through(fixture, planned, setback)

    async def _play_through(self, fixture: Fixture, preferred: str, setback: Setback | None) -> None:
        """Give a match to one referee after another while no player is at fault."""
        match_id, context = fixture.match_id, self._context
        setbacks, excused = [] if setback is None else [setback], set[str]()
        preferred = self._untaken.get(match_id, preferred)
        while not context.league.decided(match_id):
            if setback is not None and setback.reason is Reason.UNREPORTED:
                setback = await self._watch.last_chance(match_id, setback)
                if context.league.decided(match_id):
                    return
            if context.league.sits_out(fixture):
                await self._unless_decided(ForfeitMatch(match_id))
                continue
            tried, league = context.league.attempt(match_id), context.league
            worn_out = tried >= league.most_attempts or tried - len(excused) >= league.rules.max_attempts
            worn_out = worn_out and match_id not in self._untaken
            if worn_out or (setback is not None and not setback.reason.again):
                await self._unless_decided(VoidMatch(match_id, cause_of_void(setbacks)))
                return
            await self._until_possible(fixture, setback)
            referee_id = await self._pool.take(preferred)
            try:
                setback = await self._attempt(fixture, referee_id, setback)
            finally:
                self._let_go(match_id, referee_id)
            if setback is not None:
                setbacks.append(setback)
                if setback.reason.part is OwnPart.SEATS:
                    await self._sit_out_overusers(fixture)
                if setback.reason.part is OwnPart.REFEREE and not self._pool.trusted(referee_id):
                    excused.add(referee_id)
            self._judge(
                referee_id, failed=setback is not None and setback.reason.part not in (OwnPart.SEATS, OwnPart.NODE)
            )
            preferred = self._pool.another(referee_id)

    async def _until_possible(self, fixture: Fixture, setback: Setback | None) -> None:
        """Wait for agents of a lost machine, which are started again elsewhere."""
        context = self._context
        if setback is not None and setback.reason is Reason.NOT_TAKEN and self._pool.all_failed:
            # It may have had all referees: attempts are kept for when they are started again.
            await context.clock.sleep(context.timeouts.heartbeat)
        await context.lost_nodes.until_back(context.league, fixture)

    async def _sit_out_overusers(self, fixture: Fixture) -> None:
        """Leave out who overused the seats process before it failed: it has no claim."""
        context = self._context
        for player_id in fixture.players:
            if context.league.player(player_id).endpoint in context.overused_seats():
                await context.execute(SitOut(player_id, SittingOutReason.OVERSTEPPED, OVERUSED))

    def _judge(self, referee_id: str, *, failed: bool) -> None:
        """Note how a referee's match went; one that failed is pinged until it answers."""
        self._pool.judge(referee_id, failed=failed)
        if failed and self._tasks is not None and self._pool.unheard(referee_id):
            self._tasks.start_soon(self._listen_for, referee_id)

    async def _look_at(self, referee_id: str) -> None:
        """Ask a referee for a match that there is not, until it answers."""
        context = self._context
        peer, message = context.peer(context.league.referee(referee_id)), context.announcements.match_status(NO_MATCH)
        try:
            await context.peers.call(peer, message, MatchStepResponse, timeout=context.timeouts.response, retry=False)
        except MatchNotFound:
            self._pool.heard(referee_id, well=True)
        except (ResponseTimeout, PeerUnreachable):
            await self._listen_for(referee_id)
        except (LeagueError, MalformedReply) as error:
            if is_refusal(error):
                await self._refusals.refused(referee_id, error)
            self._pool.heard(referee_id)
        else:
            self._pool.heard(referee_id)

    async def _listen_for(self, referee_id: str) -> None:
        """Ping a referee until it answers, so that no round waits for its silence."""
        context = self._context
        while referee_id not in context.league.withdrew:
            try:
                await context.peers.ping(
                    context.peer(context.league.referee(referee_id)), timeout=context.timeouts.heartbeat
                )
            except LeagueError:
                await context.clock.sleep(context.timeouts.heartbeat)
            else:
                break
        self._pool.heard(referee_id)

    async def _take_up(self, match_id: str) -> Setback | None:
        """Wait for a match assigned before a restart; the setback if its referee lost it."""
        league = self._context.league
        under_way = league.assignments.get(match_id)
        if under_way is None or league.decided(match_id) or match_id in self._untaken:
            return None
        self._pool.occupy(under_way.referee_id)
        try:
            return await self._watch.await_result(match_id, league.referee(under_way.referee_id), at_once=True)
        finally:
            self._let_go(match_id, under_way.referee_id)

    def _let_go(self, match_id: str, referee_id: str) -> None:
        """Free a referee's capacity; after a departure, when it is done with the match."""
        if self._context.league.by_default(match_id) and self._tasks is not None:
            self._tasks.start_soon(self._outlast, match_id, referee_id)
        else:
            self._pool.release(referee_id)

    async def _outlast(self, match_id: str, referee_id: str) -> None:
        referee = self._context.league.referee(referee_id)
        try:
            await self._watch.pulse(match_id, referee, lambda _: None, at_once=True)
        finally:
            self._pool.release(referee_id)

    async def _attempt(self, fixture: Fixture, referee_id: str, setback: Setback | None) -> Setback | None:
        """Assign a match once; the setback, or None when it is decided."""
        match_id, context = fixture.match_id, self._context
        before = context.league.attempt(match_id)
        if self._untaken.pop(match_id, None) == referee_id:
            before -= 1  # it has the match by the records, and begins with it now
        else:
            await self._unless_decided(AssignMatch(match_id, referee_id, str(setback or "")))
        league = context.league
        if league.decided(match_id):
            return None
        if league.attempt(match_id) == before:
            if league.sits_out(fixture):
                return None
            return Setback(Reason.NOT_TAKEN, referee_id, "it withdrew")
        attempt, referee = league.attempt(match_id), league.referee(referee_id)
        message = context.announcements.start_match(league, fixture, attempt)
        trial = context.timeouts.trial < context.timeouts.silence and self._pool.on_trial(referee_id)
        limit = (context.timeouts.on_trial() if trial else context.timeouts).silence
        try:
            taken = await self._give_out(referee, message, limit)
            if taken.draw_commitment is not None:
                await self._unless_decided(CommitDraw(match_id, attempt, taken.draw_commitment))
                message = context.announcements.start_match(context.league, fixture, attempt, recorded=True)
                await self._give_out(referee, message, limit)
        except (LeagueError, MalformedReply) as error:
            context.journal.event("REFEREE_ERROR", "ERROR", referee_id=referee_id, match_id=match_id, reason=str(error))
            if isinstance(error, RateLimited):
                await context.clock.sleep(context.timeouts.grace)
            if is_refusal(error):
                self._untaken[match_id] = referee_id
                await self._refusals.refused(referee_id, error)
                del self._untaken[match_id]  # it is at fault itself
            return Setback(Reason.NOT_TAKEN, referee_id, shorten(str(error)))
        self._refusals.accepted(referee_id)
        return await self._watch.await_result(match_id, referee, trial=trial)

    async def _give_out(self, referee: Agent, message: StartMatch, limit: float) -> StartMatchResponse:
        """Have a referee take a match, within so many seconds.

        Raises:
            LeagueError, MalformedReply: It did not take it.
        """
        timeouts, peer = self._context.timeouts, self._context.peer(referee)
        outcome: list[StartMatchResponse | Exception] = [ResponseTimeout(f"no answer within {limit:g} s")]

        async def give() -> None:
            try:
                outcome[0] = await self._context.peers.call(
                    peer, message, StartMatchResponse, timeout=timeouts.response, priority=Priority.MATCH
                )
            except (LeagueError, MalformedReply) as error:
                outcome[0] = error
            giving.cancel_scope.cancel()

        async with anyio.create_task_group() as giving:
            giving.start_soon(give)
            await self._context.clock.sleep(limit)
            giving.cancel_scope.cancel()
        if isinstance(outcome[0], Exception):
            raise outcome[0]
        return outcome[0]

    async def _unless_decided(self, command: AssignMatch | CommitDraw | ForfeitMatch | VoidMatch) -> None:
        """Execute a command, unless it comes too late: match, referee or players changed."""
        try:
            await self._context.execute(command)
        except InvalidState:
            league = self._context.league
            sitting = league.sits_out(league.fixture(command.match_id))
            late = isinstance(command, AssignMatch) and (command.referee_id in league.withdrew or bool(sitting))
            late = late or (isinstance(command, ForfeitMatch) and not sitting)
            if not late and not league.decided(command.match_id):
                raise

"""Runs a league: registration, round after round, champion."""

from collections.abc import Callable, Sequence
from contextlib import closing

import anyio
from anyio.abc import TaskGroup

from league_sdk.domain.commands import StartRound
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Fixture
from league_sdk.domain.pairings.schedule import matches_before, spread
from league_sdk.errors import InvalidField, InvalidState
from league_sdk.ports import Peer
from league_sdk.protocol.envelope import Message
from servers.league_manager.absent_players import AbsentPlayers
from servers.league_manager.broadcast import Broadcaster, Delivery
from servers.league_manager.excerpts import Addressed
from servers.league_manager.league_context import LeagueContext
from servers.league_manager.match_dispatcher import MatchDispatcher
from servers.league_manager.operator_controls import OperatorControls
from servers.league_manager.registration_phase import RegistrationPhase


class LeagueRunner:
    """Runs one league from any state to its end, from its ledger alone.

    `between_rounds` is called once a round, where there is time for it.
    """

    def __init__(
        self,
        context: LeagueContext,
        controls: OperatorControls | None = None,
        between_rounds: Callable[[], None] = lambda: None,
    ) -> None:
        self._context = context
        self._between_rounds = between_rounds
        self._registration = RegistrationPhase(context)
        self._dispatcher = MatchDispatcher(context, controls)
        self._absent: AbsentPlayers | None = None
        self._counted = (0, 0)  # rounds, and the matches of all of them

    async def run(self) -> None:
        """Return when the league is complete or stopped, and every live agent told.

        A league that is already complete is announced once more: a manager that was killed may not have come to it.
        """
        context = self._context
        async with anyio.create_task_group() as tasks:
            self._dispatcher.reset(tasks)
            self._absent = AbsentPlayers(context, tasks)
            tasks.start_soon(self._end_when_stopped, tasks)
            with closing(Broadcaster(context.peers, tasks, context.journal, context.timeouts.response)) as broadcaster:
                if context.league.state is not LeagueState.COMPLETED:
                    await self._registration.run()
                    await context.ledger.until(lambda league: league.state is LeagueState.RUNNING)
                    await self._dispatcher.until_aware()
                    await self._rounds(broadcaster)
                    await context.execute(await context.pairing.completion(context.league))
                message, reply = context.announcements.league_completed(context.league, context.ledger.head)
                gone = [*context.withdrawn_referees(), *context.absent_players()]  # not waited for: most are gone
                broadcaster.send(gone, message, reply)
                delivery = self._send(broadcaster, context.everyone(removed=True), message, reply)
            await delivery.wait(context.timeouts.response)
            tasks.cancel_scope.cancel()

    async def tell_over(self) -> None:
        """Tell every live agent of a league that is played no more that it is over."""
        context = self._context
        async with anyio.create_task_group() as tasks:
            with closing(Broadcaster(context.peers, tasks, context.journal, context.timeouts.response)) as broadcaster:
                message, reply = context.announcements.league_completed(context.league, context.ledger.head)
                delivery = self._send(broadcaster, context.everyone(removed=True), message, reply)
            await delivery.wait(context.timeouts.response)
            tasks.cancel_scope.cancel()

    async def _end_when_stopped(self, tasks: TaskGroup) -> None:
        await self._context.ledger.until(lambda league: league.state is LeagueState.STOPPED)
        tasks.cancel_scope.cancel()

    async def _rounds(self, broadcaster: Broadcaster) -> None:
        context, league = self._context, self._context.league
        if league.rounds_completed:
            # A manager that was killed may have told nobody of the last one.
            self._tell_round_completed(league.rounds_completed, broadcaster)
        if league.rules.overlapping_rounds:
            await self._overlap(broadcaster)
        while await self._paired():
            round_id = context.league.rounds_completed + 1
            if context.league.current_round is None:
                if not context.league.endless:  # which has rested before it was paired
                    await self._rest()
                await context.execute(StartRound(round_id))
            await self._play(round_id, broadcaster)
            await self._complete(round_id, broadcaster)

    async def _complete(self, round_id: int, broadcaster: Broadcaster) -> None:
        context = self._context
        await context.execute(await context.pairing.end_of_round(context.league, round_id))
        self._tell_round_completed(round_id, broadcaster)

    async def _overlap(self, broadcaster: Broadcaster) -> None:
        """Play all rounds: a match begins once both of its players are free."""
        context, before = self._context, matches_before(self._context.league.rounds)

        async def ready(fixture: Fixture) -> None:
            await context.ledger.until(lambda league: all(map(league.decided, before[fixture.match_id])))

        async def any_ready(fixtures: Sequence[Fixture]) -> None:
            own = [before[fixture.match_id] for fixture in fixtures]
            await context.ledger.until(lambda league: any(all(map(league.decided, earlier)) for earlier in own))

        async def complete_in_order() -> None:
            for scheduled in context.league.rounds[context.league.rounds_completed :]:
                number = scheduled.round_id
                await context.ledger.until(
                    lambda league, number=number: league.rounds_started >= number and not league.unfinished(number)
                )
                await self._complete(number, broadcaster)

        async with anyio.create_task_group() as rounds:
            rounds.start_soon(complete_in_order)
            for scheduled in context.league.rounds[context.league.rounds_completed :]:
                if scheduled.round_id > context.league.rounds_started:
                    await any_ready(scheduled.fixtures)
                    await context.execute(StartRound(scheduled.round_id))
                plan = await self._announce(scheduled.round_id, broadcaster)
                rounds.start_soon(self._dispatcher.play, scheduled.round_id, plan, ready)

    async def _paired(self) -> bool:
        """Settle the next round unless it is; False when the league is over."""
        context = self._context
        if context.league.rounds_completed < len(context.league.rounds):
            return True
        rested = probed = False
        while True:
            if context.league.goes_on:
                await self._wait_for_next_round(rest=not rested)
                rested = True
            before = context.league
            command = await context.pairing.next_round(before)
            if command is None:
                if context.league.goes_on:
                    continue  # somebody left, or sits out, meanwhile
                if probed or self._absent is None or not context.absent_ids():
                    return False
                await self._absent.probe_all()  # those that could play on are perhaps back
                probed = True
                continue
            try:
                await context.execute(command)
            except (InvalidField, InvalidState):
                # Somebody left, sits out, or the league was closed, while the round was being paired.
                if _who_plays(before) == _who_plays(context.league):
                    raise
            else:
                return True

    async def _wait_for_next_round(self, *, rest: bool) -> None:
        """Wait for an endless league's next round and two players, or its closing."""
        ledger, absent = self._context.ledger, self._absent
        async with anyio.create_task_group() as tasks:

            async def end_when_closed() -> None:
                await ledger.until(lambda league: league.closed)
                tasks.cancel_scope.cancel()

            tasks.start_soon(end_when_closed)
            if rest:
                await self._rest()
            if len(ledger.league.playing()) < 2 and absent is not None:
                tasks.start_soon(absent.keep_probing)
            await ledger.until(lambda league: len(league.playing()) > 1)
            tasks.cancel_scope.cancel()

    async def _rest(self) -> None:
        league = self._context.league
        if league.rounds_completed and league.rules.match_delay_sec:
            await self._context.clock.sleep(league.rules.match_delay_sec)

    async def _play(self, round_id: int, broadcaster: Broadcaster) -> None:
        await self._dispatcher.play(round_id, await self._announce(round_id, broadcaster))

    async def _announce(self, round_id: int, broadcaster: Broadcaster) -> dict[str, str]:
        """Tell everybody of a round; the planned referee by match."""
        context = self._context
        await self._dispatcher.look_at_newcomers()
        league = context.league
        before = self._matches_before(league, round_id)
        plan = spread([league.round(round_id)], tuple(self._dispatcher.shared_among()), before)
        message, reply = context.announcements.round(league, round_id, plan)
        delivery = self._send(broadcaster, context.everyone(), message, reply)
        if self._absent is not None:
            self._absent.probe()
        await delivery.wait(context.timeouts.grace)
        context.journal.event("ROUND_ANNOUNCEMENT_SENT", round_id=round_id)
        self._between_rounds()
        return plan

    def _matches_before(self, league: League, round_id: int) -> int:
        """The number of matches before a round, counted on from the last call."""
        counted, matches = self._counted if self._counted[0] < round_id else (0, 0)
        matches += sum(len(scheduled.fixtures) for scheduled in league.rounds[counted : round_id - 1])
        self._counted = (round_id - 1, matches)
        return matches

    def _send(
        self, broadcaster: Broadcaster, peers: Sequence[Peer], message: Addressed, reply: type[Message]
    ) -> Delivery:
        """Send to all; nothing waits for silent referees and players that are gone."""
        silent = {*self._dispatcher.silent, *self._context.gone.ids}
        broadcaster.send([peer for peer in peers if peer.agent_id in silent], message, reply)
        return broadcaster.send([peer for peer in peers if peer.agent_id not in silent], message, reply)

    def _tell_round_completed(self, round_id: int, broadcaster: Broadcaster) -> None:
        context = self._context
        everyone, players = context.everyone(), context.players()
        for message, reply, to_all in context.announcements.round_completed(context.league, round_id):
            broadcaster.send(everyone if to_all else players, message, reply)


def _who_plays(league: League) -> tuple[object, ...]:
    """All that a pairing depends on, and that changes while it is made."""
    return league.removed, league.sitting_out, league.closed

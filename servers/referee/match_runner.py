"""Runs one match: carries out the match machine's commands, and feeds it results."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import anyio
from anyio.abc import TaskGroup

from clients.message_queue import Overloaded
from league_sdk.clock import to_record_time
from league_sdk.domain.lifecycles import MatchState
from league_sdk.domain.matches import match_io
from league_sdk.domain.matches.match import Match, step
from league_sdk.domain.matches.own_parts import OwnPart
from league_sdk.domain.model import MatchResult
from league_sdk.errors import LeagueError, ResponseTimeout
from league_sdk.json_value import Json
from league_sdk.ports import (
    Acknowledged,
    MalformedReply,
    Peer,
    Priority,
    SeatsAway,
    UnforeseenError,
)
from league_sdk.protocol.envelope import Envelope
from league_sdk.protocol.match import (
    GameErrorAck,
    GameJoinAck,
    GameOverAck,
    MatchResultAck,
    MoveCall,
    MoveResponse,
)
from league_sdk.protocol.substituted import Substituted
from servers.referee.answers import PushedAnswers, must_be_about
from servers.referee.command_order import by_order
from servers.referee.failures import Tries, declined, evidence_of, failure_from
from servers.referee.messages import MatchMessages, MatchSetting
from servers.referee.notices import Notices
from servers.referee.player_timeouts import PlayerTimeouts
from servers.referee.referee_context import RefereeContext
from servers.referee.repeated_calls import RepeatedCalls
from servers.referee.returned_players import ReturnedPlayers
from servers.referee.seats_outage import SeatsOutage
from servers.referee.transcript import Transcript
from servers.referee.turn_clock import TurnClock

OVER = (MatchState.REPORTED, MatchState.ABORTED)
"""The states in which a match is done with."""


REPORT_PAUSE_SEC = 5.0
"""The longest pause before a result is reported again to a manager that is away."""

UNWANTED = frozenset({"E007", "E008", "E010", "E014", "E031"})
"""Refusals of a manager that needs no result of this match any more: it has one, or the match is another's, or void."""

OVERLOAD_PAUSE_SEC = 0.1
"""The shortest pause before a call is queued again that our own queue did not take."""


class MatchRunner:
    """One match from its invitations to its report, isolated from every other.

    `pushed` takes answers that come as calls of their own; `on_state` is called at every change of state.
    """

    def __init__(
        self,
        match: Match[Any],
        context: RefereeContext,
        *,
        players: Mapping[str, Peer],
        messages: MatchMessages,
        limits: PlayerTimeouts,
        pushed: PushedAnswers,
        returned: ReturnedPlayers,
        on_state: Callable[[], None],
    ) -> None:
        peers, clock, journal = context.peers, context.clock, context.journal
        self.match = match
        self._players = dict(players)
        self._manager = context.manager()
        self._messages = messages
        self._peers = peers
        self._limits = limits
        self._retry = context.retry
        self.pushed = pushed
        self._calls = RepeatedCalls(returned, context.retry, clock, journal)
        self.outage = SeatsOutage(peers, clock, journal, limits.seats)
        self._clock = clock
        self._journal = journal
        self._on_state = on_state
        self._transcript = Transcript(clock)
        self._notices = Notices(peers, self._players, self._transcript, limits.response)
        self._tries = Tries()
        self._changed = anyio.Event()
        self._tasks: TaskGroup | None = None
        self._ended = False
        self.deadlines: dict[str, datetime] = {}
        """End of the time that runs for a player now, by player id."""
        self.turn = TurnClock(clock, limits.move)
        self.report_refused = False
        """True once the manager has refused the result; set by the caller that learns of it."""
        self.failed_part: OwnPart | None = None
        """The part of the league for which the match was aborted."""
        self.game_fault = ""
        """The fault in the game's rules for which it was aborted."""

    @property
    def alive(self) -> bool:
        """True while something can still happen in this match."""
        return not self._ended

    async def run(self) -> None:
        """Play the match; return once it is reported, refused or aborted."""
        try:
            async with anyio.create_task_group() as tasks:
                self._tasks = tasks
                self._feed(match_io.Begin(self._now()))
                await self.until(lambda match: match.state in OVER)
                tasks.cancel_scope.cancel()
        finally:
            self._tasks, self._ended = None, True
            self._changed.set()

    async def until(self, condition: Callable[[Match[Any]], bool]) -> Match[Any]:
        """Wait until the match satisfies `condition` or ends, and return it."""
        while self.alive and not condition(self.match):
            await self._changed.wait()
        return self.match

    async def collect(self) -> Match[Any]:
        """By hand: ask for moves, and wait until they are in or a player has failed."""
        self._feed(match_io.Collect(self._now()))
        return await self.until(lambda match: match.state is not MatchState.COLLECTING_CHOICES)

    async def resolve(self) -> Match[Any]:
        """By hand: apply the moves."""
        self._feed(match_io.Resolve(self._now()))
        return self.match

    async def finalize(self) -> Match[Any]:
        """By hand: tell players and manager, and wait until the manager has taken it."""
        self._feed(match_io.Finalize(self._now()))
        return await self.until(lambda match: match.state in OVER)

    def abort(self, reason: str) -> None:
        """Abort the match without a player's fault; a decided one stays decided."""
        if self.match.result is None and not self.match.over:
            self._feed(match_io.Abort(reason, self._now()))

    async def report(self) -> None:
        """Report until the manager takes or refuses it; an absent manager may return.

        A refusal never undoes a match: what is refused is reported again without its evidence.
        """
        result = self.result
        if result is None:
            raise RuntimeError(f"{self.match.match_id} has no result to report")
        failed, evidence = 0, True
        while True:
            message = self._messages.report(self.match, result, evidence=evidence)
            try:
                await self._peers.call(
                    self._manager, message, MatchResultAck, timeout=self._limits.response, priority=Priority.RESULT
                )
            except MalformedReply as error:
                self._journal.event("REPORT_UNREADABLE_ACK", "ERROR", match_id=result.match_id, reason=str(error))
                return self._feed(match_io.Reported(self._now()))
            except LeagueError as error:
                about = {"match_id": result.match_id, "reason": str(error), "evidence_omitted": not evidence}
                if error.code in UNWANTED:
                    self._journal.event("REPORT_UNWANTED", "WARNING", **about)
                    return self._feed(match_io.Reported(self._now()))
                if not error.retryable:
                    self._journal.event("REPORT_REFUSED", "ERROR", **about)
                    if evidence:
                        evidence = False
                        continue
                    self.report_refused = True
                else:
                    self._journal.event("REPORT_DELAYED", "WARNING", **about)
                failed += 1
                await self._clock.sleep(min(REPORT_PAUSE_SEC, self._retry.delay(failed)))
            else:
                return self._feed(match_io.Reported(self._now()))

    @property
    def setting(self) -> MatchSetting:
        return self._messages.setting

    @property
    def messages(self) -> int:
        return len(self._transcript.entries)

    @property
    def result(self) -> MatchResult | None:
        """The result with its transcript so far, once the match is decided."""
        if self.match.result is None:
            return None
        return self._complete(self.match.result)

    def _complete(self, result: MatchResult) -> MatchResult:
        told = self._transcript
        return replace(self._tries.complete(result), transcript=told.entries, substituted=told.substituted)

    def _now(self) -> str:
        return to_record_time(self._clock.now())

    def _feed(self, event: match_io.Input) -> None:
        before = self.match
        self.match, commands = step(self.match, event)
        self.turn.follow(before, self.match)
        if self.match.state_label != before.state_label:
            self._journal.event("MATCH_STATE", match_id=self.match.match_id, state=self.match.state_label)
            self._on_state()
        self._changed.set()
        self._changed = anyio.Event()
        for command in commands:
            if isinstance(command, match_io.NoteStandIn):
                self._transcript.stood_in(command)
        if commands and self._tasks is not None:
            for group in by_order(commands):
                self._tasks.start_soon(self._carry_out, group)

    async def _carry_out(self, commands: tuple[match_io.Command, ...]) -> None:
        for command in commands:
            match command:
                case match_io.Invite():
                    await self._invite(command)
                case match_io.AskForMove():
                    await self._ask(command)
                case match_io.NotifyError():
                    await self._notify_error(command)
                case match_io.SendGameOver():
                    await self._send_game_over(command)
                case match_io.SendReport():
                    await self.report()
                case match_io.NoteStandIn():
                    pass  # noted at once, in its place among the messages

    async def _invite(self, command: match_io.Invite) -> None:
        player = command.player

        def message(_: bool) -> Envelope:
            return self._messages.invitation(self.match, player)

        answer = await self._exchange(
            player, message, GameJoinAck, match_io.JOIN_PHASE, self._limits.join, command.try_number
        )
        if isinstance(answer, GameJoinAck):
            if answer.accept:
                self._feed(match_io.Joined(player, self._now(), answer.draw_nonce or ""))
            else:
                self._feed(match_io.JoinFailed(player, declined(), self._now()))
        else:
            self._feed(match_io.JoinFailed(player, answer, self._now()))

    async def _ask(self, command: match_io.AskForMove) -> None:
        player, turn = command.player, command.turn

        def message(again: bool) -> Envelope:
            limit = self._calls.time_left(player, self._limits.move)
            return self._messages.move_call(self.match, player, limit, repeated=again or command.try_number > 1)

        answer = await self._exchange(
            player, message, MoveResponse, match_io.MOVE_PHASE, self._limits.move, command.try_number
        )
        if isinstance(answer, MoveResponse):
            self._feed(match_io.MoveMade(player, answer.move, self._now(), turn))
        else:
            self._feed(match_io.MoveFailed(player, answer, self._now(), turn))

    async def _exchange(
        self, player: str, write: Callable[[bool], Envelope], reply: type[Any], phase: str, limit: float, number: int
    ) -> Any:
        """One try at asking a player something, anew where the seats process was away.

        `write` makes the message; it is told if the player may have had it before.
        """
        try:
            return await self.outage.outlast(
                lambda: self._players[player],
                lambda again: self._try(player, write(again), reply, phase, limit, number),
            )
        except SeatsAway:
            self.failed_part = OwnPart.SEATS
            self.abort(f"waited for {OwnPart.SEATS.text} in vain")
            return await anyio.sleep_forever()  # the end is on its way

    async def _try(
        self, player: str, message: Envelope, reply: type[Any], phase: str, limit: float, try_number: int
    ) -> Any:
        """One try: the answer, or the failure.

        Raises:
            SeatsAway: It was no try of the player's.
        """
        if try_number > 1:
            await self._calls.pause(player, try_number - 1)
            self._players[player] = await self._calls.found(self._players[player])
        limit, ends = self._calls.begin(player, limit)
        sent_at, started = self._now(), self._clock.monotonic()
        self._transcript.sent(message, player)
        self.deadlines[player] = self._clock.now() + timedelta(seconds=limit)

        def asked() -> dict[str, Json]:
            elapsed = round(self._clock.monotonic() - started, 3)
            told: dict[str, Json] = {"sent": message.message_type, "sent_at": sent_at, "elapsed_sec": elapsed}
            return told | {"limit_sec": limit, "try": try_number}

        try:
            answer, pushed = await self._answer(player, message, reply, limit)
            must_be_about(answer, self.match.match_id, player)
        except UnforeseenError as error:
            # A fault of ours: no player answers for it, and another referee plays the match.
            self.abort(error.message)
            return await anyio.sleep_forever()  # the end is on its way
        except SeatsAway as error:
            self._transcript.failed(message, player, error.code, error.message)
            raise
        except (LeagueError, MalformedReply) as error:
            evidence = asked()
            failure = await self._calls.judge(player, failure_from(error, phase, evidence), ends)
            self._tries.note(player, evidence, failure)
            self._notices.heard(player, failure.cause)
            self._transcript.failed(message, player, failure.error_code, failure.description)
            return failure
        finally:
            self.deadlines.pop(player, None)
        self._tries.note(player, asked())
        self._notices.heard(player)
        self._players[player] = replace(self._players[player], connect_sec=None)
        self._transcript.received(answer, player, pushed=pushed)
        claim = getattr(answer, "substituted", None)
        if claim is not None and not isinstance(claim, Substituted):
            facts = {"match_id": self.match.match_id, "player_id": player, "received": evidence_of(claim)}
            self._journal.event("SUBSTITUTION_IGNORED", "WARNING", **facts)
        return answer

    async def _answer(self, player: str, message: Envelope, reply: type[Any], limit: float) -> tuple[Any, bool]:
        """A player's answer, and True if pushed; a pushed one goes before the reply."""
        answer: Any = None
        turn = message.context.turn if isinstance(message, MoveCall) else None
        with self.pushed.question(player, reply, message.conversation_id, turn) as question:
            try:
                answer = await self._call(player, message, reply, limit)
            except Acknowledged as said:
                taken = said.context.get("agent_sec", 0.0)
                with anyio.move_on_after(max(0.0, limit - taken)):
                    await question.given.wait()
                if question.answer is None:
                    text = f"{player} acknowledged it, and no answer followed within {limit:g} s"
                    raise ResponseTimeout(text, **said.context | {"agent_sec": round(limit, 3)}) from said
            except (LeagueError, MalformedReply):
                if question.answer is None:
                    raise
            return (answer, False) if question.answer is None else (question.answer, True)

    async def _call(self, player: str, message: Envelope, reply: type[Any], limit: float) -> Any:
        """Ask once; the player's time runs only once our own queue has let it through."""
        refused = 0
        while True:
            try:
                return await self._peers.call(
                    self._players[player], message, reply, timeout=limit, priority=Priority.MATCH, retry=False
                )
            except Overloaded as error:
                refused += 1
                self._journal.event("OVERLOADED", "WARNING", match_id=self.match.match_id, reason=error.message)
                await self._clock.sleep(max(OVERLOAD_PAUSE_SEC, self._retry.delay(refused)))

    async def _notify_error(self, command: match_io.NotifyError) -> None:
        message = self._messages.game_error(self.match, command)
        await self._notices.tell(self._tasks, {command.player: message}, GameErrorAck)

    async def _send_game_over(self, command: match_io.SendGameOver) -> None:
        messages = {player: self._messages.game_over(self.match, command.result, player) for player in command.players}
        await self._notices.tell(self._tasks, messages, GameOverAck)

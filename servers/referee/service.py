"""The referee's service: starts matches, runs many at once, takes manual calls."""

import logging
from collections.abc import Mapping
from typing import Any

from league_sdk import tracing
from league_sdk.clock import Clock
from league_sdk.domain.lifecycles import AgentState, AgentTrigger, MatchState
from league_sdk.domain.matches.match import Match, new_match
from league_sdk.domain.model import Role
from league_sdk.errors import InvalidField, RateLimited
from league_sdk.fairness import Draw
from league_sdk.game import Game
from league_sdk.json_value import Json
from league_sdk.ports import CallContext
from league_sdk.protocol import mapping
from league_sdk.protocol.envelope import Message, reply_to
from league_sdk.protocol.match import AnswerAck, GameJoinAck, GameReply, MoveResponse, YourStandings
from league_sdk.protocol.operator import MatchStep, MatchStepResponse, StartMatch, StartMatchResponse
from league_sdk.protocol.rounds import (
    LeagueCompletedAck,
    LeagueCompletedMessage,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompletedAck,
    RoundCompletedMessage,
)
from servers.agent.access import Access, Caller
from servers.agent.derived_calls import Speaker
from servers.agent.identity import Seat
from servers.agent.lifecycle import AgentLifecycle
from servers.referee.answers import PushedAnswers
from servers.referee.assigned_players import gone_in, peers_of, proofs_of, returns_of
from servers.referee.failures import first_of
from servers.referee.game_faults import game_fault, traceback_of
from servers.referee.held_matches import HeldMatches
from servers.referee.known_matches import KnownMatches
from servers.referee.match_runner import OVER, MatchRunner
from servers.referee.messages import MatchMessages, MatchSetting, game_result
from servers.referee.player_timeouts import PlayerTimeouts
from servers.referee.progress import progress
from servers.referee.referee_context import RefereeContext, RefereeHooks
from servers.referee.returned_players import ReturnedPlayers

logger = logging.getLogger(__name__)


class RefereeService:
    """Answers for one referee, and keeps the matches that it runs."""

    def __init__(self, context: RefereeContext, hooks: RefereeHooks) -> None:
        self._context = context
        self._seat = context.seat
        self._clock = context.clock
        self._journal = context.journal
        self._hooks = hooks
        self._matches = KnownMatches()
        self._held = HeldMatches(context.clock, context.journal)
        self.life = AgentLifecycle(context.journal)

    @property
    def runners(self) -> Mapping[str, MatchRunner]:
        """Every match that it still knows, by its session, the latest last."""
        return self._matches.runners

    def identify(self, access: Access, message: Message, token: str | None, context: CallContext) -> Caller:
        """Identify a caller: players by their matches, others by this referee's seat."""
        if access is not Access.ANSWER or not isinstance(message, GameReply):
            return self._seat.identify(access, message, token, context)
        proved = self._matches.latest(message.match_id).pushed.check(message.player_id, token)
        return Caller(Role.PLAYER, message.player_id, proved=proved, address=context.address, dialect=context.dialect)

    def speaker(self, access: Access, arguments: Mapping[str, Json], token: str | None) -> Speaker | None:
        """The player of a match whose ticket or token is shown, or this seat's caller."""
        if access is not Access.ANSWER:
            return self._seat.speaker(access, arguments, token)
        match_id = str(arguments.get("match_id"))
        player = self._matches.latest(match_id).pushed.owner(token) if self._matches.knows(match_id) else ""
        return Speaker(f"{Role.PLAYER}:{player}", player_id=player) if player else None

    async def receive_answer(self, message: GameJoinAck | MoveResponse, caller: Caller) -> AnswerAck:
        """Take the pushed answer of a player that had only acknowledged the question."""
        runner = self._matches.latest(message.match_id)
        runner.pushed.take(message)
        return AnswerAck(
            **reply_to(message, self._seat.sender, self._clock),
            league_id=runner.setting.league_id,
            round_id=runner.match.round_id,
            match_id=message.match_id,
            player_id=caller.agent_id,
        )

    async def idle(self) -> None:
        """Wait until no match is under way."""
        await self._matches.idle()

    def registered(self) -> None:
        self.life.transition(AgentTrigger.REGISTER)

    async def start_match(self, message: StartMatch, caller: Caller) -> StartMatchResponse:
        """Begin a match. The same assignment again changes nothing."""
        del caller
        session_id = f"{message.match_id}#{message.attempt}"
        runner = self.runners.get(session_id)
        if runner is None:
            running = self._matches.undecided
            if running >= self._context.settings.max_concurrent_matches:
                raise RateLimited(f"{running} matches are under way, and no more are taken", running=running)
            runner = self._runner(message)
            self._matches.begin(session_id, runner)
            if message.draw_recorded is False:
                self._held.hold(session_id)
            limit = self._limits(message, "").response
            self._context.spawn(lambda: self._see_through(runner, session_id, limit))
        if message.draw_recorded:
            self._held.release(session_id)
        if message.step_by_step and message.draw_recorded is not False:
            await runner.until(lambda match: match.state is not MatchState.CREATED and not _inviting(match))
        return StartMatchResponse(
            **reply_to(message, self._seat.sender, self._clock),
            match_id=message.match_id,
            game_session_id=session_id,
            state=runner.match.state_label,
            draw_commitment=None if runner.match.draw is None else runner.match.draw.commitment,
        )

    async def match_status(self, message: MatchStep, caller: Caller) -> MatchStepResponse:
        del caller
        return self._step_reply(message, self._matches.find(message))

    async def collect_choices(self, message: MatchStep, caller: Caller) -> MatchStepResponse:
        """By hand: ask the players for their moves."""
        del caller
        runner = self._matches.find(message)
        await runner.collect()
        return self._step_reply(message, runner)

    async def resolve_match(self, message: MatchStep, caller: Caller) -> MatchStepResponse:
        """By hand: apply the moves and the random draw."""
        del caller
        runner = self._matches.find(message)
        await runner.resolve()
        return self._step_reply(message, runner)

    async def finalize_match(self, message: MatchStep, caller: Caller) -> MatchStepResponse:
        """By hand: tell the players and the manager how it ended."""
        del caller
        runner = self._matches.find(message)
        await runner.finalize()
        return self._step_reply(message, runner)

    async def notify_round(self, message: RoundAnnouncement, caller: Caller) -> RoundAnnouncementAck:
        """A round begins; matches come one by one, through `start_match`."""
        del caller
        self.life.try_transition(AgentTrigger.LEAGUE_START)
        return RoundAnnouncementAck(**_reply(self._seat, message, self._clock), round_id=message.round_id)

    async def notify_round_completed(self, message: RoundCompletedMessage, caller: Caller) -> RoundCompletedAck:
        del caller
        return RoundCompletedAck(**_reply(self._seat, message, self._clock), round_id=message.round_id)

    async def notify_league_completed(self, message: LeagueCompletedMessage, caller: Caller) -> LeagueCompletedAck:
        del caller
        if self.life.state is not AgentState.SHUTDOWN:
            self.life.transition(AgentTrigger.LEAGUE_END)
        champion = message.champion
        self._journal.event("LEAGUE_COMPLETED", champion=None if champion is None else champion.player_id)
        self._hooks.on_over()
        return LeagueCompletedAck(**_reply(self._seat, message, self._clock))

    def _runner(self, message: StartMatch) -> MatchRunner:
        league_id = message.league_id or (self._seat.credentials.league_id if self._seat.credentials else "none")
        game_type = message.game_type or self._context.default_game
        game = self._context.games(game_type, message.game_options or {})
        players = _seated(message, game)
        match = new_match(
            game,
            match_id=message.match_id,
            round_id=message.round_id or 1,
            players=players,
            referee_id=self._seat.agent_id,
            draw=self._draw(message, league_id),
            attempt=message.attempt,
            scoring=mapping.scoring(message.scoring),
            max_retries=self._context.settings.max_retries,
            step_by_step=message.step_by_step,
            gone_in=gone_in(message),
        )
        setting = MatchSetting(
            league_id=league_id,
            game_type=game_type,
            conversation_id=self._context.ids.conversation(),
            endpoint=self._hooks.endpoint(),
            on_bad_move=message.on_bad_move,
            names={seat.player_id: seat.name for seat in message.seats if seat.name},
            standings={
                row.player_id: YourStandings(wins=row.wins, losses=row.losses, draws=row.draws, points=row.points)
                for row in message.standings or ()
            },
        )
        return MatchRunner(
            match,
            self._context,
            players=peers_of(message),
            messages=MatchMessages(setting, self._seat.sender, self._clock, self._context.ids),
            limits=self._limits(message, game.move_spec.choice_field),
            pushed=PushedAnswers(proofs_of(message)),
            returned=self._returned_players(message, league_id),
            on_state=lambda: self._hooks.on_state(message.match_id),
        )

    def _limits(self, message: StartMatch, choice_field: str) -> PlayerTimeouts:
        of_league = {} if message.timeouts is None else message.timeouts.model_dump(exclude_none=True)
        return self._context.settings.limits(choice_field, of_league)

    def _returned_players(self, message: StartMatch, league_id: str) -> ReturnedPlayers:
        return ReturnedPlayers(
            before=returns_of(message),
            peers=self._context.peers,
            manager=self._context.manager(),
            league_id=league_id,
            sender=self._seat.sender,
            timeout=self._limits(message, "").response,
            clock=self._clock,
            ids=self._context.ids,
            journal=self._journal,
        )

    def _draw(self, message: StartMatch, league_id: str) -> Draw:
        """This match's secret: fresh, unless the league is to be reproducible."""
        if message.seed:
            return Draw.seeded(message.seed, league_id, message.match_id, message.attempt)
        return Draw(self._context.ids.token(), league_id, message.match_id, message.attempt)

    async def _see_through(self, runner: MatchRunner, session_id: str, longest_hold: float) -> None:
        """Run a match to its end; whatever goes wrong in it stays in it."""
        match_id, began = runner.match.match_id, self._clock.monotonic()
        try:
            with tracing.span("referee match", match_id=match_id, attempt=runner.match.attempt):
                await self._held.wait(session_id, longest_hold)
                await runner.run()
        except Exception as error:
            # The boundary between matches: a fault in a game's rules must not end the other matches.
            logger.exception("%s: match %s failed", self._seat.sender, match_id)
            fault = first_of(error)
            told = {"reason": f"{type(fault).__name__}: {fault}", "traceback": traceback_of(fault)}
            self._journal.event("MATCH_FAILED", "ERROR", match_id=match_id, **told)
            runner.game_fault = game_fault(runner.match.game, fault)
            runner.abort(runner.game_fault or f"{type(fault).__name__} in the referee")
            await self._report_all_the_same(runner)
        finally:
            self._matches.end(runner)
            self._hooks.on_over_match(self._clock.monotonic() - began)

    async def _report_all_the_same(self, runner: MatchRunner) -> None:
        """Report a decided match after a fault of our own; it stays decided."""
        try:
            if runner.match.state not in OVER:
                await runner.report()
        except Exception:
            logger.exception("%s: match %s cannot be reported", self._seat.sender, runner.match.match_id)
            runner.report_refused = True

    def _step_reply(self, message: MatchStep, runner: MatchRunner) -> MatchStepResponse:
        match, result = runner.match, runner.result
        return MatchStepResponse(
            **reply_to(message, self._seat.sender, self._clock),
            match_id=match.match_id,
            game_session_id=f"{match.match_id}#{match.attempt}",
            state=match.state_label,
            choices=dict(match.moves) or None,
            result=None if result is None or runner.report_refused else game_result(result, match.game),
            reported=match.state is MatchState.REPORTED,
            report_refused=runner.report_refused or None,
            failed_part=None if runner.failed_part is None else runner.failed_part.key,
            game_fault=runner.game_fault or None,
            messages=runner.messages,
            **progress(runner),
        )


def _seated(message: StartMatch, game: Game[Any]) -> tuple[str, ...]:
    """Ids of the match's players; InvalidField for a table that the game has not."""
    players = tuple(seat.player_id for seat in message.seats)
    field = "players" if message.players else "player_B_id"
    if len(set(players)) < len(players):
        raise InvalidField("nobody plays against itself", field=field, value=players[-1])
    least, most = game.min_players, game.max_players
    if not least <= len(players) <= most:
        wanted = f"{least} players" if least == most else f"{least} to {most} players"
        raise InvalidField(f"{game.name} is for {wanted}", field=field, value=len(players), expected=wanted)
    return players


def _inviting(match: Match[Any]) -> bool:
    return match.state is MatchState.WAITING_FOR_PLAYERS


def _reply(seat: Seat, message: Any, clock: Clock) -> dict[str, Any]:
    return {**reply_to(message, seat.sender, clock), "referee_id": seat.agent_id or None}

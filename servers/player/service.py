"""Handles a player's messages: accept, choose, remember."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from league_sdk import tracing
from league_sdk.clock import HashRng, Rng, SystemRng, to_record_time, to_wire_time
from league_sdk.domain.league_state import NO_CHAMPION
from league_sdk.domain.lifecycles import (
    PLAYER_MATCH,
    AgentState,
    AgentTrigger,
    PlayerMatchState,
    PlayerMatchTrigger,
)
from league_sdk.domain.model import OnBadMove
from league_sdk.errors import MissingField, UnsupportedGameType
from league_sdk.fairness import Pledge, seeded_nonce
from league_sdk.game import Move, PastMatch, PlayerView
from league_sdk.protocol.envelope import GameMessage, game_reply_to, reply_to
from league_sdk.protocol.match import (
    GameError,
    GameErrorAck,
    GameInvitation,
    GameJoinAck,
    GameOver,
    GameOverAck,
    GameResult,
    MoveCall,
    MoveResponse,
)
from league_sdk.protocol.rounds import (
    LeagueCompletedAck,
    LeagueCompletedMessage,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompletedAck,
    RoundCompletedMessage,
    StandingsUpdateAck,
)
from league_sdk.protocol.substituted import LONGEST_DETAIL, Substituted
from servers.agent.access import Caller
from servers.agent.lifecycle import AgentLifecycle
from servers.player.bad_moves import TOLD, own_move
from servers.player.match_in_progress import MatchInProgress, deadline_of, match_of, past_match
from servers.player.move_substitution import Decision
from servers.player.ports import Chooser, PlayerContext, PlayerHooks

ENDED_KEPT = 100
"""Number of ended matches remembered, so that a late call does not begin one anew."""
NOBODY = "P00"
"""Sender id of a player that has no seat and is not told its id."""


class PlayerService:
    """Answers for one player."""

    def __init__(self, context: PlayerContext, choose: Chooser, hooks: PlayerHooks) -> None:
        self._context = context
        self._seat = context.seat
        self._choose = choose
        self._games = context.games
        self._clock = context.clock
        self._journal = context.journal
        self._seed = context.seed
        self._hooks = hooks
        self._matches: dict[str, MatchInProgress] = {}
        self._ended: deque[str] = deque(maxlen=ENDED_KEPT)
        self._names: dict[str, str] = {}
        self._standings: tuple[Mapping[str, Any], ...] = ()
        self.life = AgentLifecycle(context.journal)

    @property
    def under_way(self) -> Mapping[str, MatchInProgress]:
        """The matches it is in, by id."""
        return self._matches

    @property
    def standings(self) -> Sequence[Mapping[str, Any]]:
        """The table, as the manager told it last."""
        return self._standings

    def past(self) -> tuple[PastMatch, ...]:
        """Past matches, oldest first.

        A memory that cannot be read is no reason to lose a match: it is then as if there were none.
        """
        league_id = self._league_of()
        try:
            return self._context.memory().past_matches(league_id, {name: known for known, name in self._names.items()})
        except (OSError, ValueError) as error:
            self._journal.event("HISTORY_NOT_READ", "ERROR", reason=str(error))
            return ()

    def registered(self) -> None:
        self.life.transition(AgentTrigger.REGISTER)

    async def notify_round(self, message: RoundAnnouncement, caller: Caller) -> RoundAnnouncementAck:
        del caller
        self.life.try_transition(AgentTrigger.LEAGUE_START)
        return RoundAnnouncementAck(
            **self._reply(message), player_id=self._seat.agent_id or None, round_id=message.round_id
        )

    async def handle_game_invitation(self, message: GameInvitation, caller: Caller) -> GameJoinAck:
        """Accept an invitation, if it is for a game that this player plays."""
        del caller
        game, me = self._game_of(message), self._seat.agent_id or message.player_id or NOBODY
        accept = game in self._games
        match = self._matches.setdefault(
            message.match_id, MatchInProgress(game, me, message.opponent_id, message.round_id)
        )
        if message.opponent_name:
            self._names[message.opponent_id] = message.opponent_name
        self._move(match, PlayerMatchTrigger.INVITATION)
        self._move(match, PlayerMatchTrigger.ACCEPT if accept else PlayerMatchTrigger.DECLINE)
        match.moves.clear()
        match.substituted.clear()
        match.seat(message.role_in_match, message.opponents)
        match.on_bad_move = message.on_bad_move
        match.pledge = self._pledge(message, match)
        if not accept:
            self._journal.event("INVITATION_DECLINED", "WARNING", match_id=message.match_id, game=game)
            del self._matches[message.match_id]
        return GameJoinAck(
            **self._answer(message, me),
            auth_token=message.auth_token,
            arrival_timestamp=to_wire_time(self._clock.now()),
            accept=accept,
            draw_nonce=match.pledge.nonce if accept and match.pledge is not None else None,
        )

    async def choose_move(self, message: MoveCall, caller: Caller) -> MoveResponse:
        """Ask the strategy; a repeated call gets the same answer."""
        del caller
        match = self._matches.get(message.match_id) or self._taken_up(message)
        self._move(match, PlayerMatchTrigger.MOVE_CALL)
        turn = message.context.turn or 1
        if turn not in match.moves:
            view = self._view(message, match, turn)
            with tracing.span("choose move", match_id=message.match_id, turn=turn):
                decision = await self._choose(view)
            match.moves[turn] = self._settle(decision, match, message, turn)
        match.turn = turn
        if match.state is PlayerMatchState.PLAYING:
            self._move(match, PlayerMatchTrigger.MOVE)
        self._journal.event("MOVE_CHOSEN", match_id=message.match_id, move=match.moves[turn])
        return MoveResponse(
            **self._answer(message, match.player_id),
            auth_token=message.auth_token,
            move=match.moves[turn],
            turn=message.context.turn,
            substituted=match.substituted.get(turn),
        )

    def _settle(self, decision: Decision, match: MatchInProgress, message: MoveCall, turn: int) -> Move:
        """The move to be sent: the strategy's own, or a legal one in its place.

        Raises StrategyFailed in a match that wants to be told, if there is no move to be sent.
        """
        if decision.trouble is None:
            return decision.move
        asked = message.on_bad_move or match.on_bad_move or self._context.on_bad_move
        tell = asked is OnBadMove.TELL and decision.trouble in TOLD
        reason = decision.reason if tell else f"{decision.reason}; {decision.move!r} was played instead"
        self._hooks.on_trouble(f"{message.match_id}: {reason}")
        event = "BAD_MOVE" if tell else "FALLBACK"
        facts = {"match_id": message.match_id, "trouble": str(decision.trouble), "reason": reason}
        self._journal.event(event, "WARNING", **facts)
        if tell:
            return own_move(decision)
        # A referee may be a stranger's: what the strategy said stays in the player's own log.
        match.substituted[turn] = Substituted(reason=decision.trouble, detail=decision.detail[:LONGEST_DETAIL])
        return decision.move

    async def notify_game_error(self, message: GameError, caller: Caller) -> GameErrorAck:
        """Something went wrong with this player's part; choose anew if it was the move."""
        del caller
        match = self._matches.get(message.match_id)
        if match is not None and message.error_code == "E004":
            match.moves.pop(match.turn, None)
            match.substituted.pop(match.turn, None)
        self._journal.event(
            "GAME_ERROR", "WARNING", match_id=message.match_id, code=message.error_code, retry=message.retry_count
        )
        me = match.player_id if match is not None else message.affected_player or self._seat.agent_id or NOBODY
        return GameErrorAck(**self._answer(message, me))

    async def notify_match_result(self, message: GameOver, caller: Caller) -> GameOverAck:
        """Remember how the match ended."""
        del caller
        match = self._matches.pop(message.match_id, None)
        if match is not None:
            self._ended.append(message.match_id)
            self._move(match, PlayerMatchTrigger.RESULT)
            if message.game_result is not None:
                self._learn(message, message.game_result, match)
        me = match.player_id if match is not None else self._seat.agent_id or NOBODY
        return GameOverAck(**self._answer(message, me))

    def _learn(self, message: GameOver, result: GameResult, match: MatchInProgress) -> None:
        self._check_draw(message.match_id, result, match)
        league_id = self._league_of(message.league_id)
        past = past_match(message.match_id, result, match, league_id, self._names.get(match.opponent_id, ""))
        self._remember(past, match.round_id)
        self._hooks.on_change("history")
        opponent = past.opponent_name or past.opponent_id
        self._hooks.on_news(f"{past.match_id} against {opponent}: {past.result.lower()}, points: {past.points}")

    async def update_standings(self, message: LeagueStandingsUpdate, caller: Caller) -> StandingsUpdateAck:
        """Keep the table for the strategy, and learn the others' names."""
        del caller
        self._standings = tuple(message.model_dump(include={"standings"})["standings"])
        self._names |= {row.player_id: row.display_name for row in message.standings if row.display_name}
        self._hooks.on_change("standings")
        return StandingsUpdateAck(
            **self._reply(message), player_id=self._seat.agent_id or None, round_id=message.round_id
        )

    async def notify_round_completed(self, message: RoundCompletedMessage, caller: Caller) -> RoundCompletedAck:
        del caller
        return RoundCompletedAck(
            **self._reply(message), player_id=self._seat.agent_id or None, round_id=message.round_id
        )

    async def notify_league_completed(self, message: LeagueCompletedMessage, caller: Caller) -> LeagueCompletedAck:
        del caller
        told_again = self.life.state is AgentState.SHUTDOWN  # as by a check, over every dialect
        if not told_again:
            self.life.transition(AgentTrigger.LEAGUE_END)
        heads = [f"{head.display_name} ({head.player_id})" for head in message.winners]
        self._journal.event("LEAGUE_COMPLETED", champion=message.winners[0].player_id if heads else None)
        told = message.no_champion or NO_CHAMPION
        if heads:
            told = f"{'champion' if len(heads) == 1 else 'champions'}: {', '.join(heads)}"
        if not told_again:
            self._hooks.on_news(f"the league is over; {told}")
        self._keep_head(message)
        self._hooks.on_over()
        return LeagueCompletedAck(**self._reply(message), player_id=self._seat.agent_id or None)

    def _keep_head(self, message: LeagueCompletedMessage) -> None:
        """Keep the league's last record out of the reach of its log's owner."""
        head = message.record_head
        if head is None:
            return
        try:
            self._context.memory().keep_head(self._league_of(message.league_id), head.sequence, head.digest)
        except (OSError, ValueError) as error:
            self._journal.event("HEAD_NOT_SAVED", "ERROR", reason=str(error))

    def _reply(self, message: Any) -> dict[str, Any]:
        """Envelope of a reply; without a token, since the connection identifies us."""
        return reply_to(message, self._seat.sender, self._clock)

    def _taken_up(self, message: MoveCall) -> MatchInProgress:
        """Rebuild an unknown match after a restart, if the call has enough fields.

        The ticket has shown that the call is the referee's: it follows from what the manager gave at registration.
        """
        me = message.player_id or self._seat.agent_id or NOBODY
        match = match_of(message, self._game_of(message), self._seat.agent_id or me)
        if match is None or message.match_id in self._ended:
            return MatchInProgress(self._game_of(message), me, "", 0)
        if message.opponent_name:
            self._names[match.opponent_id] = message.opponent_name
        self._journal.event("MATCH_TAKEN_UP", match_id=message.match_id, turn=message.context.turn)
        return self._matches.setdefault(message.match_id, match)

    def _game_of(self, message: GameInvitation | MoveCall) -> str:
        """The game of a match; the league's, which is this player's only one, by default."""
        if message.game_type:
            return message.game_type
        if len(self._games) != 1:
            raise MissingField("game_type is missing, and this player has several games", field="game_type")
        return next(iter(self._games))

    def _league_of(self, told: str = "") -> str:
        """The league that a message tells; else the player's own, or none."""
        return told or (self._seat.credentials.league_id if self._seat.credentials else "")

    def _answer(self, message: GameMessage, player_id: str) -> dict[str, Any]:
        """The envelope of an answer about a match.

        Where the message contracts require `auth_token`, the answer shows the referee its own ticket of the match:
        the player's token for the league manager is none of a referee's business.
        """
        return game_reply_to(message, self._seat.sender, player_id, self._clock)

    def _move(self, match: MatchInProgress, trigger: PlayerMatchTrigger) -> None:
        match.state = PLAYER_MATCH.next(match.state, trigger)
        self._hooks.on_change("current")

    def _pledge(self, message: GameInvitation, match: MatchInProgress) -> Pledge | None:
        """This player's nonce of the random draw; a repeated invitation gets the same."""
        commitment = message.draw_commitment
        if commitment is None:
            return None
        if match.pledge is not None and match.pledge.commitment == commitment:
            return match.pledge
        if self._seed is None:
            nonce = self._context.ids.token()
        else:
            nonce = seeded_nonce(self._seed, self._seat.display_name, message.match_id, commitment)
        attempt = message.attempt or 1
        return Pledge(commitment, message.league_id, message.match_id, attempt, match.player_id, nonce)

    def _check_draw(self, match_id: str, result: GameResult, match: MatchInProgress) -> None:
        """Note a revealed draw that contradicts the referee's commitment."""
        if match.pledge is None:
            return
        fault = match.pledge.fault(result.draw, match.seats)
        if fault is not None:
            self._journal.event("DRAW_NOT_VERIFIED", "ERROR", match_id=match_id, reason=fault)
            self._hooks.on_trouble(f"{match_id}: the draw cannot be verified: {fault}")

    def _view(self, message: MoveCall, match: MatchInProgress, turn: int) -> PlayerView:
        name = message.game_type or match.game_type
        game = self._games.get(name)
        context, me = message.context, match.player_id
        league_id = self._league_of()
        opponent = context.opponent_id or match.opponent_id
        opponents = context.opponents or match.opponents or (opponent,)
        so_far = context.moves_so_far or {}
        return PlayerView(
            game_type=name,
            league_id=league_id,
            match_id=message.match_id,
            round_id=context.round_id or match.round_id,
            player_id=me,
            opponent_id=opponent,
            legal_moves=self._legal_moves(message, name, (me, *opponents)),
            observation=context.observation or {},
            my_moves=tuple(so_far.get(me, ())),
            opponent_moves=tuple(so_far.get(opponent, ())),
            history=self._history(league_id),
            standings=self._standings,
            counters=game.counters if game else {},
            opponents=opponents,
            opponents_moves={other: tuple(so_far.get(other, ())) for other in opponents},
            stand_ins=context.stand_ins or (),
            deadline=deadline_of(message, self._clock.now()),
            rng=self._rng(message.match_id, turn),
        )

    def _remember(self, past: PastMatch, round_id: int) -> None:
        """Save a match; a failure to write must not cost the referee its answer."""
        try:
            self._context.memory().remember(past, round_id=round_id, timestamp=to_record_time(self._clock.now()))
        except (OSError, ValueError) as error:
            self._journal.event("HISTORY_NOT_SAVED", "ERROR", match_id=past.match_id, reason=str(error))

    def _history(self, league_id: str) -> tuple[PastMatch, ...]:
        """The strategy's history; with a seed of this league only, for reproducibility."""
        past = self.past()
        return past if self._seed is None else tuple(match for match in past if match.league_id == league_id)

    def _legal_moves(self, message: MoveCall, name: str, players: tuple[str, ...]) -> tuple[Move, ...]:
        if message.context.legal_moves:
            return tuple(message.context.legal_moves)
        game = self._games.get(name)
        if game is None:
            raise UnsupportedGameType(
                f"{name!r} is not installed here, and the call names no legal moves",
                field="game_type",
                value=name,
                expected=sorted(self._games),
            )
        opening = game.start(players, HashRng(message.match_id))
        return game.legal_moves(opening, players[0])

    def _rng(self, match_id: str, turn: int) -> Rng:
        return (
            SystemRng() if self._seed is None else HashRng(f"{self._seed}:{self._seat.display_name}:{match_id}:{turn}")
        )

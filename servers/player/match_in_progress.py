"""State of a player's match, from an invitation or a repeated call."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from league_sdk.domain.lifecycles import PLAYER_MATCH, PlayerMatchState, PlayerMatchTrigger
from league_sdk.domain.model import OnBadMove
from league_sdk.fairness import Pledge
from league_sdk.game import Move, PastMatch
from league_sdk.protocol.match import GameResult, MoveCall
from league_sdk.protocol.substituted import Substituted

MOVE_SEC = 30.0
"""The protocol's time for a move, for a caller that names none."""


@dataclass(slots=True)
class MatchInProgress:
    """State of a match that a player is in."""

    game_type: str
    player_id: str
    opponent_id: str
    round_id: int
    state: PlayerMatchState = PlayerMatchState.IDLE
    moves: dict[int, Move] = field(default_factory=dict[int, Move])
    substituted: dict[int, Substituted] = field(default_factory=dict[int, Substituted])
    turn: int = 0
    seats: tuple[str, ...] = ()
    pledge: Pledge | None = None
    opponents: tuple[str, ...] = ()
    on_bad_move: OnBadMove | None = None

    def seat(self, role_in_match: str, opponents: tuple[str, ...] | None = None) -> None:
        """Take the seat that the referee names, among opponents in seat order."""
        self.opponents = opponents or (self.opponent_id,)
        place = ord(role_in_match[-1]) - ord("A")
        self.seats = (*self.opponents[:place], self.player_id, *self.opponents[place:])


def match_of(call: MoveCall, game_type: str, me: str) -> MatchInProgress | None:
    """A match rebuilt from a repeated call; None where the call lacks fields.

    The player's part of the match's chance cannot be known any more: this match's draw goes unchecked.
    """
    if call.role_in_match is None:
        return None
    context = call.context
    match = MatchInProgress(game_type, me, context.opponent_id, context.round_id or call.round_id)
    for trigger in (PlayerMatchTrigger.INVITATION, PlayerMatchTrigger.ACCEPT):
        match.state = PLAYER_MATCH.next(match.state, trigger)
    match.seat(call.role_in_match, context.opponents)
    return match


def deadline_of(message: MoveCall, now: datetime) -> datetime:
    """The deadline by our own clock: the caller's may be wrong, its limit isn't."""
    limit = MOVE_SEC if message.time_limit_sec is None else message.time_limit_sec
    if not message.deadline:
        return now + timedelta(seconds=limit)
    named = datetime.fromisoformat(message.deadline).astimezone(UTC)
    written = datetime.fromisoformat(message.timestamp).astimezone(UTC)
    if message.time_limit_sec is None and named > written:  # some write the time of writing
        granted = now + (named - written)
    else:
        granted = now + timedelta(seconds=limit)
    return granted if named <= now else min(named, granted)


def past_match(
    match_id: str, result: GameResult, match: MatchInProgress, league_id: str, opponent_name: str
) -> PastMatch:
    """A match as the player remembers it."""
    me = match.player_id
    won, drawn = result.winner_player_id == me, result.status == "DRAW"
    choices = result.choices or {}
    return PastMatch(
        match_id=match_id,
        league_id=league_id,
        opponent_id=match.opponent_id,
        opponent_name=opponent_name,
        result="WIN" if won else "DRAW" if drawn else "LOSS",
        my_moves=as_moves(choices.get(me)),
        opponent_moves=as_moves(choices.get(match.opponent_id)),
        points=(result.score or {}).get(me, 0),
        details=result.details,
        game_type=match.game_type,
        substituted=Counter(str(claim.reason) for claim in match.substituted.values()),
    )


def as_moves(choice: Any) -> tuple[Move, ...]:
    """A result's choice of a player: one move, or its moves in order."""
    if choice is None:
        return ()
    return tuple(cast("list[Move]", choice)) if isinstance(choice, list) else (choice,)

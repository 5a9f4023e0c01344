"""A match as a value: how it begins, and how it gets from one state to the next.

What happens in it, and what is to be done then, is decided in `match.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar, cast

from league_sdk.domain.lifecycles import MATCH, MatchState, MatchTrigger
from league_sdk.domain.model import Fault, MatchResult, Scoring
from league_sdk.fairness import Draw
from league_sdk.game import Game, Move

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Match(Generic[S]):
    """A match as it stands.

    Attributes:
        game: The rules.
        match_id: Such as `R1M1`.
        round_id: Its round.
        players: Ids in seat order.
        referee_id: Who runs it.
        attempt: From 1.
        scoring: League points by result.
        max_retries: How often a player is asked again before it is a technical loss.
        seed: What all chance in this match is derived from; with a draw, empty until everybody has joined.
        draw: The referee's secret part of the seed; None when the seed was given as it is.
        step_by_step: Whether an operator drives it with Collect, Resolve and Finalize.
        state: Where it stands.
        game_state: The game's own state, once everybody has joined.
        turn: The present turn, from 1; 0 before the first.
        awaited: Who has been asked and not yet answered or failed for good, with the number of the present try.
        moves: The legal moves of the present turn, as they came in.
        joined_at: When each player joined.
        nonces: The players' parts of the seed, of those who gave one.
        faults: Who lost the match technically, and why.
        lifecycle: When each state was first entered, under the names that are written out.
        result: How it ended, once it has.
        abort_reason: Why it was aborted, if it was.
    """

    game: Game[S]
    match_id: str
    round_id: int
    players: tuple[str, ...]
    referee_id: str
    attempt: int
    scoring: Scoring
    max_retries: int
    seed: str
    step_by_step: bool
    draw: Draw | None = None
    state: MatchState = MATCH.initial
    game_state: S | None = None
    turn: int = 0
    awaited: Mapping[str, int] = field(default_factory=dict[str, int])
    moves: Mapping[str, Move] = field(default_factory=dict[str, Move])
    joined_at: Mapping[str, str] = field(default_factory=dict[str, str])
    nonces: Mapping[str, str] = field(default_factory=dict[str, str])
    faults: tuple[Fault, ...] = ()
    lifecycle: Mapping[str, str] = field(default_factory=dict[str, str])
    result: MatchResult | None = None
    abort_reason: str = ""

    @property
    def state_label(self) -> str:
        """The state's name as it is written out: the game has a name of its own for RESOLVING."""
        return _label(self.game, self.state)

    @property
    def over(self) -> bool:
        """Whether it has ended, in whichever way."""
        return self.result is not None or self.state is MatchState.ABORTED


def new_match(
    game: Game[S],
    *,
    match_id: str,
    round_id: int,
    players: tuple[str, ...],
    referee_id: str,
    seed: str = "",
    draw: Draw | None = None,
    attempt: int = 1,
    scoring: Scoring | None = None,
    max_retries: int = 3,
    step_by_step: bool = False,
) -> Match[S]:
    """A match that has not begun. Its chance follows from `draw` and the players' nonces, or from `seed` alone.

    Raises:
        ValueError: A player is named twice, the game is not for so many, or `max_retries` is negative.
    """
    if len(set(players)) != len(players):
        raise ValueError(f"{match_id}: {players} names a player twice")
    if not game.min_players <= len(players) <= game.max_players:
        raise ValueError(
            f"{match_id}: {game.name} is for {game.min_players} to {game.max_players} players, got {len(players)}"
        )
    if max_retries < 0:
        raise ValueError(f"{match_id}: max_retries is {max_retries}, expected 0 or more")
    return Match(
        game=game,
        match_id=match_id,
        round_id=round_id,
        players=players,
        referee_id=referee_id,
        attempt=attempt,
        scoring=scoring or Scoring(),
        max_retries=max_retries,
        seed=seed,
        step_by_step=step_by_step,
        draw=draw,
    )


def enter(match: Match[S], trigger: MatchTrigger, at: str) -> Match[S]:
    """The match in its next state, and when it first got there."""
    state = MATCH.next(match.state, trigger)
    label = _label(match.game, state)
    return replace(match, state=state, lifecycle={**match.lifecycle, label: match.lifecycle.get(label, at)})


def playing(match: Match[S]) -> S:
    """The game's state; there is one in every state of the match in which it is asked for."""
    return cast(S, match.game_state)


def _label(game: Game[S], state: MatchState) -> str:
    return game.move_spec.resolving_label if state is MatchState.RESOLVING else str(state)

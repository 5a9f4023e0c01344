"""A match as a value: its beginning, and its transitions.

Inputs and commands are handled in `match.py`.
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
    """The state of a match."""

    game: Game[S]
    match_id: str
    round_id: int
    players: tuple[str, ...]  # ids in seat order
    referee_id: str
    attempt: int  # from 1
    scoring: Scoring
    max_retries: int  # before a technical loss
    seed: str  # of all chance; with a draw, empty until all have joined
    step_by_step: bool  # driven by Collect, Resolve and Finalize
    draw: Draw | None = None  # the referee's secret part of the seed; None if the seed was given
    state: MatchState = MATCH.initial
    game_state: S | None = None  # once all have joined
    turn: int = 0  # from 1; 0 before the first
    awaited: Mapping[str, int] = field(default_factory=dict[str, int])  # current try of each unanswered player
    gone_in: Mapping[str, str] = field(default_factory=dict[str, str])  # last match of players that were gone in it
    gone: Mapping[str, int] = field(default_factory=dict[str, int])  # tries of this call that found a player gone
    moves: Mapping[str, Move] = field(default_factory=dict[str, Move])  # legal moves of this turn
    joined_at: Mapping[str, str] = field(default_factory=dict[str, str])
    nonces: Mapping[str, str] = field(default_factory=dict[str, str])  # players' parts of the seed
    faults: tuple[Fault, ...] = ()
    stand_ins: Mapping[str, int] = field(default_factory=dict[str, int])  # first turn with a stand-in's move, by player
    lifecycle: Mapping[str, str] = field(default_factory=dict[str, str])  # first time of each state
    result: MatchResult | None = None
    abort_reason: str = ""

    @property
    def state_label(self) -> str:
        """The state's name in messages and files: a game may rename RESOLVING."""
        return _label(self.game, self.state)

    @property
    def failed(self) -> frozenset[str]:
        """The players at fault."""
        return frozenset(fault.player_id for fault in self.faults)

    @property
    def over(self) -> bool:
        """True if it has a result or was aborted."""
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
    gone_in: Mapping[str, str] | None = None,
) -> Match[S]:
    """A match before it begins; chance is from `draw` and nonces, or `seed` alone.

    `gone_in` names the last match of players that were gone in it, and have not been seen since. Raises ValueError if a
    player is named twice, the game is not for so many, or `max_retries` is negative.
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
        gone_in=gone_in or {},
    )


def enter(match: Match[S], trigger: MatchTrigger, at: str) -> Match[S]:
    """The match in its next state, with the time of its first entry."""
    state = MATCH.next(match.state, trigger)
    label = _label(match.game, state)
    return replace(match, state=state, lifecycle={**match.lifecycle, label: match.lifecycle.get(label, at)})


def playing(match: Match[S]) -> S:
    """The game's state, once it has started."""
    return cast(S, match.game_state)


def _label(game: Game[S], state: MatchState) -> str:
    return game.move_spec.resolving_label if state is MatchState.RESOLVING else str(state)

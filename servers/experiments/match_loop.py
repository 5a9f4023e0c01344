"""One match of two strategies, played without agents and wire.

Turns, chance, views and substituted moves are those of the referee's match machine (`league_sdk.domain.match`) and of a
player (`servers.player`); a test plays every game with every strategy both ways. There is no time limit for a move.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any

from league_sdk.clock import HashRng
from league_sdk.domain.model import SubstitutionReason
from league_sdk.game import Game, Move, Outcome, PastMatch, PlayerView, StrategyFunction
from servers.player.strategies.fallback import legal_move, reason_of

LEAGUE_ID = "experiment"
"""The league that strategies see."""


@dataclass(slots=True)
class Contestant:
    """A strategy in a seat."""

    player_id: str
    name: str
    choose: StrategyFunction
    history: tuple[PastMatch, ...] = ()
    substituted: int = 0  # in this match
    fault: str = ""  # the first reason for it


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """The end of a match."""

    outcome: Outcome
    turns: int
    moves: dict[str, list[Move]]  # public moves by player id


def play(
    game: Game[Any], seats: Sequence[Contestant], *, seed: str, chance: str, match_id: str, round_id: int = 1
) -> PlayedGame:
    """Play one match; `chance` seeds the game, `seed` and the match the strategies.

    Raises ValueError if the game breaks its contract.
    """
    players = tuple(seat.player_id for seat in seats)
    by_id = dict(zip(players, zip(seats, reversed(seats), strict=True), strict=True))
    for seat in seats:
        seat.substituted, seat.fault = 0, ""
    state, turn, outcome = game.start(players, HashRng(f"{chance}:start")), 0, None
    while outcome is None:
        turn += 1
        movers = game.to_move(state)
        if not movers:
            raise ValueError(f"{game.name}: nobody is to move, but there is no outcome either")
        public, moves = game.public_moves(state), dict[str, Move]()
        for player in movers:
            seat, other = by_id[player]
            view = PlayerView(
                game_type=game.name,
                league_id=LEAGUE_ID,
                match_id=match_id,
                round_id=round_id,
                player_id=player,
                opponent_id=other.player_id,
                legal_moves=tuple(game.legal_moves(state, player)),
                observation=game.observe(state, player),
                my_moves=tuple(public.get(player, ())),
                opponent_moves=tuple(public.get(other.player_id, ())),
                history=seat.history,
                counters=game.counters,
                rng=HashRng(f"{seed}:{seat.name}:{match_id}:{turn}"),
            )
            moves[player] = _choice(seat, view)
        state = game.apply(state, moves, HashRng(f"{chance}:{turn}"))
        outcome = game.outcome(state)
    if outcome.winner is not None and outcome.winner not in by_id:
        raise ValueError(f"{game.name}: the winner {outcome.winner!r} does not play in {match_id}")
    return PlayedGame(outcome, turn, game.public_moves(state))


def _choice(seat: Contestant, view: PlayerView) -> Move:
    """The strategy's move; a random legal one in place of a failure."""
    try:
        choice = seat.choose(view)
        if type(choice) is str and choice in view.legal_moves:
            return choice
        if inspect.isawaitable(choice):
            choice = asyncio.run(_finish(choice))
    except (Exception, SystemExit) as error:
        return _substitute(seat, view, f"{reason_of(error)} {type(error).__name__}")
    try:
        return legal_move(view, choice)
    except ValueError:
        return _substitute(seat, view, str(SubstitutionReason.ILLEGAL))


async def _finish(choice: Awaitable[Move]) -> Move:
    return await choice


def _substitute(seat: Contestant, view: PlayerView, fault: str) -> Move:
    seat.substituted += 1
    seat.fault = seat.fault or fault
    return view.rng.choice(view.legal_moves)

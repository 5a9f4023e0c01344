"""One match of two strategies, played without agents and wire.

Turns, chance, views and substituted moves are those of the referee's match machine (`league_sdk.domain.match`) and of a
player (`servers.player`); a test plays every game with every strategy both ways. There is no time limit for a move.
"""

import asyncio
import inspect
from collections import Counter
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
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
    reasons: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """The end of a match."""

    outcome: Outcome
    turns: int
    moves: dict[str, list[Move]]  # public moves by player id


class _View:
    """A view while its fields are set: a frozen dataclass takes three times as long."""

    __slots__ = PlayerView.__slots__


def play(
    game: Game[Any], seats: Sequence[Contestant], *, seed: str, chance: str, match_id: str, round_id: int = 1
) -> PlayedGame:
    """Play one match; `chance` seeds the game, `seed` and the match the strategies.

    Raises ValueError if the game breaks its contract.
    """
    players = tuple(seat.player_id for seat in seats)
    by_id = dict(zip(players, zip(seats, reversed(seats), strict=True), strict=True))
    for seat in seats:
        seat.substituted, seat.fault, seat.reasons = 0, "", Counter()
    name, counters = game.name, game.counters
    seeds = {seat.player_id: f"{seed}:{seat.name}:{match_id}:" for seat in seats}
    state, turn, outcome = game.start(players, HashRng(f"{chance}:start")), 0, None
    while outcome is None:
        turn += 1
        at = str(turn)
        movers = game.to_move(state)
        if not movers:
            raise ValueError(f"{game.name}: nobody is to move, but there is no outcome either")
        public = {player: tuple(made) for player, made in game.public_moves(state).items()}
        moves = dict[str, Move]()
        for player in movers:
            seat, other = by_id[player]
            view: Any = _View()
            view.game_type, view.league_id, view.match_id, view.round_id = name, LEAGUE_ID, match_id, round_id
            view.player_id, view.opponent_id = player, other.player_id
            view.legal_moves = tuple(game.legal_moves(state, player))
            view.observation = game.observe(state, player)
            view.my_moves, view.opponent_moves = public.get(player, ()), public.get(other.player_id, ())
            view.opponents, view.opponents_moves = (other.player_id,), {other.player_id: view.opponent_moves}
            view.history, view.standings, view.counters, view.deadline = seat.history, (), counters, None
            view.rng = HashRng(seeds[player] + at)
            view.__class__ = PlayerView
            try:
                choice = seat.choose(view)
            except (Exception, SystemExit) as error:
                moves[player] = _substitute(seat, view, f"{reason_of(error)} {type(error).__name__}")
                continue
            moves[player] = choice if type(choice) is str and choice in view.legal_moves else _legal(seat, view, choice)
        state = game.apply(state, moves, HashRng(f"{chance}:{at}"))
        outcome = game.outcome(state)
    if outcome.winner is not None and outcome.winner not in by_id:
        raise ValueError(f"{game.name}: the winner {outcome.winner!r} does not play in {match_id}")
    return PlayedGame(outcome, turn, game.public_moves(state))


def _legal(seat: Contestant, view: PlayerView, choice: Any) -> Move:
    """The strategy's move, awaited; a random legal one in place of a failure."""
    try:
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
    seat.reasons[fault.partition(" ")[0]] += 1
    return view.rng.choice(view.legal_moves)

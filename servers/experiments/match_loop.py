"""One match of two strategies, played without agents and wire.

Turns, chance, views and substituted moves are those of the referee's match machine (`league_sdk.domain.matches.match`)
and of a player (`servers.player`); a test plays every game with every strategy both ways. There is no time limit for a
move.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from league_sdk.domain.model import SubstitutionReason
from league_sdk.game import Game, MatchLoop, Move, PastMatch, PlayerView, StrategyFunction, turns
from servers.experiments.lazy_view import GameFailed, MatchTurn, lazy_view
from servers.player.move_substitution import legal_move, reason_of

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
    reasons: dict[str, int] = field(default_factory=dict[str, int])


def play(
    game: Game[Any], seats: Sequence[Contestant], *, seed: str, chance: str, match_id: str, round_id: int = 1
) -> MatchLoop[Any]:
    """Play one match; `chance` seeds the game, `seed` and the match the strategies.

    Raises ValueError if the game breaks its contract, and what the game raises.
    """
    players = tuple(seat.player_id for seat in seats)
    known = dict[str, tuple[Contestant, dict[str, Any]]]()
    for me, other in (seats, seats[::-1]):
        me.substituted, me.fault, me.reasons = 0, "", {}
        fields: dict[str, Any] = {
            "game_type": game.name,
            "league_id": LEAGUE_ID,
            "match_id": match_id,
            "round_id": round_id,
            "player_id": me.player_id,
            "opponent_id": other.player_id,
            "opponents": (other.player_id,),
            "stand_ins": (),
            "history": me.history,
            "standings": (),
            "deadline": None,
            "counters": game.counters,
            "seed": f"{seed}:{me.name}:{match_id}:",
        }
        known[me.player_id] = me, fields
    match = turns(game, players, chance)
    try:
        for movers in match:
            at = MatchTurn(game, match.state, match.turn)
            moves: dict[str, Move] = {}
            for player in movers:
                moves[player] = _move(at, *known[player])
            match.moves = moves
    except GameFailed as failure:
        raise failure.__cause__ or failure from None
    winner = match.end.winner
    if winner is not None and winner not in players:
        raise ValueError(f"{game.name}: the winner {winner!r} does not play in {match_id}")
    return match


def _move(turn: MatchTurn, me: Contestant, known: Mapping[str, Any]) -> Move:
    """The legal move of a contestant."""
    view = lazy_view(turn, known)
    try:
        choice = me.choose(view)
    except (Exception, SystemExit) as error:
        return _substitute(me, view, f"{reason_of(error)} {type(error).__name__}")
    if type(choice) is str and (choice is view.drawn or choice in turn.game.legal_moves(turn.state, me.player_id)):
        return choice
    return _legal(me, view, choice)


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
    reason = fault.partition(" ")[0]
    seat.reasons[reason] = seat.reasons.get(reason, 0) + 1
    return view.rng.choice(view.legal_moves)

"""Minimax: the best move against the best replies, by alpha-beta search.

For games of turns without chance and hidden information. Iterative deepening: each depth is searched to its end while
positions or time are left, and the last finished one decides; a position that is still open counts as even. Among equal
values a quicker win and a later loss are better. See D. Knuth and R. Moore, Artificial Intelligence 6 (1975).
"""

import json
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from league_sdk.clock import Clock
from league_sdk.game import Move, PlayerView, Strategy, StrategyFunction
from servers.player.positions import Position, SearchLimit, position_of, searching

NODES = 10_000
"""Positions of one search by default: about a second in Python; solves nine cells after one move."""

REMEMBERED = 10_000
"""Searches whose move is remembered for further matches."""


class _LimitReached(Exception):
    """The search may look at no further position."""


@dataclass(slots=True)
class _AlphaBeta:
    """One search to increasing depths."""

    player: str
    steps: Iterator[bool]
    cut: bool = False  # an open position was valued in this depth

    def best(self, position: Position) -> Move:
        """The first of the best moves of the deepest search that was finished."""
        moves, best, depth = position.moves(), position.moves()[0], 0
        try:
            while len(moves) > 1:
                depth, self.cut = depth + 1, False
                best, value = self._best_at(position, moves, depth)
                if not self.cut or value != 0:
                    break
                moves = (best, *(move for move in moves if move != best))
        except _LimitReached:
            pass
        return best

    def _best_at(self, position: Position, moves: tuple[Move, ...], depth: int) -> tuple[Move, float]:
        best, alpha = moves[0], -inf
        for move in moves:
            value = self._value(position.after(move), depth - 1, 1, alpha, inf)
            if value > alpha:
                best, alpha = move, value
        return best, alpha

    def _value(self, position: Position, depth: int, ply: int, alpha: float, beta: float) -> float:
        """The value for the player; exact between `alpha` and `beta`, else a bound."""
        if not next(self.steps, False):
            raise _LimitReached
        mover = position.mover
        if mover is None:
            return position.value(self.player) / ply
        if depth <= 0:
            self.cut = True
            return 0.0
        mine = mover == self.player
        for move in position.moves():
            value = self._value(position.after(move), depth - 1, ply + 1, alpha, beta)
            if mine:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                break
        return alpha if mine else beta


def make(argument: str, clock: Clock | None = None) -> StrategyFunction:
    """The strategy of `argument` positions a move, or of a time such as `0.5s`."""
    limit = SearchLimit(argument, "minimax", "positions", NODES, clock)
    found: OrderedDict[str, Move] = OrderedDict()

    def search(view: PlayerView) -> Move:
        position = position_of(view)
        key = json.dumps([view.game_type, position.players.index(view.player_id), view.my_moves, view.opponent_moves])
        if key not in found:
            found[key] = _AlphaBeta(view.player_id, limit.steps(view)).best(position)
            if len(found) > REMEMBERED:
                found.popitem(last=False)
        return found[key]

    return searching(search)


MINIMAX = Strategy(
    "minimax",
    "Searches games of turns without chance and hidden information for the best move.",
    make,
    argument="positions",
)

"""Nash: a mix of moves that nobody can exploit.

The maximin mix of a game of two players with zero sum, by linear programming: J. von Neumann, "Zur Theorie der
Gesellschaftsspiele" (1928), and G. B. Dantzig (1951) for the program. It learns nothing, and needs scipy, which the
extra `analysis` brings.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from league_sdk.game import PlayerView, Strategy, StrategyFunction
from servers.player.payoffs import PairOfMoves, Payoffs, by_payoffs

SOLVER = "scipy.optimize"


def make(argument: str) -> StrategyFunction:
    """The strategy; refused without scipy."""
    del argument
    try:  # now, since to load it may take longer than a move may
        import_module(SOLVER)
    except ImportError as error:
        raise ValueError(
            "nash needs scipy, which is not installed: pip install 'mcp-agent-league[analysis]'"
        ) from error
    return by_payoffs(weights)


def weights(view: PlayerView, payoffs: Payoffs, played: Sequence[PairOfMoves]) -> Sequence[float]:
    """The chances of the moves in the mix."""
    del view, played
    return maximin(payoffs.rows)


@lru_cache(maxsize=32)
def maximin(rows: tuple[tuple[float, ...], ...]) -> tuple[float, ...]:
    """The mix of rows whose least expected payoff is the largest.

    Maximizes `v` such that no column pays less than `v` against the mix.
    """
    linprog: Any = import_module(SOLVER).linprog
    columns = list(zip(*rows, strict=True))
    found = linprog(
        c=[0.0] * len(rows) + [-1.0],
        A_ub=[[-value for value in column] + [1.0] for column in columns],
        b_ub=[0.0] * len(columns),
        A_eq=[[1.0] * len(rows) + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * len(rows) + [(None, None)],
    )
    return tuple(max(0.0, float(chance)) for chance in found.x[:-1])


NASH = Strategy("nash", "Plays a mix of moves that nobody can exploit (maximin, for two players).", make)

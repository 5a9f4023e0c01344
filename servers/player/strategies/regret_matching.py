"""Regret matching: each move as likely as it is regretted.

The regret of a move is what it would have gained over the moves that were made, in all turns so far; negative regrets
count as none. See S. Hart and A. Mas-Colell, "A Simple Adaptive Procedure Leading to Correlated Equilibrium",
Econometrica 68 (2000), for the variant of unconditional regrets. Against any opponent the mean regret goes to zero.
"""

from collections.abc import Sequence

from league_sdk.game import PlayerView, Strategy
from servers.player.payoffs import PairOfMoves, Payoffs, by_payoffs


def weights(view: PlayerView, payoffs: Payoffs, played: Sequence[PairOfMoves]) -> Sequence[float]:
    """The positive regrets; without any, every move is as likely as another."""
    del view
    regrets = [sum(row[turn.reply] - payoffs.rows[turn.move][turn.reply] for turn in played) for row in payoffs.rows]
    positive = [max(0.0, regret) for regret in regrets]
    return positive if sum(positive) > 1e-9 else [1.0] * len(payoffs.moves)


REGRET_MATCHING = Strategy(
    "regret-matching",
    "Plays each move as often as it regrets not to have played it.",
    lambda _: by_payoffs(weights),
)

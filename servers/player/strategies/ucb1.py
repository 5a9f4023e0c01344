"""UCB1: the move with the highest upper confidence bound of its mean payoff.

A bandit algorithm: it looks at its own moves and what they brought, never at what others would have brought. The bound
is the mean plus sqrt(2 ln n / k) after `k` of `n` turns, with payoffs from 0 to 1: P. Auer, N. Cesa-Bianchi and
P. Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem", Machine Learning 47 (2002).
"""

from collections.abc import Sequence
from math import log, sqrt

from league_sdk.game import PlayerView, Strategy
from servers.player.payoffs import PairOfMoves, Payoffs, best_of, by_payoffs


def weights(view: PlayerView, payoffs: Payoffs, played: Sequence[PairOfMoves]) -> Sequence[float]:
    """The moves with the highest bound; those not tried yet come first."""
    del view
    gained, tried = [0.0] * len(payoffs.moves), [0] * len(payoffs.moves)
    for turn in played:
        gained[turn.move] += payoffs.share(turn.move, turn.reply)
        tried[turn.move] += 1
    untried = [float(not times) for times in tried]
    if any(untried):
        return untried
    return best_of(
        [gain / times + sqrt(2 * log(len(played)) / times) for gain, times in zip(gained, tried, strict=True)]
    )


UCB1 = Strategy(
    "ucb1",
    "A bandit: plays the move with the highest upper confidence bound of its payoff.",
    lambda _: by_payoffs(weights),
    aliases=("ucb",),
)

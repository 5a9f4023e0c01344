"""Thompson sampling: the best move of a world drawn from beliefs.

A bandit algorithm with a Beta belief about each move's mean payoff, which begins uniform; a payoff `r` from 0 to 1 adds
`r` to the successes and `1 - r` to the failures. See W. R. Thompson, Biometrika 25 (1933), and S. Agrawal and N. Goyal,
"Analysis of Thompson Sampling for the Multi-armed Bandit Problem" (2012).
"""

from collections.abc import Sequence
from random import Random

from league_sdk.game import PlayerView, Strategy
from servers.player.payoffs import PairOfMoves, Payoffs, best_of, by_payoffs


def weights(view: PlayerView, payoffs: Payoffs, played: Sequence[PairOfMoves]) -> Sequence[float]:
    """The move whose drawn mean is the highest."""
    successes, failures = [1.0] * len(payoffs.moves), [1.0] * len(payoffs.moves)
    for turn in played:
        gained = payoffs.share(turn.move, turn.reply)
        successes[turn.move] += gained
        failures[turn.move] += 1 - gained
    world = Random(view.rng.randint(0, 2**53))  # noqa: S311  # no secret, and it has the Beta distribution
    return best_of([world.betavariate(won, lost) for won, lost in zip(successes, failures, strict=True)])


THOMPSON = Strategy(
    "thompson",
    "A bandit: plays the best move of a world drawn from its beliefs (Thompson sampling).",
    lambda _: by_payoffs(weights),
    aliases=("thompson-sampling",),
)

"""Best response: the best reply to the mix of the latest moves.

With `best-response-n` the last `n` turns count, 10 by default. Its memory is short: it follows an opponent that changes
its mind, and can be led by one that knows it.
"""

from collections.abc import Sequence

from league_sdk.game import PlayerView, Strategy, StrategyFunction
from servers.player.payoffs import PairOfMoves, Payoffs, best_of, by_payoffs

TURNS = 10


def make(argument: str) -> StrategyFunction:
    """The strategy that looks at the last `argument` turns."""
    if argument and (not argument.isdecimal() or int(argument) < 1):
        raise ValueError(f"best-response takes a number of turns from 1, such as best-response-10, not {argument!r}")
    turns = int(argument) if argument else TURNS

    def weights(view: PlayerView, payoffs: Payoffs, played: Sequence[PairOfMoves]) -> Sequence[float]:
        del view
        counts = [0.0] * len(payoffs.moves)
        for turn in played[-turns:]:
            counts[turn.reply] += 1
        return best_of(payoffs.expected(counts)) if any(counts) else [1.0] * len(payoffs.moves)

    return by_payoffs(weights)


BEST_RESPONSE = Strategy(
    "best-response", "Plays the best reply to the mix of this opponent's latest moves.", make, argument="turns"
)

"""Fictitious play: the best reply to the mix of all the opponent's moves.

See G. W. Brown, "Iterative Solution of Games by Fictitious Play" (1951). In games of two players with zero sum the
mixes of two such players come near to an equilibrium (J. Robinson, Annals of Mathematics 54, 1951).
"""

from collections.abc import Sequence

from league_sdk.game import PlayerView, Strategy
from servers.player.payoffs import PairOfMoves, Payoffs, best_of, by_payoffs


def weights(view: PlayerView, payoffs: Payoffs, played: Sequence[PairOfMoves]) -> Sequence[float]:
    """The best replies, one as likely as the other; at first every move is."""
    del view
    counts = [0.0] * len(payoffs.moves)
    for turn in played:
        counts[turn.reply] += 1
    return best_of(payoffs.expected(counts)) if any(counts) else [1.0] * len(payoffs.moves)


FICTITIOUS_PLAY = Strategy(
    "fictitious-play",
    "Plays the best reply to the mix of all moves that this opponent has made.",
    lambda _: by_payoffs(weights),
)

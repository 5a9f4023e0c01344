"""Pattern: a Markov chain over the opponent's moves, of the highest usable order.

For order k the last k moves are the context. Wherever the same k moves stood before, the move that followed counts
as one vote for what comes next. Orders are tried from the longest down to 1; the first with a vote decides.
"""

from collections import Counter
from collections.abc import Sequence

from league_sdk.game import Move, PlayerView, Strategy, StrategyFunction

DEFAULT_ORDER = 3


def votes(moves: Sequence[str], order: int) -> Counter[str]:
    """Counts of moves that followed the last `order` moves."""
    context = list(moves[-order:])
    starts = range(len(moves) - order)
    return Counter(moves[start + order] for start in starts if list(moves[start : start + order]) == context)


def predict(moves: Sequence[str], longest: int) -> Counter[str]:
    """Votes of the longest known context of at most `longest` moves."""
    for order in range(min(longest, len(moves) - 1), 0, -1):
        if found := votes(moves, order):
            return found
    return Counter()


def make(argument: str) -> StrategyFunction:
    """The strategy with contexts of up to `argument` moves."""
    if argument and (not argument.isdecimal() or int(argument) < 1):
        raise ValueError(f"pattern takes the longest context as a number from 1, such as pattern-2, not {argument!r}")
    longest = int(argument) if argument else DEFAULT_ORDER

    def choose(view: PlayerView) -> Move:
        """The counter of the predicted move; random without counters or known context."""
        answerable = {move for move, reply in view.counters.items() if reply in view.legal_moves}
        known = [move for move in view.seen_moves() if isinstance(move, str) and move in answerable]
        found = predict(known, longest)
        if not found:
            return view.rng.choice(view.legal_moves)
        most = max(found.values())
        expected = view.rng.choice([move for move, count in found.items() if count == most])
        return view.counters[expected]

    return choose


PATTERN = Strategy(
    "pattern",
    "Looks for repetitions in this opponent's past and plays the counter.",
    make,
    argument="moves",
    aliases=("pattern-based",),
)

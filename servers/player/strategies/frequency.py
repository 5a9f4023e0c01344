"""Frequency: the reply to this opponent's most frequent choice."""

from collections import Counter

from league_sdk.game import Move, PlayerView, Strategy


def choose(view: PlayerView) -> Move:
    """The counter of the opponent's most frequent move, ties at random.

    Random where nothing of use is known: no counters (the game is not simultaneous), or no move of this opponent.
    """
    known = [
        move for move in view.seen_moves() if isinstance(move, str) and view.counters.get(move) in view.legal_moves
    ]
    if not known:
        return view.rng.choice(view.legal_moves)
    counts = Counter(known)
    most = max(counts.values())
    expected = view.rng.choice([move for move, count in counts.items() if count == most])
    return view.counters[expected]


FREQUENCY = Strategy("frequency", "Plays the counter of what this opponent has chosen most often.", lambda _: choose)

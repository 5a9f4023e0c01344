"""Alternating: one legal move after the other, round and round."""

from league_sdk.game import Move, PlayerView, Strategy


def choose(view: PlayerView) -> Move:
    """Take the legal moves in turn, one further for each move already made.

    Moves of earlier matches count, so that two matches of a single move each see two different moves.
    """
    made = sum(len(past.my_moves) for past in view.history) + len(view.my_moves)
    return view.legal_moves[made % len(view.legal_moves)]


ALTERNATING = Strategy("alternating", "Goes through the legal moves in order, again and again.", lambda _: choose)

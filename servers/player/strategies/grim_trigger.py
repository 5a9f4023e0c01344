"""Grim trigger: friendly until the opponent is unfriendly once, then never again.

Also called Friedman's strategy, or grudger. A game's first legal move is taken as the friendly one, its last as the
unfriendly one.
"""

from league_sdk.game import Move, PlayerView, Strategy


def choose(view: PlayerView) -> Move:
    """The first legal move until the opponent has made another one, then the last."""
    friendly = all(move == view.legal_moves[0] for move in view.opponent_moves)
    return view.legal_moves[0 if friendly else -1]


GRIM_TRIGGER = Strategy(
    "grim-trigger",
    "Plays the first legal move until the opponent plays another one, then the last for good.",
    lambda _: choose,
    aliases=("grudger", "grim"),
)

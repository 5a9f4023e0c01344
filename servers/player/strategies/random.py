"""Random: every legal move with the same probability."""

from league_sdk.game import Move, PlayerView, Strategy


def choose(view: PlayerView) -> Move:
    return view.random_move()


RANDOM = Strategy("random", "Chooses among the legal moves, each with the same probability.", lambda _: choose)

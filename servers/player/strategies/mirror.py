"""Mirror: the opponent's last move."""

from league_sdk.game import Move, PlayerView, Strategy


def choose(view: PlayerView) -> Move:
    """This opponent's last known move; random when unknown or not legal now."""
    seen = view.seen_moves()
    if seen and seen[-1] in view.legal_moves:
        return seen[-1]
    return view.rng.choice(view.legal_moves)


MIRROR = Strategy("mirror", "Repeats this opponent's last known move.", lambda _: choose)

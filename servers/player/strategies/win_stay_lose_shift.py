"""Win-stay, lose-shift: repeats a move after a friendly one, else changes it.

Also called Pavlov; M. Nowak and K. Sigmund, Nature 364 (1993). A game's first legal move is taken as the friendly one.
"""

from league_sdk.game import Move, PlayerView, Strategy


def choose(view: PlayerView) -> Move:
    """The own last move, or the next legal one after it; at first the first one."""
    legal = view.legal_moves
    if not view.my_moves or not view.opponent_moves or view.my_moves[-1] not in legal:
        return legal[0]
    shift = view.opponent_moves[-1] != legal[0]
    return legal[(legal.index(view.my_moves[-1]) + shift) % len(legal)]


WIN_STAY_LOSE_SHIFT = Strategy(
    "win-stay-lose-shift",
    "Keeps its move after the opponent's friendly (first) one, and changes it after any other.",
    lambda _: choose,
    aliases=("pavlov",),
)

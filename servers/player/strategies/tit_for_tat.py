"""Tit for tat: friendly at first, then the opponent's last move.

The winner of both of Axelrod's tournaments; submitted by A. Rapoport. A game's first legal move is taken as the
friendly one.
"""

from league_sdk.game import Move, PlayerView, Strategy


def choose(view: PlayerView) -> Move:
    """The opponent's last move if it is legal, else the first legal one."""
    if view.opponent_moves and view.opponent_moves[-1] in view.legal_moves:
        return view.opponent_moves[-1]
    return view.legal_moves[0]


TIT_FOR_TAT = Strategy(
    "tit-for-tat", "Begins with the first legal move, then repeats the opponent's last.", lambda _: choose
)

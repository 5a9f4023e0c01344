"""Axelrod's ten basic strategies of the iterated prisoner's dilemma, as strategies of this project.

They are those of `axelrod.basic_strategies`, by the library's names in lower case.
"""

from collections.abc import Callable

from league_sdk import Move, PlayerView, Strategy

C, D = "cooperate", "defect"
OTHER = {C: D, D: C}


def alternator(view: PlayerView) -> Move:
    """C, then the other of its own last move."""
    return OTHER[view.my_moves[-1]] if view.my_moves else C


def anti_tit_for_tat(view: PlayerView) -> Move:
    """C, then the other of the opponent's last move."""
    return OTHER[view.opponent_moves[-1]] if view.opponent_moves else C


def bully(view: PlayerView) -> Move:
    """D, then the other of the opponent's last move."""
    return OTHER[view.opponent_moves[-1]] if view.opponent_moves else D


def cycler_dc(view: PlayerView) -> Move:
    """D, C, D, C, …"""
    return C if len(view.my_moves) % 2 else D


def suspicious_tit_for_tat(view: PlayerView) -> Move:
    """D, then the opponent's last move."""
    return view.opponent_moves[-1] if view.opponent_moves else D


def tit_for_tat(view: PlayerView) -> Move:
    """C, then the opponent's last move."""
    return view.opponent_moves[-1] if view.opponent_moves else C


def win_stay_lose_shift(view: PlayerView) -> Move:
    """C, then its last move again if the opponent cooperated, else the other one."""
    if not view.my_moves:
        return C
    return view.my_moves[-1] if view.opponent_moves[-1] == C else OTHER[view.my_moves[-1]]


def win_shift_lose_stay(view: PlayerView) -> Move:
    """D, then its last move again if the opponent defected, else the other one."""
    if not view.my_moves:
        return D
    return view.my_moves[-1] if view.opponent_moves[-1] == D else OTHER[view.my_moves[-1]]


def _made(name: str, choose: Callable[[PlayerView], Move]) -> Strategy:
    return Strategy(name, "One of Axelrod's basic strategies.", lambda _: choose)


S01 = _made("basic-alternator", alternator)
S02 = _made("basic-anti-tit-for-tat", anti_tit_for_tat)
S03 = _made("basic-bully", bully)
S04 = _made("basic-cooperator", lambda _: C)
S05 = _made("basic-cycler-dc", cycler_dc)
S06 = _made("basic-defector", lambda _: D)
S07 = _made("basic-suspicious-tit-for-tat", suspicious_tit_for_tat)
S08 = _made("basic-tit-for-tat", tit_for_tat)
S09 = _made("basic-win-shift-lose-stay", win_shift_lose_stay)
S10 = _made("basic-win-stay-lose-shift", win_stay_lose_shift)
NAMES = tuple(strategy.name for strategy in (S01, S02, S03, S04, S05, S06, S07, S08, S09, S10))

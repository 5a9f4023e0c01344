"""Boards of OpenSpiel's chess and connect four, and the notation of chess."""

import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from league_sdk.board import board_svg
from league_sdk.game import PlayedMatch


def _chess_rows(text: str) -> list[str]:
    """The ranks of a position in Forsyth-Edwards notation; a dot is a free square."""
    return [re.sub(r"\d", lambda free: "." * int(free[0]), row) for row in text.split()[0].split("/")]


def _chess_board(text: str) -> str:
    return board_svg(_chess_rows(text), _CHESSMEN, columns="abcdefgh", numbers=range(8, 0, -1))


def chess_text(text: str) -> str:
    """The board of a position in Forsyth-Edwards notation, ranks and files named."""
    ranks = [f"{8 - number} {' '.join(row)}" for number, row in enumerate(_chess_rows(text))]
    return "\n".join([*ranks, "  a b c d e f g h"])


def _connect_four_board(text: str) -> str:
    """The board of `x` and `o`, with the numbers of the columns."""
    rows = text.split()[:6]
    return board_svg(rows, {".": ("●", "#e8eef7"), "x": ("●", "#c62828"), "o": ("●", "#f4c20d")}, **_CONNECT_FOUR)


_CHESSMEN = {
    letter: (symbol, colour)
    for letters, colour in (("kqrbnp", "#111"), ("KQRBNP", "#fff"))
    for letter, symbol in zip(letters, "♚♛♜♝♞♟", strict=True)
}
_CONNECT_FOUR: Any = {"columns": "0123456", "light": "#2a5caa", "dark": "#2a5caa"}
PICTURES: Mapping[str, Callable[[str], str]] = {"chess": _chess_board, "connect_four": _connect_four_board}


def pgn(match: PlayedMatch) -> str:
    """Portable Game Notation: tags, then moves in lines below 80 characters."""
    black, white = match.players  # OpenSpiel's first player has the black pieces
    result = {white: "1-0", black: "0-1"}.get(match.winner or "", "1/2-1/2")
    if match.winner is None and match.faults:
        result = "*"
    tags = {
        "Event": match.league_name or match.league_id,
        "Site": "?",
        "Date": match.date[:10].replace("-", "."),
        "Round": str(match.round_id),
        "White": match.names.get(white, white),
        "Black": match.names.get(black, black),
        "Result": result,
    }
    moves = [str(move) for turn in match.turns for move in turn.values()]
    words = [f"{number // 2 + 1}. {move}" if number % 2 == 0 else move for number, move in enumerate(moves)]
    lines = [f'[{tag} "{_pgn_text(value)}"]' for tag, value in tags.items()]
    return "\n".join([*lines, "", *textwrap.wrap(" ".join([*words, result]), 79, break_on_hyphens=False)])


def _pgn_text(text: str) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return printable.replace("\\", "\\\\").replace('"', '\\"')

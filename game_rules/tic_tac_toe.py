"""Tic-tac-toe: the players take turns, and three in a line win.

Cells are named by column and row, `a1` at the top left and `c3` at the bottom right: readable in a log, and text, which
every JSON library keeps as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from league_sdk.board import board_svg
from league_sdk.clock import Rng
from league_sdk.game import Game, Json, Move, Outcome

CELLS = tuple(f"{column}{row}" for row in "123" for column in "abc")  # all cells, row by row from the top
LINES = tuple(
    [tuple(f"{column}{row}" for column in "abc") for row in "123"]
    + [tuple(f"{column}{row}" for row in "123") for column in "abc"]
    + [("a1", "b2", "c3"), ("c1", "b2", "a3")]
)
"""The eight lines of three."""
MARKS = "XO"


@dataclass(frozen=True, slots=True)
class TicTacToeState:
    """A position, as the cells taken so far, X first; the first seat plays X."""

    players: tuple[str, ...]
    taken: tuple[str, ...] = ()

    def cells_of(self, seat: int) -> tuple[str, ...]:
        """The cells of one seat, in the order in which it took them."""
        return self.taken[seat::2]


class TicTacToe(Game[TicTacToeState]):
    """Three in a row, a column or a diagonal. The first seat starts."""

    name = "tic_tac_toe"
    display_name = "Tic-tac-toe"
    description = (
        "The players take turns to claim one of nine cells, a1 (top left) to c3 (bottom right); "
        "three in a row, a column or a diagonal win, a full board without them is a draw."
    )
    hidden = False

    def start(self, players: Sequence[str], rng: Rng) -> TicTacToeState:
        """An empty board."""
        del rng
        return TicTacToeState(tuple(players))

    def to_move(self, state: TicTacToeState) -> tuple[str, ...]:
        """One after the other, until there is a line or the board is full."""
        if len(state.taken) == len(CELLS) or _line(state) is not None:
            return ()
        return (state.players[len(state.taken) % 2],)

    def legal_moves(self, state: TicTacToeState, player: str) -> tuple[Move, ...]:
        """The free cells."""
        if player not in self.to_move(state):
            return ()
        return tuple(cell for cell in CELLS if cell not in state.taken)

    def apply(self, state: TicTacToeState, moves: Mapping[str, Move], rng: Rng) -> TicTacToeState:
        """The player to move takes a cell; chance has no part in it."""
        del rng
        (player,) = self.to_move(state)
        return replace(state, taken=(*state.taken, moves[player]))

    def outcome(self, state: TicTacToeState) -> Outcome | None:
        """A win by a line, or a draw on a full board without one."""
        if self.to_move(state):
            return None
        line = _line(state)
        winner = None if line is None else state.players[(len(state.taken) - 1) % 2]
        reason = "The board is full and nobody has three in a line. It is a draw."
        if line is not None:
            reason = f"{winner} has {', '.join(line)} in a line. {winner} wins."
        return Outcome(
            winner=winner,
            scores={player: float(player == winner) for player in state.players},
            reason=reason,
            details={
                "choices": self.public_moves(state),
                "board": _board(state),
                "line": None if line is None else list(line),
            },
        )

    def observe(self, state: TicTacToeState, player: str) -> dict[str, Json]:
        """The whole board, row by row, and the player's own mark; nothing is hidden."""
        return {"board": _board(state), "mark": MARKS[state.players.index(player)]}

    def public_moves(self, state: TicTacToeState) -> dict[str, list[Move]]:
        """Every move of both players."""
        return {player: list(state.cells_of(seat)) for seat, player in enumerate(state.players)}

    def render(self, state: TicTacToeState) -> str:
        """The board under its column letters, then the players' marks."""
        rows = [f"{number} {' '.join(row)}" for number, row in enumerate(_board(state), start=1)]
        legend = ", ".join(f"{mark} {player}" for mark, player in zip(MARKS, state.players, strict=True))
        return "\n".join(["  a b c", *rows, legend])

    def svg(self, state: TicTacToeState) -> str:
        """The board with its marks, blue for X and red for O."""
        pieces = {"X": ("X", "#1f5fa8"), "O": ("O", "#b3261e")}
        return board_svg(_board(state), pieces, columns="abc", numbers=(1, 2, 3), light="#fff", dark="#fff")


def _line(state: TicTacToeState) -> tuple[str, ...] | None:
    """A line that one player holds; the first of LINES if the last move made two."""
    for seat in range(2):
        cells = frozenset(state.cells_of(seat))
        for line in LINES:
            if cells.issuperset(line):
                return line
    return None


def _board(state: TicTacToeState) -> list[str]:
    """Three rows of three characters: X, O, or a dot for a free cell."""
    marks = {cell: MARKS[turn % 2] for turn, cell in enumerate(state.taken)}
    text = "".join(marks.get(cell, ".") for cell in CELLS)
    return [text[start : start + 3] for start in (0, 3, 6)]

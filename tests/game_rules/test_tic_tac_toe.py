from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game_rules.tic_tac_toe import CELLS, LINES, TicTacToe, TicTacToeState
from league_sdk.clock import HashRng
from league_sdk.errors import InvalidMove

GAME = TicTacToe()
PLAYERS = ("P01", "P02")
CHANCE = HashRng("not used by this game")
ORDERS = st.permutations(CELLS)


def played(*cells: str) -> TicTacToeState:
    state = GAME.start(PLAYERS, CHANCE)
    for cell in cells:
        (player,) = GAME.to_move(state)
        GAME.check(state, player, cell)
        state = GAME.apply(state, {player: cell}, CHANCE)
    return state


def test_the_first_seat_starts_and_they_take_turns():
    assert GAME.to_move(played()) == ("P01",)
    assert GAME.to_move(played("b2")) == ("P02",)
    assert GAME.to_move(played("b2", "a1")) == ("P01",)
    assert GAME.legal_moves(played("b2"), "P01") == ()


def test_there_are_eight_lines_of_three():
    assert len(LINES) == len({frozenset(line) for line in LINES}) == 8
    assert {cell for line in LINES for cell in line} == set(CELLS)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("winner", PLAYERS)
def test_every_line_wins_for_either_player(line: tuple[str, ...], winner: str):
    others = next(
        cells
        for cells in permutations([cell for cell in CELLS if cell not in line], 3)
        if set(cells) not in map(set, LINES)
    )
    if winner == "P01":
        moves = [line[0], others[0], line[1], others[1], line[2]]
    else:
        moves = [others[0], line[0], others[1], line[1], others[2], line[2]]
    outcome = GAME.outcome(played(*moves))
    assert outcome is not None
    assert outcome.winner == winner
    assert outcome.reason == f"{winner} has {', '.join(line)} in a line. {winner} wins."
    assert outcome.details["line"] == list(line)


def test_a_full_board_without_a_line_is_a_draw():
    state = played("a1", "b2", "c3", "b1", "b3", "a3", "c1", "c2", "a2")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winner is None
    assert outcome.details == {
        "choices": {"P01": ["a1", "c3", "b3", "c1", "a2"], "P02": ["b2", "b1", "a3", "c2"]},
        "board": ["XOX", "XOO", "OXX"],
        "line": None,
    }


def test_the_last_cell_can_still_win():
    outcome = GAME.outcome(played("a1", "a2", "b1", "b2", "c2", "c3", "a3", "b3", "c1"))
    assert outcome is not None
    assert outcome.winner == "P01"


@pytest.mark.parametrize("move", ["b2", "d1", "a4", "A1", "", 0, 4, None, ["a1"]])
def test_a_taken_cell_and_what_is_no_cell_are_refused(move):
    with pytest.raises(InvalidMove) as caught:
        GAME.check(played("b2"), "P02", move)
    assert "b2" not in caught.value.context["expected"]
    assert len(caught.value.context["expected"]) == 8


@given(order=ORDERS)
def test_it_always_ends_and_then_nobody_moves(order: list[str]):
    state = GAME.start(PLAYERS, CHANCE)
    turns = 0
    for cell in order:
        assert GAME.outcome(state) is None
        (player,) = GAME.to_move(state)
        assert cell in GAME.legal_moves(state, player)
        state = GAME.apply(state, {player: cell}, CHANCE)
        turns += 1
        if not GAME.to_move(state):
            break
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert 5 <= turns <= 9
    mine = [set(order[seat:turns:2]) for seat in (0, 1)]
    lines = [any(set(line) <= cells for line in LINES) for cells in mine]
    assert outcome.winner == ("P01" if lines[0] else "P02" if lines[1] else None)


def test_both_see_the_whole_board_and_their_own_mark():
    state = played("b2", "a1")
    assert GAME.observe(state, "P01") == {"board": ["O..", ".X.", "..."], "mark": "X"}
    assert GAME.observe(state, "P02") == {"board": ["O..", ".X.", "..."], "mark": "O"}
    assert GAME.public_moves(state) == {"P01": ["b2"], "P02": ["a1"]}


def test_it_can_be_read():
    assert GAME.render(played("b2", "a1", "c3")) == "  a b c\n1 O . .\n2 . X .\n3 . . X\nX P01, O P02"


def test_the_drawn_board_has_the_marks_in_their_cells():
    picture = GAME.svg(played("b2", "a1", "c3"))
    assert '<text x="60" y="71">X</text><text x="100" y="111">X</text>' in picture
    assert '<text x="20" y="31">O</text>' in picture

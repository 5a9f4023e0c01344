"""Moves as a host says them."""

import pytest

from servers.host.moves import find_move, label, move_in

CELLS = ("a1", "B2", 3, {"row": 1})


@pytest.mark.parametrize(("move", "said"), [("a1", "a1"), (3, "3"), ({"row": 1}, '{"row": 1}'), (None, "null")])
def test_a_move_is_called_by_its_text_or_else_by_its_json(move, said):
    assert label(move) == said


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("a1", "a1"),
        (" A1 ", "a1"),
        ('"b2"', "B2"),
        (3, 3),
        ("3", 3),
        ({"row": 1}, {"row": 1}),
        ('{"row": 1}', {"row": 1}),
    ],
)
def test_a_move_is_found_by_what_it_is_called(said, found):
    assert find_move(said, CELLS) == (found,)


@pytest.mark.parametrize("said", ["a2", "", True, 4, None, ["a1"], "a1 a1"])
def test_anything_else_is_no_move(said):
    assert find_move(said, CELLS) is None


def test_the_exact_spelling_wins_and_what_could_be_two_is_none():
    assert find_move("up", ("up", "UP")) == ("up",)
    assert find_move("Up", ("up", "UP")) is None


def test_a_move_may_be_null():
    assert find_move(None, (None, "a1")) == (None,)


@pytest.mark.parametrize(
    "text", ["left", "Left.", "I think about right and left.\nleft", "Best is:\n\n**left**", "I choose left!"]
)
def test_the_move_in_a_models_answer_is_the_one_of_its_last_line(text):
    assert move_in(text, ("left", "right")) == ("left",)


@pytest.mark.parametrize("text", ["", "  \n ", "left or right", "neither", "left\nor not"])
def test_an_answer_that_names_no_move_or_several_is_none(text):
    assert move_in(text, ("left", "right")) is None

"""Text for people is safe to print, and plain English."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servers.read_model.text import count, legible, name_of, printable
from tests.servers.league_history import begun

HOSTILE = "\x1b[31m\u202eA[bold]x[/bold]\n\x00:smile:\u2066\x9b2J"


def test_an_agent_that_nobody_knows_is_called_by_its_id():
    assert name_of(begun().league, "P99") == "P99"


@given(st.text())
def test_what_an_agent_calls_itself_can_be_printed(text: str):
    shown = printable(text)
    assert len(shown) <= 80
    assert shown.isprintable()


@given(st.text())
def test_lines_stay_lines_and_nothing_else_moves_the_cursor(text: str):
    shown = legible(text)
    assert shown.count("\n") == text.count("\n")
    assert shown.replace("\n", "").isprintable()


def test_a_name_that_tries_to_steer_the_terminal_is_only_text():
    assert not set(printable(HOSTILE)) & set("\x1b\n\x00\x9b\u202e\u2066")
    assert "[bold]x[/bold]" in printable(HOSTILE)


@pytest.mark.parametrize(
    ("number", "thing", "text"),
    [(1, "match", "1 match"), (2, "match", "2 matches"), (0, "player", "0 players"), (1, "round", "1 round")],
)
def test_things_are_counted_in_plain_english(number: int, thing: str, text: str):
    assert count(number, thing) == text

"""Names that become file names."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.names import alternatives, game_name, game_type, is_safe_name, nearest, safe_name, slug


@pytest.mark.parametrize("name", ["P01", "league_2025-a.b", "_", "x" * 128])
def test_plain_names_are_safe(name: str):
    assert safe_name(name) == name
    assert slug(name) == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".hidden", "a/b", "a\\b", "a b", "a\n", "é", "٣", "x" * 129, "a\x00", "-", "-rf"]
)
def test_anything_else_is_not(name: str):
    with pytest.raises(ValueError, match="player id"):
        safe_name(name, "player id")


@given(st.text())
def test_a_slug_is_always_one_safe_file_name(text: str):
    assert is_safe_name(slug(text))
    assert (Path("/folder") / slug(text)).parent == Path("/folder")


@given(st.text(), st.text())
def test_two_texts_have_two_slugs(one: str, other: str):
    assert (slug(one) == slug(other)) == (one == other)


def test_a_slug_can_be_recognised():
    assert slug("Agent Alpha").startswith("Agent-Alpha-")
    assert slug("\ud800") != slug("\ud801")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("timeuot", "timeouts"), ("tic-tac_toe", "tic_tac_toe"), ("TicTacToe", "tic_tac_toe"), ("qqq", None)],
)
def test_the_nearest_name_is_found_when_there_is_one(given: str, meant: str | None):
    assert nearest(given, ["timeouts", "network", "tic_tac_toe"]) == meant


def test_an_unknown_name_is_answered_with_the_nearest_and_with_all():
    assert alternatives("mirorr", ["mirror", "random"]) == "did you mean mirror? Known are mirror, random"
    assert alternatives("xyz", ["mirror", "random"], "there are") == "there are mirror, random"
    assert alternatives("xyz", []) == "known are none"


@given(st.from_regex(r"[a-z][a-z0-9]*", fullmatch=True), st.text(max_size=40).filter(lambda text: text.isprintable()))
def test_a_games_name_and_its_game_type_are_one_to_one(library: str, text: str):
    as_type = game_type(f"{library}:{text}")
    assert re.fullmatch(r"[a-z][a-z0-9_]*", as_type)
    assert game_name(as_type) == f"{library}:{text}"


def test_a_game_of_no_library_is_its_own_game_type():
    assert game_type("tic_tac_toe") == game_name("tic_tac_toe") == "tic_tac_toe"

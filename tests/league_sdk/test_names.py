"""Names that become file names."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.names import is_safe_name, safe_name, slug


@pytest.mark.parametrize("name", ["P01", "league_2025-a.b", "_", "-", "x" * 128])
def test_plain_names_are_safe(name: str):
    assert safe_name(name) == name
    assert slug(name) == name


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "a\\b", "a b", "a\n", "é", "٣", "x" * 129, "a\x00"])
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

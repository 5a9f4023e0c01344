"""Names that look alike have one skeleton."""

import sys
import unicodedata

import pytest
from confusable_homoglyphs.confusables import confusables_data
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.confusables import skeleton
from league_sdk.names import LONGEST_NAME, display_name, name_key, unused_name

ALIKE = [
    ("Agent Delta", "\u0410g\u0435nt D\u0435lt\u0430"),
    ("Alpha", "AIpha"),
    ("Alpha", "A1pha"),
    ("Ada", "\uff21\uff44\uff41"),
    ("PAYPAL", "\u0440\u0430\u0443\u0440\u0430l"),
    ("Central League Manager", "CentraI League Manager"),
    ("Bob 0", "Bob O"),
    ("Arno", "Amo"),
    ("agent delta", "AGENT DE1TA"),
    ("\u0391\u03bd\u03bd\u03b1", "Avv\u03b1"),
]


@pytest.mark.parametrize(("name", "like"), ALIKE)
def test_names_that_look_alike_have_one_skeleton(name, like):
    assert skeleton(name) == skeleton(like)


@pytest.mark.parametrize(
    ("name", "other"), [("Agent 1", "Agent 11"), ("Ada", "Adam"), ("Zoe", "Zo\u00eb"), ("P1", "P2"), ("\u30a2", "A")]
)
def test_names_that_can_be_told_apart_have_two(name, other):
    assert skeleton(name) != skeleton(other)


def test_every_character_of_the_table_is_like_those_it_stands_beside():
    letters = {
        (character, like["c"])
        for character, alike in confusables_data.items()
        for like in alike
        if len(character) == 1 and "\u200e" not in character + like["c"]
    }
    assert len(letters) > 9_000
    # These are a letter and a mark, and are compared as such.
    unlike = {pair for pair in letters if skeleton(pair[0]) != skeleton(pair[1])}
    assert len(unlike) < 30, sorted(unlike)


def test_a_skeleton_and_a_key_are_their_own():
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if unicodedata.category(character) not in ("Cs", "Cn", "Co"):
            assert skeleton(skeleton(character)) == skeleton(character), hex(number)
            assert name_key(name_key(character)) == name_key(character), hex(number)


@given(st.text(max_size=LONGEST_NAME))
def test_a_name_and_its_variants_are_one(text):
    try:
        name = display_name(text)
    except ValueError:
        return
    assert skeleton(skeleton(name)) == skeleton(name)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert name_key(unicodedata.normalize(form, name)) == name_key(name)
    for form in ("NFC", "NFD"):  # the others write some characters as ones that look different
        assert skeleton(unicodedata.normalize(form, name)) == skeleton(name)
    assert name_key(name.casefold()) == name_key(name)
    assert name_key(f" {name} ") == name_key(name)


@given(st.text(min_size=1, max_size=20), st.lists(st.text(max_size=20), max_size=5))
def test_a_name_that_is_made_up_is_like_none_that_is_taken(name, taken):
    for form in (name_key, skeleton):
        assert form(unused_name(name, taken, form)) not in set(map(form, taken))

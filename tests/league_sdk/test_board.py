import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk import board_svg

SVG = "{http://www.w3.org/2000/svg}"


def parts(picture: str, tag: str) -> list[ET.Element]:
    return ET.fromstring(picture).findall(f".//{SVG}{tag}")


def test_each_piece_stands_in_its_square():
    picture = board_svg(("k.k", "...", "..k"), {"k": ("♚", "#111")})
    assert [(text.get("x"), text.get("y"), text.text) for text in parts(picture, "text")] == [
        ("20 100", "31", "♚♚"),
        ("100", "111", "♚"),
    ]


def test_a_disc_is_a_dot_in_the_middle_of_its_square():
    discs = parts(board_svg((".x", "x."), {"x": ("●", "#c62828")}), "path")[-1]
    assert (discs.get("d"), discs.get("stroke")) == ("M60 20h0M20 60h0", "#c62828")


def test_columns_and_numbers_stand_below_and_beside_the_board():
    picture = board_svg(("..", ".."), {}, columns="ab", numbers=(2, 1))
    assert [text.text for text in parts(picture, "text")] == ["a", "b", "2", "1"]
    assert ET.fromstring(picture).get("viewBox") == "-22 0 102 102"


def test_a_board_of_one_colour_has_lines():
    assert parts(board_svg(("..",), {}, dark="#fff", light="#fff"), "path")[0].get("stroke") == "#555"


@pytest.mark.parametrize("rows", [(), ("",), ("..", ".")])
def test_rows_that_make_no_board_are_refused(rows: tuple[str, ...]):
    with pytest.raises(ValueError, match="rows of equal length"):
        board_svg(rows, {})


@given(st.text(alphabet="<>&\"'ab.", min_size=1, max_size=9), st.sampled_from("<>&\"'♚"))
def test_whatever_stands_on_it_the_picture_is_well_formed(row: str, symbol: str):
    picture = board_svg((row,), {letter: (symbol, '"/><script>') for letter in row if letter != "."}, columns=row)
    assert not parts(picture, "script")

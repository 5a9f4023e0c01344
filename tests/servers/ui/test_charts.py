"""Charts: well-formed, bounded, and nothing in them that an agent could make markup of."""

from collections.abc import Callable
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servers.read_model import Exchange, Kind, Series, Speed
from servers.ui import charts

NAMES = {"P01": '<script>alert("1")</script>', "P02": "\u202eevil & co"}


def series(players: int, rounds: int) -> list[Series]:
    return [
        Series(f"P{number:02d}", tuple(range(0, 3 * rounds, 3)), (number,) * rounds) for number in range(1, players + 1)
    ]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")]


@pytest.mark.parametrize("draw", [charts.points_chart, charts.ranks_chart])
@pytest.mark.parametrize(("players", "rounds"), [(1, 1), (2, 1), (4, 3), (13, 13), (100, 99)])
def test_lines_are_drawn_for_any_size(draw: Callable[..., str], players: int, rounds: int):
    svg = draw(series(players, rounds), NAMES)
    root = ElementTree.fromstring(svg)
    assert len([circle for circle in root.iter() if circle.tag.endswith("circle")]) == min(players, charts.MOST_LINES)
    assert len(svg) < 120_000


def test_without_rounds_there_is_no_chart():
    assert charts.points_chart((), {}) == charts.ranks_chart((), {}) == charts.replies_chart((), 5) == ""
    assert charts.speeds_chart((), 5, {}) == ""


def test_names_stay_text():
    svg = charts.points_chart(series(2, 3), NAMES)
    assert "<script" not in svg
    assert "\u202e" not in svg
    assert '<script>alert("1"…' in texts(svg)


@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.sampled_from(["", "E001"])), min_size=1, max_size=20),
    st.none() | st.floats(0.001, 1e5),
)
def test_any_time_finds_its_place(times: list[tuple[float, str]], limit: float | None):
    asked = [Exchange("R1M1", 1, "P01", Kind.MOVE, "", seconds, limit, code) for seconds, code in times]
    dots = ElementTree.fromstring(charts.replies_chart(asked, limit)).iter("{http://www.w3.org/2000/svg}circle")
    assert all(0 <= float(dot.get("cy", "-1")) <= 240 for dot in dots)
    (low, *_), high = sorted(seconds for seconds, _ in times), max(seconds for seconds, _ in times)
    rows = [charts.Range("P01", Speed(1, low, high, high))]
    dots = ElementTree.fromstring(charts.speeds_chart(rows, limit, NAMES)).iter("{http://www.w3.org/2000/svg}circle")
    assert all(150 <= float(dot.get("cx", "-1")) <= 720 for dot in dots)


@given(st.lists(st.floats(0, 300), min_size=1, max_size=12))
def test_labels_are_kept_apart_and_in_order(places: list[float]):
    moved = charts._apart(places, 0, 300)
    ordered = sorted(moved)
    assert all(second - first >= 17 - 1e-6 for first, second in pairwise(ordered))
    assert sorted(range(len(places)), key=lambda n: (places[n], n)) == sorted(
        range(len(moved)), key=lambda n: (moved[n], n)
    )

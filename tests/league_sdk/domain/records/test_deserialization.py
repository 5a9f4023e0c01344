"""Values come back from JSON by the annotations of their fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Optional

import pytest

from league_sdk.domain.records.deserialization import build


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0


@dataclass(frozen=True)
class Picture:
    frame: Point | None = None
    paint: Optional[Colour] = None  # noqa: UP045 - the other spelling of the same
    corners: tuple[Point, ...] | None = None
    title: str | None = None


def test_a_value_is_built_by_its_annotation_whatever_it_is_nested_in(subtests: pytest.Subtests):
    for kind, json, value in (
        (int, 3, 3),
        (Colour, "red", Colour.RED),
        (Point, {"x": 1, "y": 2}, Point(1, 2)),
        (Point, {"x": 1, "z": 9}, Point(1)),
        (tuple[str, ...], ["a", "b"], ("a", "b")),
        (tuple[float, ...], [0.5], (0.5,)),  # of which nobody else has built one already
        (tuple[Colour, ...], ["red", "blue"], (Colour.RED, Colour.BLUE)),
        (Sequence[Point], [{"x": 1}], (Point(1),)),
        (Mapping[str, int], {"a": 1}, {"a": 1}),
        (Mapping[str, Point | None], {"a": {"x": 1}, "b": None}, {"a": Point(1), "b": None}),
    ):
        with subtests.test(kind=kind, json=json):
            built = build(kind, json)
            assert (type(built), built) == (type(value), value)


def test_what_may_be_none_is_none_or_a_value_of_the_other_type():
    assert build(Picture, {}) == Picture()
    assert build(Picture, {"frame": None, "paint": None, "corners": None, "title": None}) == Picture()
    whole = {"frame": {"x": 1}, "paint": "blue", "corners": [{"x": 2}, {"x": 3}], "title": "dawn"}
    picture = build(Picture, whole)
    assert picture == Picture(Point(1), Colour.BLUE, (Point(2), Point(3)), "dawn")
    assert type(picture.paint) is Colour


def test_what_may_be_none_is_refused_when_it_is_neither():
    for json in ({"frame": 5}, {"frame": {"y": 1}}, {"paint": "green"}, {"corners": [None]}):
        with pytest.raises((TypeError, AttributeError, ValueError)):
            build(Picture, json)


def test_a_mapping_is_a_copy_of_the_json():
    given = {"a": 1}
    built = build(Mapping[str, int], given)
    given["a"] = 2
    assert built == {"a": 1}

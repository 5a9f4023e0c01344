"""Charts of an experiment: ratings with errors, payoffs, scores over matches."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from servers.read_model.text import printable
from servers.ui import svg

WIDTH = 480
"""A phone shows them whole, with legible text."""
_LEFT, _RIGHT, _TOP, _ROW = 104, 18, 14, 30
_DIGITS = 13


@dataclass(frozen=True, slots=True)
class Box:
    """A distribution: the least, three quartiles, the greatest; and the mean."""

    name: str
    numbers: tuple[float, float, float, float, float]
    mean: float


def ladder(rows: Sequence[Mapping[str, Any]]) -> str:
    """Ratings with the bars of their intervals, the strongest on top."""
    ends = [row["rating"] + sign * (row["margin"] or 0) for row in rows for sign in (-1, 1)]
    axis, parts, bottom = _axis(min(ends), max(ends), len(rows))
    for place, row in enumerate(rows):
        y, rating, margin = _middle(place), row["rating"], row["margin"]
        told = f"{rating}" if margin is None else f"{rating} ± {margin}"
        own = [_name(row["name"], y)]
        if margin is not None:
            own.append(svg.line(axis(rating - margin), y, axis(rating + margin), y, "span"))
        own.append(svg.dot(axis(rating), y, told, "dot"))
        own.append(svg.text(axis(rating), y - 8, told, "tick middle"))
        parts.append(f'<g class="series">{"".join(own)}</g>')
    return svg.chart("Ratings with their 95 % intervals, in Elo points", parts, WIDTH, bottom + 26)


def boxes(found: Sequence[Box]) -> str:
    """Payoffs of a match: quartiles as a box, extremes as a line, mean as a dot."""
    axis, parts, bottom = _axis(
        min(each.numbers[0] for each in found), max(each.numbers[4] for each in found), len(found)
    )
    for place, each in enumerate(found):
        y, (least, low, median, high, most) = _middle(place), each.numbers
        told = f"least {least:g}, quartiles {low:g}, {median:g} and {high:g}, greatest {most:g}, mean {each.mean:.3g}"
        own = [
            _name(each.name, y),
            svg.line(axis(least), y, axis(most), y, "whisker"),
            f'<rect class="box" x="{axis(low):.1f}" y="{y - 8:.1f}" width="{max(2.0, axis(high) - axis(low)):.1f}" '
            'height="16" rx="3"/>',
            svg.line(axis(median), y - 8, axis(median), y + 8, "median"),
            svg.dot(axis(each.mean), y, told, "dot"),
        ]
        parts.append(f'<g class="series">{"".join(own)}</g>')
    return svg.chart("Payoffs of a match by strategy: extremes, quartiles and mean", parts, WIDTH, bottom + 26)


def convergence(matches: Sequence[int], scores: Mapping[str, Sequence[float]]) -> str:
    """Score so far, after so many matches of each pairing; a line a strategy."""
    left, right, height, floor = 48, WIDTH - _LEFT, 300, 260
    last = max(matches)

    def point(done: int, score: float) -> str:
        return f"{left + (right - left) * done / last:.1f} {floor - (floor - _TOP) * score:.1f}"

    parts: list[str] = []
    for percent in range(0, 101, 20):
        y = floor - (floor - _TOP) * percent / 100
        parts += [svg.line(left, y, right, y, "grid"), svg.text(left - 8, y + 4, f"{percent} %", "tick end")]
    parts += [
        svg.text(left + (right - left) * s, floor + 18, f"{last * s:,.0f}", "tick middle") for s in (0.25, 0.5, 1)
    ]
    parts.append(svg.text((left + right) / 2, height - 6, "matches of each pairing", "tick middle"))
    order = sorted(scores, key=lambda name: -scores[name][-1])
    label = _TOP
    for number, name in enumerate(order):
        line = "M" + "L".join(point(done, score) for done, score in zip(matches, scores[name], strict=True))
        y = floor - (floor - _TOP) * scores[name][-1]
        label = max(y + 4, label + 17 if number else y + 4)
        own = [f'<path class="line" d="{line}"/>', svg.text(right + 8, label, _short(name), "name")]
        again = " again" if number >= 10 else ""
        parts.append(f'<g class="series c{number % 10}{again}">{"".join(own)}</g>')
    return svg.chart("Score so far by the matches of each pairing", parts, WIDTH, max(height, label + 20))


def _axis(low: float, high: float, rows: int) -> tuple[Any, list[str], float]:
    """A scale across, its grid, and where the rows end."""
    raw = (high - low) / 6 or 1.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    high = high if high > low else low + step

    def at(value: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (value - low) / (high - low)

    bottom = _TOP + _ROW * rows + 8
    ticks = [low + step * number for number in range(round((high - low) / step) + 1)]
    parts = [svg.line(at(tick), _TOP, at(tick), bottom, "grid") for tick in ticks]
    parts += [svg.text(at(tick), bottom + 18, f"{tick:g}", "tick middle") for tick in ticks]
    return at, parts, bottom


def _middle(place: int) -> float:
    return _TOP + 4 + _ROW * (place + 0.6)


def _name(name: str, y: float) -> str:
    return svg.text(_LEFT - 12, y + 4, _short(name), "name end")


def _short(name: str) -> str:
    return printable(name, _DIGITS)

"""Charts of a league as SVG, drawn without scripts, for page and mailed files.

Colours come from classes: a page with a chart brings `servers/ui/static/charts.css`, or a style of its own.
Nothing in a chart can become markup: texts are escaped, and numbers are numbers.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context
from itertools import pairwise
from statistics import fmean

from servers.read_model import Exchange, Series, Speed
from servers.read_model.text import printable
from servers.ui import svg

COLOURS = 10
"""Number of line colours; further lines repeat them, dashed."""
MOST_LINES = 8
"""Lines that have a colour and a name; all others are drawn faintly behind them."""
LONGEST_NAME = 18
_THREE_DIGITS = Context(prec=3, rounding=ROUND_HALF_UP)
WIDTH, HEIGHT = 760, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 150, 16, 40


@dataclass(frozen=True, slots=True)
class Range:
    """The range of one player's response times."""

    player_id: str
    speed: Speed


def seconds(value: float) -> str:
    """A duration in three digits, rounded as the script of the report rounds it."""
    number, unit = (value * 1000, "ms") if value < 1 else (value, "s")
    return f"{_THREE_DIGITS.create_decimal(number).normalize():f} {unit}"


def points_chart(series: Sequence[Series], names: Mapping[str, str], *, everybody: bool = True) -> str:
    """Points by round, a line per player, leaders in colour; empty before round 1."""
    if not series:
        return ""
    top = max(1, *(value for line in series for value in line.points))
    ticks = _ticks(top)
    # Everybody begins with nothing.
    shown = series if everybody else series[:MOST_LINES]
    lines = {line.player_id: (0, *line.points) for line in shown}
    return _lines("Points by round", lines, names, ticks, (0, ticks[-1]), first=0)


def ranks_chart(series: Sequence[Series], names: Mapping[str, str]) -> str:
    """Rank by round, a line per player, rank 1 at the top; empty before round 1."""
    if not series:
        return ""
    lowest = max(2, len(series))
    ticks = sorted({1, *range(0, lowest + 1, max(1, math.ceil(lowest / 8)))} - {0})
    return _lines("Rank by round", {line.player_id: line.ranks for line in series}, names, ticks, (lowest, 1), first=1)


def replies_chart(exchanges: Sequence[Exchange], limit: float | None, what: str = "move") -> str:
    """Time of each answer on a logarithmic scale, with the deadline; empty without."""
    if not exchanges:
        return ""
    scale = _LogScale([exchange.seconds for exchange in exchanges], limit, _HEIGHT_OF_DOTS - _BOTTOM, _TOP)
    width = _NARROW - 10
    parts = [svg.line(_LEFT, scale.at(tick), width, scale.at(tick), "grid") for tick in scale.ticks]
    parts += [svg.text(_LEFT - 6, scale.at(tick) + 4, seconds(tick), "tick end") for tick in scale.ticks]
    if limit is not None:
        parts.append(svg.line(_LEFT, scale.at(limit), width, scale.at(limit), "deadline"))
        parts.append(svg.text(width, scale.at(limit) - 5, f"deadline {seconds(limit)}", "tick end late"))
    step = (width - _LEFT) / max(1, len(exchanges))
    for place, exchange in enumerate(exchanges):
        x, failed = _LEFT + step * (place + 0.5), bool(exchange.error_code)
        told = f"{exchange.match_id}: {'no answer after ' if failed else ''}{seconds(exchange.seconds)}"
        parts.append(svg.dot(x, scale.at(exchange.seconds), told, "dot failed" if failed else "dot"))
    parts.append(
        svg.text((_LEFT + width) / 2, _HEIGHT_OF_DOTS - 8, "matches, in the order of the rounds", "tick middle")
    )
    slowest = max(exchange.seconds for exchange in exchanges)
    label = f"Time for each {what}: {len(exchanges)} answers, the slowest {seconds(slowest)}"
    return svg.chart(label, parts, _NARROW, _HEIGHT_OF_DOTS)


_HEIGHT_OF_DOTS = 240
_NARROW = 480
"""Width of charts of times: a phone shows them whole, with legible text."""
_ROW = 26


def speeds_chart(ranges: Sequence[Range], limit: float | None, names: Mapping[str, str]) -> str:
    """Players' times for a move, from median to slowest; empty without any."""
    if not ranges:
        return ""
    bottom = _TOP + 10 + _ROW * len(ranges)
    scale = _LogScale(
        [value for each in ranges for value in (each.speed.median, each.speed.slowest)], limit, _RIGHT, _NARROW - 30
    )
    parts = [svg.line(scale.at(tick), _TOP, scale.at(tick), bottom, "grid") for tick in scale.ticks]
    parts += [svg.text(scale.at(tick), bottom + 18, seconds(tick), "tick middle") for tick in scale.ticks]
    if limit is not None:
        parts.append(svg.line(scale.at(limit), _TOP, scale.at(limit), bottom, "deadline"))
        parts.append(svg.text(scale.at(limit) - 5, _TOP + 4, f"deadline {seconds(limit)}", "tick end late"))
    for place, each in enumerate(ranges):
        y, speed = _TOP + 10 + _ROW * (place + 0.5), each.speed
        own = [svg.text(_RIGHT - 12, y + 4, _name(each.player_id, names), "name end")]
        own.append(svg.line(scale.at(speed.median), y, scale.at(speed.slowest), y, "span"))
        own.append(svg.dot(scale.at(speed.slowest), y, f"slowest {seconds(speed.slowest)}", "dot slow"))
        own.append(svg.dot(scale.at(speed.p95), y, f"95th percentile {seconds(speed.p95)}", "dot most"))
        own.append(svg.dot(scale.at(speed.median), y, f"median {seconds(speed.median)}", "dot"))
        parts.append(_series(own))
    return svg.chart("Time for a move by player: median, 95th percentile and slowest", parts, _NARROW, bottom + 30)


def _lines(
    title: str,
    lines: Mapping[str, Sequence[int]],
    names: Mapping[str, str],
    ticks: Sequence[int],
    span: tuple[int, int],
    *,
    first: int,
) -> str:
    rounds = len(next(iter(lines.values())))
    low, high = span
    width, floor = WIDTH - _RIGHT, HEIGHT - _BOTTOM

    def x(place: int) -> float:
        return _LEFT + (width - _LEFT) * place / max(1, rounds - 1)

    def y(value: float) -> float:
        return floor - (floor - _TOP) * (value - low) / (high - low)

    parts = [svg.line(_LEFT, y(tick), width, y(tick), "grid") for tick in ticks]
    parts += [svg.text(_LEFT - 8, y(tick) + 4, str(tick), "tick end") for tick in ticks]
    every = max(1, math.ceil(rounds / 12))
    parts += [svg.text(x(p), floor + 18, str(p + first), "tick middle") for p in range(0, rounds, every)]
    parts.append(svg.text((_LEFT + width) / 2, HEIGHT - 6, "round", "tick middle"))
    shown = list(lines.items())
    xs = [round(x(place)) for place in range(rounds)]
    behind = "".join(
        "M" + "L".join(f"{across} {round(y(value))}" for across, value in zip(xs, values, strict=True))
        for _, values in shown[MOST_LINES:]
    )
    if behind:
        parts.append(f'<path class="behind" d="{behind}"/>')
    ends = _apart([y(values[-1]) for _, values in shown[:MOST_LINES]], _TOP, floor)
    for number, ((player, values), end) in reversed(list(enumerate(zip(shown[:MOST_LINES], ends, strict=True)))):
        colour = f"c{number % COLOURS}{' again' if number >= COLOURS else ''}"
        points = [(x(place), y(value)) for place, value in enumerate(values)]
        own = [f'<path class="line" d="{_path(points)}"/>'] if rounds > 1 else []
        own.append(svg.dot(*points[-1], f"{_name(player, names)}: {values[-1]}", "end"))
        own.append(svg.line(points[-1][0] + 5, points[-1][1], width + 12, end, "lead"))
        own.append(svg.text(width + 15, end + 4, _name(player, names), "name"))
        parts.append(_series(own, colour))
    leader = _name(shown[0][0], names)
    label = f"{title}; first of {len(shown)}: {leader}, {shown[0][1][-1]}"
    axis = _axis([(y(tick), str(tick)) for tick in ticks])
    return f'<div class="plot">{axis}{svg.chart(label, parts, WIDTH, HEIGHT)}</div>'


def _axis(ticks: Sequence[tuple[float, str]]) -> str:
    """The axis once more, for narrow screens: it stays while the chart scrolls."""
    told = "".join(svg.text(_LEFT - 8, y + 4, text, "tick end") for y, text in ticks)
    return f'<svg class="chart axis" viewBox="0 0 {_LEFT} {HEIGHT}" aria-hidden="true">{told}</svg>'


class _LogScale:
    """A logarithmic scale of seconds."""

    def __init__(self, values: Sequence[float], limit: float | None, start: float, end: float) -> None:
        fitting = [max(value, 0.001) for value in (*values, *([] if limit is None else [limit]))]
        low, high = math.floor(math.log10(min(fitting))), math.ceil(math.log10(max(fitting)) + 1e-9)
        self._low, self._high = low, max(high, low + 1)
        self._start, self._end = start, end
        self.ticks = [10.0**power for power in range(self._low, self._high + 1)]

    def at(self, seconds: float) -> float:
        share = (math.log10(max(seconds, 0.001)) - self._low) / (self._high - self._low)
        return self._start + (self._end - self._start) * share


def _ticks(top: int) -> list[int]:
    """Four to eight round values from 0 that reach `top`."""
    step = next(s for power in range(12) for s in (10**power, 2 * 10**power, 5 * 10**power) if top <= 7 * s)
    return list(range(0, top + step, step))


def _apart(places: Sequence[float], low: float, high: float, gap: float = 17) -> list[float]:
    """Positions near the given ones, in order, `gap` apart where there is room."""
    last = max(1, len(places) - 1)
    gap = min(gap, (high - low) / last)
    order = sorted(range(len(places)), key=lambda number: places[number])
    groups: list[list[float]] = []  # of neighbours that have to share their room
    for above, number in enumerate(order):
        groups.append([places[number] - above * gap])
        while len(groups) > 1 and fmean(groups[-2]) >= fmean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    tops = [min(max(fmean(group), low), high - last * gap) for group in groups for _ in group]
    result = [0.0] * len(places)
    for above, (number, top) in enumerate(zip(order, tops, strict=True)):
        result[number] = top + above * gap
    return result


def _name(player_id: str, names: Mapping[str, str]) -> str:
    return printable(names.get(player_id, player_id), LONGEST_NAME)


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Only where the direction changes there is a point."""
    kept = [
        point
        for before, point, after in zip((None, *points), points, (*points[1:], None), strict=False)
        if before is None or after is None or not _straight(before, point, after)
    ]
    return "M" + "L".join(f"{round(x, 1):g} {round(y, 1):g}" for x, y in kept)


def _straight(*points: tuple[float, float]) -> bool:
    (first, second) = ((b[1] - a[1]) / ((b[0] - a[0]) or 1) for a, b in pairwise(points))
    return abs(first - second) < 1e-6


def _series(parts: Sequence[str], colour: str = "") -> str:
    """Elements of one player, which the style highlights on hover and tap."""
    return f'<g class="series {colour}">{"".join(parts)}</g>'

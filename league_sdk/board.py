"""Boards of squares as SVG, for `Game.svg`."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

_CELL = 40
_MARGIN = 22
_DISC = "●"
_FONTS = "DejaVu Sans,Segoe UI Symbol,Apple Symbols,Noto Sans Symbols 2,sans-serif"


def board_svg(
    rows: Sequence[str],
    pieces: Mapping[str, tuple[str, str]],
    *,
    columns: str = "",
    numbers: Sequence[int] = (),
    light: str = "#f0e0c0",
    dark: str = "#b98f62",
) -> str:
    """A board of squares as an SVG image of a few thousand characters.

    Args:
        rows: One character a square, from the top; one without a piece stands for an empty square.
        pieces: A symbol, one character long, and a colour for each character; the symbol `●` is drawn as a disc.
        columns: The letters below the columns, if any.
        numbers: The numbers beside the rows, from the top, if any.
        light: The colour of squares.
        dark: The colour of every second square; equal to `light` for an unchequered board with lines.

    Raises:
        ValueError: There are no rows, or they are not equally long.
    """
    width = len(rows[0]) if rows else 0
    if not width or any(len(row) != width for row in rows):
        raise ValueError("a board has one or more rows of equal length")
    across, down = width * _CELL, len(rows) * _CELL
    left, below = (_MARGIN if numbers else 0), (_MARGIN if columns else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-left} 0 {across + left} {down + below}">',
        f'<rect width="{across}" height="{down}" fill="{escape(light)}"/>',
        _squares(rows, dark) if dark != light else _lines(width, len(rows)),
        *_pieces(rows, pieces),
        *_labels(columns, numbers, down),
        "</svg>",
    ]
    return "".join(parts)


def _squares(rows: Sequence[str], dark: str) -> str:
    """Every second square, the one at the top left not among them."""
    places = [(x, y) for y, row in enumerate(rows) for x in range(len(row)) if (x + y) % 2]
    path = "".join(f"M{x * _CELL} {y * _CELL}h{_CELL}v{_CELL}h-{_CELL}z" for x, y in places)
    return f'<path d="{path}" fill="{escape(dark)}"/>'


def _lines(width: int, height: int) -> str:
    path = "".join(f"M{x * _CELL} 0v{height * _CELL}" for x in range(width + 1))
    path += "".join(f"M0 {y * _CELL}h{width * _CELL}" for y in range(height + 1))
    return f'<path d="{path}" stroke="#555" stroke-width="2"/>'


def _pieces(rows: Sequence[str], pieces: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    half = _CELL // 2
    for character, (symbol, colour) in pieces.items():
        places = [(x, y) for y, row in enumerate(rows) for x, found in enumerate(row) if found == character]
        if not places:
            continue
        if symbol == _DISC:
            path = "".join(f"M{x * _CELL + half} {y * _CELL + half}h0" for x, y in places)
            yield f'<path d="{path}" stroke="{escape(colour)}" stroke-width="{_CELL - 8}" stroke-linecap="round"/>'
            continue
        # An outline of the other brightness keeps white pieces visible on light squares.
        yield f'<g font-family="{_FONTS}" font-size="32" text-anchor="middle" fill="{escape(colour)}" stroke="#222">'
        for y in sorted({y for _, y in places}):
            row = [x * _CELL + half for x, other in places if other == y]
            yield f'<text x="{" ".join(map(str, row))}" y="{y * _CELL + 31}">{escape(symbol) * len(row)}</text>'
        yield "</g>"


def _labels(columns: str, numbers: Sequence[int], down: int) -> Iterator[str]:
    yield '<g font-family="sans-serif" font-size="14" text-anchor="middle" fill="#777">'
    for x, letter in enumerate(columns):
        yield f'<text x="{x * _CELL + _CELL // 2}" y="{down + 16}">{escape(letter)}</text>'
    for y, number in enumerate(numbers):
        yield f'<text x="-11" y="{y * _CELL + 25}">{number}</text>'
    yield "</g>"

"""Tables for terminals that break lines between words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

LEAST = 16
"""Characters of a column that gives way: most words are shorter, so that lines break between them."""
BETWEEN = 2
"""Characters between two columns, and around all of them."""
LONGEST_WORDS = (64, 32, 24, 20, 16, 12, 8, 4)
"""Characters of the longest word that is not broken; fewer where there is no room."""
UNBOUNDED = 10_000


@dataclass(frozen=True, slots=True)
class TableForm:
    """A way to write a table.

    Attributes:
        make: Makes it; the columns that give way are at most as wide as the argument says, which may be None.
        left_out: What it leaves out, as people call it.
        legend: The meaning of headings that need one.
    """

    make: Callable[[int | None], Table]
    left_out: Sequence[str] = ()
    legend: Sequence[str] = ()


class FittedTable:
    """The first form of a table that fits, and a line on what it leaves out."""

    def __init__(self, forms: Sequence[TableForm]) -> None:
        self._forms = forms

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        form = next((each for each in self._forms if _width(console, options, each) <= options.max_width), None)
        form = form or self._forms[-1]
        yield form.make(None)
        if form.legend:
            yield Text(f"{'; '.join(form.legend)}.", style="dim")
        if form.left_out:
            yield Text(f"No room for: {', '.join(form.left_out)}.", style="dim")


def _width(console: Console, options: ConsoleOptions, form: TableForm) -> int:
    """The width that a form needs at least."""
    return Measurement.get(console, options.update(width=UNBOUNDED), form.make(LEAST)).maximum


class WordTable:
    """A table whose columns are at least as wide as their words, if there is room."""

    def __init__(self, headings: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
        self._headings = headings
        self._rows = rows
        self._columns = [[heading, *(row[place].plain for row in rows)] for place, heading in enumerate(self._headings)]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        room = options.max_width - BETWEEN * len(self._headings)
        for heading, width in zip(self._headings, self._widths(room), strict=True):
            table.add_column(heading, overflow="fold", width=width)
        for row in self._rows:
            table.add_row(*row)
        yield table

    def _widths(self, room: int) -> list[int]:
        """Widths of the columns: the longest words, and what is left."""
        wanted = [max(map(cell_len, cells)) for cells in self._columns]
        words = [max((cell_len(word) for cell in cells for word in cell.split()), default=0) for cells in self._columns]
        longest = next((most for most in LONGEST_WORDS if sum(min(word, most) for word in words) <= room), 1)
        widths = [min(word, longest) for word in words]
        while sum(widths) < room and widths != wanted:
            place = max(range(len(widths)), key=lambda number: wanted[number] - widths[number])
            widths[place] += 1
        return widths

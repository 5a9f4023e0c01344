"""Terminal views of a running league: a live table, plain lines, or nothing."""

import math
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from league_sdk.clock import SystemClock
from league_sdk.domain.events import Record
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.tie_breaks import TIE_BREAKS
from servers.cli.fitted_tables import FittedTable, TableForm
from servers.read_model import operator_entry, overview
from servers.read_model.ranking import number
from servers.read_model.ratings import Rating
from servers.read_model.snapshot import Snapshot
from servers.read_model.text import LONGEST_LINE, count, legible, printable
from servers.read_model.waits import WaitLine

RECENT = 6
"""Lines of the feed under the live table."""
ROOMY = 24
"""Lines of a terminal from which on what agents say is told whole, over several lines."""
SHOWN = 20
"""Rows of the live table at most."""
CLOSING_SEC = 3.0
"""Seconds after its deadline in which registration closes, unless too few are in."""
MOST_WAITS = 4
"""Waits of matches that stand above the table."""
FEWEST = 3
"""Rows of the live table, and lines of the feed under it, that are shown however low the terminal is."""
AROUND_TABLE = 4
"""Lines of a table that are not rows: a heading, a rule, and an empty line before and behind."""
OPTIONAL: Mapping[str, Callable[[Standing], int]] = {
    "technical": lambda row: row.technical_losses,
    "not played": lambda row: row.not_played,
    "substituted": lambda row: row.substituted_moves,
    "byes": lambda row: row.byes,
}
"""Columns that are shown once a number in them is not 0."""
SHORT = {
    "played": "P",
    "won": "W",
    "drawn": "D",
    "lost": "L",
    "technical": "T",
    "not played": "N",
    "substituted": "S",
    "byes": "B",
}
"""Headings of a table with tie-breaks, which has to fit 80 columns."""
LEGENDS = {
    "not played": "forfeits, since a player sat out: points count, nothing else does",
    "substituted": "moves that were not the strategy's own, by the player's account; they cost nothing",
}
"""Explanations of headings."""


def standings_table(
    league: League | Sequence[Standing], rows: int | None = None, ratings: Mapping[str, Rating] | None = None
) -> FittedTable:
    """The standings as a table that fits: with short headings, or with fewer columns."""
    standings = league.standings() if isinstance(league, League) else league
    extra = [heading for heading, counted in OPTIONAL.items() if any(counted(row) for row in standings)]
    ties = {name: TIE_BREAKS[name].abbreviation for row in standings for name in row.tie_breaks}
    chosen = _Columns(tuple(extra), tuple(ties), bool(ratings), short=bool(ties))
    forms = [chosen, replace(chosen, short=True, narrow=True)]
    while forms[-1].droppable:
        forms.append(forms[-1].narrower())

    def form(columns: _Columns) -> TableForm:
        left = [*(["rating"] if ratings and not columns.ratings else [])]
        left += [ties[name] for name in ties if name not in columns.ties]
        left += [heading for heading in extra if heading not in columns.extra]
        legend = _legend(columns) if rows is None else ()
        return TableForm(lambda width: _standings(standings, columns, rows, ratings or {}, width), left, legend)

    return FittedTable([form(columns) for columns in forms])


def _legend(columns: "_Columns") -> tuple[str, ...]:
    """The meaning of the columns that are there, under the headings that they have."""
    shown = [heading for heading in columns.extra if heading in LEGENDS]
    return tuple(f"{SHORT[each] if columns.short else each}: {LEGENDS[each]}" for each in shown)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of a table of standings that can be left out."""

    extra: tuple[str, ...]
    ties: tuple[str, ...]
    ratings: bool
    short: bool  # headings of a letter
    narrow: bool = False  # little room between columns

    @property
    def droppable(self) -> bool:
        return self.ratings or len(self.ties) > 1 or bool(self.extra)

    def narrower(self) -> "_Columns":
        """Without the next column that says least."""
        if self.ratings:
            return replace(self, ratings=False)
        return replace(self, ties=self.ties[:-1]) if len(self.ties) > 1 else replace(self, extra=self.extra[:-1])


def _standings(
    standings: Sequence[Standing],
    columns: _Columns,
    rows: int | None,
    ratings: Mapping[str, Rating],
    width: int | None,
) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=columns.narrow)
    ties = [TIE_BREAKS[name].abbreviation for name in columns.ties]
    headings = ("#", "player", "played", "won", "drawn", "lost", *columns.extra, "points", *ties)
    for heading in (*headings, *(["rating"] if columns.ratings else [])):
        name = heading == "player"  # the one that gives way on a narrow terminal
        shown = SHORT.get(heading, heading) if columns.short else heading
        most = width if name else None
        table.add_column(shown, justify="left" if name else "right", no_wrap=not name, max_width=most)
    for row in standings[:rows]:
        cells = _cells(row, columns.extra, columns.ties)
        if columns.ratings:
            cells += (Text(str(ratings.get(row.player_id, ""))),)
        cells[1].no_wrap = rows is not None  # with a limit on the rows, each has to be one line
        cells[1].overflow = "fold" if rows is None else "ellipsis"
        table.add_row(*cells)
    if rows is not None and len(standings) > rows:
        table.add_row("", f"and {len(standings) - rows} more")
    return table


def _cells(row: Standing, extra: Sequence[str], ties: Sequence[str]) -> tuple[Text, ...]:
    gone = f" ({row.mark})" if row.mark else ""
    name = Text.assemble(printable(row.display_name), " ", (row.player_id, "dim"), (gone, "italic"))
    numbers = (row.played, row.wins, row.draws, row.losses, *(OPTIONAL[heading](row) for heading in extra))
    values = (Text(number(row.tie_breaks.get(name))) for name in ties)
    return (Text(str(row.rank)), name, *(Text(str(n)) for n in numbers), Text(str(row.points), "bold"), *values)


class SilentView:
    """Says nothing."""

    def league(self, league: League, record: Record) -> None: ...

    def show(self, shown: Snapshot) -> None: ...

    def waits(self, lines: Sequence[WaitLine]) -> None: ...

    def note(self, text: str) -> None: ...


class PlainView:
    """A line for everything that happens, with its time."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._waits: tuple[str, ...] = ()

    def league(self, league: League, record: Record) -> None:
        entry = operator_entry(league, record)
        if entry is not None:
            self._print(f"{record.at[11:19]} {entry.text}")

    def show(self, shown: Snapshot) -> None:
        for entry in shown.entries:
            self._print(f"{printable(entry.at[11:19])} {printable(entry.text, LONGEST_LINE)}")
        self.waits(shown.waits)

    def waits(self, lines: Sequence[WaitLine]) -> None:
        """Print the waits that are new."""
        now = SystemClock().now()
        for line in lines:
            if line.text not in self._waits:
                self._print(f"{now:%H:%M:%S} {printable(line.at(now), LONGEST_LINE)}")
        self._waits = tuple(line.text for line in lines)

    def note(self, text: str) -> None:
        self._print(legible(text))

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, emoji=False, highlight=False, soft_wrap=True)


class LiveView:
    """Live table of phase, round, progress and standings; a context manager."""

    def __init__(self, console: Console, waiting: str = "starting the agents …") -> None:
        self._console = console
        self._waiting = waiting
        self._league: League | Snapshot | None = None
        self._feed: deque[str] = deque(maxlen=RECENT)
        self._waits: Sequence[WaitLine] = ()
        # Last, since it draws at once.
        self._live = Live(console=console, transient=True, refresh_per_second=12, get_renderable=self.render)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._live.stop()

    def league(self, league: League, record: Record) -> None:
        self._league = league
        entry = operator_entry(league, record)
        if entry is not None:
            self._feed.append(entry.text)

    def show(self, shown: Snapshot) -> None:
        self._league = shown
        self._feed.extend(printable(entry.text, 300) for entry in shown.entries)
        self._waits = shown.waits

    def waits(self, lines: Sequence[WaitLine]) -> None:
        self._waits = lines

    def note(self, text: str) -> None:
        lines = [printable(text, 300)]
        if self._console.height >= ROOMY:  # whole, since a refusal's reason stands at its end
            lines = [line.plain.rstrip() for line in Text(lines[0]).wrap(self._console, self._console.width)]
        self._feed.extend(lines)

    def render(self) -> RenderableType:
        if self._league is None:
            return Group(Text(self._waiting), *(Text(line, style="dim") for line in self._feed))
        width, left = self._console.width, self._console.height
        whole = phase(self._league)
        head = Text(whole if len(whole) <= width else phase(self._league, short=True), style="bold")
        left -= len(head.wrap(self._console, width))
        parts: list[RenderableType] = [
            head,
            *self._waiting_for(max(1, min(MOST_WAITS, (left - AROUND_TABLE) // FEWEST - 2))),
        ]
        left -= len(parts) - 1
        standings, feed = self._standings(self._league), list(self._feed)
        if standings:
            least = AROUND_TABLE + min(FEWEST, len(standings)) + 1
            feed = feed[-max(FEWEST + 1 - len(parts), 1, left - least) :]
            rows = max(FEWEST, min(SHOWN, left - AROUND_TABLE - len(feed)))
            # The line that says how many more there are takes the place of a row.
            parts.append(standings_table(standings, rows if len(standings) <= rows else max(FEWEST, rows - 1)))
        parts.extend(Text(line, style="dim", overflow="ellipsis", no_wrap=True) for line in feed)
        return Group(*parts)

    def _waiting_for(self, most: int) -> list[Text]:
        """A line for each wait, with the seconds that are left."""
        now, lines = SystemClock().now(), self._waits
        told = [printable(line.at(now), 300) for line in lines[:most]]
        if more := len(lines) - len(told):
            told[-1] += f" (and {more} more)"
        return [Text(each, style="yellow", overflow="ellipsis", no_wrap=True) for each in told]

    @staticmethod
    def _standings(shown: League | Snapshot) -> Sequence[Standing]:
        if isinstance(shown, League):
            return shown.standings() if shown.scheduled else ()
        return shown.standings if shown.overview.total_rounds else ()


def phase(shown: League | Snapshot, go_on: str = "", *, short: bool = False, now: datetime | None = None) -> str:
    """One-line status of a league."""
    view = overview(shown) if isinstance(shown, League) else shown.overview
    if view.state is LeagueState.WAITING_FOR_REGISTRATIONS:
        expected = view.expected_players
        players = count(view.players, "player") if expected is None else f"{view.players} of {expected} players"
        closes = _closes(view.registration_deadline, now or SystemClock().now())
        return f"{view.league_id}: registration, {players}, {count(view.referees, 'referee')}{closes}"
    void = f", {view.voided} void" if view.voided else ""
    if view.cancelled:
        return f"{view.league_id}: {view.stop_reason}; {view.decided_named} decided{void}"
    known = go_on or ("its operator can resume it" if view.paused else "'league resume' continues it")
    hint = f"; {known}" if view.state is LeagueState.STOPPED else ""
    hint = f": {printable(view.paused_for, 400)}{hint}" if view.paused_for else hint
    if short:
        shown_round = view.rounds_named.replace(" of ", "/")
        of_all = "" if view.paired_one_by_one else f"/{view.total_matches}"
        return (
            f"{view.league_id}: {view.state_named}, {shown_round}, "
            f"{view.under_way} running, {view.decided}{of_all} decided{void}{hint}"
        )
    return (
        f"{view.league_id}: {view.state_named}, {view.rounds_named}, {view.under_way} running, "
        f"{view.decided_named} decided{void}{hint}"
    )


def _closes(deadline: str | None, now: datetime) -> str:
    """The time left for registration; nothing without a deadline that can be read."""
    try:
        at = datetime.fromisoformat(deadline or "")
        seconds = (at - now).total_seconds()
        left = timedelta(seconds=max(0, math.ceil(seconds)))
    except (ValueError, TypeError, OverflowError):
        return ""
    if seconds < -CLOSING_SEC:
        return ", past its deadline with too few: it begins once enough are in"
    return f", closes in {left}"


@contextmanager
def view_for(
    console: Console, *, quiet: bool = False, waiting: str = "starting the agents …"
) -> Generator[SilentView | PlainView | LiveView]:
    """The view for this output: live on a terminal, else lines; silent if quiet."""
    if quiet:
        yield SilentView()
    elif console.is_terminal and not console.is_dumb_terminal:
        with LiveView(console, waiting) as view:
            yield view
    else:
        yield PlainView(console)

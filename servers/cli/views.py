"""Terminal views of a running league: a live table, plain lines, or nothing."""

import math
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
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
from servers.cli.fitted_tables import FittedTable, TableForm
from servers.read_model import columns, operator_entry, overview
from servers.read_model.columns import Audience, Column, Visibility, seen_by, with_values
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


def standings_table(
    league: League | Sequence[Standing], rows: int | None = None, ratings: Mapping[str, Rating] | None = None
) -> FittedTable:
    """The standings as a table that fits: with short headings, or with fewer columns."""
    standings = league.standings() if isinstance(league, League) else league
    ties = columns.tie_columns(dict.fromkeys(name for row in standings for name in row.tie_breaks))
    rating = columns.rating_column(ratings or {})
    counts = with_values(seen_by(Audience.OPERATOR, columns.TABLE), standings)
    extra = [column for column in counts if column.shown is not Visibility.ALWAYS]

    def form(*left_out: Column, short: bool, narrow: bool) -> TableForm:
        shown = [column for column in (*counts, *ties, *rating) if column not in left_out]
        misread = [column for column in columns.MISREAD if column in shown and rows is None]
        meant = [f"{_heading(column, short)}: {column.help}" for column in misread]
        missing = [column.heading for column in (*rating, *ties, *extra) if column in left_out]
        return TableForm(lambda width: _standings(standings, shown, rows, width, short, narrow), missing, meant)

    drops = (*rating, *reversed(ties[1:]), *reversed(extra))  # those that say least come first
    forms = [form(*drops[:number], short=True, narrow=True) for number in range(len(drops) + 1)]
    return FittedTable([form(short=bool(ties), narrow=False), *forms])


def _heading(column: Column, short: bool) -> str:
    return column.short if short else column.heading


def _standings(
    standings: Sequence[Standing],
    shown: Sequence[Column],
    rows: int | None,
    width: int | None,
    short: bool,
    narrow: bool,
) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=narrow)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("player", max_width=width)  # the one that gives way on a narrow terminal
    for column in shown:
        table.add_column(_heading(column, short), justify="right", no_wrap=True)
    for row in standings[:rows]:
        gone = f" ({row.mark})" if row.mark else ""
        name = Text.assemble(printable(row.display_name), " ", (row.player_id, "dim"), (gone, "italic"))
        name.no_wrap = rows is not None  # with a limit on the rows, each has to be one line
        name.overflow = "fold" if rows is None else "ellipsis"
        cells = (Text(each.text(row), "bold" if each is columns.POINTS else "") for each in shown)
        table.add_row(Text(str(row.rank)), name, *cells)
    if rows is not None and len(standings) > rows:
        table.add_row("", f"and {len(standings) - rows} more")
    return table


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

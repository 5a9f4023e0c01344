"""What the person at the terminal sees of a running league: a live table, plain lines, or nothing."""

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from league_sdk.domain.events import Record
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Standing
from servers.narration import count, legible, printable, sentence

RECENT = 6
"""Lines of news under the live table."""
SHOWN = 20
"""Rows of the live table at most."""
AROUND = RECENT + 6
"""Lines of the live view that are not rows of its table."""


def standings_table(league: League, rows: int | None = None) -> Table:
    """The standings as a table for a terminal.

    Args:
        league: The league.
        rows: How many rows at most; None shows all.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("#", "player", "played", "won", "drawn", "lost", "points"):
        table.add_column(heading, justify="left" if heading == "player" else "right")
    standings = league.standings()
    for row in standings[:rows]:
        table.add_row(*_cells(row))
    if rows is not None and len(standings) > rows:
        table.add_row("", f"and {len(standings) - rows} more", "", "", "", "", "")
    return table


def _cells(row: Standing) -> tuple[Text, ...]:
    name = Text.assemble(printable(row.display_name), " ", (row.player_id, "dim"))
    numbers = (row.played, row.wins, row.draws, row.losses)
    return (Text(str(row.rank)), name, *(Text(str(n)) for n in numbers), Text(str(row.points), "bold"))


class SilentView:
    """Says nothing."""

    def league(self, league: League, record: Record) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""


class PlainView:
    """A line for everything that happens, with its time.

    Args:
        console: Where to.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def league(self, league: League, record: Record) -> None:
        """Tell what happened."""
        line = sentence(league, record)
        if line is not None:
            self._print(f"{record.at[11:19]} {line}")

    def note(self, text: str) -> None:
        """Tell something else."""
        self._print(legible(text))

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, emoji=False, highlight=False, soft_wrap=True)


class LiveView:
    """Phase, round, progress and standings, redrawn in place. Use it as a context manager.

    Args:
        console: A terminal.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._league: League | None = None
        self._news: deque[str] = deque(maxlen=RECENT)
        # Last, since it draws at once.
        self._live = Live(console=console, transient=True, refresh_per_second=12, get_renderable=self._draw)

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take the drawing away."""
        self._live.stop()

    def league(self, league: League, record: Record) -> None:
        """Take in what happened."""
        self._league = league
        line = sentence(league, record)
        if line is not None:
            self._news.append(line)

    def note(self, text: str) -> None:
        """Take in something else."""
        self._news.append(printable(text, 300))

    def _draw(self) -> RenderableType:
        if self._league is None:
            return Text("starting the agents …")
        parts: list[RenderableType] = [Text(phase(self._league), style="bold")]
        if self._league.rounds:
            room = max(3, self._console.height - AROUND)
            parts.append(standings_table(self._league, min(room, SHOWN)))
        parts.extend(Text(line, style="dim", overflow="ellipsis", no_wrap=True) for line in self._news)
        return Group(*parts)


def phase(league: League) -> str:
    """Where a league stands, in a line."""
    if league.state is LeagueState.WAITING_FOR_REGISTRATIONS:
        expected = league.rules.expected_players
        players = (
            count(len(league.players), "player") if expected is None else f"{len(league.players)} of {expected} players"
        )
        return f"{league.league_id}: registration, {players}, {count(len(league.referees), 'referee')}"
    running = sum(not league.decided(match_id) for match_id in league.assignments)
    if league.state is not LeagueState.RUNNING:
        running = 0
    hint = "; 'league resume' goes on" if league.state is LeagueState.STOPPED else ""
    done = len(league.results) + len(league.voided)
    where = f"round {league.rounds_started} of {len(league.rounds)}"
    return (
        f"{league.league_id}: {league.state}, {where}, {running} running, "
        f"{done} of {league.total_matches} matches done{hint}"
    )


@contextmanager
def view_for(console: Console, *, quiet: bool = False) -> Generator[SilentView | PlainView | LiveView]:
    """The view that fits where the output goes: live on a terminal, else plain lines; nothing when quiet."""
    if quiet:
        yield SilentView()
    elif console.is_terminal and not console.is_dumb_terminal:
        with LiveView(console) as view:
            yield view
    else:
        yield PlainView(console)

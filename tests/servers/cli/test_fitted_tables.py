"""Tables at 80 columns: no word is broken, and no column cut."""

import io
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from servers.cli.fitted_tables import WordTable
from servers.cli.views import standings_table
from servers.read_model.ratings import Rating
from tests.servers.league_history import finished

NAMES = ("Ada Lovelace", "Grace Brewster Murray Hopper", "TeX", "A friend of long-distance relationships")
FULL = {"technical_losses": 1, "byes": 1, "substituted": {"raised": 3}, "not_played": 2}
TIES = {"buchholz": 12.5, "sonneborn_berger": 101.25, "head_to_head": 3.0}


def drawn(table: RenderableType, width: int = 80) -> list[str]:
    """The lines of a table."""
    page = Console(file=io.StringIO(), width=width, color_system=None)
    page.print(table)
    assert isinstance(page.file, io.StringIO)
    lines = page.file.getvalue().splitlines()
    assert all(len(line) <= width for line in lines)
    return [line.rstrip() for line in lines if line.strip()]


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("more", [{}, FULL, {**FULL, "tie_breaks": TIES}, {**FULL, "sitting_out": "absent"}])
@pytest.mark.parametrize("rated", [False, True])
def test_standings_break_between_words_and_cut_no_heading(width: int, more: dict[str, object], rated: bool):
    standings = zip(finished(4).league.standings(), NAMES, strict=True)
    rows = [replace(row, display_name=name, **more) for row, name in standings]
    ratings = {row.player_id: Rating(1500, 120) for row in rows} if rated else None
    text = "\n".join(drawn(standings_table(rows, ratings=ratings), width))
    for word in (word for name in NAMES for word in name.split()):
        assert word in text
    assert "…" not in text
    assert "points" in text


def test_columns_that_their_headings_do_not_explain_have_a_legend():
    standings = zip(finished(4).league.standings(), NAMES, strict=True)
    rows = [replace(row, display_name=name, **FULL) for row, name in standings]
    told = " ".join(drawn(standings_table(rows), 120))
    assert "not played: forfeits, since a player sat out" in told
    assert "substituted: moves that were not the strategy's own" in told
    short = " ".join(drawn(standings_table([replace(row, tie_breaks=TIES) for row in rows]), 120))
    assert "N: forfeits, since a player sat out" in short
    plain = " ".join(drawn(standings_table(finished(4).league), 120))
    assert "forfeits" not in plain
    assert "forfeits" not in " ".join(drawn(standings_table(rows, 20), 120)), "a live table keeps its height"


def test_what_has_no_room_is_named():
    standings = zip(finished(4).league.standings(), NAMES, strict=True)
    rows = [replace(row, display_name=name, tie_breaks=TIES, **FULL) for row, name in standings]
    ratings = {row.player_id: Rating(1500, 120) for row in rows}
    assert drawn(standings_table(rows, ratings=ratings))[-1] == "No room for: rating."
    assert "No room for: rating, " in "\n".join(drawn(standings_table(rows, ratings=ratings), 50))
    assert "No room" not in "".join(drawn(standings_table(rows, ratings=ratings), 120))


MATCHES = (
    ("match", "series", "players", "status", "winner", "score", "referee"),
    [
        ("R1M1", "R1M1 #1", "P01 - P02", "TECHNICAL_LOSS", "P01", "3:0", "REF01"),
        ("R10M12G2", "R10M12 #2", "P100 (sits out: absent) - P102 (withdrew)", "TECHNICAL_LOSS", "P100", "3:0", ""),
    ],
)
STUDENTS = (
    ("id", "student", "plays as", "check", "state"),
    [
        ("4711", "Ada Lovelace", "Ada Lovelace", "passed, 2 advised, 10 minutes ago", "plays: R2M3"),
        ("student-0815@example", "Grace Murray Hopper", "Amazing Grace", "failed", "missing: registration closes"),
    ],
)


@pytest.mark.parametrize(("headings", "rows"), [MATCHES, STUDENTS])
def test_other_tables_break_between_words(headings: tuple[str, ...], rows: list[tuple[str, ...]]):
    lines = drawn(WordTable(headings, [[Text(cell) for cell in row] for row in rows]))
    words = " ".join(lines).split()
    for cell in (cell for row in (headings, *rows) for cell in row):
        assert all(word in words for word in cell.split()), cell


def test_a_word_that_is_longer_than_the_line_is_folded():
    lines = drawn(WordTable(("player",), [[Text("x" * 100)]]), 40)
    assert sum(line.count("x") for line in lines) == 100

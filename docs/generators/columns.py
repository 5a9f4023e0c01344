"""Write docs/reference/columns.md from the columns of a league's tables."""

from collections.abc import Sequence
from pathlib import Path

from docs.generators.tables import table
from servers.read_model import columns
from servers.read_model.columns import Column
from servers.read_model.export import TABLES

TARGET = Path(__file__).resolve().parents[1] / "reference" / "columns.md"

HEAD = """\
# Columns

Made by `docs/generators/columns.py` from `servers/read_model/columns.py`; change that, not this page.

Each column is said once; the page, the report, the terminal, [exports](../export.md), the host's tools and the
manager's resources choose from these. A column's audience is who may see it: `public` is everybody, `player` a player
of the league, `owner` the player that a row is about, and `operator` the league's operator; each sees what those
before it see.
"""
FOR_PEOPLE = """
## Standings, for people

In page, report and terminal, in this order; tie-breaks and the rating follow. Headings are short where there is little
room.

"""


def render() -> str:
    """The page as Markdown."""
    shown = (
        (f"`{each.name}`", each.heading, each.short, each.shown.value, each.audience.name.lower(), each.help)
        for each in columns.TABLE
    )
    parts = [HEAD, FOR_PEOPLE, table(("column", "heading", "short", "shown", "audience", "meaning"), shown)]
    parts += [
        f"\n## Exported: `{name}`\n\n{_fields(each.columns)}" for name, each in TABLES.items() if name != "rounds"
    ]
    return "".join(parts)


def _fields(shown: Sequence[Column]) -> str:
    return table(
        ("column", "audience", "meaning"), ((f"`{each.name}`", each.audience.name.lower(), each.help) for each in shown)
    )

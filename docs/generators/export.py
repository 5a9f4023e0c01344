"""Write the tables of docs/export.md from the columns of a league's tables; the page's other text is its own."""

import re
from collections.abc import Mapping
from pathlib import Path

from docs.generators.tables import table
from servers.read_model.export import TABLES

TARGET = Path(__file__).resolve().parents[1] / "export.md"
SECTION = re.compile(r"(?<=^### `)(\w+)`\n\nA row is .*?\.\n\n(?:\|.*\n)+", re.MULTILINE)


def render() -> str:
    """The page as Markdown."""
    page, number = SECTION.subn(lambda found: _section(found[1]), TARGET.read_text(encoding="utf-8"))
    assert number == len(TABLES), "docs/export.md has another number of sections than there are tables"
    return page


def _section(name: str) -> str:
    shown = TABLES[name]
    rows: Mapping[str, str] = {f"`{column.name}`": column.help for column in shown.columns}
    return f"{name}`\n\nA row is {shown.about}.\n\n{table(('column', 'what it holds'), rows.items())}"

"""Write docs/requirements.md from the rows in tests/requirements and the markers on the tests."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from tests.requirements.evidence import all_marks, shown_by
from tests.requirements.manifest import REQUIREMENTS
from tests.requirements.model import SOURCES, Requirement, by_source

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "requirements.md"
LARGE = True  # it would be in every tenth commit

HEAD = """\
# Requirements

Made by `docs/generators/requirements.py` from the rows in `tests/requirements` and the markers `@requirement("…")` on
the tests; change those, not this page.

Each row says in our own words what a document demands, which tests show that it holds, and, where documents
contradict each other or a demand does not apply, which [decision](adr/README.md) settles it. *Planned* means that this
release does not claim it, *missed* that a target was measured and is not reached; the
[limitations](limitations.md) say both in short. A page, a table or an example shows nothing of what a program does: it
counts only where the demand is for that page. A test fails when a row has neither test nor decision, and when a marker
names no row.
"""


Tests: TypeAlias = Mapping[str, tuple[str, ...]]
"""The tests of each requirement."""


def render(requirements: tuple[Requirement, ...] = REQUIREMENTS, tests: Tests | None = None) -> str:
    """The page as Markdown."""
    tests = shown_by(all_marks()) if tests is None else tests
    parts = [HEAD, _summary(requirements, tests)]
    for source, rows in by_source(requirements):
        heading = SOURCES[source] if source == "project" else f"{source}: {SOURCES[source]}"
        parts.append(f"## {heading}\n")
        for section in dict.fromkeys(row.section for row in rows):
            parts.append(f"### {section}\n")
            parts.append("| id | requirement | shown by | settled by |\n| --- | --- | --- | --- |")
            parts.append("\n".join(_row(row, tests) for row in rows if row.section == section) + "\n")
    return "\n".join(parts)


def _summary(requirements: tuple[Requirement, ...], tests: Tests) -> str:
    lines = [
        "| document | rows | shown by tests | settled by a decision alone | missed | planned |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for source, rows in by_source(requirements):
        missed = sum(bool(row.missed) for row in rows)
        planned = sum(row.planned for row in rows)
        shown = sum(row.id in tests and not row.missed for row in rows)
        settled = len(rows) - shown - missed - planned
        name = SOURCES[source] if source == "project" else f"{source} {SOURCES[source]}"
        lines.append(f"| {name} | {len(rows)} | {shown} | {settled} | {missed} | {planned} |")
    return "\n".join(lines) + "\n"


def _row(row: Requirement, tests: Tests) -> str:
    links = "<br>".join(_test_link(test) for test in tests.get(row.id, ()))
    return f"| {row.id} | {_cell(row.text)} | {links} | {_decision(row)} |"


def _test_link(test: str) -> str:
    path, _, name = test.partition("::")
    return f"[{_cell(name.replace('::', '.'))}](../{path})"


def _decision(row: Requirement) -> str:
    if row.decision is None:
        return ""
    page = row.decision.removeprefix("docs/")
    number = Path(page).name[:4]
    label = f"planned ({number})" if row.planned else number
    missed = f"**Missed:** [{_cell(row.missed)}](performance.md#against-what-was-hoped-for). " if row.missed else ""
    return f"{missed}[{label}]({page}) {_cell(row.reading)}".rstrip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("_", "\\_")

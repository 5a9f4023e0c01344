"""The contract between requirements, tests, decisions and the page that is made from them."""

import ast
import re
from functools import cache
from pathlib import Path

from docs.generate_requirements import TARGET, render
from tests.requirements.evidence import ABOUT_PAGES, is_about_pages
from tests.requirements.manifest import REQUIREMENTS
from tests.requirements.model import SOURCES

ROOT = Path(__file__).parents[2]
DECISIONS = ROOT / "docs" / "adr"
PERFORMANCE = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")


def test_every_requirement_has_a_test_or_a_decision():
    assert [row.id for row in REQUIREMENTS if not row.tests and row.decision is None] == []


def test_every_test_that_a_requirement_names_exists():
    missing = [f"{row.id}: {test}" for row in REQUIREMENTS for test in row.tests if not _exists(test)]
    assert missing == []


def test_a_behaviour_is_not_shown_by_a_page_an_example_or_a_table():
    pages = [
        f"{row.id}: {test} looks at a page or a table; name a test of the behaviour, or a decision"
        for row in REQUIREMENTS
        for test in row.tests
        if row.kind == "behaviour" and is_about_pages(test)
    ]
    assert pages == []


def test_what_is_called_a_test_of_pages_exists():
    assert [name for name in ABOUT_PAGES if not (_exists(name) if "::" in name else (ROOT / name).is_dir())] == []


def test_a_missed_target_has_the_figure_that_was_measured():
    missed = [row for row in REQUIREMENTS if row.missed]
    assert [row.id for row in missed if f"| {row.missed} |" not in PERFORMANCE] == []
    assert [row.id for row in missed if row.decision is None] == []


def test_every_row_is_in_one_column_of_the_summary():
    columns = [(bool(row.tests) and not row.missed, row.settled, bool(row.missed), row.planned) for row in REQUIREMENTS]
    assert [row.id for row, states in zip(REQUIREMENTS, columns, strict=True) if sum(states) != 1] == []


def test_every_decision_that_a_requirement_names_exists():
    missing = [row.id for row in REQUIREMENTS if row.decision is not None and not (ROOT / row.decision).is_file()]
    assert missing == []


def test_every_decision_says_which_reading_holds_or_stands_alone():
    unclear = [row.id for row in REQUIREMENTS if (row.decision is None) != (row.reading == "")]
    assert unclear == []


def test_ids_are_unique_and_name_their_source():
    ids = [row.id for row in REQUIREMENTS]
    assert len(ids) == len(set(ids))
    assert [row.id for row in REQUIREMENTS if not re.fullmatch(rf"{row.source}-[A-Z0-9-]+-\d\d", row.id)] == []
    assert {row.source for row in REQUIREMENTS} == set(SOURCES)


def test_every_requirement_is_one_sentence_that_ends():
    assert [row.id for row in REQUIREMENTS if not row.text.endswith(".")] == []
    assert [row.id for row in REQUIREMENTS if row.reading and not row.reading.endswith(".")] == []


def test_no_requirement_names_a_test_twice():
    assert [row.id for row in REQUIREMENTS if len(row.tests) != len(set(row.tests))] == []


def test_the_index_lists_every_decision_under_its_title():
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    pages = sorted(page for page in DECISIONS.glob("*.md") if page.name != "README.md")
    # Decisions that are written at the same time take numbers from ranges, so some may be left out.
    assert len({page.name[:4] for page in pages}) == len(pages)
    for page in pages:
        heading = page.read_text(encoding="utf-8").splitlines()[0]
        number, _, title = heading.removeprefix("# ").partition(". ")
        assert f"| [{number}]({page.name}) | {title} |" in index


def test_every_decision_has_context_decision_and_consequences():
    for page in DECISIONS.glob("0*.md"):
        headings = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("## ")]
        assert headings == ["## Context", "## Decision", "## Consequences"], page.name


def test_the_page_is_what_the_data_say():
    assert TARGET.read_text(encoding="utf-8") == render(), "run: python -m docs.generate_requirements"


def test_a_test_that_does_not_exist_is_noticed():
    here = "tests/requirements/test_requirements.py"
    assert _exists(f"{here}::test_a_test_that_does_not_exist_is_noticed")
    assert not _exists(f"{here}::test_nobody_wrote_this")
    assert not _exists("tests/requirements/test_nowhere.py::test_ids_are_unique_and_name_their_source")


def _exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return name in _defined(path)


@cache
def _defined(path: str) -> frozenset[str]:
    file = ROOT / path
    if not file.is_file() or not file.name.startswith("test_"):
        return frozenset()
    return frozenset(_names(ast.parse(file.read_text(encoding="utf-8")).body))


def _names(body: list[ast.stmt], prefix: str = "") -> list[str]:
    names: list[str] = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            names.append(prefix + node.name)
        elif isinstance(node, ast.ClassDef):
            names += _names(node.body, f"{node.name}::") if node.name.startswith("Test") else []
        elif isinstance(node, ast.Assign):
            names += [
                target.id for target in node.targets if isinstance(target, ast.Name) and target.id.startswith("Test")
            ]
    return names

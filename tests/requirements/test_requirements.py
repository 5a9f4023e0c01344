"""The contract between requirements, tests, decisions and the page that is made from them."""

import re
from pathlib import Path

import pytest

from tests.requirements.evidence import ABOUT_PAGES, all_marks, faults, read_marks, shown_by
from tests.requirements.manifest import REQUIREMENTS
from tests.requirements.marker import requirement as marker
from tests.requirements.model import SOURCES, Section

ROOT = Path(__file__).parents[2]
DECISIONS = ROOT / "docs" / "adr"
SHOWN = shown_by(all_marks())
PERFORMANCE = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")


def test_every_requirement_has_a_test_or_a_decision():
    open_rows = [
        f'{row.id}: put @requirement("{row.id}") on the test that shows it, or name a decision'
        for row in REQUIREMENTS
        if row.id not in SHOWN and row.decision is None
    ]
    assert open_rows == []


def test_every_marker_is_sound():
    assert faults(all_marks(), REQUIREMENTS) == []


def test_a_missed_target_has_the_figure_that_was_measured():
    missed = [row for row in REQUIREMENTS if row.missed]
    assert [row.id for row in missed if f"| {row.missed} |" not in PERFORMANCE] == []
    assert [row.id for row in missed if row.decision is None or row.planned] == []


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


BEHAVIOUR = Section("000", "X", "A section")(1, "Something is done.")
PAGE = Section("000", "X", "A section")(2, "A page is there.", kind="documentation")
LATER = Section("000", "X", "A section")(
    3, "Something is left out.", decision="0021-planned-for-later", reading="Later."
)
ROWS = (BEHAVIOUR, PAGE, LATER)


def found(source: str, path: str = "tests/test_x.py") -> list[str]:
    """The faults of the markers in such a file."""
    return faults(read_marks(path, source), ROWS)


def test_markers_are_read_from_functions_classes_methods_and_assigned_machines():
    source = """
@requirement("000-X-01")
@pytest.mark.anyio
async def test_a(): ...

@pytest.mark.slow
@requirement("000-X-02", "000-X-01")
class TestB:
    @requirement("000-X-03")
    def test_c(self): ...

TestD = requirement("000-X-01")(D.TestCase)

@pytest.mark.requirement("000-X-01")
def test_e(): ...
"""
    read = {mark.test: mark.ids for mark in read_marks("tests/test_x.py", source)}
    assert read == {
        "tests/test_x.py::test_a": ("000-X-01",),
        "tests/test_x.py::TestB": ("000-X-02", "000-X-01"),
        "tests/test_x.py::TestB::test_c": ("000-X-03",),
        "tests/test_x.py::TestD": ("000-X-01",),
        "tests/test_x.py::test_e": ("000-X-01",),
    }


@pytest.mark.parametrize(
    ("source", "path", "told"),
    [
        pytest.param('@requirement("000-X-09")\ndef test_a(): ...', "tests/test_x.py", "is no id", id="unknown"),
        pytest.param("@requirement(ID)\ndef test_a(): ...", "tests/test_x.py", "is no id", id="no literal"),
        pytest.param("@requirement()\ndef test_a(): ...", "tests/test_x.py", "give it an id", id="empty"),
        pytest.param('@requirement("000-X-01")\ndef helper(): ...', "tests/test_x.py", "marks no test", id="no test"),
        pytest.param(
            '@requirement("000-X-01")\ndef test_a(): ...', "tests/fakes.py", "marks no test", id="no test file"
        ),
        pytest.param(
            '@requirement("000-X-01")\n@requirement("000-X-02")\ndef test_a(): ...',
            "tests/test_x.py",
            "a second marker",
            id="two markers",
        ),
        pytest.param(
            '@requirement("000-X-01", "000-X-01")\ndef test_a(): ...', "tests/test_x.py", "marked twice", id="twice"
        ),
        pytest.param(
            '@requirement("000-X-01")\nclass TestA:\n    @requirement("000-X-01")\n    def test_a(self): ...',
            "tests/test_x.py",
            "marked twice",
            id="on the class too",
        ),
        pytest.param('@requirement("000-X-03")\ndef test_a(): ...', "tests/test_x.py", "is planned", id="planned"),
        pytest.param(
            '@requirement("000-X-01")\ndef test_a(): ...', "tests/docs/test_x.py", "a page or a table", id="page"
        ),
    ],
)
def test_a_marker_that_shows_nothing_is_refused(source: str, path: str, told: str):
    (fault,) = found(source, path)
    assert fault.startswith(f"{path}:")
    assert told in fault


def test_a_page_is_shown_by_a_test_of_pages():
    assert found('@requirement("000-X-02")\ndef test_a(): ...', "tests/docs/test_x.py") == []


def test_a_row_that_names_tests_says_where_its_id_belongs():
    with pytest.raises(ValueError, match=r'000-X-04 names tests: .* put @requirement\("000-X-04"\) on tests/test_x'):
        Section("000", "X", "A section")(4, "Something is done.", "tests/test_x.py::test_a")


def test_pytest_knows_the_marker():
    assert (marker("000-X-01").name, marker("000-X-01").args) == ("requirement", ("000-X-01",))


def test_what_is_called_a_test_of_pages_exists():
    assert [name for name in ABOUT_PAGES if not _exists(name)] == []


def _exists(name: str) -> bool:
    path, _, test = name.partition("::")
    if not test:
        return (ROOT / path).exists()
    return re.search(rf"^(async )?def {test}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE) is not None

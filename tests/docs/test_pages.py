"""The pages hold what readers look for in them."""

import re

import pytest

from docs.generators.requirements import render
from tests.docs.markdown import README, ROOT, blocks, without_blocks
from tests.requirements.manifest import REQUIREMENTS as ROWS
from tests.requirements.marker import requirement

ARCHITECTURE = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
REQUIREMENTS = render()


def section(page: str, heading: str) -> str:
    """The text below a heading, up to the next one of its level."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found is not None, f"there is no section {heading!r}"
    return found[1]


@requirement("003-DOC-05")
def test_the_readme_names_the_ports_and_how_to_move_them():
    ports = section(README, "Ports")
    for port in ("8000", "8001", "8101", "8104", "--port-base"):
        assert port in ports


@requirement("003-DOC-05")
def test_the_readme_tells_what_to_do_when_something_goes_wrong():
    rows = re.findall(r"^\| (?!what|---)(.+?) \| (.+?) \|$", section(README, "When something goes wrong"), re.MULTILINE)
    assert len(rows) >= 5
    assert all(symptom and len(advice) > 20 for symptom, advice in rows)


@requirement("003-DOC-02")
def test_the_architecture_has_pictures_of_parts_course_and_imports():
    pictures = blocks(ARCHITECTURE, "mermaid")
    assert sum(picture.startswith("flowchart") for picture in pictures) >= 2
    assert any(picture.startswith("sequenceDiagram") for picture in pictures)


@requirement("003-DOC-02")
def test_the_architecture_names_three_layers_and_the_duty_of_each():
    layers = section(ARCHITECTURE, "Three layers in every agent")
    named = re.findall(r"^\d\. \*\*(\w+)\*\* (.+)", layers, re.MULTILINE)
    assert [name for name, _ in named] == ["Wire", "Agent", "Rules"]
    assert all(len(duty) > 20 for _, duty in named)


@requirement("003-DOC-02")
@pytest.mark.parametrize(
    "message",
    ["REFEREE_REGISTER_REQUEST", "ROUND_ANNOUNCEMENT", "GAME_INVITATION", "MATCH_RESULT_REPORT", "LEAGUE_COMPLETED"],
)
def test_the_architecture_shows_the_way_of_the_data(message: str):
    (course,) = [picture for picture in blocks(ARCHITECTURE, "mermaid") if picture.startswith("sequenceDiagram")]
    assert message in course


@requirement("003-DOC-08")
def test_the_limitations_name_all_that_is_planned_and_all_that_was_missed():
    page = " ".join((ROOT / "docs" / "limitations.md").read_text(encoding="utf-8").lower().split())
    planned = [row for row in ROWS if row.planned]
    missed = [row for row in ROWS if row.missed]
    assert planned
    assert missed
    assert [row.id for row in planned if row.text.lower().rstrip(".") not in page] == []
    assert [row.id for row in missed if row.missed.lower() not in page] == []


@requirement("003-DOC-08")
def test_what_is_tested_and_what_is_left_out_can_be_looked_up():
    assert "`make requirements`" in without_blocks(README)
    rows = re.findall(r"^\| [\w-]+-\d\d \| .+? \| (.*?) \| (.*?) \|$", REQUIREMENTS, re.MULTILINE)
    assert len(rows) > 300
    assert sum("](../tests/" in tests for tests, _ in rows) > 250
    left_out = [settled for _, settled in rows if "planned (0021)" in settled]
    assert left_out
    decision = (ROOT / "docs" / "adr" / "0021-planned-for-later.md").read_text(encoding="utf-8")
    assert "not claimed by this release" in decision

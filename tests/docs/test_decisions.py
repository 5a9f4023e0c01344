"""The decisions name what is there, say how they stand, and are found by area."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from docs.generators import decisions
from tests.docs.markdown import ROOT

PAGES = sorted(decisions.DECISIONS.glob("0*.md"))
PACKAGES = ("league_sdk", "servers", "clients", "game_rules", "tests", "docs")
MADE = "docs/requirements.md"
OTHERS_NAMES = "0094-names-of-the-documents.md"
"""The page about names that other documents have for our modules."""


def tree() -> set[str]:
    """Every file of the checkout, and every folder."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    return {str(path) for name in listed if name for path in (Path(name), *Path(name).parents)}


def names(page: Path) -> Iterator[str]:
    """The files and modules that a page names."""
    for code in re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8")):
        path = re.fullmatch(r"[\w.-]+(/[\w.-]+)*\.(py|js|css|html|md|toml)", code) and (
            "/" in code or code.endswith(".py")
        )
        if path or re.fullmatch(rf"({'|'.join(PACKAGES)})([./]\w+)+/?", code):
            yield code


def is_there(name: str, files: set[str], ends: set[str]) -> bool:
    """True for a file, a folder, a module, and for what a module defines."""
    if ("/" in name and re.search(r"\.\w+$", name)) or name.endswith(".py"):
        return name in ends
    parts = name.strip("/").replace(".", "/").split("/")
    path = "/".join(parts)
    if path in files or f"{path}.py" in files:
        return True
    for size in (len(parts) - 1, len(parts) - 2):
        owner = "/".join(parts[:size])
        module = next((ROOT / file for file in (f"{owner}.py", f"{owner}/__init__.py") if file in files), None)
        if module is not None and re.search(rf"\b{parts[size]}\b", module.read_text(encoding="utf-8")):
            return True
    return False


def test_a_decision_names_no_file_and_no_module_that_the_tree_does_not_have():
    files = tree()
    ends = {"/".join(name.split("/")[start:]) for name in files for start in range(name.count("/") + 1)}
    gone = [(page.name, name) for page in PAGES for name in names(page) if not is_there(name, files, ends)]
    assert [(page, name) for page, name in gone if name != MADE and page != OTHERS_NAMES] == []


def test_a_decision_says_how_it_stands():
    texts = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
    assert [name for name, text in texts.items() if not re.search(r"^Status: \w", text, re.MULTILINE)] == []


def test_the_index_is_what_the_pages_say():
    assert decisions.TARGET.read_text(encoding="utf-8") == decisions.render(), "run: make docs"


def test_a_dozen_decisions_are_pillars_and_each_stands_in_one_area():
    numbers = [number for each in decisions.AREAS.values() for number in each.split()]
    assert 10 <= len(decisions.AREAS[decisions.PILLARS].split()) <= 14
    assert [number for number in numbers if numbers.count(number) > 1] == []
    assert set(numbers) <= {page.name[:4] for page in PAGES}

"""Every link in the documentation leads somewhere."""

import re
from functools import cache
from pathlib import Path

from tests.docs.markdown import PAGES, ROOT, anchors, without_blocks
from tests.requirements.marker import requirement

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def links(page: Path) -> list[str]:
    text = re.sub(r"`[^`]*`", "", without_blocks(page.read_text(encoding="utf-8")))
    return [target for target in LINK.findall(text) if not re.match(r"\w+:", target)]


@cache
def anchors_of(page: Path) -> set[str]:
    return anchors(page.read_text(encoding="utf-8"))


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path if path else page).resolve()
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors_of(target)


def test_there_are_pages_and_links():
    assert ROOT / "README.md" in PAGES
    assert len(links(ROOT / "README.md")) > 5


@requirement("project-QUAL-07")
def test_every_relative_link_leads_to_a_file_and_a_heading():
    assert [(page, link) for page in PAGES for link in links(page) if not leads_somewhere(page, link)] == []

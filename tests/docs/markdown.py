"""Parsing of Markdown for the tests of the documentation."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted(
    path
    for folder in (ROOT, ROOT / "data", ROOT / "logs", ROOT / "docs")
    for path in (folder.rglob("*.md") if folder.name == "docs" else folder.glob("*.md"))
)

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str, *languages: str) -> list[str]:
    """The fenced blocks in one of these languages, in order."""
    return [block for language, block in _FENCED.findall(text) if language in languages]


def without_blocks(text: str) -> str:
    """The text without its fenced blocks."""
    return _FENCED.sub("", text)


def anchors(text: str) -> set[str]:
    """The anchors of headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.+?) *$", without_blocks(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

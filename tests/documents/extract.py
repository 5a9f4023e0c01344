"""Extracts every block of code, message and configuration that the requirement documents print.

    python tests/documents/extract.py DOCUMENT… > tests/documents/blocks.jsonl

A document's number is the beginning of its file's name. A block has its place: document, line and heading. Blocks
without a language are pictures and listings of folders, except those that hold JSON.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FENCE = re.compile(r"\s*```(\w*)\s*$")
HEADING = re.compile(r"#+\s+(.*)|\*\*(.+?)\*\*:?\s*$")


def blocks(document: Path) -> Iterator[dict[str, Any]]:
    """The blocks of one document, in their order."""
    heading, begun, held = "", None, list[str]()
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), start=1):
        fence = FENCE.fullmatch(line)
        if begun is not None and fence is None:
            held.append(line)
        elif begun is not None:
            language = begun[1] or ("json" if "".join(held).lstrip()[:1] in ("{", "[") else "")
            if language:
                place = {"document": document.name[:3], "line": begun[0], "heading": heading}
                yield {**place, "language": language, "text": "\n".join(held) + "\n"}
            begun, held = None, []
        elif fence is not None:
            begun = (number, fence[1])
        elif named := HEADING.match(line):
            heading = (named[1] or named[2]).strip()


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        for block in blocks(path):
            print(json.dumps(block, ensure_ascii=False))

"""Names that look alike, by Unicode's table of confusable characters (UTS 39)."""

import functools
import unicodedata
from collections.abc import Mapping
from importlib import import_module
from typing import Any

_MARK = "\u200e"
"""The library's table writes characters of scripts from right to left between two of these."""


@functools.lru_cache(maxsize=2**15)
def skeleton(name: str) -> str:
    """The form of a name that is equal for those that look alike, in any case.

    UTS 39 has no case: capitals are replaced first, since an `I` looks like an `l` and an `i` does not, and what they
    became is folded. A few characters take a second turn.
    """
    table, before, text = _table(), "", unicodedata.normalize("NFD", name)
    while text != before:
        seen = "".join(table.get(character, character) for character in text)
        before, text = text, unicodedata.normalize("NFKD", seen.casefold())
    return " ".join(text.split())


@functools.cache
def _table() -> Mapping[str, str]:
    """By character, the text that stands for all that look like it; about 10,000."""
    library: Any = import_module("confusable_homoglyphs.confusables")  # 9 MB, which most agents do without
    found = {
        _bare(character): [_bare(like["c"]) for like in alike] for character, alike in library.confusables_data.items()
    }
    table: dict[str, str] = {}
    for character, alike in found.items():
        # The table is symmetric: who stands for several has all of them, each of these has one.
        sole = alike[0] if len(alike) == 1 else character
        if len(character) == 1 and sole != character and _stands_for(sole, character, found):
            table[character] = sole
    return {character: "".join(table.get(letter, letter) for letter in text) for character, text in table.items()}


def _stands_for(text: str, character: str, found: Mapping[str, list[str]]) -> bool:
    """True if a text stands for a character, and not the other way round."""
    return len(text) > 1 or len(found[text]) > 1 or (not text.isascii(), text) < (not character.isascii(), character)


def _bare(text: str) -> str:
    return text.replace(_MARK, "")

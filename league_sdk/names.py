"""Names that others choose: as file names, and as something that people read or misspell.

An identifier is never trusted as a path, and a display name never as what it looks like.
"""

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence

_SAFE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
_UNSAFE_RUN = re.compile(r"[^A-Za-z0-9._-]+")

LONGEST_NAME = 64
"""Characters of a display name."""
# Letters and marks that Unicode counts as printable although nothing is seen of them.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def display_name(text: str) -> str:
    """A name as it is shown to people: trimmed, and composed, so that what looks the same is the same text.

    Args:
        text: A name that an agent gave itself.

    Raises:
        ValueError: There is nothing left, or more than 64 characters, or one that is not seen: a control character, a
            line break, a mark of writing direction, one without width, half of a surrogate pair.
    """
    name = unicodedata.normalize("NFC", text[: 4 * LONGEST_NAME].strip())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or _UNSEEN.search(name):
        raise ValueError(f"a name of 1 to {LONGEST_NAME} visible characters")
    return name


def unused_name(name: str, taken: Iterable[str]) -> str:
    """A display name that is not taken: the name itself, else with the next free number behind it.

    Args:
        name: The name.
        taken: Names that others have or are to have; upper case makes no difference.
    """
    others = {other.casefold() for other in taken}
    found, number = name, 1
    while found.casefold() in others:
        number += 1
        found = f"{name[: LONGEST_NAME - 5]} {number}"
    return found


def is_safe_name(name: str) -> bool:
    """Whether `name` can be a file or folder name: 1 to 128 of `A-Z a-z 0-9 . _ -`, no dot in front."""
    return _SAFE.fullmatch(name) is not None


def safe_name(name: str, what: str = "name") -> str:
    """`name` itself, when it can be a file or folder name.

    Args:
        name: An identifier that somebody gave.
        what: What it identifies, for the message.

    Raises:
        ValueError: It has other characters, begins with a dot, is empty or is too long.
    """
    if not is_safe_name(name):
        raise ValueError(
            f"{what} {name!r} cannot name a file: use 1 to 128 letters, digits, '.', '_' or '-', and no '.' in front"
        )
    return name


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that `word` was most likely meant to be, or None when none is near.

    Args:
        word: What was given; upper case, hyphens and underscores make no difference.
        known: The names there are.
        cutoff: How near it has to be, from 0 to 1.
    """
    by_form = {_form(name): name for name in sorted(set(known), reverse=True)}
    found = difflib.get_close_matches(_form(word), list(by_form), n=1, cutoff=cutoff)
    return by_form[found[0]] if found else None


def alternatives(word: str, known: Sequence[str], listed: str = "known are", near: Iterable[str] = ()) -> str:
    """The known names in place of an unknown one, as the end of a sentence: the nearest, and all of them.

    Args:
        word: What was given.
        known: The names there are, as they are listed.
        listed: The words in front of the list.
        near: What `word` may have been meant to be; the known names when left out.
    """
    everything = f"{listed} {', '.join(known) or 'none'}"
    meant = nearest(word, near or known)
    return f"did you mean {meant}? {everything[0].upper()}{everything[1:]}" if meant else everything


def _form(name: str) -> str:
    return name.casefold().replace("-", "_")


def slug(text: str) -> str:
    """A safe name for any text: the text itself when it is one, else cleaned and told apart by a short digest."""
    if is_safe_name(text):
        return text
    cleaned = _UNSAFE_RUN.sub("-", text).strip("-.")[:48]
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{cleaned}-{mark}" if cleaned else mark

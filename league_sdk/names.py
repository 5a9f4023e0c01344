"""Checks of foreign names: as file names, as text for people, for misspellings.

An identifier is never trusted as a path, and a display name never by its looks.
"""

import difflib
import functools
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
SAFE = "letters, digits, '.', '_' and '-', and no '.' or '-' in front"  # a dash in front would make it an option
_UNSAFE_RUN = re.compile(r"[^A-Za-z0-9._-]+")
_ESCAPED = re.compile(r"[^a-z0-9_]|_(?![a-z0-9])")
_ESCAPE = re.compile(rb"__([0-9a-f]{2})")

LONGEST_NAME = 64  # characters of the longest display name
# Letters and marks that Unicode counts as printable although they are invisible.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def display_name(text: str) -> str:
    """A display name, trimmed and composed (NFC), so that equal looks are equal text.

    ValueError if it is empty, has more than 64 characters, or an invisible one: a control character, a line break, a
    mark of writing direction, one without width, half of a surrogate pair.
    """
    name = unicodedata.normalize("NFC", text[: 4 * LONGEST_NAME].strip())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or _UNSEEN.search(name):
        raise ValueError(f"a name of 1 to {LONGEST_NAME} visible characters")
    return name


@functools.lru_cache(maxsize=2**15)
def name_key(name: str) -> str:
    """The form in which names are compared: equal for those that people take for one.

    NFKC and case folding, as Unicode matches identifiers without case (D146), and each run of spaces as one.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", name).casefold())
    return " ".join(unicodedata.normalize("NFKC", folded.casefold()).split())


def unused_name(name: str, taken: Iterable[str], form: Callable[[str], str] = name_key) -> str:
    """A display name that is not taken, as `form` compares; if need be numbered."""
    others = set(map(form, taken))
    found, number = name, 1
    while form(found) in others:
        number += 1
        found = f"{name[: LONGEST_NAME - 5]} {number}"
    return found


def is_safe_name(name: str) -> bool:
    """True if `name` can be a file name: of 128 `A-Za-z0-9._-`, no first dot or dash."""
    return _SAFE.fullmatch(name) is not None


def safe_name(name: str, what: str = "name") -> str:
    """Return `name` if it can be a file name; else ValueError, naming `what` it is."""
    if not is_safe_name(name):
        raise ValueError(f"{what} {name!r} cannot name a file: use 1 to 128 {SAFE}")
    return name


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name nearest to `word`, ignoring case, hyphens and underscores."""
    by_form = {_form(name): name for name in sorted(set(known), reverse=True)}
    found = difflib.get_close_matches(_form(word), list(by_form), n=1, cutoff=cutoff)
    return by_form[found[0]] if found else None


def alternatives(word: str, known: Sequence[str], listed: str = "known are", near: Iterable[str] = ()) -> str:
    """Suggest known names (or those `near`) for an unknown one, to end a sentence."""
    everything = f"{listed} {', '.join(known) or 'none'}"
    meant = nearest(word, near or known)
    return f"did you mean {meant}? {everything[0].upper()}{everything[1:]}" if meant else everything


def game_type(name: str) -> str:
    """A game's name as game type: `openspiel:chess` is `openspiel__chess`.

    After the library, each byte other than `a-z0-9`, and each underscore that none of these follows, becomes `__` and
    two hexadecimal digits. A name without a colon is one already.
    """
    library, colon, text = name.partition(":")
    return f"{library}__{_ESCAPED.sub(_escape, text)}" if colon else name


def game_name(game_type: str) -> str:
    """The name that a game type was made of; the game type itself when of no library."""
    library, found, text = game_type.partition("__")
    raw = _ESCAPE.sub(lambda escape: bytes.fromhex(escape[1].decode()), text.encode())
    return f"{library}:{raw.decode(errors='replace')}" if found else game_type


def listed(names: Sequence[str], most: int = 5) -> str:
    """Some of the names, and the number of the others."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def joined(names: Sequence[str]) -> str:
    """Names in a sentence: `Ada`, `Ada and Bea`, `Ada, Bea and Cid`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _escape(found: re.Match[str]) -> str:
    return "".join(f"__{byte:02x}" for byte in found[0].encode(errors="replace"))


def _form(name: str) -> str:
    return name.casefold().replace("-", "_")


def slug(text: str) -> str:
    """A safe file name for any text; if it has to be cleaned, with a short digest."""
    if is_safe_name(text):
        return text
    cleaned = _UNSAFE_RUN.sub("-", text).strip("-.")[:48]
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{cleaned}-{mark}" if cleaned else mark

"""Join secrets that people type, and the links that carry them.

A link is `https://league.example/play#name=Ada&secret=K7QD-…`. Its secret stands in the fragment, which no browser
sends to a server and no proxy logs.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qs, urlencode, urlsplit, urlunsplit

from league_sdk.clock import Ids
from league_sdk.names import display_name

JOIN_VARIABLE: Final = "LEAGUE_JOIN_SECRET"
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base32: without I, L and O, which look like digits, and without U."""
SYMBOLS, GROUP = 16, 4
"""16 symbols of 5 bits are 80 bits: a secret is guessed at a manager, which counts the calls of strangers."""
LONGEST_LINK = 4000
_LOOK_ALIKES = str.maketrans("OIL", "011")
_FORM = re.compile(rf"[{ALPHABET}]{{{GROUP}}}(?:-[{ALPHABET}]{{{GROUP}}}){{3}}")
_PAGE, _ENDPOINT = "/play", "/mcp"


class JoinLinkError(ValueError):
    """A link that cannot be read or made; the message never has the link."""


def new_join_secret(ids: Ids) -> str:
    """A fresh secret of four groups, such as `K7QD-02MX-9RTB-HJ4E`."""
    number = int.from_bytes(hashlib.sha256(ids.token().encode()).digest())
    return _grouped("".join(ALPHABET[number >> 5 * place & 31] for place in range(SYMBOLS)))


def canonical_secret(text: str) -> str:
    """The one form of a secret, in whatever case and grouping it was typed.

    A text of another form, such as a card of before, keeps its case and its hyphens.
    """
    symbols = "".join(c for c in text if not c.isspace() and unicodedata.category(c) != "Pd")
    symbols = symbols.upper().translate(_LOOK_ALIKES)
    return _grouped(symbols) if len(symbols) == SYMBOLS and set(symbols) <= set(ALPHABET) else text.strip()


def is_card_secret(text: str) -> bool:
    """True for a card's secret, in whatever case and grouping."""
    return _FORM.fullmatch(canonical_secret(text)) is not None


def _grouped(symbols: str) -> str:
    return "-".join(re.findall(f".{{{GROUP}}}", symbols))


@dataclass(frozen=True, slots=True)
class JoinLink:
    """A player's way into a league: its name, the manager's endpoint, the secret.

    Attributes:
        name: The display name that the secret is bound to.
        manager: The league manager's endpoint, which ends in `/mcp`.
        secret: The join secret.
        game: The league's game, such as `openspiel:chess`; empty in a link that names none.
    """

    name: str
    manager: str
    secret: str = field(repr=False)
    game: str = ""

    @property
    def url(self) -> str:
        """The link as text.

        Raises:
            JoinLinkError: The manager's endpoint does not end in `/mcp`.
        """
        parts = _split(self.manager)
        if (
            parts is None
            or parts.scheme not in ("http", "https")
            or not parts.netloc
            or not parts.path.endswith(_ENDPOINT)
        ):
            raise JoinLinkError(
                f"{self.manager!r} is not the endpoint of a league manager, such as http://192.168.1.10:8000/mcp"
            )
        page = parts.path.removesuffix(_ENDPOINT) + _PAGE
        game = {"game": self.game} if self.game else {}
        fragment = urlencode({"name": self.name, "secret": self.secret, **game})
        return urlunsplit((parts.scheme, parts.netloc, page, "", fragment))

    @classmethod
    def read(cls, text: str) -> "JoinLink":
        """The first link in a text.

        Raises:
            JoinLinkError: There is none, or it has no name or no secret, or a name that no player can have.
        """
        found = re.search(r"https?://\S+", text[:LONGEST_LINK])
        parts = _split(found[0]) if found else None
        if parts is None or not parts.netloc or not parts.path.endswith(_PAGE):
            raise JoinLinkError("there is no join link, such as https://league.example/play#name=…&secret=…")
        told = parse_qs(parts.fragment)
        name, secret, game = ("".join(told.get(key, [])[:1]).strip() for key in ("name", "secret", "game"))
        if not name or not secret:
            raise JoinLinkError("the join link has no name or no secret: copy it whole, with all that follows the #")
        try:
            name = display_name(name)
        except ValueError as error:
            raise JoinLinkError(f"the name in the join link has to be {error}") from error
        if not game.isprintable():
            raise JoinLinkError("the game in the join link is no game's name")
        endpoint = parts.path.removesuffix(_PAGE) + _ENDPOINT
        manager = urlunsplit((parts.scheme, parts.netloc, endpoint, "", ""))
        return cls(name, manager, canonical_secret(secret), game)


def _split(url: str) -> SplitResult | None:
    """The parts of a URL; None for one that is none, such as `http://[a`."""
    try:
        return urlsplit(url)
    except ValueError:
        return None


def read_short_file(path: Path) -> str:
    """The stripped text of a file with a link or a secret.

    Raises:
        JoinLinkError: It cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            return file.read(LONGEST_LINK).strip()
    except OSError as error:
        raise JoinLinkError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise JoinLinkError(f"{path} is no text") from error


def join_link(source: str | Path) -> JoinLink:
    """The link in a text, or in the file that a text without `://` names.

    Raises:
        JoinLinkError: There is none.
    """
    if isinstance(source, str) and "://" in source:
        return JoinLink.read(source)
    text = read_short_file(Path(source))
    try:
        return JoinLink.read(text)
    except JoinLinkError as error:
        raise JoinLinkError(f"{source}: {error}") from error

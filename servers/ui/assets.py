"""The page's static files: styles, scripts, pictures."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file."""

    body: bytes
    media_type: str
    tag: str  # changes with what is in it


@cache
def assets() -> dict[str, Asset]:
    found: dict[str, Asset] = {}
    for file in files("servers.ui").joinpath("static").iterdir():
        media_type = _TYPES.get(file.name.rpartition(".")[2])
        if media_type is not None:
            body = file.read_bytes()
            found[file.name] = Asset(body, media_type, sha256(body).hexdigest()[:16])
    return found


def address(name: str) -> str:
    """The URL of a file; it changes with its content, for long caching."""
    return f"/static/{name}?{assets()[name].tag}"

"""Parses endpoints with the HTTP client's own URL type.

A second parser beside the client's is a hole: it accepts URLs that the client refuses, and may see another host than
the one that is connected to. Rules here only narrow the client's reading, and the result is the client's normal form.
"""

import ipaddress
import re

import httpx2

from league_sdk.errors import InvalidEndpoint
from league_sdk.net.addresses import Endpoint

MAX_LENGTH = 2048
EXPECTED = "an http or https URL such as http://localhost:8101/mcp"

_HOST_AND_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{0,5})?")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
# The system's resolver takes 127.1, 0x7f.1 and 2130706433 for 127.0.0.1.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_MAX_HOST = 253
_SHOWN = 60


def read_endpoint(text: str) -> Endpoint:
    """Parse and normalize an endpoint; InvalidEndpoint says why it cannot be called."""
    if len(text) > MAX_LENGTH:
        raise _invalid(f"it is longer than {MAX_LENGTH} characters")
    for character in text:
        # Two readers of a URL hardly ever agree on these; the client refuses some, and drops or encodes others.
        if character.isspace() or not character.isprintable():
            raise _invalid(f"it has the character U+{ord(character):04X}")
    scheme, separator, rest = text.partition("://")
    if not separator or scheme.lower() not in ("http", "https"):
        raise _invalid("it does not begin with http:// or https://")
    _check_authority(re.split(r"[/?#]", rest, maxsplit=1)[0])
    if "#" in rest:
        raise _invalid("it has a fragment (#), which is never sent")
    try:
        # Read twice: a scheme in upper case would keep its default port.
        url = httpx2.URL(str(httpx2.URL(text)))
        url = url.copy_with(host=_checked_host(url))
    except (httpx2.InvalidURL, ValueError) as error:
        raise _invalid(_reason(error)) from error
    port = url.port if url.port is not None else 443 if url.scheme == "https" else 80
    if not 0 < port < 65_536:
        raise _invalid(f"its port {port} is not between 1 and 65535")
    if len(str(url)) > MAX_LENGTH:
        raise _invalid(f"encoded, it is longer than {MAX_LENGTH} characters")
    return Endpoint(str(url), url.scheme, url.raw_host.decode("ascii"), port)


def is_endpoint(text: str) -> bool:
    try:
        read_endpoint(text)
    except InvalidEndpoint:
        return False
    return True


def _check_authority(authority: str) -> None:
    """Refuse an authority (between `//` and the path) other than host and port."""
    if "@" in authority:
        raise _invalid("it must not carry credentials")
    if not authority:
        raise _invalid("it has no host")
    if not authority.isascii():
        raise _invalid(f"its host {_shown(authority)} is not ASCII; write an international name as xn--…")
    if not _HOST_AND_PORT.fullmatch(authority):
        raise _invalid(f"{_shown(authority)} is no host, or no host and port")


def _checked_host(url: httpx2.URL) -> str:
    """The host in its normal form."""
    host = url.raw_host.decode("ascii")
    if ":" in host:
        return str(ipaddress.IPv6Address(host))
    host = host.removesuffix(".")
    labels = host.split(".")
    if len(host) > _MAX_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise _invalid(f"its host {_shown(host)} is no host name")
    if _NUMBER.fullmatch(labels[-1]):
        return str(ipaddress.IPv4Address(host))
    return host


def _reason(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return f"{text[:1].lower()}{text[1:]}".rstrip(".")


def _shown(text: str) -> str:
    return ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _invalid(why: str) -> InvalidEndpoint:
    return InvalidEndpoint(f"the endpoint cannot be called: {why}", field="contact_endpoint", expected=EXPECTED)

"""The rule for addresses that an agent may call.

It protects against server-side request forgery: an agent tells the league its own endpoint, and could name a machine
that only the league manager can reach. So addresses that are not public are refused unless the operator has listed
them. Names are resolved, and every one of their addresses is judged.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from league_sdk.errors import InvalidEndpoint

PUBLIC = "public"  # in a list of allowed endpoints: every address of the public internet

IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Resolves a host name, for a port, to its addresses."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An agent's endpoint, in the normal form that its callers use."""

    url: str
    scheme: str
    host: str  # an address, or a name in ASCII and lower case
    port: int  # given even if it is the scheme's default


ReadEndpoint: TypeAlias = Callable[[str], Endpoint]
"""Reads an endpoint as the client that calls it will; raises InvalidEndpoint if it cannot be called.

Injected into services, so that they know no HTTP.
"""

_RESOLVE_SEC = 5.0

_LOOPBACK_NAMES = ("localhost",)


@dataclass(frozen=True, slots=True)
class Allowed:
    """One entry of the list of allowed endpoints."""

    host: str = ""  # a name in lower case, `*.` and a domain, or empty
    network: IpNetwork | None = None
    port: int | None = None  # None for all

    @classmethod
    def parse(cls, text: str) -> "Allowed":
        """Read `public`, a host, `*.domain`, address or `network/bits`, with any port."""
        entry, port = _split_port(text.strip().lower())
        try:
            return cls(network=ipaddress.ip_network(entry, strict=False), port=port)
        except ValueError:
            name = entry.removeprefix("*.")
            if not name or not all(
                part and part.replace("-", "a").replace("_", "a").isalnum() for part in name.split(".")
            ):
                raise ValueError(f"{text!r} is no host, *.domain, address or network such as 10.0.0.0/8") from None
            return cls(host=entry, port=port)

    def fits_name(self, host: str, port: int) -> bool:
        """True if the entry allows a host by its name alone."""
        if self.network is not None or self.host == PUBLIC or self.port not in (None, port):
            return False
        return host.endswith(self.host[1:]) if self.host.startswith("*.") else host == self.host

    def fits_address(self, address: IpAddress, port: int) -> bool:
        if self.port not in (None, port):
            return False
        if self.network is not None:
            return address.version == self.network.version and address in self.network
        return self.host == PUBLIC and is_public(address)


def _split_port(text: str) -> tuple[str, int | None]:
    """Split `host:8000`; an IPv6 address needs brackets around it."""
    if text.startswith("["):
        inside, _, rest = text[1:].partition("]")
        bits, _, port = rest.partition(":")
        return inside + bits, _port(port) if port else None
    if text.count(":") == 1:
        host, _, port = text.partition(":")
        return host, _port(port)
    return text, None


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65_536:
        raise ValueError(f"{text!r} is no port")
    return int(text)


def is_public(address: IpAddress) -> bool:
    """True if an address is of the public internet, and not reserved in any way."""
    if isinstance(address, ipaddress.IPv6Address):
        for inner in (address.ipv4_mapped, address.sixtofour, _nat64(address)):
            if inner is not None:
                return is_public(inner)
        if address.teredo is not None or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _nat64(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    inside = address in ipaddress.ip_network("64:ff9b::/96")
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if inside else None


def network_of(address: str) -> str:
    """The unit of limits per address: an IPv4 address, or an IPv6 user's /64 network."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def is_loopback(host: str) -> bool:
    """True if only this machine can reach a server that listens on this address."""
    if host in _LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def system_resolve(host: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(_RESOLVE_SEC):
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class AddressRule:
    """Decides which endpoints may be called, and at which addresses.

    No `allowed` entries at all mean `public`, or everything on a server that only its own machine can reach (`local`).
    Raises ValueError for an unreadable entry.
    """

    def __init__(self, allowed: Iterable[str] = (), *, local: bool = True, resolve: Resolve = system_resolve) -> None:
        entries = tuple(allowed)
        self._allowed = tuple(Allowed.parse(entry) for entry in entries or (PUBLIC,))
        self._resolve = resolve
        self.everything = local and not entries

    async def check(self, endpoint: Endpoint) -> None:
        """Refuse an endpoint that must not be called; raises like `addresses`."""
        if not self.everything:
            await self.addresses(endpoint.host, endpoint.port)

    async def addresses(self, host: str, port: int) -> Sequence[str]:
        """The addresses at which a host may be called; InvalidEndpoint if one is refused."""
        host = host.lower().rstrip(".")
        found = await self._found(host, port)
        if self.everything or any(entry.fits_name(host, port) for entry in self._allowed):
            return found
        for text in found:
            address = ipaddress.ip_address(text.partition("%")[0])
            if not any(entry.fits_address(address, port) for entry in self._allowed):
                which = host if text == host else f"{host} ({text})"
                why = "not an address of the public internet" if not is_public(address) else "not on the list"
                raise InvalidEndpoint(
                    f"{which} is {why}, and this league does not call it; the league's operator can allow it in "
                    "security.allowed_endpoints, and with seats a player connects out (outbound=True, --outbound)",
                    field="contact_endpoint",
                    expected="a host that this league may call",
                )
        return found

    async def _found(self, host: str, port: int) -> Sequence[str]:
        try:
            return [str(ipaddress.ip_address(host))]
        except ValueError:
            pass
        try:
            found = await self._resolve(host, port)
        except (OSError, TimeoutError, UnicodeError) as error:
            raise InvalidEndpoint(
                f"the host {host} cannot be found",
                field="contact_endpoint",
                expected="a host name that can be resolved",
            ) from error
        if not found:
            raise InvalidEndpoint(f"the host {host} has no address", field="contact_endpoint")
        return found

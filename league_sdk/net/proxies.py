"""Reverse proxies that are believed about whose request they pass on."""

import ipaddress
from collections.abc import Iterable

from league_sdk.net.addresses import IpAddress


class TrustedProxies:
    """Networks of proxies whose `X-Forwarded-For` is believed; none by default.

    Anybody may write that header, and a proxy adds the address that it saw at its right end. So the header is read from
    the right, as long as the address that has added the next entry is a trusted proxy's.
    """

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks = tuple(ipaddress.ip_network(network, strict=False) for network in networks)

    def __bool__(self) -> bool:
        return bool(self._networks)

    def trusts(self, address: str) -> bool:
        """True for the address of a trusted proxy."""
        return bool(self._networks) and self._has(_read(address))

    def caller(self, peer: str, forwarded: Iterable[str]) -> str:
        """The right-most untrusted address of a connection and its header's values."""
        found, address = peer, _read(peer)
        hops = [hop for value in forwarded for hop in value.split(",")]
        while hops and self._has(address):
            address = _read(hops.pop().strip())
            if address is None:
                break  # nobody vouches for more than the proxy that passed this on
            found = str(address)
        return found

    def _has(self, address: IpAddress | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


def _read(text: str) -> IpAddress | None:
    """An address, also with a port; None for anything else."""
    for part in (text, text.removeprefix("[").partition("]")[0], text.rpartition(":")[0]):
        try:
            address = ipaddress.ip_address(part.partition("%")[0])
        except ValueError:
            continue
        return getattr(address, "ipv4_mapped", None) or address
    return None

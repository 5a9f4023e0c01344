"""The tools that each peer offers, and their names there.

The protocol gives every call one name and some aliases; a peer may have any of them. Its tools are listed once a
connection. For a peer whose dialect cannot list tools, the names are tried in order, and the one that worked is kept.
Fields that a tool has refused as unknown are left out from then on, as long as the connection lasts: a peer that was
started anew has another one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import anyio

from clients.refusals import NEVER_LEFT_OUT, refused_fields
from league_sdk.errors import ResponseTimeout
from league_sdk.json_value import Json
from league_sdk.ports import CallRefused, Connection, MalformedReply, ToolDescriptor
from league_sdk.protocol.replies import arguments_taken


@dataclass(slots=True)
class _Listing:
    connection: Connection
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    tools: dict[str, ToolDescriptor] | None = None
    proven: dict[tuple[str, ...], str] = field(default_factory=dict[tuple[str, ...], str])
    refused: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])  # by tool


class ToolRegistry:
    """The tools of every connected peer; `timeout` limits the seconds for a list."""

    def __init__(self, *, timeout: float = 10.0) -> None:
        self._timeout = timeout
        self._listings: dict[str, _Listing] = {}

    async def tools(self, peer: str, connection: Connection) -> Mapping[str, ToolDescriptor]:
        """The tools of `peer` by name; empty if the dialect cannot list them."""
        listing = self._listings.get(peer)
        if listing is None or listing.connection is not connection:
            listing = self._listings[peer] = _Listing(connection)
        async with listing.lock:
            if listing.tools is None:
                listing.tools = {tool.name: tool for tool in await self._list(peer, connection)}
            return listing.tools

    async def names(self, peer: str, connection: Connection, wanted: Sequence[str]) -> tuple[str, ...]:
        """The names to call a tool by, the best first; several only without a list.

        MalformedReply if the peer lists its tools, and this one is not among them.
        """
        offered = await self.tools(peer, connection)
        if not offered:
            proven = self._listings[peer].proven.get(tuple(wanted))
            return (proven,) if proven is not None else tuple(wanted)
        for name in wanted:
            if name in offered:
                return (name,)
        raise MalformedReply(f"{peer} offers none of the tools {', '.join(wanted)}", sorted(offered))

    def accepted(self, peer: str, tool: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """The arguments that a tool takes: its schema excludes others, or it has."""
        listing = self._listings.get(peer)
        if listing is None:
            return dict(arguments)
        descriptor = (listing.tools or {}).get(tool)
        taken = dict(arguments) if descriptor is None else arguments_taken(descriptor.input_schema, arguments)
        refused = listing.refused.get(tool, frozenset())
        return {name: value for name, value in taken.items() if name not in refused}

    def learn(
        self, peer: str, tool: str, refusal: CallRefused, arguments: Mapping[str, Json], move: str
    ) -> tuple[str, ...]:
        """Remember the fields that a tool refuses as unknown; those that can be left out."""
        listing, named = self._listings.get(peer), refused_fields(refusal, arguments)
        if listing is None or not named or NEVER_LEFT_OUT.union({move}).intersection(named):
            return ()
        listing.refused[tool] = listing.refused.get(tool, frozenset()).union(named)
        return named

    async def _list(self, peer: str, connection: Connection) -> list[ToolDescriptor]:
        try:
            with anyio.fail_after(self._timeout):
                return await connection.list_tools()
        except TimeoutError as error:
            raise ResponseTimeout(f"{peer} did not list its tools within {self._timeout:g} s") from error

    def proved(self, peer: str, wanted: Sequence[str], name: str) -> None:
        """Remember that a peer without a list knows the tool under `name`."""
        listing = self._listings.get(peer)
        if listing is not None:
            listing.proven[tuple(wanted)] = name

    def forget(self, peer: str) -> None:
        self._listings.pop(peer, None)

    def catalogue(self) -> dict[str, ToolDescriptor]:
        """Every known tool by name, or as `peer/tool` if several peers offer it."""
        known = [(peer, tool) for peer, listing in self._listings.items() for tool in (listing.tools or {}).values()]
        offers = Counter(tool.name for _, tool in known)
        return {tool.name if offers[tool.name] == 1 else f"{peer}/{tool.name}": tool for peer, tool in known}

"""Subscriptions of hosts, for clients of both eras."""

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer

from league_sdk.mcp_adapter.resources import Changes, Sessions
from league_sdk.resource_provider import Listener
from servers.host.hosted_player import Topic
from servers.host.membership import Membership


def uri_of(topic: Topic) -> str:
    return f"league://seat/{topic}"


def changes(membership: Membership) -> Changes:
    """Serves the streams on which clients of 2026-07-28 listen."""
    return Changes(lambda listener: _watch(membership, listener))


def offer_sessions(server: MCPServer[Any], membership: Membership) -> None:
    """Let clients of the handshake revisions subscribe."""
    # The decorated server has no place of its own for what 2026-07-28 has dropped.
    low = server._lowlevel_server  # pyright: ignore[reportPrivateUsage]
    Sessions(lambda listener: _watch(membership, listener)).put_on(low)


def _watch(membership: Membership, listener: Listener) -> Callable[[], None]:
    return membership.watch(lambda topic: listener(uri_of(topic)))

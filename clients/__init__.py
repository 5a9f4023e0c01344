"""The MCP client that every agent embeds, called `MCPClient` in the documents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clients.peer import PeerClient as MCPClient

__all__ = ["MCPClient"]


def __getattr__(name: str) -> Any:
    """Import the client at its first use: importing one of its parts needs no others."""
    if name != "MCPClient":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.peer").PeerClient

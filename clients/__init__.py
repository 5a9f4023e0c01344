"""The MCP client that every agent embeds. The documents call it `MCPClient`; it is loaded at its first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clients.peer import PeerClient as MCPClient

__all__ = ["MCPClient"]


def __getattr__(name: str) -> Any:
    """Load the client when it is asked for: an import of one of its parts needs none of the others."""
    if name != "MCPClient":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.peer").PeerClient

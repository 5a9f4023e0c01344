"""The release of this distribution, as distinct from the protocol's version."""

from functools import cache
from importlib import metadata
from typing import Final

DISTRIBUTION: Final = "mcp-agent-league"


@cache
def release() -> str:
    """The version of the installed distribution, such as `0.1.0`."""
    return metadata.version(DISTRIBUTION)

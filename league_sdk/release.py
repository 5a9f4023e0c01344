"""The release of this distribution; not to be confused with the version of the protocol that it speaks."""

from functools import cache
from importlib import metadata
from typing import Final

DISTRIBUTION: Final = "mcp-agent-league"


@cache
def release() -> str:
    """The version of the distribution that is installed, such as `0.1.0`."""
    return metadata.version(DISTRIBUTION)

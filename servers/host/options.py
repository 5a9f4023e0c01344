"""Options of the host server. Imports nothing heavy, for the command line."""

from enum import StrEnum

FALLBACK = "random"
"""The strategy that chooses when nobody did, unless another one is named."""


class Ask(StrEnum):
    """Source of moves that a host is asked for."""

    ELICITATION = "elicitation"
    SAMPLING = "sampling"
    OFF = "off"

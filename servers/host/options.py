"""Options of the host server. Imports nothing heavy, for the command line."""

from enum import StrEnum

FALLBACK = "random"
"""The default strategy for moves that are not chosen in time."""


class Ask(StrEnum):
    """Source of moves that a host is asked for."""

    ELICITATION = "elicitation"
    SAMPLING = "sampling"
    OFF = "off"

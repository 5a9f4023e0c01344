"""What can be chosen for a seat. Imports nothing heavy: the command line reads it before anything is served."""

from enum import StrEnum

FALLBACK = "random"
"""The strategy that chooses when nobody did, unless another one is named."""


class Ask(StrEnum):
    """Whom a seat asks for its moves, where the host offers that."""

    ELICITATION = "elicitation"
    SAMPLING = "sampling"
    OFF = "off"

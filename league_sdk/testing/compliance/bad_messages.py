"""Messages that every agent has to refuse, as tables of changes to a good one."""

from collections.abc import Mapping
from dataclasses import dataclass

from league_sdk.json_value import Json


@dataclass(frozen=True, slots=True)
class BadMessage:
    """A message to be refused: changes to a good one, and the E-codes that fit.

    None leaves a field out. Without a section it is that of the message, or that of every message's fields. A
    `derivable` one may be taken too: a lenient agent derives what is missing.
    """

    how: str
    changes: Mapping[str, Json]
    codes: str
    section: str = ""
    derivable: bool = False


ENVELOPES = (
    BadMessage("without protocol", {"protocol": None}, "E003", derivable=True),
    BadMessage("in another protocol", {"protocol": "league.v99"}, "E018"),
    BadMessage("without message_type", {"message_type": None}, "E003", derivable=True),
    BadMessage("with another message_type", {"message_type": "GAME_OVER"}, "E002"),
    BadMessage("without sender", {"sender": None}, "E003", derivable=True),
    BadMessage("from a malformed sender", {"sender": "somebody"}, "E002"),
    BadMessage("without timestamp", {"timestamp": None}, "E003", derivable=True),
    BadMessage("without a zone in its timestamp", {"timestamp": "2025-01-15T10:00:00"}, "E021"),
    BadMessage("with a timestamp of another zone", {"timestamp": "2025-01-15T12:00:00+02:00"}, "E021"),
)
TOKENS = (
    BadMessage("without auth_token", {"auth_token": None}, "E011"),
    BadMessage("with a wrong auth_token", {"auth_token": "wrong"}, "E012"),
)


def changed(message: Mapping[str, Json], changes: Mapping[str, Json]) -> dict[str, Json]:
    """A message with some fields changed; None leaves one out."""
    left_out = {name for name, value in changes.items() if value is None}
    return {name: value for name, value in {**message, **changes}.items() if name not in left_out}

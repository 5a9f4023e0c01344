"""Derived fields of peers: told once an agent, and counted."""

from collections import OrderedDict
from collections.abc import Mapping

from clients.meter import CallMeter
from league_sdk.json_value import Json
from league_sdk.ports import Journal
from league_sdk.protocol.derived_fields import derived_text

FIELDS_DERIVED = "FIELDS_DERIVED"
REMEMBERED = 10_000
"""Agents that were told of; the oldest is forgotten."""


class Derivations:
    """One process's derived fields."""

    def __init__(self, meter: CallMeter) -> None:
        self._meter = meter
        self._told: OrderedDict[str, None] = OrderedDict()

    def note(self, journal: Journal, peer: str, message_type: str, fields: Mapping[str, Json]) -> None:
        """Count a message's derived fields; the first of an agent is a warning."""
        for name in fields:
            self._meter.derived(peer, name)
        level = "DEBUG" if peer in self._told else "WARNING"
        self._told[peer] = None
        if len(self._told) > REMEMBERED:
            self._told.popitem(last=False)
        journal.event(FIELDS_DERIVED, level, peer=peer, fields=[*fields], message=derived_text(fields, message_type))

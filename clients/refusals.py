"""The protocol's errors for what a peer refuses."""

import re
from collections.abc import Mapping

from league_sdk.bounds import shorten
from league_sdk.errors import INVALID_PARAMS, SPECS, InternalError, InvalidField, LeagueError, error_for
from league_sdk.json_value import Json
from league_sdk.ports import CallRefused
from league_sdk.protocol.replies import told_context, told_description

_UNKNOWN_FIELDS = re.compile(
    r"unexpected keyword argument|extra (inputs|fields) (are )?not permitted|additional ?properties"
    r"|unrecognized[ _]keys?",
    re.IGNORECASE,
)
"""Refusals of unknown arguments by pydantic, FastMCP, zod and validators of JSON Schema."""
_PYDANTIC = re.compile(r"^(\S+)\n\s+(?:Unexpected keyword argument|Extra inputs are not permitted)", re.MULTILINE)
"""A field of pydantic's list of errors, which also names fields that have other faults."""
NEVER_LEFT_OUT = frozenset({"auth_token", "match_id", "ticket", "tickets", "move"})
"""Fields that prove or decide something; a game's own name of a move is another."""


def refused_fields(refused: CallRefused, request: Mapping[str, Json]) -> tuple[str, ...] | None:
    """The fields that a peer does not know; None for other refusals."""
    if "error_code" in (refused.data or {}) or not _UNKNOWN_FIELDS.search(refused.message):
        return None
    listed = set(_PYDANTIC.findall(refused.message))
    return tuple(
        name
        for name in request
        if (name in listed if listed else re.search(rf"\b{re.escape(name)}\b", refused.message))
    )


def refusal_error(refused: CallRefused, request: Mapping[str, Json]) -> LeagueError:
    """The protocol's error for a JSON-RPC error, by its E-code or its number."""
    data, message = refused.data or {}, shorten(refused.message)
    code = data.get("error_code")
    named = refused_fields(refused, request)
    if named is not None:
        return InvalidField(f"refuses fields it does not know: {', '.join(named) or message}")
    if isinstance(code, str) and code in SPECS:
        said = told_description(data)
        # A description that is no more than the error's name says less than the sentence beside it.
        text = message if said is None or (message and said == SPECS[code].name) else said
        return error_for(code, text, told_context(data))
    if refused.number == INVALID_PARAMS:
        return InvalidField(message)
    for spec in SPECS.values():
        if refused.number > 0 and refused.number in (spec.number, *spec.numbers.values()):
            return spec.error(message)
    return InternalError(message, number=refused.number)

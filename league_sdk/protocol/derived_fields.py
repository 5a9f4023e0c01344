"""Missing fields, derived where they prove and decide nothing.

Null counts as missing; a wrong value is left as it is, to be refused. Endpoint, token, ticket, secret, move, result and
winner are never derived.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Any, Final, cast, get_args

from league_sdk.bounds import shorten
from league_sdk.game import MoveSpec
from league_sdk.json_value import Json
from league_sdk.protocol.acknowledgements import is_acknowledgement
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.match import GameReply, MoveCall, MoveResponse

TIME_OF_ARRIVAL: Final = "the time of arrival"
NO_CONTENT: Final = frozenset({"timestamp", "auth_token", "conversation_id", "protocol", "message_type", "sender"})
"""Fields of a call in which two tries of the same call may differ."""


class Unwrapped(dict[str, Json]):
    """An answer without the whole JSON-RPC envelope; `missing` names the parts."""

    def __init__(self, answer: Mapping[str, Json], missing: tuple[str, ...]) -> None:
        super().__init__(answer)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Completed:
    """A message with its derived fields."""

    message: dict[str, Json]
    derived: tuple[str, ...] = ()


def complete_answer(
    answer: Mapping[str, Json],
    request: Mapping[str, Json],
    expect: type[Message],
    *,
    agent_id: str,
    arrived: str,
    spec: MoveSpec | None = None,
) -> Completed:
    """Complete an answer by our own call: who answers, and about which match."""
    outer = answer.missing if isinstance(answer, Unwrapped) else ()
    if answer.get("message_type") is None and _fits_another(answer, expect):
        return Completed(dict(answer), outer)
    known: dict[str, Json] = {
        name: request.get(name) for name in ("protocol", "conversation_id", "league_id", "round_id", "match_id")
    }
    known |= {"message_type": message_type_of(expect, spec), "timestamp": arrived, "player_id": agent_id, "sender": ""}
    completed = complete(_without_wrong_identity(answer, expect, agent_id), expect, known)
    return Completed(completed.message, (*outer, *completed.derived))


def _without_wrong_identity(answer: Mapping[str, Json], expect: type[Message], agent_id: str) -> Mapping[str, Json]:
    """A player's answer about a match without a wrong sender or id."""
    if not issubclass(expect, GameReply):
        return answer
    signed = (f"player:{agent_id}", f"player_{agent_id}")  # the other spelling is league.v1's
    right = {
        "player_id": answer.get("player_id") in (agent_id, None),
        "sender": answer.get("sender") in (*signed, None),
    }
    return {name: value for name, value in answer.items() if right.get(name, True)}


def conversation_of(tool: str, speaker: str, arguments: Mapping[str, Json]) -> str:
    """One conversation for all tries of a call: by tool, sender and content."""
    content = {name: value for name, value in arguments.items() if name not in NO_CONTENT}
    written = json.dumps([tool, speaker, content], sort_keys=True, separators=(",", ":"))
    return f"derived-{hashlib.sha256(written.encode()).hexdigest()[:32]}"


def speaker_at_registration(arguments: Mapping[str, Json]) -> tuple[str, str]:
    """Sender (by display name) and endpoint of a request to register; empty without."""
    for role in ("player", "referee"):
        meta = arguments.get(f"{role}_meta")
        if isinstance(meta, dict):
            told = cast("dict[str, Json]", meta)
            name, endpoint = told.get("display_name"), told.get("contact_endpoint")
            if isinstance(name, str) and name:
                return f"{role}:{shorten(name, 100)}", str(endpoint)
    return "", ""


def message_type_of(kind: type[Message], spec: MoveSpec | None) -> str:
    """The name of a message, in the game's spelling."""
    spec = spec or MoveSpec()
    if issubclass(kind, MoveCall):
        return spec.call_type
    if issubclass(kind, MoveResponse):
        return spec.response_type
    field = kind.model_fields.get("message_type")
    return "" if field is None else str(field.default)


def derived_text(derived: Mapping[str, Json], message_type: str) -> str:
    """A sentence for the agent's author: the fields taken from elsewhere, to be sent."""
    taken = [f"{name} ({_shown(name, value)})" for name, value in derived.items() if value is not None]
    if len(taken) < len(derived):  # of JSON-RPC's envelope, or a null, there is nothing to show
        taken.insert(0, "the message as it stands")
    them = "it" if len(derived) == 1 else "them"
    return f"{message_type} without {', '.join(derived)}: we took {', '.join(taken)}; send {them}"


def _shown(name: str, value: Json) -> str:
    return TIME_OF_ARRIVAL if name == "timestamp" else shorten(json.dumps(value, ensure_ascii=False), 60)


def complete(message: Mapping[str, Json], expect: type[Message], known: Mapping[str, Json]) -> Completed:
    """A message with those of its missing fields that are `known` and needed.

    A null that the message's model does not take is left out.
    """
    data = {name: value for name, value in message.items() if value is not None or _takes_null(expect, name)}
    derived: list[str] = [name for name in message if name not in data and name not in _needed(expect)]
    for name, value in known.items():
        if data.get(name) is None and name in _needed(expect) and value not in (None, ""):
            data[name] = value
            derived.append(name)
    return Completed(data, tuple(derived))


def _fits_another(answer: Mapping[str, Json], expect: type[Message]) -> bool:
    """True for an answer of no type that may be an error, or no acknowledgement."""
    if any(name in answer and name not in expect.model_fields for name in ("error", "error_code")):
        return True
    return is_acknowledgement(expect) and "status" not in answer


@cache
def _needed(kind: type[Message]) -> frozenset[str]:
    required = {name for name, field in kind.model_fields.items() if field.is_required()}
    return frozenset(required | set(cast("Any", kind).demanded))


@cache
def _takes_null(kind: type[Message], name: str) -> bool:
    """True for a field of the model that may be null, and for unknown fields."""
    fields = {field.alias or name: field for name, field in kind.model_fields.items()}
    return name not in fields or NoneType in get_args(fields[name].annotation)

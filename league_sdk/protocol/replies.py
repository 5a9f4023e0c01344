"""Reading of replies: one rule for clients, referees and the compliance check."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar, cast

from league_sdk.bounds import as_evidence, shorten
from league_sdk.domain.model import Role
from league_sdk.errors import LeagueError, error_for
from league_sdk.game import MoveSpec
from league_sdk.json_value import Json
from league_sdk.protocol.derived_fields import complete_answer, message_type_of
from league_sdk.protocol.envelope import Envelope, Message

M = TypeVar("M", bound=Message)

_PLAYER_ID: Final = re.compile(r"P\d{2,}")


class Reader(Protocol):
    """The reading half of a codec."""

    def parse(self, arguments: Mapping[str, Any], expect: type[M], *, spec: MoveSpec | None = None) -> M: ...


@dataclass(frozen=True, slots=True)
class Answering:
    """The peer that answers our call, for deriving the fields that it left out."""

    agent_id: str
    arrived: str
    note: Callable[[str, Mapping[str, Json]], None] | None = None
    """Told of the fields that were derived: the answer's type and the fields."""


class UnfitReply(Exception):
    """An answer that is not the reply to its request; `received` can be evidence."""

    def __init__(self, description: str, received: Json) -> None:
        super().__init__(description)
        self.received = received


def read_reply(
    received: Json,
    request: Mapping[str, Json],
    expect: type[M],
    codec: Reader,
    *,
    dialects: Mapping[str, Reader] | None = None,
    spec: MoveSpec | None = None,
    answering: Answering | None = None,
) -> M:
    """Read a peer's answer to `request` as a reply of type `expect`.

    Args:
        received: The answer.
        request: The request.
        expect: The type of the reply.
        codec: The reader for the answer.
        dialects: Readers of other protocols, by the name in the answer's `protocol`.
        spec: The game's spelling of moves.
        answering: The peer, whose missing fields are then derived; None refuses them.

    Raises:
        LeagueError: The answer is a LEAGUE_ERROR; the error that it reports.
        UnfitReply: It is no reply to that request.
    """
    if not isinstance(received, dict):
        raise UnfitReply(f"the reply is {type(received).__name__}, not a message", as_evidence(received))
    answer = cast("dict[str, Json]", received)
    if answer.get("message_type") == "LEAGUE_ERROR":
        raise _told_error(answer)
    derived: tuple[str, ...] = ()
    if answering is not None:
        completed = complete_answer(
            answer, request, expect, agent_id=answering.agent_id, arrived=answering.arrived, spec=spec
        )
        answer, derived = completed.message, completed.derived
    conversation = request.get("conversation_id")
    if answer.get("conversation_id") is None:
        # Many agents leave it out of their replies; the connection says which request this one answers.
        answer = {**answer, "conversation_id": conversation}
    elif conversation is not None and answer["conversation_id"] != conversation:
        raise UnfitReply(f"the reply belongs to another conversation than {conversation}", as_evidence(answer))
    protocol = answer.get("protocol")
    reader = (dialects or {}).get(protocol, codec) if isinstance(protocol, str) else codec
    try:
        reply = reader.parse(answer, expect, spec=spec)
    except LeagueError as error:
        text = f"the reply is not a valid {expect.__name__}: {error.message}"
        raise UnfitReply(text, as_evidence(answer)) from error
    if derived and answering is not None:
        if isinstance(reply, Envelope):
            reply.derive(derived)
        if answering.note is not None:
            answering.note(message_type_of(expect, spec), {name: answer.get(name) for name in derived})
    return reply


def arguments_taken(schema: Mapping[str, Any], arguments: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments that a tool with this input schema takes.

    All of them, unless the schema excludes additional properties.
    """
    known: object = schema.get("properties")
    if schema.get("additionalProperties") is not False or not isinstance(known, Mapping):
        return dict(arguments)
    return {name: value for name, value in arguments.items() if name in known}


def require_same_match(answer: Message, match_id: str, player_id: str) -> None:
    """Refuse (UnfitReply) an answer about another match or from another player.

    A sender may be left out, or bear a display name, which an agent has before it is registered.
    """
    for field, expected in (("match_id", match_id), ("player_id", player_id)):
        actual: Json = getattr(answer, field, None)
        if actual and actual != expected:
            raise UnfitReply(f"the answer has {field} {actual!r}, expected {expected!r}", {field: actual})
    sender: str = getattr(answer, "sender", "")
    role, _, name = sender.partition(":")
    if sender and (role != Role.PLAYER or (name != player_id and _PLAYER_ID.fullmatch(name))):
        raise UnfitReply(f"the answer has sender {sender!r}, expected 'player:{player_id}'", {"sender": sender})


def told_description(error: Mapping[str, Json]) -> str | None:
    description = error.get("error_description")
    return shorten(description) if isinstance(description, str) else None


def told_context(error: Mapping[str, Json]) -> dict[str, Json]:
    """The context in a LEAGUE_ERROR, bounded for keeping."""
    context = as_evidence(error.get("context"))
    if not isinstance(context, dict):
        return {} if context is None else {"context": context}
    return {str(key): value for key, value in cast("dict[str, Json]", context).items()}


def _told_error(answer: Mapping[str, Json]) -> LeagueError:
    code = answer.get("error_code")
    return error_for(code if isinstance(code, str) else "", told_description(answer), told_context(answer))

"""Reading of replies: the one rule by which clients, referees and the compliance check take or refuse an answer."""

import re
from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeVar, cast

from league_sdk.bounds import as_evidence, shorten
from league_sdk.domain.model import Role
from league_sdk.errors import LeagueError, error_for
from league_sdk.game import Json, MoveSpec
from league_sdk.protocol.envelope import Message

M = TypeVar("M", bound=Message)

_PLAYER_ID: Final = re.compile(r"P\d{2,}")


class Reader(Protocol):
    """The part of a codec that reads."""

    def parse(self, arguments: Mapping[str, Any], expect: type[M], *, spec: MoveSpec | None = None) -> M:
        """A message from its JSON; LeagueError when it is not one."""
        ...


class UnfitReply(Exception):
    """An answer that is not the reply to its request.

    Args:
        description: What is wrong with it.
        received: The answer, fit to be kept as evidence.
    """

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
) -> M:
    """The reply of type `expect` in what a peer answered.

    Args:
        received: The answer.
        request: What it answers.
        expect: The type of the reply.
        codec: Reads it.
        dialects: Readers of other protocols, by the name in the answer's `protocol`.
        spec: How the game spells moves.

    Raises:
        LeagueError: The answer is a LEAGUE_ERROR; it is raised as the error that it tells of.
        UnfitReply: It is no reply to that request.
    """
    if not isinstance(received, dict):
        raise UnfitReply(f"the reply is {type(received).__name__}, not a message", as_evidence(received))
    answer = cast("dict[str, Json]", received)
    if answer.get("message_type") == "LEAGUE_ERROR":
        raise _told_error(answer)
    conversation = request.get("conversation_id")
    if answer.get("conversation_id") is None:
        # Many agents leave it out of their replies; the connection says which request this one answers.
        answer = {**answer, "conversation_id": conversation}
    elif conversation is not None and answer["conversation_id"] != conversation:
        raise UnfitReply(f"the reply belongs to another conversation than {conversation}", as_evidence(answer))
    protocol = answer.get("protocol")
    reader = (dialects or {}).get(protocol, codec) if isinstance(protocol, str) else codec
    try:
        return reader.parse(answer, expect, spec=spec)
    except LeagueError as error:
        text = f"the reply is not a valid {expect.__name__}: {error.message}"
        raise UnfitReply(text, as_evidence(answer)) from error


def arguments_taken(schema: Mapping[str, Any], arguments: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments that a tool with this input schema takes.

    All of them, but where the schema says that the tool takes no others than its own.
    """
    known: object = schema.get("properties")
    if schema.get("additionalProperties") is not False or not isinstance(known, Mapping):
        return dict(arguments)
    return {name: value for name, value in arguments.items() if name in known}


def require_same_match(answer: Message, match_id: str, player_id: str) -> None:
    """Refuse an answer that is about another match or from another player.

    A sender may be left out, or bear a display name, which an agent has before it is registered.

    Raises:
        UnfitReply: It is.
    """
    for field, expected in (("match_id", match_id), ("player_id", player_id)):
        actual: Json = getattr(answer, field, None)
        if actual is not None and actual != expected:
            raise UnfitReply(f"the answer has {field} {actual!r}, expected {expected!r}", {field: actual})
    sender: str = getattr(answer, "sender", "")
    role, _, name = sender.partition(":")
    if sender and (role != Role.PLAYER or (name != player_id and _PLAYER_ID.fullmatch(name))):
        raise UnfitReply(f"the answer has sender {sender!r}, expected 'player:{player_id}'", {"sender": sender})


def told_description(error: Mapping[str, Json]) -> str | None:
    """The description in a LEAGUE_ERROR, shortened."""
    description = error.get("error_description")
    return shorten(description) if isinstance(description, str) else None


def told_context(error: Mapping[str, Json]) -> dict[str, Json]:
    """The context in a LEAGUE_ERROR, as far as it can be kept."""
    context = as_evidence(error.get("context"))
    if not isinstance(context, dict):
        return {} if context is None else {"context": context}
    return {str(key): value for key, value in cast("dict[str, Json]", context).items()}


def _told_error(answer: Mapping[str, Json]) -> LeagueError:
    code = answer.get("error_code")
    return error_for(code if isinstance(code, str) else "", told_description(answer), told_context(answer))

"""What a row of the catalogue of calls is, and the rows that each game adds in its own spelling."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from league_sdk.domain.model import Role
from league_sdk.errors import RequestKind
from league_sdk.game import MoveSpec
from league_sdk.protocol import match, operator
from league_sdk.protocol.envelope import Message

Timeout: TypeAlias = Literal["join", "move", "response"]
"""Which setting limits the time for an answer."""


@dataclass(frozen=True, slots=True)
class CallSpec:
    """One row of the catalogue.

    Attributes:
        tool: The tool's name.
        aliases: Other names that are accepted, and used where a peer has only them.
        request: The message that is its arguments.
        reply: The message that is its result.
        to: Who has this tool.
        kind: For the JSON-RPC numbers of errors.
        timeout: Which setting limits the time for an answer.
        title: For people.
        description: For people and models.
        read_only: Calling it changes nothing.
        idempotent: Calling it twice is the same as once.
        destructive: Calling it cannot be undone, and takes something away: hosts let a person confirm it.
        open_world: Calling it reaches others, at addresses that the caller or an agent gave.
        spec: For a call in a game's own spelling, that spelling.
    """

    tool: str
    aliases: tuple[str, ...]
    request: type[Message]
    reply: type[Message]
    to: tuple[Role, ...]
    kind: RequestKind
    timeout: Timeout
    title: str
    description: str
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False
    open_world: bool = False
    spec: MoveSpec | None = None


def move_call(spec: MoveSpec) -> CallSpec:
    """How a referee asks a player for a move in a game."""
    return CallSpec(
        tool=spec.tool,
        aliases=spec.tool_aliases,
        request=match.MoveCall,
        reply=match.MoveResponse,
        to=(Role.PLAYER,),
        kind=RequestKind.MATCH,
        timeout="move",
        title="Make a move",
        description="The referee asks for the player's move. Answer before the deadline with one of the legal moves; "
        "a move that is not legal is asked for again, and no move in time loses the match. The same call again gets "
        "the same answer.",
        idempotent=True,
        spec=spec,
    )


def push_call(spec: MoveSpec) -> CallSpec:
    """How a player hands in its move in a game, when it has merely acknowledged the referee's call."""
    return CallSpec(
        tool=spec.push_tool or f"receive_{spec.response_type.lower()}",
        aliases=(),
        request=match.MoveResponse,
        reply=match.AnswerAck,
        to=(Role.REFEREE,),
        kind=RequestKind.MATCH,
        timeout="response",
        title="Make a move later",
        description="Players only: the move that a referee has asked for and that was merely acknowledged, before its "
        "deadline. Show the auth_token of the call. The same move again is acknowledged again and counts once.",
        idempotent=True,
        spec=spec,
    )


def resolve_call(spec: MoveSpec) -> CallSpec:
    """How an operator has a referee resolve a match that is led by hand, in a game."""
    return CallSpec(
        tool=spec.resolve_tool,
        aliases=(),
        request=operator.MatchStep,
        reply=operator.MatchStepResponse,
        to=(Role.REFEREE,),
        kind=RequestKind.OPERATOR,
        timeout="response",
        title="Step: resolve the match",
        description="Of a match that was started with step_by_step: apply the choices that were collected, and decide.",
        spec=spec,
    )


def spelling(spec: MoveSpec) -> tuple[object, ...]:
    """What of a MoveSpec a player can tell apart: the tool, the message types and the field."""
    return (
        spec.tool,
        spec.tool_aliases,
        spec.call_type,
        spec.response_type,
        spec.response_aliases,
        spec.choice_field,
        spec.push_tool,
        spec.v1_response_type,
    )

"""Rows of the catalogue of calls, including those that games spell themselves."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from league_sdk.domain.model import Role
from league_sdk.errors import RequestKind
from league_sdk.game import MoveSpec
from league_sdk.protocol import match, operator
from league_sdk.protocol.envelope import Message

Timeout: TypeAlias = Literal["join", "move", "response"]  # the setting that limits the time for an answer


@dataclass(frozen=True, slots=True)
class CallSpec:
    """One row of the catalogue."""

    tool: str
    request: type[Message]
    reply: type[Message]
    to: tuple[Role, ...]  # roles that have this tool
    kind: RequestKind  # selects the JSON-RPC numbers of errors
    title: str
    description: str
    aliases: tuple[str, ...] = ()  # accepted too, and used if a peer has only those
    timeout: Timeout = "response"
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False  # cannot be undone, and takes something away: hosts ask a person to confirm it
    open_world: bool = False  # contacts addresses that the caller or an agent supplied
    spec: MoveSpec | None = None  # for a call that a game spells


def move_call(spec: MoveSpec) -> CallSpec:
    """A referee's call for a player's move, in a game's spelling."""
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
    """A player's call that delivers a move which it only acknowledged at first."""
    return CallSpec(
        tool=spec.push_tool or f"receive_{spec.response_type.lower()}",
        request=match.MoveResponse,
        reply=match.AnswerAck,
        to=(Role.REFEREE,),
        kind=RequestKind.MATCH,
        title="Make a move later",
        description="Players only: the move that a referee has asked for and that was merely acknowledged, before its "
        "deadline. Show the auth_token of the call. The same move again is acknowledged again and counts once.",
        idempotent=True,
        spec=spec,
    )


def resolve_call(spec: MoveSpec) -> CallSpec:
    """The operator's call that resolves a match played step by step."""
    return CallSpec(
        tool=spec.resolve_tool,
        request=operator.MatchStep,
        reply=operator.MatchStepResponse,
        to=(Role.REFEREE,),
        kind=RequestKind.OPERATOR,
        title="Step: resolve the match",
        description="Of a match that was started with step_by_step: apply the choices that were collected, and decide.",
        spec=spec,
    )


def spelling(spec: MoveSpec) -> tuple[object, ...]:
    """The parts of a MoveSpec that a player can see: tool, message types and field."""
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

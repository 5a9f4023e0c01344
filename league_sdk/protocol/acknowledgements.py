"""Bare acknowledgements, as simple agents send them: `{"status": "ok"}`.

Such a reply satisfies a call that expects an acknowledgement. When an answer was expected, the answer may follow as a
separate call.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeVar, cast

from league_sdk.json_value import Json
from league_sdk.protocol.envelope import Message

M = TypeVar("M", bound=Message)

WORDS: Final = frozenset(
    {"ack", "acknowledged", "accepted", "ok", "okay", "pending", "processing", "received", "success"}
)
"""Statuses that mean "acknowledged", compared without regard to case."""
FLAGS: Final = ("acknowledged", "received", "ok", "success")
BESIDE: Final = frozenset(
    {"protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token", "status", "message", *FLAGS}
    | {"league_id", "round_id", "match_id", "player_id", "referee_id"}
)
"""Fields that a bare acknowledgement may have. Any other field makes it a reply of its own."""


def says_only_that_it_arrived(received: Json, request: Mapping[str, Json], expect: type[Message]) -> bool:
    """True if a reply merely acknowledges `request`, and is not the expected message.

    A reply with a message type counts only if that type is `ACK`, or the request's type followed by `_ACK`.
    """
    if isinstance(received, str):
        return received.strip().lower() in WORDS
    if not isinstance(received, dict):
        return False
    reply = cast("dict[str, Any]", received)
    if not reply.keys() <= BESIDE:
        return False
    kind, status = reply.get("message_type"), reply.get("status")
    said = isinstance(status, str) and status.strip().lower() in WORDS
    if kind == expect.model_fields["message_type"].default:
        return False
    if kind is None:
        return said or any(reply.get(flag) is True for flag in FLAGS)
    if kind in ("ACK", "ACKNOWLEDGEMENT", f"{request.get('message_type')}_ACK"):
        return said or status is None
    return False


def is_acknowledgement(kind: type[Message]) -> bool:
    status = kind.model_fields.get("status")
    return status is not None and status.default == "ACKNOWLEDGED"


def acknowledgement(message: Message, expect: type[M], agent_id: str) -> M | None:
    """The reply that a bare acknowledgement stands for; None if more was expected."""
    if not is_acknowledgement(expect):
        return None
    told = {name: getattr(message, name, None) for name in ("conversation_id", "timestamp", "match_id", "round_id")}
    fields = {name: value for name, value in told.items() if value is not None and name in expect.model_fields}
    player = expect.model_fields.get("player_id")
    if player is not None and player.is_required():
        fields["player_id"] = agent_id
    return expect.model_validate(fields)

"""Substituted moves on the wire: a player's claim, and a referee's counts.

Both are accepted as they come and read afterwards, so that nonsense in them never refuses the message around it.
"""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeAlias, cast

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from league_sdk.domain.model import SubstitutionReason
from league_sdk.json_value import Json
from league_sdk.protocol.envelope import Maybe, Message, Whole

MOST = 1_000_000
"""Limit of one player's substituted moves in one match; larger sums could exceed a message's bounds."""
LONGEST_DETAIL = 200


class Substituted(Message, frozen=True):
    """A player says that its move is not its strategy's own."""

    reason: Annotated[SubstitutionReason, Field(strict=False, description="Why.", examples=["raised"])]
    detail: Annotated[
        Maybe[str], Field(description="Details, for the player's operator; a referee keeps nothing of it.")
    ] = None


Claim: TypeAlias = Annotated[
    Maybe[Substituted | SkipJsonSchema[Json]],
    Field(
        union_mode="left_to_right",
        description="Says that the move is not the strategy's own, and why. It costs nothing; a referee ignores "
        "values that it cannot read.",
    ),
]
"""In a player's answer; any other value is kept unread."""

Counts: TypeAlias = Annotated[
    Maybe[Mapping[str, Mapping[str, Whole]] | SkipJsonSchema[Json]],
    Field(
        union_mode="left_to_right",
        description="Moves that players called substituted: player id to reason (raised, late, illegal, over_budget "
        "or busy) to how many.",
    ),
]
"""In a referee's report; any other value is kept unread."""

Reasons: TypeAlias = Annotated[
    Maybe[Mapping[str, Whole]],
    Field(description="Of its moves, those that the player called substituted: reason to how many."),
]
"""In a row of the standings."""


def counted(counts: Json, players: Collection[str]) -> dict[str, dict[str, int]]:
    """Read reported counts; drop unknown names, and numbers outside 1 to `MOST`."""
    return {player: kept for player in players if (kept := _reasons(_mapping(counts).get(player)))}


def _reasons(told: Json) -> dict[str, int]:
    numbers = {str(reason): _mapping(told).get(str(reason)) for reason in SubstitutionReason}
    return {reason: number for reason, number in numbers.items() if type(number) is int and 0 < number <= MOST}


def _mapping(value: Json) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}

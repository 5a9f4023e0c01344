"""Substituted moves on the wire: a player's own word, which costs nothing, and how often a referee heard it.

Both are taken as they come and read afterwards, so that nonsense in them never refuses the message around it.
"""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeAlias, cast

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from league_sdk.domain.model import SubstitutionReason
from league_sdk.protocol.envelope import Json, Maybe, Message, Whole

MOST = 1_000_000
"""Substituted moves of a player in one match at most; sums of more could become too large for a message."""
LONGEST_DETAIL = 200


class Substituted(Message, frozen=True):
    """A player says that its move is not its strategy's own."""

    reason: Annotated[SubstitutionReason, Field(strict=False, description="Why.", examples=["raised"])]
    detail: Annotated[
        Maybe[str], Field(description="More about it, for whoever runs the player; a referee keeps nothing of it.")
    ] = None


Claim: TypeAlias = Annotated[
    Maybe[Substituted | SkipJsonSchema[Json]],
    Field(
        union_mode="left_to_right",
        description="Says that the move is not the strategy's own, and why. It costs nothing; a referee passes over "
        "what it cannot read.",
    ),
]
"""In a player's answer; whatever else stands there is kept as it is."""

Counts: TypeAlias = Annotated[
    Maybe[Mapping[str, Mapping[str, Whole]] | SkipJsonSchema[Json]],
    Field(
        union_mode="left_to_right",
        description="Moves that players called substituted: player id to reason (raised, late, illegal, over_budget "
        "or busy) to how many.",
    ),
]
"""In a referee's report; whatever else stands there is kept as it is."""

Reasons: TypeAlias = Annotated[
    Maybe[Mapping[str, Whole]],
    Field(description="Of its moves, those that the player called substituted: reason to how many."),
]
"""In a row of the standings."""


def counted(counts: Json, players: Collection[str]) -> dict[str, dict[str, int]]:
    """What can be believed of reported counts: known players and reasons, and numbers from 1 to `MOST`.

    Args:
        counts: As reported; anything.
        players: Ids of the match's players.
    """
    return {player: kept for player in players if (kept := _reasons(_mapping(counts).get(player)))}


def _reasons(told: Json) -> dict[str, int]:
    numbers = {str(reason): _mapping(told).get(str(reason)) for reason in SubstitutionReason}
    return {reason: number for reason, number in numbers.items() if type(number) is int and 0 < number <= MOST}


def _mapping(value: Json) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}

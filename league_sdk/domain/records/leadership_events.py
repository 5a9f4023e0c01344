"""Events of a league's lead: token, plan, read-only records, epoch."""

from collections.abc import Mapping
from dataclasses import dataclass

from league_sdk.json_value import Json


@dataclass(frozen=True, slots=True)
class OperatorTokenChanged:
    """The operator's token has this digest from now on.

    Attributes:
        digest: Digest of the token (`tokens.operator_digest`).
        how: `kept` where the league was recorded before digests were, and its token was found in its secret file;
            `rotated` under the token before; `lost` without it, so whoever did this had the store alone.
    """

    digest: str
    how: str


@dataclass(frozen=True, slots=True)
class RunPlanned:
    """The launcher starts the league's agents by this plan.

    Attributes:
        plan: The specifications of the agents, without secrets: `shared` by all, and each agent's own.
    """

    plan: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class MadeReadOnly:
    """No manager leads these records any more, until a new epoch begins.

    Attributes:
        reason: `restored` from a backup, or `archived` by the operator.
        manager: Endpoint of the manager that led the league when it was backed up; empty without one.
    """

    reason: str
    manager: str = ""


@dataclass(frozen=True, slots=True)
class EpochBegun:
    """The operator lets a manager lead read-only records; older managers must not.

    Attributes:
        number: One more than that of the epoch before.
        id: Random.
    """

    number: int
    id: str

"""Answers of a player that is asked to tell what its strategy did, legal or not."""

from league_sdk.bounds import as_evidence, repr_of, shorten
from league_sdk.domain.model import SubstitutionReason
from league_sdk.errors import StrategyFailed
from league_sdk.game import Move
from servers.player.move_substitution import Decision

TOLD = frozenset({SubstitutionReason.RAISED, SubstitutionReason.ILLEGAL})
"""Troubles that a strategy answers for itself; others are told by the mark of a substituted move."""


def own_move(decision: Decision) -> Move:
    """The move that the strategy chose, to be judged by the referee.

    Raises:
        StrategyFailed: It raised, or chose what cannot be sent.
    """
    if decision.trouble is SubstitutionReason.ILLEGAL and decision.error is None:
        if as_evidence(decision.chosen) is decision.chosen:
            return decision.chosen
        raise StrategyFailed(f"the strategy chose what cannot be sent: {shorten(repr_of(decision.chosen))}")
    if decision.error is None:
        raise StrategyFailed(shorten(decision.reason))
    raise StrategyFailed(f"the strategy raised {type(decision.error).__name__}", detail=decision.detail)

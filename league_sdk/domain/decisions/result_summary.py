"""Results without transcripts, for the long-lived fold; the store has them whole."""

import hashlib
import json
from dataclasses import dataclass, replace
from functools import lru_cache
from sys import intern

from league_sdk.domain.events import Event, MatchRecorded, event_to_json
from league_sdk.domain.league_state import League
from league_sdk.domain.model import MatchResult
from league_sdk.domain.ranking.standings import draw_seed

_UNCOMPARED = ("lifecycle", "transcript")
_WITHOUT_LOTS = frozenset(("round_robin", "swiss", "groups", "gauntlet", "ladder"))
"""Formats that draw nothing after the start: their leagues are large, and a seed a match costs 0.5 KB."""


@dataclass(frozen=True, slots=True)
class ResultSummary(MatchResult):
    """A result for rules and tables, without details, transcript and inner states."""

    fingerprint: bytes = b""  # of the whole result
    moves: tuple[int, ...] = ()  # that each player sent, in the order of `players`

    def moves_of(self, player_id: str) -> int:
        return dict(zip(self.players, self.moves, strict=False)).get(player_id, 0)


def summarised(event: Event, league: League | None) -> Event:
    """The same event, with a summary in place of its result, if it has one."""
    if league is None or not isinstance(event, MatchRecorded):
        return event
    scores = "goal_difference" in league.rules.tiebreakers
    lots = league.lots_from_draws and any(stage.format not in _WITHOUT_LOTS for stage in league.rules.stages)
    return MatchRecorded(summary(event.result, scores=scores, draw=lots))


def summary(result: MatchResult, *, scores: bool = False, draw: bool = False) -> ResultSummary:
    """The summary of a whole result, on request with scores or the draw's seed.

    Its ids are shared with those of other results.
    """
    states = [*result.lifecycle.items()]
    kept = ("scores",) * scores + ("places", "stand_ins") * (len(result.players) > 2)
    return ResultSummary(
        match_id=intern(result.match_id),
        round_id=result.round_id,
        players=tuple(map(intern, result.players)),
        status=result.status,
        winner=None if result.winner is None else intern(result.winner),
        score={intern(player): points for player, points in result.score.items()},
        referee_id=intern(result.referee_id),
        attempt=result.attempt,
        reason=result.reason,
        details={
            **{name: result.details[name] for name in kept if name in result.details},
            **({"draw": {"seed": seed}} if draw and (seed := draw_seed(result)) else {}),
        },
        faults=result.faults,
        lifecycle={intern(state): at for state, at in (*states[:1], *states[-1:])},
        substituted=result.substituted,
        not_played=result.not_played,
        fingerprint=fingerprint(result),
        moves=_shared(tuple(map(result.moves_of, result.players))),
    )


@lru_cache(maxsize=2**12)
def _shared(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """One object for equal numbers: a large league has half a million results."""
    return numbers


def fingerprint(result: MatchResult) -> bytes:
    """A digest of the parts in which two reports of a match must agree.

    The referee's own logs, lifecycle and transcript, do not count.
    """
    if isinstance(result, ResultSummary):
        return result.fingerprint
    told = event_to_json(MatchRecorded(replace(result, **dict.fromkeys(_UNCOMPARED, ()))))
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).digest()

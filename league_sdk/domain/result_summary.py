"""Results without transcripts, for the long-lived fold; the store has them whole."""

import hashlib
import json
from dataclasses import dataclass, replace
from sys import intern

from league_sdk.domain.events import Event, MatchRecorded, event_to_json
from league_sdk.domain.model import MatchResult

_UNCOMPARED = ("lifecycle", "transcript")


@dataclass(frozen=True, slots=True)
class ResultSummary(MatchResult):
    """A result for rules and tables: without details, transcript and inner states."""

    fingerprint: bytes = b""  # of the whole result


def summarised(event: Event) -> Event:
    """The same event, with a summary in place of its result, if it has one."""
    return MatchRecorded(summary(event.result)) if isinstance(event, MatchRecorded) else event


def summary(result: MatchResult) -> ResultSummary:
    """The summary of a whole result; its ids are shared with those of other results."""
    states = [*result.lifecycle.items()]
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
        faults=result.faults,
        lifecycle={intern(state): at for state, at in (*states[:1], *states[-1:])},
        substituted=result.substituted,
        fingerprint=fingerprint(result),
    )


def fingerprint(result: MatchResult) -> bytes:
    """A digest of the parts in which two reports of a match must agree.

    The referee's own logs, lifecycle and transcript, do not count.
    """
    if isinstance(result, ResultSummary):
        return result.fingerprint
    told = event_to_json(MatchRecorded(replace(result, **dict.fromkeys(_UNCOMPARED, ()))))
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).digest()

"""Typed causes and evidence of players' failures, from exceptions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from league_sdk.bounds import as_evidence, shorten
from league_sdk.domain.matches.match_io import JOIN_PHASE, Failure
from league_sdk.domain.model import Cause, Fault, MatchResult
from league_sdk.errors import InternalError, InvalidEndpoint, InvalidMove, LeagueError, PeerUnreachable, ResponseTimeout
from league_sdk.json_value import Json
from league_sdk.logs import redact
from league_sdk.ports import MalformedReply, SaysUnreachable

TIMES = ("transport_sec", "agent_sec")
"""The client's figures on a call's time: until the request went out, and from then on."""
EARLIER = ("try", "cause", "error_code", "sent_at", "elapsed_sec", "over_by_sec")
"""Fields kept of a try before the last one."""


def failure_from(error: LeagueError | MalformedReply, phase: str, evidence: Mapping[str, Json]) -> Failure:
    """The failure that an unsuccessful call to a player stands for.

    `phase` is `join` or `move`; `evidence` has what was sent, when, how long it took, and the limit.
    """
    context = dict(error.context)
    times = {name: context.pop(name) for name in TIMES if name in context}
    if isinstance(error, MalformedReply):
        told = {**evidence, **times, "received": evidence_of(error.received)}
        return Failure(Cause.MALFORMED_REPLY, "E002", retryable=False, description=str(error), evidence=told)
    said = shorten(error.message)
    told = {**evidence, **times, "error_code": error.code, "error": said, "context": evidence_of(context)}
    if isinstance(error, InvalidMove):
        said = "its strategy failed"  # a player's own words are evidence, and no reason that everybody reads
    if isinstance(error, ResponseTimeout) and "limit_sec" in evidence:
        took = times.get("agent_sec", evidence["elapsed_sec"])
        told["over_by_sec"] = round(max(0.0, took - evidence["limit_sec"]), 3)
    return Failure(_cause(error, phase), error.code, retryable=error.retryable, description=said, evidence=told)


def declined() -> Failure:
    """The failure of a player that answered an invitation with `accept: false`."""
    told = {"received": "accept: false"}
    return Failure(
        Cause.DECLINED, "E008", retryable=False, description="the player declined the invitation", evidence=told
    )


def evidence_of(value: Json) -> Json:
    """A player's message for evidence: without secrets, and shortened."""
    return redact(as_evidence(value))


class Tries:
    """The latest tries of each player, which complete the evidence of faults."""

    def __init__(self) -> None:
        self._of: dict[str, list[dict[str, Json]]] = {}

    def note(self, player: str, asked: Mapping[str, Json], failure: Failure | None = None) -> None:
        """Note a try: question, seconds and outcome; the first of a series starts anew."""
        tries = self._of.setdefault(player, [])
        if asked["try"] == 1:
            tries.clear()
        told = {} if failure is None else {"cause": str(failure.cause), **failure.evidence}
        tries.append({**asked, **told})

    def complete(self, result: MatchResult) -> MatchResult:
        """A result whose faults have all tries, the last in full, earlier ones short."""
        return replace(result, faults=tuple(self._completed(fault) for fault in result.faults))

    def _completed(self, fault: Fault) -> Fault:
        *before, last = self._of.get(fault.player_id) or [dict[str, Json]()]
        evidence = {name: value for name, value in last.items() if name != "cause"} | dict(fault.evidence)
        if before:
            evidence["earlier"] = [{name: entry[name] for name in EARLIER if name in entry} for entry in before]
        return replace(fault, evidence=evidence)


def first_of(error: BaseException) -> BaseException:
    """The first real exception, without task groups' exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def _cause(error: LeagueError, phase: str) -> Cause:
    if isinstance(error, SaysUnreachable):
        return Cause.MALFORMED_REPLY  # an answer, whatever it says
    if isinstance(error, ResponseTimeout) or error.context.get("silent", False):
        return Cause.NO_JOIN if phase == JOIN_PHASE else Cause.NO_MOVE
    if isinstance(error, PeerUnreachable | InvalidEndpoint):
        if error.context.get("name_not_found", False):
            return Cause.NAME_NOT_FOUND
        dropped = error.context.get("dropped", False)
        return Cause.CONNECTION_DROPPED if dropped else Cause.CONNECTION_REFUSED
    if isinstance(error, InvalidMove) and phase != JOIN_PHASE:
        return Cause.ILLEGAL_MOVE
    if isinstance(error, InternalError):
        return Cause.CRASHED_HANDLER
    return Cause.MALFORMED_REPLY

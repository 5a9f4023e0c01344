"""A player of a league: record, opponents, faults and response times."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from league_sdk.bounds import shorten
from league_sdk.domain.league import League
from league_sdk.domain.model import Cause, Fault, MatchResult, SubstitutionReason
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import Verdict, at_fault
from league_sdk.json_value import Json
from servers.read_model.matches import Exchange, Kind, Limits, Stage, exchanges, match_rows
from servers.read_model.tables import cell
from servers.read_model.text import count

CAUSES: Mapping[Cause, str] = {
    Cause.NO_JOIN: "did not answer the invitation in time",
    Cause.NO_MOVE: "did not answer the call for a move in time",
    Cause.ILLEGAL_MOVE: "made a move that the game does not allow",
    Cause.NAME_NOT_FOUND: "has a host name without an address",
    Cause.CONNECTION_REFUSED: "could not be reached",
    Cause.CONNECTION_DROPPED: "broke the connection instead of answering",
    Cause.MALFORMED_REPLY: "answered with something that is no valid answer",
    Cause.DECLINED: "declined to play",
    Cause.CRASHED_HANDLER: "failed while it worked on its answer",
    Cause.WITHDREW: "withdrew from the league",
    Cause.SITS_OUT: "sat out, so the match was not played",
}
"""A player's fault that led to a technical loss, in words that say nothing of what it sent."""
REGISTRATION = "LEAGUE_REGISTER_REQUEST"
MOST = 20  # messages, and fields of one, that are shown as derived
RAISED = "had a strategy that raised an error"


SUBSTITUTIONS: Mapping[str, str] = {
    SubstitutionReason.RAISED: "its strategy raised an error",
    SubstitutionReason.LATE: "its strategy took too long",
    SubstitutionReason.ILLEGAL: "its strategy chose no legal move",
    SubstitutionReason.OVER_BUDGET: "its budget was spent",
    SubstitutionReason.BUSY: "its strategy was busy with earlier calls",
}
"""Why a move was substituted, as the player said, in words for everybody."""


@dataclass(frozen=True, slots=True)
class TechnicalLoss:
    """A technical loss that a player was given."""

    match_id: str
    round_id: int
    cause: Cause | None = None  # what the player did, as the referee saw it; None when the referee did not say
    phase: str = ""  # `join` or `move`; empty when the referee did not say
    error_code: str = ""  # the E-code of the last failure; empty when the referee did not say
    tries: int = 0  # how often it was asked; 0 when the referee did not say
    # the wrong move, or the line that raised: for the player's owner alone, like all evidence
    sent: str = field(default="", repr=False)
    raised: bool = False  # whether its strategy raised in place of a move


@dataclass(frozen=True, slots=True)
class SubstitutedMoves:
    """A match in which a player called some of its moves substituted."""

    match_id: str
    round_id: int
    reasons: Mapping[str, int]  # how many moves, by reason


@dataclass(frozen=True, slots=True)
class Appearance:
    """A match from the side of one player."""

    match_id: str
    round_id: int
    opponents: tuple[str, ...]  # ids of the others, in seat order
    stage: Stage
    verdict: Verdict | None = None  # how it went; None when it has no result
    points: int | None = None  # league points; None when it has no result
    technical: bool = False  # whether it was a technical loss, of whichever side
    place: int | None = None  # its place in a match of three or more; None in others


@dataclass(frozen=True, slots=True)
class Speed:
    """Response times of a player, in seconds."""

    answers: int  # how many proper answers were measured
    median: float  # half of them took no longer
    p95: float  # 95 of 100 took no longer
    slowest: float  # the longest of them


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """One player's league so far."""

    standing: Standing  # its row of the table
    appearances: tuple[Appearance, ...]  # its matches in the order of the rounds, decided and not
    failures: tuple[TechnicalLoss, ...]  # its technical losses, in the same order
    substituted: tuple[SubstitutedMoves, ...]  # its matches with substituted moves, in the same order
    exchanges: tuple[Exchange, ...]  # how long it took for every answer, in the order of the matches
    remaining: int  # how many of its matches are still to be decided
    byes: tuple[int, ...]  # rounds that it sits out
    # fields that its messages left out and that were derived, by the message's type
    derived: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def summary(self) -> str:
        """A sentence on how questions were answered, for a player with no technical loss."""
        if not self.exchanges:
            return "None so far."
        again = sum(bool(exchange.error_code) for exchange in self.exchanges)
        number = self.standing.substituted_moves
        if number:
            told = f"No technical loss, but {self.standing.substitution}."
            return f"{told} {count(again, 'request')} got no valid answer at first." if again else told
        if again:
            return f"No technical loss; {count(again, 'request')} got no valid answer at first."
        return "None: every request was answered in time."

    @property
    def form(self) -> tuple[Verdict, ...]:
        """The player's results in order, the first match first."""
        return tuple(match.verdict for match in self.appearances if match.verdict is not None)


def player_record(
    league: League, player_id: str, limits: Limits | None = None, results: Sequence[MatchResult] | None = None
) -> PlayerRecord:
    """One player's league so far.

    `results` are the player's whole results, if the league has only their summaries.
    """
    stats = league.player_stats(player_id)
    whole = stats.results if results is None else results
    timed = [exchange for result in whole for exchange in exchanges(result, limits)]
    row = stats.standing
    return PlayerRecord(
        standing=row,
        appearances=_appearances(league, player_id),
        failures=_failures(league, player_id),
        substituted=tuple(
            SubstitutedMoves(result.match_id, result.round_id, reasons)
            for result in stats.results
            if (reasons := result.substituted.get(player_id))
        ),
        exchanges=tuple(exchange for exchange in timed if exchange.player_id == player_id),
        remaining=stats.remaining,
        byes=tuple(scheduled.round_id for scheduled in league.rounds if player_id in scheduled.byes),
        derived=_derived(league, player_id, whole),
    )


def _derived(league: League, player_id: str, results: Iterable[MatchResult]) -> dict[str, tuple[str, ...]]:
    """Fields that a player's messages left out; a referee's word is bounded."""
    found: dict[str, dict[str, None]] = {REGISTRATION: dict.fromkeys(league.player(player_id).derived)}
    for entry in (entry for result in results for entry in result.transcript if entry.get("from") == player_id):
        names, kind = entry.get("derived"), shorten(str(entry.get("message_type")), 64)
        if isinstance(names, list) and (kind in found or len(found) < MOST):
            told = (shorten(str(name), 64) for name in cast("list[Json]", names)[:MOST])
            found.setdefault(kind, {}).update(dict.fromkeys(told))
    return {kind: tuple(names)[:MOST] for kind, names in found.items() if names}


def reasons_text(reasons: Mapping[str, int]) -> str:
    """Reasons for substituted moves: `its strategy raised an error, 3 times; …`."""
    told = [
        f"{SUBSTITUTIONS.get(reason, 'it did not say why')}{f', {number} times' if number > 1 else ''}"
        for reason, number in reasons.items()
    ]
    return "; ".join(told)


def speed(timed: Iterable[Exchange], kinds: Sequence[Kind] = (Kind.JOIN, Kind.MOVE)) -> Speed | None:
    """Response times of proper answers of these kinds; None without any."""
    return speed_of(
        sorted(exchange.seconds for exchange in timed if exchange.kind in kinds and not exchange.error_code)
    )


def speed_of(ordered: Sequence[float]) -> Speed | None:
    """Response times from seconds in ascending order; None without any."""
    if not ordered:
        return None
    return Speed(len(ordered), _rank(ordered, 0.5), _rank(ordered, 0.95), ordered[-1])


def _rank(ordered: Sequence[float], share: float) -> float:
    """The nearest-rank percentile: the smallest value that `share` don't exceed."""
    return ordered[max(1, math.ceil(share * len(ordered))) - 1]


def _appearances(league: League, player_id: str) -> tuple[Appearance, ...]:
    own: list[Appearance] = []
    for row in match_rows(league):
        if player_id in row.players:
            seen, others = (
                cell(league, row.match_id, player_id),
                tuple(each for each in row.players if each != player_id),
            )
            told = (seen.verdict, seen.points, seen.technical, seen.place)
            own.append(Appearance(row.match_id, row.round_id, others, row.stage, *told))
    return tuple(own)


def cause_of(fault: Fault) -> str:
    """The fault in words, which tell a strategy that raised from an illegal move."""
    return RAISED if _raised(fault) else CAUSES[fault.cause]


def _raised(fault: Fault) -> bool:
    """True for a strategy that raised, which counts as an invalid move."""
    return fault.cause is Cause.ILLEGAL_MOVE and "received" not in fault.evidence


def _sent(fault: Fault) -> str:
    """The move that was not legal, or the line that raised; else empty."""
    if fault.cause is not Cause.ILLEGAL_MOVE:
        return ""
    context = fault.evidence.get("context")
    raised = cast(Mapping[str, Json], context).get("detail") if isinstance(context, Mapping) else None
    return raised if isinstance(raised, str) else str(fault.evidence.get("received", ""))


def _failures(league: League, player_id: str) -> tuple[TechnicalLoss, ...]:
    told: list[TechnicalLoss] = []
    for result in league.player_stats(player_id).results:
        if player_id not in at_fault(result):
            continue
        match = result.match_id, result.round_id
        named = [fault for fault in result.faults if fault.player_id == player_id]
        told += [
            TechnicalLoss(*match, each.cause, each.phase, each.error_code, each.tries, _sent(each), _raised(each))
            for each in named
        ] or [TechnicalLoss(*match)]
    return tuple(told)

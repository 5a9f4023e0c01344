"""Leagues of any course, drawn by hypothesis, and what was said in a match."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from league_sdk.domain.commands import (
    AssignMatch,
    CompleteLeague,
    CompleteRound,
    ForfeitMatch,
    RemovePlayer,
    StartRound,
    VoidMatch,
)
from league_sdk.domain.model import Cause, Fault, ResultStatus
from league_sdk.fairness import Draw
from tests.league_sdk.domain.season import Season, running


@st.composite
def seasons(draw: st.DrawFn) -> Season:
    """A league that has started, with any results and any player removed, broken off anywhere or complete."""
    season = running(draw(st.integers(2, 6)))
    for scheduled in season.league.rounds:
        if draw(st.integers(0, 9)) == 0:
            return season
        season.do(StartRound(scheduled.round_id))
        if len(staying := season.league.staying()) > 1 and draw(st.integers(0, 9)) == 0:
            season.do(RemovePlayer(draw(st.sampled_from(staying)), "unwanted"))
        for fixture in season.league.unfinished(scheduled.round_id):
            if season.league.sits_out(fixture):
                season.do(ForfeitMatch(fixture.match_id))
                continue
            how = draw(st.sampled_from(["first", "second", "draw", "draw", "late", "both late", "void", "open"]))
            season.do(AssignMatch(fixture.match_id, "REF01"))
            if how == "open":
                continue
            if how == "void":
                season.do(VoidMatch(fixture.match_id, "nobody can referee it"))
                continue
            season.record(fixture.match_id, **result(how, *fixture.players))
        if season.league.unfinished(scheduled.round_id):
            return season
        season.do(CompleteRound(scheduled.round_id))
    season.do(CompleteLeague())
    return season


def result(how: str, first: str, second: str) -> dict[str, Any]:
    """A referee's report of such a match."""
    if how == "late":
        return {"winner": first, "status": ResultStatus.TECHNICAL_LOSS, "faults": (late(second),)}
    if how == "both late":
        return {"winner": None, "status": ResultStatus.TECHNICAL_LOSS, "faults": (late(first), late(second))}
    return {"winner": {"first": first, "second": second}.get(how)}


def late(player: str) -> Fault:
    """A player that does not answer."""
    return Fault(player, Cause.NO_MOVE, "move", "E001", 4, "secret words", {"received": "secret move"})


def at(second: float) -> str:
    """A time."""
    return f"2025-01-15T10:00:{second:06.3f}Z"


def draw_of(match_id: str = "R1M1", attempt: int = 1) -> Draw:
    """The draw of the match of `talk`."""
    return Draw("the secret", "summer", match_id, attempt)


def reveal(match_id: str = "R1M1") -> Mapping[str, Any]:
    """Its referee's reveal."""
    return draw_of(match_id).reveal(("P01", "P02"), {"P01": "salt", "P02": "pepper"})


def talk(*, match_id: str = "R1M1", choices: tuple[Any, Any] = (2, 3)) -> tuple[dict[str, Any], ...]:
    """The transcript of a match of P01 and P02: P01 answers after 0.25 s and 0.5 s, P02 after 1 s and 2.5 s."""
    commitment = draw_of(match_id).commitment
    entries: list[dict[str, Any]] = [
        {"message_type": "GAME_INVITATION", "timestamp": at(0), "to": "P01", "draw_commitment": commitment},
        {"message_type": "GAME_INVITATION", "timestamp": at(0), "to": "P02", "draw_commitment": commitment},
        {"message_type": "GAME_JOIN_ACK", "timestamp": at(0.25), "from": "P01", "accept": True, "draw_nonce": "salt"},
        {"message_type": "GAME_JOIN_ACK", "timestamp": at(1), "from": "P02", "accept": True, "draw_nonce": "pepper"},
        {"message_type": "MOVE_CALL", "timestamp": at(2), "to": "P01"},
        {"message_type": "MOVE_CALL", "timestamp": at(2), "to": "P02"},
        {"message_type": "MOVE_RESPONSE", "timestamp": at(2.5), "from": "P01", "choice": choices[0]},
        {"message_type": "MOVE_RESPONSE", "timestamp": at(4.5), "from": "P02", "choice": choices[1]},
        {"message_type": "GAME_OVER", "timestamp": at(5), "to": "P01"},
        {"message_type": "GAME_OVER", "timestamp": at(5), "to": "P02"},
    ]
    return tuple({"sequence": number, **entry} for number, entry in enumerate(entries, start=1))

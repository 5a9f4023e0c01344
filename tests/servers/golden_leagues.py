"""Leagues in which everything that a row can tell has happened, and what was recorded of them.

`GOLDEN=write pytest -k golden` records it anew, for a change that is meant.
"""

import os
from dataclasses import replace
from pathlib import Path

from game_rules.lowest_unique_number import LowestUniqueNumber
from game_rules.rock_paper_scissors import RockPaperScissors
from league_sdk.domain.commands import (
    AssignMatch,
    CompleteRound,
    ForfeitMatch,
    RecordResult,
    RemovePlayer,
    SitOut,
    StartRound,
    VoidMatch,
    WithdrawAgent,
)
from league_sdk.domain.model import DepartedResults, ResultStatus, StageRules
from league_sdk.domain.participants.sitting_out import SittingOutReason
from tests.servers.league_history import LeagueHistory, begun, technical_loss, under_way
from tests.servers.read_model.leagues import late, reveal, talk
from tests.servers.ui.report.leagues import tournament


def eventful() -> LeagueHistory:
    """A round-robin of eight: a fault, substituted moves, a draw, a void match, players that left or sit out."""
    history = begun(8, tiebreakers=("points", "wins", "draws", "head_to_head", "sonneborn_berger"))
    history.do(StartRound(1))
    first, second, third, fourth = (fixture.match_id for fixture in history.league.rounds[0].fixtures)
    for match_id in (first, second, third, fourth):
        history.do(AssignMatch(match_id, "REF01"))
    played = {"transcript": talk(), "details": {"draw": reveal(first), "drawn_number": 8}, "reason": "8 is even"}
    winner, loser = history.league.fixture(first).players
    history.season.record(first, winner, substituted={loser: {"raised": 1, "late": 2}}, **played)
    history.do(RecordResult(replace(technical_loss(history, second, history.league.fixture(second).players[1]))))
    fault = late(history.league.fixture(third).players[0])
    history.season.record(
        third, history.league.fixture(third).players[1], status=ResultStatus.TECHNICAL_LOSS, faults=(fault,)
    )
    history.do(VoidMatch(fourth, "nobody can referee it"))
    history.do(CompleteRound(1))
    history.do(SitOut("P06", SittingOutReason.CRASHED, "its process ended"))
    history.do(WithdrawAgent("P07", "enough"))
    history.do(StartRound(2))
    for fixture in history.league.unfinished(2):
        if history.league.sits_out(fixture):
            history.do(ForfeitMatch(fixture.match_id))
            continue
        history.do(AssignMatch(fixture.match_id, "REF01"))
        history.season.record(fixture.match_id, None)
    history.do(CompleteRound(2))
    history.do(RemovePlayer("P05", "unwanted"))
    history.do(StartRound(3))
    for fixture in history.league.unfinished(3):
        out = history.league.sits_out(fixture)
        history.do(ForfeitMatch(fixture.match_id) if out else AssignMatch(fixture.match_id, "REF02"))
    return history


def swiss() -> LeagueHistory:
    """A Swiss tournament of five with byes and Buchholz, before its last round."""
    ties = ("points", "buchholz", "wins", "head_to_head")
    return tournament(RockPaperScissors(), 5, (StageRules("swiss", {"rounds": 4}),), 3, tiebreakers=ties)


def tables() -> LeagueHistory:
    """Matches of three, to their end."""
    return tournament(LowestUniqueNumber(), 6, (StageRules("tables"),))


def series() -> LeagueHistory:
    """A knockout of series."""
    return tournament(RockPaperScissors(), 4, (StageRules("knockout", {"best_of": 3}),))


def expunged() -> LeagueHistory:
    """A round-robin whose first player leaves early, so that its results count for nobody."""
    history = under_way(4, departed_results=DepartedResults.EXPUNGE_BELOW_HALF)
    history.season.record("R1M1", history.league.fixture("R1M1").players[0])
    history.do(RemovePlayer("P01", "unwanted"))
    return history


GOLDEN = (eventful, expunged, swiss, tables, series)
"""Makers of these leagues."""
FOLDER = Path(__file__).with_name("golden")


def golden(name: str, text: str) -> None:
    """Compare with what was recorded."""
    file = FOLDER / name
    if os.environ.get("GOLDEN") == "write":
        file.write_bytes(text.encode())
    assert text == file.read_bytes().decode(), f"{name} has changed"

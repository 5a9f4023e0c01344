"""Metrics of a league, in every state that matches can be in."""

from league_sdk.domain.commands import AssignMatch, RecordResult, VoidMatch
from league_sdk.domain.model import Cause
from servers.league_manager.league_metrics import matches, technical_losses
from tests.servers.league_history import LeagueHistory, technical_loss, under_way, waiting


def told(history: LeagueHistory) -> dict[str, float]:
    return {state: number for (state,), number in matches(history.league).items() if number}


def test_before_there_is_a_schedule_there_are_no_matches():
    assert told(waiting()) == {}


def test_every_match_of_the_schedule_is_in_one_state():
    history = under_way(4)
    assert told(history) == {"waiting": 5, "under_way": 1}
    history.do(AssignMatch("R1M2", "REF01", ""))
    assert told(history) == {"waiting": 4, "under_way": 2}
    history.do(RecordResult(technical_loss(history, "R1M1", "P01")))
    history.do(VoidMatch("R1M2", "nobody could play it"))
    assert told(history) == {"waiting": 4, "technical_loss": 1, "void": 1}


def test_technical_losses_are_told_by_cause_one_for_each_player_at_fault():
    history = under_way(4)
    history.do(RecordResult(technical_loss(history, "R1M1", "P01", "P02")))
    assert technical_losses(history.league) == {(str(cause),): 2 * (cause is Cause.NO_MOVE) for cause in Cause}

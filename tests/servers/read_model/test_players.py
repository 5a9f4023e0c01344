"""A player's record, against its matches one by one."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league_sdk.domain.model import Cause, ResultStatus
from league_sdk.domain.ranking.standings import Verdict
from league_sdk.errors import PlayerNotRegistered
from servers import read_model
from servers.read_model import Exchange, Kind, Limits, Stage
from tests.league_sdk.domain.season import Season, running
from tests.servers.read_model.leagues import late, seasons, talk


@settings(max_examples=25)
@given(seasons())
def test_a_record_agrees_with_the_standings(season: Season):
    league = season.league
    for row in league.standings():
        record = read_model.player_record(league, row.player_id)
        assert record.standing == row
        assert len(record.form) == row.played
        assert record.form.count(Verdict.WIN) == row.wins
        assert record.form.count(Verdict.LOSS) == row.losses
        assert len(record.failures) == row.technical_losses
        assert sum(match.points or 0 for match in record.appearances) == row.points
        undecided = [m for m in record.appearances if m.stage in (Stage.SCHEDULED, Stage.UNDER_WAY)]
        assert len(undecided) == record.remaining
        opponents = [opponent for match in record.appearances for opponent in match.opponents]
        assert sorted(opponents) == sorted(player for player in league.players if player != row.player_id)
        assert len(record.appearances) + len(record.byes) == len(league.rounds)
        assert all(exchange.player_id == row.player_id for exchange in record.exchanges)


def test_a_failure_has_its_cause_and_nothing_that_the_player_sent():
    season = running(2)
    fixture = season.league.fixture("R1M1")
    season.play_round(1)
    result = season.league.results["R1M1"]
    loser = fixture.players[1]
    faulty = replace(result, status=ResultStatus.TECHNICAL_LOSS, faults=(late(loser),))
    league = replace(season.league, results=season.league.results.set("R1M1", faulty))
    (failure,) = read_model.player_record(league, loser).failures
    assert (failure.cause, failure.phase, failure.error_code, failure.tries) == (Cause.NO_MOVE, "move", "E001", 4)
    assert "secret" not in repr(read_model.player_record(league, loser))
    nameless = replace(season.league, results=season.league.results.set("R1M1", replace(faulty, faults=())))
    (failure,) = read_model.player_record(nameless, loser).failures
    assert failure.cause is None


def test_answers_are_timed():
    season = running(2)
    season.play_round(1)
    result = replace(season.league.results["R1M1"], transcript=talk())
    league = replace(season.league, results=season.league.results.set("R1M1", result))
    record = read_model.player_record(league, "P02", Limits(5, 30))
    assert [(e.kind, e.seconds, e.limit) for e in record.exchanges] == [(Kind.JOIN, 1, 5), (Kind.MOVE, 2.5, 30)]
    found = read_model.speed(record.exchanges)
    assert found is not None
    assert (found.answers, found.median, found.slowest) == (2, 1, 2.5)


def test_who_never_answered_has_no_speed():
    assert read_model.speed(()) is None


@given(st.lists(st.floats(0, 100), min_size=1, max_size=50))
def test_percentiles_are_values_that_so_many_do_not_exceed(seconds: list[float]):
    found = read_model.speed(Exchange("R1M1", 1, "P01", Kind.MOVE, "", value) for value in seconds)
    assert found is not None
    for share, value in ((0.5, found.median), (0.95, found.p95), (1.0, found.slowest)):
        assert value in seconds
        assert sum(second <= value for second in seconds) >= share * len(seconds) - 1e-9
        assert sum(second < value for second in seconds) < share * len(seconds) + 1e-9


def test_a_stranger_has_no_record():
    with pytest.raises(PlayerNotRegistered):
        read_model.player_record(running(2).league, "P09")

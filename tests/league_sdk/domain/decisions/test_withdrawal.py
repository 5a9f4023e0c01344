"""An agent that withdraws: what was played counts, a player's open matches are lost, a referee gets no new one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteLeague,
    CompleteRound,
    PairRound,
    RecordResult,
    RegisterPlayer,
    RemovePlayer,
    ReturnAgent,
    StartLeague,
    StartRound,
    WithdrawAgent,
)
from league_sdk.domain.decisions.departures import lost_by_default
from league_sdk.domain.events import AgentWithdrew, MatchRecorded, event_from_json, event_to_json
from league_sdk.domain.league import fold
from league_sdk.domain.model import Cause, Fault, ResultStatus
from league_sdk.domain.progress import tournament_of
from league_sdk.errors import (
    AuthTokenInvalid,
    DuplicateName,
    InvalidField,
    InvalidState,
    LeagueAlreadyComplete,
    PlayerNotRegistered,
    RefereeNotRegistered,
)
from league_sdk.formats.gauntlet import Gauntlet
from league_sdk.formats.groups import Groups
from league_sdk.formats.knockout import Knockout
from league_sdk.formats.swiss import Swiss
from league_sdk.tournament import Format
from tests.league_sdk.domain.season import Season, agent, created, registered, running

CAUSE = "P01 withdrew: out of budget"
LEAVE = WithdrawAgent("P01", "out of budget")


def finish(season: Season) -> None:
    """Play what is left, each match won by the player in its first seat."""
    for round_id in range(season.league.rounds_completed + 1, len(season.league.rounds) + 1):
        if season.league.current_round is None:
            season.do(StartRound(round_id))
        for fixture in season.league.unfinished(round_id):
            season.do(AssignMatch(fixture.match_id, next(iter(season.league.active_referees))))
            season.record(fixture.match_id, fixture.players[0])
        season.do(CompleteRound(round_id))
    season.do(CompleteLeague())


class TestAPlayer:
    def test_loses_every_open_match_at_once_in_one_append(self):
        season = running(players=4)
        season.play_round(1)
        season.do(StartRound(2))
        events = season.do(LEAVE)
        assert events[0] == AgentWithdrew("P01", "out of budget")
        results = [event.result for event in events[1:]]
        assert [type(event) for event in events[1:]] == [MatchRecorded, MatchRecorded]
        assert [result.round_id for result in results] == [2, 3]
        for result in results:
            (other,) = set(result.players) - {"P01"}
            assert (result.status, result.winner) == (ResultStatus.TECHNICAL_LOSS, other)
            assert result.score == {"P01": 0, other: 3}
            assert (result.referee_id, result.reason) == ("", CAUSE)
            assert [fault.cause for fault in result.faults] == [Cause.WITHDREW]
        assert lost_by_default(season.league, "P01") == tuple(result.match_id for result in results)

    def test_keeps_what_it_played_and_so_do_its_opponents(self):
        season = running(players=4)
        season.do(StartRound(1))
        season.do(AssignMatch("R1M1", "REF01"))
        season.record("R1M1", "P01")
        season.do(LEAVE)
        finish(season)
        row = next(row for row in season.league.standings() if row.player_id == "P01")
        assert (row.played, row.wins, row.points, row.technical_losses) == (3, 1, 3, 2)
        assert (row.removed, row.withdrew, row.departure) == (True, 1, "withdrew in round 1")

    def test_that_asks_again_changes_nothing(self):
        season = running(players=4)
        season.do(LEAVE)
        assert season.do(LEAVE) == ()
        assert season.do(WithdrawAgent("P01", "another reason")) == ()
        assert season.do(RemovePlayer("P01")) == ()

    def test_a_report_of_a_match_that_it_lost_so_is_refused_with_the_reason(self):
        season = running(players=4)
        season.do(StartRound(1))
        season.do(AssignMatch("R1M1", "REF01"))
        report = RecordResult(season.result("R1M1", "P01"))
        season.do(LEAVE)
        with pytest.raises(InvalidState, match="out of budget"):
            season.do(report)

    def test_cannot_come_back_under_its_token_or_name(self):
        season = registered(3, 1)
        season.do(LEAVE)
        with pytest.raises(AuthTokenInvalid, match="withdrew"):
            season.do(ReturnAgent("P01", "digest", "http://elsewhere"))
        with pytest.raises(DuplicateName):
            season.do(RegisterPlayer(agent("Player 1")))

    def test_leaves_its_seat_free_while_registration_is_open(self):
        season = created(max_players=2)
        season.do(RegisterPlayer(agent("Alpha")))
        season.do(WithdrawAgent("P01"))
        assert season.league.players == {}
        for name in ("Beta", "Gamma"):
            season.do(RegisterPlayer(agent(name)))
        assert list(season.league.players) == ["P02", "P03"]

    def test_that_is_the_last_one_stays(self):
        season = running(players=2)
        season.do(WithdrawAgent("P02"))
        with pytest.raises(InvalidState, match="last player"):
            season.do(LEAVE)

    def test_is_not_the_champion_even_with_the_most_points(self):
        season = running(players=3)
        for round_id in (1, 2, 3):
            season.do(StartRound(round_id))
            for fixture in season.league.unfinished(round_id):
                season.do(AssignMatch(fixture.match_id, "REF01"))
                season.record(fixture.match_id, "P01" if "P01" in fixture.players else None)
            season.do(CompleteRound(round_id))
        season.do(LEAVE)
        season.do(CompleteLeague())
        assert season.league.standings()[0].player_id == "P01"
        assert "P01" not in season.league.champions

    def test_has_to_be_in_a_league_that_goes_on(self):
        season = running(players=3)
        with pytest.raises(PlayerNotRegistered):
            season.do(WithdrawAgent("P09"))
        season.play()
        with pytest.raises(LeagueAlreadyComplete):
            season.do(LEAVE)


class TestAReferee:
    def test_keeps_its_match_and_gets_no_new_one(self):
        season = running(players=4, referees=2)
        season.do(StartRound(1))
        season.do(AssignMatch("R1M1", "REF01"))
        assert season.do(WithdrawAgent("REF01")) == (AgentWithdrew("REF01"),)
        season.record("R1M1", "P01")
        with pytest.raises(InvalidState, match="REF01 withdrew"):
            season.do(AssignMatch("R1M2", "REF01"))
        season.do(AssignMatch("R1M2", "REF02"))
        assert list(season.league.active_referees) == ["REF02"]
        assert season.do(WithdrawAgent("REF01")) == ()

    def test_that_is_the_last_one_stays_and_nobody_unknown_leaves(self):
        season = running(players=4, referees=1)
        with pytest.raises(InvalidState, match="last referee"):
            season.do(WithdrawAgent("REF01"))
        with pytest.raises(RefereeNotRegistered):
            season.do(WithdrawAgent("REF09"))

    def test_does_not_count_for_the_start_and_cannot_come_back(self):
        season = registered(2, 1)
        season.do(WithdrawAgent("REF01"))
        with pytest.raises(InvalidState, match="0 referees"):
            season.do(CloseRegistration("operator"))
        with pytest.raises(AuthTokenInvalid, match="withdrew"):
            season.do(ReturnAgent("REF01", "digest", "http://elsewhere"))

    def test_cannot_report_that_a_player_withdrew(self):
        season = running(players=2)
        season.do(StartRound(1))
        season.do(AssignMatch("R1M1", "REF01"))
        fault = Fault("P01", Cause.WITHDREW, "join", "E008", 1, "it left")
        with pytest.raises(InvalidField, match="a referee sees"):
            season.record("R1M1", "P02", status=ResultStatus.TECHNICAL_LOSS, faults=(fault,))


@given(st.permutations(range(1, 6)), st.integers(0, 4), st.integers(0, 2))
def test_whoever_withdraws_and_whenever_the_points_of_all_matches_add_up(order: list[int], leaving: int, complete: int):
    season = running(players=5)
    for round_id in range(1, complete + 1):
        season.play_round(round_id)
    for number in order[:leaving]:
        season.do(WithdrawAgent(f"P{number:02d}"))
    finish(season)
    league = season.league
    assert len(league.results) == league.total_matches == 10
    assert sum(row.points for row in league.standings()) == sum(sum(r.score.values()) for r in league.results.values())
    assert {row.player_id for row in league.standings() if row.departure} == set(league.withdrew)
    assert set(league.champions).isdisjoint(league.withdrew)
    read = [event_from_json(type(event).__name__, event_to_json(event)) for event in season.events]
    assert fold(read) == league


@pytest.mark.parametrize(
    "used",
    [Swiss(rounds=4), Knockout(), Knockout(third_place=True), Groups(groups=2), Gauntlet()],
    ids=lambda f: f.name,
)
def test_in_a_format_that_pairs_round_by_round_it_is_not_paired_again(used: Format):
    season = registered(8, 1)
    season.do(CloseRegistration("operator", expected_rounds=used.expected_rounds(8)))
    season.do(StartLeague())
    while (paired := used.next_round(tournament_of(season.league))) is not None:
        season.do(PairRound(paired))
        round_id = len(season.league.rounds)
        season.do(StartRound(round_id))
        if round_id == 2:
            leaving = season.league.rounds[1].fixtures[0].players[0]
            season.do(WithdrawAgent(leaving))
        for fixture in season.league.unfinished(round_id):
            season.do(AssignMatch(fixture.match_id, "REF01"))
            season.record(fixture.match_id, fixture.players[0])
        season.do(CompleteRound(round_id))
    season.do(CompleteLeague(used.ranking(tournament_of(season.league)) or ()))
    league = season.league
    lost = league.rounds[1].fixtures[0]
    assert league.results[lost.match_id].winner == lost.players[1]
    later = [player for each in league.rounds[2:] for fixture in each.fixtures for player in fixture.players]
    assert later
    assert lost.players[0] not in [*later, *league.champions]

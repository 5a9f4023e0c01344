"""The fold, and the questions that a league answers."""

import pytest

from league_sdk.domain.commands import (
    AssignMatch,
    BeginEpoch,
    ChangeOperatorToken,
    CommitDraw,
    CompleteLeague,
    CompleteRound,
    ExpectAgents,
    InviteReferee,
    KeepPlan,
    MakeReadOnly,
    PairRound,
    RecordResult,
    Rejoin,
    RemovePlayer,
    ResumeLeague,
    ReturnAgent,
    RevokeInvitation,
    SitOut,
    StartRound,
    StopLeague,
    VoidMatch,
    WithdrawAgent,
)
from league_sdk.domain.events import (
    EVENT_TYPES,
    DeadlineMoved,
    LeagueCancelled,
    LeagueClosed,
    LeagueCompleted,
    LeagueCreated,
    LeagueStarted,
    PlayerEntered,
    RoundStarted,
    event_from_json,
    event_to_json,
)
from league_sdk.domain.league import evolve, fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from league_sdk.domain.participants.sitting_out import LiftedBy, SittingOutReason
from league_sdk.domain.ranking.standing import Standing
from league_sdk.errors import InvalidField, InvalidState, MatchNotFound, PlayerNotRegistered, RefereeNotRegistered
from league_sdk.tournament import ByePoints, PairedRound
from tests.league_sdk.domain.season import Season, created, first_round, registered, rules, running, scheduled
from tests.requirements.marker import requirement


def eventful():
    """A league in which every kind of event has happened."""
    season = running(players=5)
    season.do(ChangeOperatorToken("digest", "kept"))
    season.do(KeepPlan({"shared": {}}))
    season.do(MakeReadOnly("restored"))
    season.do(BeginEpoch("random"))
    season.do(ExpectAgents((ExpectedAgent(Role.REFEREE, "Referee 3", "digest"),)))
    season.do(InviteReferee("Referee 4", "digest"))
    season.do(RevokeInvitation("Referee 4"))
    season.do(StartRound(1))
    season.do(AssignMatch("R1M1", "REF01"))
    season.do(AssignMatch("R1M1", "REF02", "REF01 is gone"))
    season.do(AssignMatch("R1M2", "REF01"))
    season.do(CommitDraw("R1M1", 2, "c0ffee"))
    season.do(ReturnAgent("REF01", "new digest", "http://elsewhere"))
    season.do(ReturnAgent("P03", "new digest", "http://elsewhere"))
    season.record("R1M1", "P01")
    season.do(StopLeague("tea"))
    season.do(ResumeLeague("after tea"))
    season.do(VoidMatch("R1M2", "no referee"))
    return season


def finished(season):
    season.do(CompleteRound(1))
    season.do(RemovePlayer("P05", "enough"))
    season.do(SitOut("P04", SittingOutReason.OPERATOR))
    season.do(Rejoin("P04", LiftedBy.OPERATOR))
    season.do(WithdrawAgent("REF02"))
    for round_id in range(2, len(season.league.rounds) + 1):
        season.play_round(round_id)
    season.do(PairRound(PairedRound((("P01", "P02"),), ("P03",), ByePoints.WIN)))
    season.play_round(len(season.league.rounds))
    season.do(CompleteLeague())
    return season


def test_a_fold_gives_the_league_that_grew_event_by_event():
    season = finished(eventful())
    # A league with a schedule takes no late entry, and has an end: test_late_entry.py and test_endless.py fold those.
    # A league that is cancelled has no end: test_operator_orders.py folds one.
    elsewhere = {PlayerEntered, LeagueClosed, LeagueCancelled, DeadlineMoved}
    assert {type(event) for event in season.events} == {*EVENT_TYPES.values()} - elsewhere
    assert fold(season.events) == season.league


@requirement(
    "000-LM-REF-05",
    "000-LM-PLAY-09",
    "000-LM-RESP-02",
    "002-RREG-06",
    "002-PREG-05",
    "003-CAP-06",
    "004-LM-05",
    "004-STORE-01",
    "004-ERR-10",
    "project-STATE-02",
)
def test_a_fold_over_what_was_stored_gives_the_same_league():
    season = finished(eventful())
    stored = [event_from_json(type(event).__name__, event_to_json(event)) for event in season.events]
    assert fold(stored) == season.league


def test_an_earlier_state_stays_what_it_was():
    season = Season()
    states = []
    source = finished(eventful()).events
    for event in source:
        season.league = evolve(season.league, event)
        states.append(season.league)
    for length, state in enumerate(states, start=1):
        assert state == fold(source[:length])


def test_a_league_begins_with_its_creation():
    with pytest.raises(ValueError, match="no event at all"):
        fold([])
    with pytest.raises(ValueError, match="not with LeagueStarted"):
        fold([LeagueStarted()])
    with pytest.raises(ValueError, match="created once"):
        fold([LeagueCreated(rules()), LeagueCreated(rules())])


@pytest.mark.parametrize("event", [LeagueStarted(), LeagueCompleted(())])
def test_events_in_an_impossible_order_are_refused(event):
    with pytest.raises(InvalidState):
        fold([LeagueCreated(rules()), event])


def test_a_new_league_waits_and_is_empty():
    league = created().league
    assert league.state is LeagueState.WAITING_FOR_REGISTRATIONS
    assert league.league_id == "summer"
    assert (league.total_matches, league.current_round, league.standings()) == (0, None, ())


@pytest.mark.parametrize(
    ("players", "referees", "changes", "expected"),
    [
        (4, 2, {"expected_players": 4, "expected_referees": 2}, True),
        (3, 2, {"expected_players": 4, "expected_referees": 2}, False),
        (4, 1, {"expected_players": 4, "expected_referees": 2}, False),
        (4, 1, {"expected_players": 4}, True),
        (4, 0, {"expected_players": 4}, False),
        (4, 2, {"expected_players": None}, False),
    ],
)
def test_the_quorum_is_in_when_players_and_referees_are(players, referees, changes, expected):
    assert registered(players, referees, **changes).league.quorum() is expected


def test_the_schedule_answers_for_rounds_and_matches():
    league = scheduled().league
    assert league.total_matches == 6
    assert league.round(2).round_id == 2
    assert league.fixture("R2M1").players == ("P03", "P01")
    for round_id in (0, 4, -1):
        with pytest.raises(InvalidField, match="no round"):
            league.round(round_id)


@pytest.mark.parametrize(
    "match_id",
    ["", "R1M3", "R4M1", "R0M1", "R1M0", "R01M1", "R1M01", "r1m1", " R1M1", "R1M1\n", "R-1M1", "R1M9999999999", "R٢M1"],
)
def test_a_match_that_is_not_in_the_schedule_is_not_found(match_id):
    with pytest.raises(MatchNotFound):
        scheduled().league.fixture(match_id)


@requirement("000-LM-RESP-02")
def test_agents_are_found_by_id_and_by_name():
    league = registered().league
    assert league.player("P02").display_name == "Player 2"
    assert league.referee("REF01").sender == "referee:REF01"
    assert league.named(Role.PLAYER, "Player 2") is league.player("P02")
    assert league.named(Role.REFEREE, "Player 2") is None
    with pytest.raises(PlayerNotRegistered):
        league.player("REF01")
    with pytest.raises(RefereeNotRegistered):
        league.referee("P01")


def test_a_round_lists_what_is_neither_decided_nor_void():
    season = first_round(players=6)
    assert [fixture.match_id for fixture in season.league.unfinished(1)] == ["R1M1", "R1M2", "R1M3"]
    season.record("R1M1")
    season.do(VoidMatch("R1M3", "no referee"))
    assert [fixture.match_id for fixture in season.league.unfinished(1)] == ["R1M2"]
    assert season.league.decided("R1M3")


def test_attempts_are_counted():
    season = first_round()
    assert season.league.attempt("R1M2") == 0
    assert season.league.attempt("R1M1") == 1
    season.do(AssignMatch("R1M1", "REF02"))
    assert season.league.attempt("R1M1") == 2


def test_the_current_round_is_the_one_under_way():
    season = running(players=2)
    assert season.league.current_round is None
    season.do(StartRound(1))
    assert season.league.current_round == 1


def test_the_next_match_is_the_first_that_is_still_open():
    season = first_round(players=3)
    assert season.league.next_match("P01").match_id == "R1M1"
    assert season.league.next_match("P03").match_id == "R2M1"
    season.record("R1M1")
    assert season.league.next_match("P01").match_id == "R2M1"
    season = running(players=2)
    assert season.league.next_match("P02").players == ("P01", "P02")
    season.play()
    assert season.league.next_match("P02") is None
    with pytest.raises(PlayerNotRegistered):
        season.league.next_match("P99")


def test_nobody_has_a_next_match_before_there_is_a_schedule():
    assert registered().league.next_match("P01") is None


def test_a_players_statistics_follow_its_matches():
    season = finished(eventful())
    stats = season.league.player_stats("P01")
    own = [row for row in season.league.standings() if row.player_id == "P01"]
    assert [stats.standing] == own
    assert {result.match_id for result in stats.results} == {
        match_id for match_id, result in season.league.results.items() if "P01" in result.players
    }
    assert (stats.standing.played, stats.remaining) == (len(stats.results), 0)
    voided = season.league.fixture("R1M2").players
    assert season.league.player_stats(voided[0]).voided[:1] == ("R1M2",)
    with pytest.raises(PlayerNotRegistered):
        season.league.player_stats("P99")


def test_who_leads_leads_though_it_was_removed_and_cannot_win():
    season = running(players=4)
    assert season.league.leaders() == ("P01", "P02", "P03", "P04")
    season.play_round(1)
    assert season.league.leaders() == ("P01", "P03")
    season.do(RemovePlayer("P01", "enough"))
    assert season.league.leaders() == ("P01", "P03")
    assert season.league.winners() == ("P03",)


def test_statistics_before_the_first_match():
    stats = scheduled(players=3).league.player_stats("P02")
    assert stats.standing == Standing(1, "P02", "Player 2")
    assert (stats.results, stats.voided, stats.remaining) == ((), (), 2)


def test_a_stopped_league_knows_where_it_will_go_on():
    season = running()
    season.do(StopLeague("tea"))
    assert (season.league.state, season.league.stopped_in) == (LeagueState.STOPPED, LeagueState.RUNNING)
    assert season.league.stop_reason == "tea"
    season.do(ResumeLeague())
    assert (season.league.state, season.league.stopped_in) == (LeagueState.RUNNING, None)
    assert season.league.stop_reason == ""


@requirement("004-OBJ-09")
def test_a_long_league_copies_no_results():
    season = running(players=10)
    season.do(StartRound(1))
    before = season.league
    season.do(AssignMatch("R1M1", "REF01"))
    season.do(RecordResult(season.result("R1M1")))
    assert season.league.results._log is before.results._log
    assert season.league.assignments._log is before.assignments._log
    assert before.results == {}
    assert evolve(before, RoundStarted(1)).results == {}

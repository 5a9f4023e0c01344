"""Commands that a league accepts, and those it refuses, with reasons."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CommitDraw,
    CompleteLeague,
    CompleteRound,
    CreateLeague,
    RecordResult,
    RegisterPlayer,
    RegisterReferee,
    ResumeLeague,
    ReturnAgent,
    StartLeague,
    StartRound,
    StopLeague,
    VoidMatch,
)
from league_sdk.domain.events import (
    AgentReturned,
    DrawCommitted,
    LeagueCompleted,
    LeagueCreated,
    LeagueResumed,
    LeagueStarted,
    LeagueStopped,
    MatchAssigned,
    MatchRecorded,
    MatchVoided,
    PlayerRegistered,
    RefereeRegistered,
    RoundCompleted,
    RoundStarted,
    ScheduleCreated,
)
from league_sdk.domain.league import decide
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Cause, Fault, ResultStatus, Role, Scoring
from league_sdk.domain.pairings.schedule import round_robin
from league_sdk.errors import (
    DuplicateName,
    DuplicateReport,
    InvalidField,
    InvalidState,
    LeagueAlreadyComplete,
    LeagueFull,
    LeagueNotFound,
    LeagueNotStarted,
    MatchNotFound,
    PlayerNotRegistered,
    ProtocolVersionMismatch,
    RefereeNotRegistered,
    RegistrationClosed,
    UnsupportedGameType,
)
from tests.league_sdk.domain.season import (
    Season,
    agent,
    created,
    first_round,
    outcome,
    registered,
    rules,
    running,
    scheduled,
)
from tests.requirements.marker import requirement


def completed():
    return running().play()


def stopped():
    season = first_round()
    season.do(StopLeague("tea"))
    return season


class TestCreation:
    def test_a_league_is_created_from_its_rules(self):
        assert decide(None, CreateLeague(rules())) == (LeagueCreated(rules()),)

    def test_a_league_is_created_once(self):
        with pytest.raises(InvalidState, match="summer exists already"):
            created().do(CreateLeague(rules()))

    def test_rules_that_nobody_can_play_by_are_refused(self):
        with pytest.raises(InvalidField):
            Season().do(CreateLeague(rules(min_players=0)))

    def test_there_has_to_be_a_league_for_anything_else(self):
        with pytest.raises(LeagueNotFound):
            decide(None, StartLeague())


class TestRegistration:
    @requirement("000-LM-REF-03", "000-LM-PLAY-03", "project-END-04")
    def test_ids_go_in_order_of_registration(self):
        season = created()
        ids = []
        for number in range(1, 102):
            (event,) = season.do(RegisterPlayer(agent(f"Player {number}")))
            ids.append(event.player.agent_id)
        assert ids[:2] == ["P01", "P02"]
        assert ids[98:] == ["P99", "P100", "P101"]

    @requirement("003-LM-03", "004-ERR-07")
    def test_a_player_gets_an_id_and_its_role_whatever_it_says(self):
        season = created()
        (event,) = season.do(RegisterPlayer(agent(agent_id="P77", role=Role.REFEREE)))
        assert event == PlayerRegistered(agent(agent_id="P01", role=Role.PLAYER))

    @requirement("003-LM-02")
    def test_a_referee_gets_an_id_and_its_role_whatever_it_says(self):
        season = created()
        (event,) = season.do(RegisterReferee(agent("Umpire", agent_id="REF9")))
        assert event == RefereeRegistered(agent("Umpire", agent_id="REF01", role=Role.REFEREE))

    @requirement("000-LM-REF-03", "000-LM-PLAY-03", "project-END-04")
    def test_reserved_ids_wait_for_their_names(self):
        season = created(roster={"Beta": "P02", "Delta": "P04"}, referee_roster={"Umpire": "REF01"})
        for name in ("Eve", "Delta", "Adam", "Beta", "Zoe"):
            season.do(RegisterPlayer(agent(name)))
        for name in ("Judge", "Umpire"):
            season.do(RegisterReferee(agent(name)))
        names = {player.display_name: player.agent_id for player in season.league.players.values()}
        assert names == {"Eve": "P01", "Delta": "P04", "Adam": "P03", "Beta": "P02", "Zoe": "P05"}
        assert [referee.agent_id for referee in season.league.referees.values()] == ["REF02", "REF01"]

    def test_reserved_seats_are_not_given_to_others(self):
        season = created(max_players=2, roster={"Beta": "P02"})
        season.do(RegisterPlayer(agent("Eve")))
        with pytest.raises(LeagueFull) as refused:
            season.do(RegisterPlayer(agent("Adam")))
        assert refused.value.context == {"seats": 2, "reserved": 1}
        (event,) = season.do(RegisterPlayer(agent("Beta")))
        assert event.player.agent_id == "P02"

    @requirement(
        "000-LM-REF-07", "000-LM-PLAY-04", "001-PERF-01", "002-RREG-07", "002-PREG-06", "003-IMPL-02", "004-TEST-02"
    )
    def test_a_full_league_takes_no_more(self):
        season = registered(players=2, referees=1, max_players=2, max_referees=1)
        for command in (RegisterPlayer(agent()), RegisterReferee(agent())):
            with pytest.raises(LeagueFull, match="seats are taken"):
                season.do(command)

    @requirement("000-LM-REF-10", "000-LM-PLAY-05", "003-TEST-E-06", "003-IMPL-02", "004-TEST-02", "004-ERR-07")
    def test_a_name_is_taken_once_by_a_player_and_once_by_a_referee(self):
        season = registered()
        season.do(RegisterPlayer(agent("Referee 1")))
        for command in (RegisterPlayer(agent("Player 1")), RegisterReferee(agent("Referee 1"))):
            with pytest.raises(DuplicateName) as refused:
                season.do(command)
            assert refused.value.context["field"] == "display_name"

    def test_players_beyond_the_expected_number_come_too_late(self):
        season = registered(players=4, referees=0, expected_players=4)
        with pytest.raises(RegistrationClosed, match="Registration closed"):
            season.do(RegisterPlayer(agent()))
        season.do(RegisterReferee(agent("Umpire")))

    @requirement("004-LM-03")
    @pytest.mark.parametrize("make", [scheduled, running, completed, stopped])
    def test_no_player_registers_once_registration_is_closed(self, make):
        with pytest.raises(RegistrationClosed, match=r"^Registration closed$"):
            make().do(RegisterPlayer(agent()))

    @requirement("000-LM-REF-12")
    @pytest.mark.parametrize("make", [completed, stopped])
    def test_no_referee_registers_once_the_league_is_over(self, make):
        with pytest.raises(RegistrationClosed, match=r"^Registration closed$"):
            make().do(RegisterReferee(agent()))

    @requirement("000-LM-REF-12")
    @pytest.mark.parametrize("make", [scheduled, running])
    def test_a_referee_joins_a_league_that_has_a_schedule_or_runs(self, make):
        season = make()
        season.do(RegisterReferee(agent("Umpire")))
        assert [known.display_name for known in season.league.active_referees.values()][-1] == "Umpire"

    @requirement("002-RREG-07", "002-PREG-06", "003-LM-02", "003-LM-03", "003-IMPL-02", "004-LM-04", "004-TEST-02")
    @pytest.mark.parametrize("register", [RegisterPlayer, RegisterReferee])
    @pytest.mark.parametrize(
        ("changes", "error"),
        [
            ({"game_types": ("chess",)}, UnsupportedGameType),
            ({"protocol_version": "1.0.0"}, ProtocolVersionMismatch),
            ({"endpoint": ""}, InvalidField),
        ],
    )
    def test_an_agent_that_cannot_play_is_refused(self, register, changes, error):
        with pytest.raises(error):
            created().do(register(agent(**changes)))


class TestReturning:
    @requirement("000-LM-REF-12", "004-LM-03", "project-AGENT-05")
    @pytest.mark.parametrize("agent_id", ["P02", "REF02"])
    @pytest.mark.parametrize("make", [registered, scheduled, first_round, completed, stopped])
    def test_an_agent_may_return_at_any_time_with_a_new_token_and_address(self, make, agent_id):
        season = make()
        (event,) = season.do(ReturnAgent(agent_id, "new digest", "http://elsewhere"))
        assert isinstance(event, AgentReturned)
        agents = {**season.league.players, **season.league.referees}
        assert (agents[agent_id].token_digest, agents[agent_id].endpoint) == ("new digest", "http://elsewhere")
        assert agents[agent_id].agent_id == agent_id
        assert len(agents) == 6

    def test_a_return_that_changes_nothing_is_recorded_only_to_renew_its_time(self):
        season = registered()
        player = season.league.player("P01")
        same = ReturnAgent("P01", player.token_digest, player.endpoint)
        assert season.do(same) == ()
        assert season.do(replace(same, renew=True)) == (AgentReturned(player),)
        (event,) = season.do(replace(same, instance_id="another"))
        assert event == AgentReturned(replace(player, instance_id="another"))

    def test_who_was_never_here_cannot_return(self):
        with pytest.raises(PlayerNotRegistered):
            registered().do(ReturnAgent("P99", "", ""))
        with pytest.raises(RefereeNotRegistered):
            registered().do(ReturnAgent("REF99", "", ""))


class TestClosing:
    @requirement("000-LM-PLAY-08", "002-PREG-05", "003-LM-04", "004-LM-02", "004-LM-07")
    @pytest.mark.parametrize("reason", ["operator", "timeout"])
    def test_the_schedule_is_made_when_registration_closes(self, reason):
        season = registered()
        events = season.do(CloseRegistration(reason))
        assert events == (ScheduleCreated(round_robin(["P01", "P02", "P03", "P04"]), reason),)
        assert season.league.state is LeagueState.SCHEDULED
        assert season.league.closing_reason == reason

    @requirement("project-END-04")
    def test_the_schedule_follows_ids_not_arrival(self):
        season = created(roster={"A": "P01", "B": "P02", "C": "P03"})
        season.do(RegisterReferee(agent("Umpire")))
        for name in "CBA":
            season.do(RegisterPlayer(agent(name)))
        (event,) = season.do(CloseRegistration("operator"))
        assert event.rounds == round_robin(["P01", "P02", "P03"])

    def test_the_hundredth_player_comes_after_the_ninety_ninth(self):
        season = registered(players=101, referees=1)
        (event,) = season.do(CloseRegistration("operator"))
        assert event.rounds == round_robin([f"P{number:02d}" for number in range(1, 102)])

    @requirement("000-LM-PLAY-08", "002-PREG-05", "003-LM-04", "004-LM-02", "004-LM-07")
    def test_a_quorum_closes_only_when_it_is_there(self):
        rule = {"expected_players": 4, "expected_referees": 2}
        registered(4, 2, **rule).do(CloseRegistration("quorum"))
        for players, referees in ((3, 2), (4, 1)):
            with pytest.raises(InvalidState, match="too few"):
                registered(players, referees, **rule).do(CloseRegistration("quorum"))

    @requirement("000-LM-SCHED-07", "000-LM-SCHED-08")
    @pytest.mark.parametrize(("players", "referees"), [(2, 2), (0, 2), (3, 0)])
    @pytest.mark.parametrize("reason", ["operator", "timeout"])
    def test_a_league_needs_its_fewest_players_and_a_referee(self, players, referees, reason):
        with pytest.raises(InvalidState, match="too few") as refused:
            registered(players, referees, min_players=3).do(CloseRegistration(reason))
        assert refused.value.context["players"] == players
        assert refused.value.context["min_players"] == 3

    def test_the_reason_is_one_of_three(self):
        with pytest.raises(InvalidField, match="boredom"):
            registered().do(CloseRegistration("boredom"))

    @pytest.mark.parametrize("make", [scheduled, running, completed, stopped])
    def test_registration_closes_once(self, make):
        with pytest.raises(InvalidState):
            make().do(CloseRegistration("operator"))


class TestStarting:
    @requirement("000-LM-SCHED-09")
    def test_a_scheduled_league_starts(self):
        season = scheduled()
        assert season.do(StartLeague()) == (LeagueStarted(),)
        assert season.league.state is LeagueState.RUNNING

    @pytest.mark.parametrize(
        ("make", "error"),
        [
            (registered, InvalidState),
            (running, InvalidState),
            (stopped, InvalidState),
            (completed, LeagueAlreadyComplete),
        ],
    )
    def test_no_other_league_does(self, make, error):
        with pytest.raises(error):
            make().do(StartLeague())

    def test_rounds_start_in_order(self):
        season = running()
        assert season.do(StartRound(1)) == (RoundStarted(1),)

    @pytest.mark.parametrize("round_id", [0, 2, 4, -1])
    def test_no_other_round_starts(self, round_id):
        with pytest.raises(InvalidState, match="cannot start now"):
            running().do(StartRound(round_id))

    def test_a_round_waits_for_the_one_before(self):
        season = first_round()
        for round_id in (1, 2):
            with pytest.raises(InvalidState) as refused:
                season.do(StartRound(round_id))
            assert refused.value.context["under_way"] == 1

    def test_there_is_no_round_after_the_last(self):
        season = running(players=2)
        season.play_round(1)
        with pytest.raises(InvalidState):
            season.do(StartRound(2))


ROUND_COMMANDS: list[Callable[[Season], Any]] = [
    lambda season: StartRound(1),
    lambda season: AssignMatch("R1M1", "REF01"),
    lambda season: VoidMatch("R1M1", "no referee"),
    lambda season: CompleteRound(1),
    lambda season: CompleteLeague(),
]


@requirement("000-LM-RESULT-10", "002-LERR-05")
@pytest.mark.parametrize("command", ROUND_COMMANDS)
@pytest.mark.parametrize(
    ("make", "error"),
    [
        (registered, LeagueNotStarted),
        (scheduled, LeagueNotStarted),
        (stopped, InvalidState),
        (completed, LeagueAlreadyComplete),
    ],
)
def test_rounds_and_matches_need_a_running_league(make, error, command):
    season = make()
    with pytest.raises(error):
        season.do(command(season))


class TestAssigning:
    @requirement("000-LM-NOT-07", "004-ERR-09")
    def test_a_match_is_assigned_and_again_with_the_next_attempt(self):
        season = first_round()
        assert season.do(AssignMatch("R1M1", "REF02", "REF01 is gone")) == (
            MatchAssigned("R1M1", "REF02", 2, "REF01 is gone"),
        )
        assert season.league.assignments["R1M1"].referee_id == "REF02"

    def test_it_needs_a_match_of_this_round_and_a_referee(self):
        season = first_round()
        with pytest.raises(MatchNotFound):
            season.do(AssignMatch("R9M9", "REF01"))
        with pytest.raises(RefereeNotRegistered):
            season.do(AssignMatch("R1M2", "REF09"))
        with pytest.raises(InvalidState, match="R2M1 is not open"):
            season.do(AssignMatch("R2M1", "REF01"))

    def test_a_referee_commits_to_one_draw_of_each_attempt(self):
        season = first_round()
        assert season.do(CommitDraw("R1M1", 1, "c0ffee")) == (DrawCommitted("R1M1", 1, "c0ffee"),)
        assert season.league.assignments["R1M1"].commitment == "c0ffee"
        assert season.do(CommitDraw("R1M1", 1, "c0ffee")) == ()
        with pytest.raises(InvalidState, match="another draw"):
            season.do(CommitDraw("R1M1", 1, "cafe"))
        with pytest.raises(MatchNotFound, match="attempt 2"):
            season.do(CommitDraw("R1M1", 2, "c0ffee"))
        season.do(AssignMatch("R1M1", "REF02"))
        assert season.do(CommitDraw("R1M1", 2, "cafe")) == (DrawCommitted("R1M1", 2, "cafe"),)
        season.do(VoidMatch("R1M1", "no referee"))
        with pytest.raises(InvalidState, match="not open"):
            season.do(CommitDraw("R1M1", 2, "c0ffee"))

    def test_a_league_of_the_first_format_that_goes_on_keeps_to_its_kinds_of_records(self):
        season = first_round()
        season.league = replace(season.league, format_version=1)
        assert season.do(CommitDraw("R1M1", 1, "c0ffee")) == ()

    def test_a_decided_match_is_not_assigned_again(self):
        season = first_round()
        season.record("R1M1", "P01")
        season.do(VoidMatch("R1M2", "no referee"))
        for match_id in ("R1M1", "R1M2"):
            with pytest.raises(InvalidState):
                season.do(AssignMatch(match_id, "REF02"))

    def test_a_match_is_tried_only_so_often(self):
        season = first_round(max_attempts=2)
        season.do(AssignMatch("R1M1", "REF02"))
        with pytest.raises(InvalidState, match="tried 2 times already: make it void"):
            season.do(AssignMatch("R1M1", "REF01"))


class TestRecording:
    @requirement("000-LM-NOT-02", "003-LM-06")
    def test_a_result_of_the_assigned_referee_counts(self):
        season = first_round()
        result = season.result("R1M1", "P01", details={"shown": ["one"]})
        assert season.do(RecordResult(result)) == (MatchRecorded(result),)
        assert season.league.results["R1M1"] == result
        assert season.league.standings()[0].points == 3

    @requirement("000-LM-RESULT-07", "002-REPORT-06", "003-CAP-06", "project-STATE-04")
    def test_the_same_report_again_changes_nothing(self):
        season = first_round()
        season.record("R1M1", "P01", lifecycle={"CREATED": "t1"})
        before = season.league
        assert season.record("R1M1", "P01", lifecycle={}) == ()
        assert season.league is before

    def test_the_same_report_is_still_acknowledged_when_the_league_is_over(self):
        season = completed()
        assert season.record("R1M1", "P01") == ()

    @requirement("000-LM-RESULT-07", "002-REPORT-05", "002-REPORT-06", "project-STATE-04")
    def test_another_result_for_the_same_match_is_refused(self):
        season = first_round()
        season.record("R1M1", "P01")
        with pytest.raises(DuplicateReport) as refused:
            season.record("R1M1", "P02")
        assert refused.value.context == {"match_id": "R1M1", "winner": "P01"}
        assert season.league.results["R1M1"].winner == "P01"

    @requirement("002-REPORT-05", "project-END-03")
    def test_a_result_of_another_referee_is_refused(self):
        season = first_round()
        for referee_id in ("REF02", "REF09", ""):
            with pytest.raises(MatchNotFound, match="not assigned"):
                season.record("R1M1", "P01", referee_id=referee_id)

    @requirement("002-REPORT-05", "project-END-03")
    def test_even_a_true_copy_is_refused_from_another_referee(self):
        season = first_round()
        season.record("R1M1", "P01")
        with pytest.raises(MatchNotFound):
            season.record("R1M1", "P01", referee_id="REF02")

    @requirement("000-LM-NOT-07", "003-TEST-E-09", "004-ERR-09")
    def test_a_result_of_an_earlier_attempt_is_refused(self):
        season = first_round()
        late = season.result("R1M1", "P01")
        season.do(AssignMatch("R1M1", "REF01", "no sign of life"))
        for result in (late, replace(late, attempt=3)):
            with pytest.raises(MatchNotFound) as refused:
                season.do(RecordResult(result))
            assert refused.value.context["attempt"] == result.attempt
        season.record("R1M1", "P02")
        with pytest.raises(MatchNotFound):
            season.do(RecordResult(late))
        assert season.league.results["R1M1"].winner == "P02"

    def test_a_match_that_was_not_assigned_has_no_result(self):
        season = first_round()
        for fixture in (season.league.fixture("R1M2"), season.league.fixture("R2M1")):
            with pytest.raises(MatchNotFound):
                season.do(RecordResult(outcome(fixture, fixture.players[0])))

    @requirement("000-LM-RESULT-02", "002-REPORT-05")
    def test_a_match_that_does_not_exist_has_no_result(self):
        season = first_round()
        with pytest.raises(MatchNotFound):
            season.do(RecordResult(replace(season.result("R1M1"), match_id="R7M7")))

    @requirement("003-TEST-E-09")
    def test_there_are_no_results_before_there_is_a_schedule(self):
        fixture = first_round().league.fixture("R1M1")
        with pytest.raises(MatchNotFound):
            registered().do(RecordResult(outcome(fixture, "P01")))

    @requirement("project-END-03")
    @pytest.mark.parametrize(
        ("field", "changes"),
        [
            ("round_id", {"round_id": 2}),
            ("players", {"players": ("P01",)}),
            ("players", {"players": ("P01", "P03")}),
            ("winner", {"winner": "P03"}),
            ("score", {"score": {"P01": 300, "P02": 0}}),
            ("score", {"score": {"P01": 3}}),
            ("faults", {"faults": (Fault("P02", Cause.NO_MOVE, "move", "E001", 4, ""),)}),
        ],
    )
    def test_a_forged_result_is_refused_and_the_true_one_still_counts(self, field, changes):
        season = first_round()
        with pytest.raises(InvalidField) as refused:
            season.do(RecordResult(season.result("R1M1", **{"winner": "P01", **changes})))
        assert refused.value.context["field"] == field
        assert season.league.results == {}
        season.record("R1M1", "P02")

    def test_a_technical_loss_counts_as_the_rules_say(self):
        season = first_round(scoring=Scoring(win=5, draw=2, loss=1, technical_loss=-1))
        season.record("R1M1", "P02", status=ResultStatus.TECHNICAL_LOSS)
        rows = {row.player_id: row for row in season.league.standings()}
        assert (rows["P01"].points, rows["P01"].losses, rows["P01"].technical_losses) == (-1, 1, 1)
        assert (rows["P02"].points, rows["P02"].wins) == (5, 1)

    def test_a_stopped_league_takes_the_results_of_matches_under_way(self):
        season = stopped()
        season.record("R1M1", "P01")
        assert "R1M1" in season.league.results


class TestVoiding:
    @requirement("project-END-01")
    def test_a_void_match_counts_for_nobody(self):
        season = first_round()
        assert season.do(VoidMatch("R1M1", "no referee")) == (MatchVoided("R1M1", "no referee"),)
        assert season.league.voided == {"R1M1": "no referee"}
        assert {row.played for row in season.league.standings()} == {0}

    def test_a_late_result_of_a_void_match_is_refused(self):
        season = first_round()
        season.do(VoidMatch("R1M1", "no referee"))
        with pytest.raises(InvalidState, match="R1M1 is void"):
            season.record("R1M1", "P01")

    def test_it_needs_a_cause_and_an_open_match(self):
        season = first_round()
        with pytest.raises(InvalidField):
            season.do(VoidMatch("R1M1", ""))
        season.record("R1M1")
        for match_id in ("R1M1", "R2M1"):
            with pytest.raises(InvalidState):
                season.do(VoidMatch(match_id, "no referee"))
        with pytest.raises(MatchNotFound):
            season.do(VoidMatch("R9M9", "no referee"))


class TestCompleting:
    @pytest.mark.parametrize(("version", "champions"), [(2, ()), (1, ("P01", "P02", "P03", "P04"))])
    def test_a_league_whose_only_matches_are_void_has_no_champion(self, version, champions):
        season = running()
        season.league = replace(season.league, format_version=version)
        for number in range(1, 4):
            season.do(StartRound(number))
            for fixture in season.league.unfinished(number):
                season.do(VoidMatch(fixture.match_id, "the game raised"))
            season.do(CompleteRound(number))
        assert season.do(CompleteLeague()) == (LeagueCompleted(champions),)

    @requirement("002-REPORT-07", "project-END-01")
    def test_a_round_is_complete_when_every_match_is_decided_or_void(self):
        season = first_round()
        for _ in range(2):
            with pytest.raises(InvalidState) as refused:
                season.do(CompleteRound(1))
            season.do(VoidMatch(refused.value.context["unfinished"][0], "no referee"))
        assert season.do(CompleteRound(1)) == (RoundCompleted(1),)
        assert season.league.rounds_completed == 1

    @pytest.mark.parametrize("round_id", [0, 2, 3])
    def test_only_the_round_under_way_is_completed(self, round_id):
        with pytest.raises(InvalidState, match="not under way"):
            first_round().do(CompleteRound(round_id))

    @requirement("002-LCOMP-03", "project-END-01")
    def test_a_league_is_complete_after_its_last_round_and_never_before(self):
        season = running()
        for round_id in (1, 2, 3):
            with pytest.raises(InvalidState, match="of 3 rounds are complete"):
                season.do(CompleteLeague())
            season.play_round(round_id)
        assert season.do(CompleteLeague()) == (LeagueCompleted(("P03",)),)
        assert season.league.state is LeagueState.COMPLETED
        assert season.league.champions == ("P03",)

    @requirement("000-LM-LCOMP-02")
    def test_players_who_are_equal_in_everything_are_champions_together(self):
        season = running(players=2)
        season.do(StartRound(1))
        season.do(AssignMatch("R1M1", "REF01"))
        season.record("R1M1")
        season.do(CompleteRound(1))
        season.do(CompleteLeague())
        assert season.league.champions == ("P01", "P02")

    @requirement("002-LERR-05")
    def test_a_complete_league_stays_so(self):
        for command in (StopLeague("tea"), ResumeLeague(), CompleteLeague(), StartLeague()):
            with pytest.raises(LeagueAlreadyComplete):
                completed().do(command)


class TestStopping:
    @pytest.mark.parametrize("make", [registered, scheduled, first_round])
    def test_a_league_goes_on_where_it_was_stopped(self, make):
        season = make()
        before = season.league
        assert season.do(StopLeague("tea")) == (LeagueStopped("tea"),)
        assert season.league.state is LeagueState.STOPPED
        assert season.do(ResumeLeague("after tea")) == (LeagueResumed("after tea"),)
        assert season.league == before

    @pytest.mark.parametrize("make", [registered, scheduled, first_round])
    def test_a_league_whose_manager_died_is_resumed_where_it_is(self, make):
        season = make()
        before = season.league
        assert season.do(ResumeLeague("interrupted")) == (LeagueResumed("interrupted"),)
        assert season.league == before

    def test_a_league_is_stopped_once(self):
        with pytest.raises(InvalidState):
            stopped().do(StopLeague("again"))

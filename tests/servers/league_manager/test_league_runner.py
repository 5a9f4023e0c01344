"""The course of a league: it always ends, whatever agents do, and counts right."""

import itertools
import math
from datetime import timedelta
from typing import Any

import anyio
import pytest

from league_sdk import tokens
from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    ExpectAgents,
    MoveDeadline,
    RegisterPlayer,
    RegisterReferee,
    ResumeLeague,
    ReturnAgent,
    StartLeague,
    StartRound,
    StopLeague,
)
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role, StageRules
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from league_sdk.errors import InvalidState, MatchNotFound, PeerUnreachable, RateLimited, ResponseTimeout
from league_sdk.ports import MalformedReply
from league_sdk.protocol.operator import MatchStatus, StartMatch
from league_sdk.protocol.rounds import (
    LeagueCompletedMessage,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundCompletedMessage,
)
from servers.league_manager.manager_timeouts import seconds_to_close, seconds_to_start
from tests.requirements.marker import requirement
from tests.servers.fakes import (
    LEAGUE,
    OPERATOR,
    Sent,
    begun,
    entrant,
    envelope,
    never,
    settle,
    start,
    status,
    token_of,
)
from tests.servers.league_manager.runner_harness import (
    TIMEOUTS,
    RunnerHarness,
    course_of,
    peer_named,
    runner_harness,
    until_called,
)

pytestmark = pytest.mark.anyio
PAIRINGS = [("P01", "P02"), ("P03", "P04"), ("P03", "P01"), ("P04", "P02"), ("P04", "P01"), ("P03", "P02")]
DECIDED = {"MatchRecorded", "MatchVoided"}


async def play(held: RunnerHarness) -> None:
    await held.course.run()


class TestASchedule:
    @requirement("project-CFG-06")
    async def test_a_league_waits_for_its_start_date_and_no_longer(self):
        async with runner_harness(4, 2, start_date="2025-01-15T10:05:00Z") as held:
            wait = seconds_to_start(held.manager.ledger.league, held.clock)
            assert wait > 0
            held.begin()
            await held.clock.pass_by(wait - 1)
            assert held.manager.types[-1] == "ScheduleCreated"
            await held.clock.pass_by(2)
            assert held.over.is_set()

    @requirement("project-CFG-07")
    async def test_a_league_that_waits_for_its_start_date_says_so_with_the_time(self):
        told: list[str] = []
        async with runner_harness(4, 2, start_date="2025-01-15T10:05:00Z", tell=told.append) as held:
            left = timedelta(seconds=math.ceil(seconds_to_start(held.manager.ledger.league, held.clock)))
            held.begin()
            await held.until("ScheduleCreated")
            await settle()
        [text] = told
        assert f"the first round begins at 2025-01-15T10:05:00Z, in {left}" in text
        assert "'league start' begins it at once" in text

    async def test_registration_closes_at_its_deadline_with_those_who_are_in(self):
        deadline: dict[str, Any] = {"registration_deadline": "2025-01-15T10:05:00Z", "registration_timeout_sec": 1.0}
        async with runner_harness(2, 1, expected_players=4, **deadline) as held:
            wait = seconds_to_close(held.manager.ledger.league, held.clock)
            assert wait
            held.begin()
            await held.clock.pass_by(wait - 1)
            assert "ScheduleCreated" not in held.manager.types
            await held.clock.pass_by(2)
            assert held.over.is_set()
        assert held.manager.ledger.league.closing_reason == "timeout"

    async def test_a_deadline_that_is_put_off_meanwhile_counts_and_an_earlier_one_too(self):
        for moved, waits in (("2025-01-15T10:15:00Z", 900), ("2025-01-15T10:01:00Z", 60)):
            async with runner_harness(2, 1, expected_players=4, registration_deadline="2025-01-15T10:05:00Z") as held:
                held.begin()
                begun = held.clock.now()
                await held.clock.pass_by(10)
                await held.manager.ledger.execute(MoveDeadline(moved))
                while not held.over.is_set():
                    await held.clock.pass_by(10)
                    assert (held.clock.now() - begun).total_seconds() < waits + 60
            rounds = [record.at for record in held.manager.records if record.type == "ScheduleCreated"]
            assert rounds[0] >= moved[:-1]

    async def test_a_deadline_that_too_few_kept_stops_the_league_and_is_named(self):
        async with runner_harness(1, 1, expected_players=4, registration_deadline="2024-12-31T00:00:00Z") as held:
            await play(held)
        assert "registration closed at 2024-12-31T00:00:00Z with 1 players" in held.manager.ledger.league.stop_reason

    async def test_a_league_without_a_start_date_says_nothing_of_one(self):
        told: list[str] = []
        async with runner_harness(2, 1, tell=told.append) as held:
            await play(held)
        assert told == []

    async def test_the_operator_can_start_a_league_before_its_date(self):
        async with runner_harness(4, 2, start_date="2025-01-15T10:05:00Z") as held:
            held.begin()
            await held.until("ScheduleCreated")
            await held.manager.ledger.execute(StartLeague())
            await held.over.wait()
        assert held.manager.types.count("LeagueStarted") == 1

    async def test_a_start_date_that_has_passed_holds_nothing_up(self):
        async with runner_harness(2, 1, start_date="2024-12-31T00:00:00Z") as held:
            await play(held)
        assert held.manager.types[-1] == "LeagueCompleted"

    @requirement("project-CFG-06")
    async def test_matches_of_a_round_wait_for_the_configured_delay_after_the_round_before(self):
        async with runner_harness(4, 2, match_delay_sec=5.0) as held:
            held.begin()
            for rounds in (1, 2):
                await held.until("RoundCompleted")
                await held.clock.pass_by(4)
                assert held.manager.types.count("RoundStarted") == rounds
                await held.clock.pass_by(1)
            await held.over.wait()
        assert held.manager.types.count("RoundStarted") == 3

    async def test_the_first_round_waits_for_nobody(self):
        async with runner_harness(2, 1, match_delay_sec=7.5) as held:
            await play(held)
        assert 7.5 not in held.clock.slept

    @requirement("project-LATER-01")
    @pytest.mark.tampers
    async def test_what_a_referee_commits_to_is_recorded_before_it_is_told_to_invite(self):
        seen: list[tuple[bool, bool]] = []
        async with runner_harness(2, 1) as held:

            def takes(call: Sent) -> Any:
                seen.append((call.message.draw_recorded, "DrawCommitted" in held.manager.types))
                if call.message.draw_recorded:
                    held.tasks.start_soon(held.report, call)
                return begun(call, draw_commitment="c0ffee")

            held.peers.script(StartMatch, takes)
            await play(held)
        assert seen == [(False, False), (True, True)]
        order = [kind for kind in held.manager.types if kind in ("MatchAssigned", "DrawCommitted", "MatchRecorded")]
        assert order == ["MatchAssigned", "DrawCommitted", "MatchRecorded"]

    @requirement("project-CFG-06")
    async def test_a_referee_is_told_the_leagues_own_time_limits(self):
        async with runner_harness(2, 1, timeouts={"move_timeout_sec": 3.0}) as held:
            await play(held)
        message = held.peers.sent(StartMatch)[0]
        assert message.timeouts is not None
        assert message.timeouts.model_dump(exclude_none=True) == {"move_timeout_sec": 3.0}


class TestALeagueThatGoesWell:
    @requirement("000-LM-RESULT-09", "000-LM-RCOMP-02", "001-LAYER-01", "001-FLOW-01", "002-NOTE-06", "003-TEST-I-03")
    async def test_the_rounds_come_in_order_and_each_is_complete_before_the_next(self):
        async with runner_harness(4, 2) as held:
            await play(held)
        course = held.manager.types[held.manager.types.index("ScheduleCreated") :]
        assert course[:2] == ["ScheduleCreated", "LeagueStarted"]
        assert course[-1] == "LeagueCompleted"
        rounds = " ".join(course[2:-1]).split("RoundStarted")
        assert len(rounds) == 4
        for one in rounds[1:]:
            assert sorted(one.split()) == ["MatchAssigned"] * 2 + ["MatchRecorded"] * 2 + ["RoundCompleted"]
            assert one.split()[-1] == "RoundCompleted"

    @requirement("001-PERF-04")
    async def test_the_pairings_are_those_of_the_circle_method_spread_over_the_referees(self):
        async with runner_harness(4, 2) as held:
            await play(held)
        matches = held.peers.sent(StartMatch)
        assert [(match.player_a_id, match.player_b_id) for match in matches] == PAIRINGS
        assert sorted(referee for _, referee, _ in held.started()) == ["REF01"] * 3 + ["REF02"] * 3

    @requirement(
        "000-LM-ROUND-01",
        "000-LM-RESULT-09",
        "000-LM-STAND-01",
        "000-LM-NOT-03",
        "000-LM-NOT-06",
        "001-FLOW-01",
        "002-STAND-02",
        "002-RCOMP-02",
        "003-LM-05",
        "003-LM-08",
        "003-LM-09",
        "003-LM-10",
        "000-LM-RESP-03",
        "001-FLOW-03",
    )
    async def test_a_player_hears_of_rounds_standings_and_the_end_in_order(self):
        async with runner_harness(4, 2) as held:
            await play(held)
        one_round = ["ROUND_ANNOUNCEMENT", "LEAGUE_STANDINGS_UPDATE", "ROUND_COMPLETED"]
        for player in ("P01", "P02", "P03", "P04"):
            assert held.peers.order(player) == one_round * 3 + ["LEAGUE_COMPLETED"]

    async def test_a_referee_hears_of_rounds_and_the_end_but_not_of_standings(self):
        async with runner_harness(4, 2) as held:
            await play(held)
        one_round = ["ROUND_ANNOUNCEMENT", "ROUND_COMPLETED"]
        for referee in ("REF01", "REF02"):
            heard = [kind for kind in held.peers.order(referee) if kind not in ("START_MATCH", "MATCH_STATUS")]
            assert heard == one_round * 3 + ["LEAGUE_COMPLETED"]

    @requirement("000-LM-ROUND-01", "003-TYPE-06", "004-MSG-06")
    async def test_a_round_is_announced_with_all_its_matches_before_any_of_them_begins(self):
        async with runner_harness(4, 2) as held:
            await play(held)
        kinds = [call.message.message_type for call in held.peers.calls]
        assert kinds.index("ROUND_ANNOUNCEMENT") < kinds.index("START_MATCH")
        announcement = held.peers.sent(RoundAnnouncement, "P01")[0]
        assert [(match.match_id, match.player_a_id, match.player_b_id) for match in announcement.matches] == [
            ("R1M1", "P01", "P02"),
            ("R1M2", "P03", "P04"),
        ]
        assert {match.referee_endpoint for match in announcement.matches} == {
            "http://localhost:8001/mcp",
            "http://localhost:8002/mcp",
        }

    async def test_each_round_leaves_time_to_tidy_up_before_its_matches_begin(self):
        begun_before = list[int]()
        async with runner_harness(
            4, 2, between_rounds=lambda: begun_before.append(len(held.peers.sent(StartMatch)))
        ) as held:
            await play(held)
        assert begun_before == [0, 2, 4]

    async def test_an_odd_player_sits_out_and_is_told_so(self):
        async with runner_harness(3) as held:
            await play(held)
        announcements = held.peers.sent(RoundAnnouncement, "P01")
        assert sorted(bye for message in announcements for bye in message.byes) == ["P01", "P02", "P03"]

    @requirement("000-LM-STAND-01", "002-STAND-02", "003-TYPE-07", "003-LM-08", "004-MSG-06")
    async def test_standings_are_told_as_they_are_after_the_round(self):
        async with runner_harness(2) as held:
            await play(held)
        (update,) = held.peers.sent(LeagueStandingsUpdate, "P02")
        assert [(row.player_id, row.points, row.played) for row in update.standings] == [("P01", 3, 1), ("P02", 0, 1)]

    @requirement("000-LM-RCOMP-02", "003-TYPE-08", "003-LM-09")
    async def test_round_completed_names_the_next_round_and_none_after_the_last(self):
        async with runner_harness(4) as held:
            await play(held)
        ends = held.peers.sent(RoundCompletedMessage, "P01")
        assert [(end.round_id, end.next_round_id, end.matches_played) for end in ends] == [
            (1, 2, 2),
            (2, 3, 2),
            (3, None, 2),
        ]

    @requirement("000-LM-LCOMP-01", "001-LAYER-01", "002-LCOMP-01", "003-TYPE-09", "003-LM-10")
    async def test_league_completed_names_champion_and_final_standings(self):
        async with runner_harness(2) as held:
            await play(held)
        (end,) = held.peers.sent(LeagueCompletedMessage, "REF01")
        assert (end.champion.player_id, end.champion.points, end.champions) == ("P01", 3, None)
        assert (end.league_id, end.total_rounds, end.total_matches, end.void_matches) == (LEAGUE, 1, 1, None)
        assert [row.player_id for row in end.final_standings] == ["P01", "P02"]

    @requirement("project-TRUST-13")
    async def test_league_completed_carries_the_last_record_for_players_to_keep(self):
        async with runner_harness(2) as held:
            await play(held)
            records = await held.store.read(LEAGUE)
        (end,) = held.peers.sent(LeagueCompletedMessage, "P01")
        assert end.record_head is not None
        assert (end.record_head.sequence, end.record_head.digest) == (len(records), records[-1].digest)
        assert records[-1].type == "LeagueCompleted"

    async def test_everybody_is_shown_the_token_that_the_manager_proves_itself_with(self):
        async with runner_harness(2) as held:
            await play(held)
        for agent_id in ("P01", "REF01"):
            expected = tokens.peer_token(OPERATOR, LEAGUE, agent_id)
            assert peer_named(held.peers.calls, agent_id).token == expected

    async def test_a_referee_gets_tickets_that_only_the_players_of_the_match_take(self):
        async with runner_harness(2) as held:
            await play(held)
        (match,) = held.peers.sent(StartMatch)
        for player, ticket in (("P01", match.player_a_ticket), ("P02", match.player_b_ticket)):
            assert ticket == tokens.match_ticket(tokens.peer_token(OPERATOR, LEAGUE, player), "R1M1", 1)
        assert (match.player_a_endpoint, match.player_a_name) == ("http://localhost:8101/mcp", "Player 1")
        assert [row.player_id for row in match.standings] == ["P01", "P02"]

    async def test_a_seeded_league_gives_each_attempt_its_own_seed_and_the_same_one_again(self):
        seeds: list[list[Any]] = []
        for _ in range(2):
            async with runner_harness(4, seed="7") as held:
                await play(held)
            seeds.append([match.seed for match in held.peers.sent(StartMatch)])
        assert seeds[0] == seeds[1]
        assert len(set(seeds[0])) == 6

    async def test_a_league_without_a_seed_leaves_chance_to_the_referee(self):
        async with runner_harness(2) as held:
            await play(held)
        assert held.peers.sent(StartMatch)[0].seed is None

    @requirement("001-PERF-04", "003-CAP-04")
    async def test_no_referee_gets_more_matches_at_once_than_it_takes(self):
        async with runner_harness(6, 1, concurrent=2) as held:
            gates = [anyio.Event() for _ in range(3)]
            held.peers.script(StartMatch, *(held.plays_when(gate) for gate in gates), held.plays)
            held.begin()
            await until_called(held, StartMatch, 2)
            await settle()
            assert len(held.started()) == 2
            gates[0].set()
            await until_called(held, StartMatch, 3)
            gates[1].set()
            gates[2].set()
            await held.over.wait()
        assert held.manager.league.state is LeagueState.COMPLETED


class TestTheEnd:
    @requirement("000-LM-LCOMP-04")
    async def test_the_end_is_never_told_before_every_match_is_decided(self):
        async with runner_harness(4, 2) as held:
            gate = anyio.Event()
            held.peers.script(StartMatch, *[held.plays] * 5, held.plays_when(gate))
            held.begin()
            await until_called(held, StartMatch, 6)
            await settle()
            assert held.manager.league.unfinished(3)
            assert not held.peers.sent(LeagueCompletedMessage)
            assert "LeagueCompleted" not in held.manager.types
            gate.set()
            await held.over.wait()
        types = held.manager.types
        assert sum(kind in DECIDED for kind in types[: types.index("LeagueCompleted")]) == 6
        assert len(held.peers.sent(LeagueCompletedMessage)) == 6

    @requirement("000-LM-LCOMP-03")
    async def test_an_agent_that_does_not_hear_the_end_cannot_hold_it_up(self):
        async with runner_harness(2) as held:
            held.peers.script(LeagueCompletedMessage, PeerUnreachable("gone"), to="P02")
            await play(held)
        assert held.manager.league.state is LeagueState.COMPLETED
        assert [details["agent_id"] for _, details in held.manager.journal.named("BROADCAST_FAILED")] == ["P02"]

    async def test_a_league_that_is_complete_is_announced_once_more_and_nothing_else(self):
        async with runner_harness(2) as held:
            await play(held)
            before, records = len(held.peers.calls), len(held.manager.records)
            await course_of(held.manager, held.peers, held.clock).run()
        assert {call.message.message_type for call in held.peers.calls[before:]} == {"LEAGUE_COMPLETED"}
        assert len(held.manager.records) == records

    async def test_stopping_ends_the_course_wherever_it_is(self):
        async with runner_harness(2) as held:
            held.peers.script(StartMatch, begun)
            held.begin()
            await until_called(held, StartMatch)
            await held.manager.ledger.execute(StopLeague("enough"))
            await held.over.wait()
        assert held.manager.league.state is LeagueState.STOPPED
        assert not held.peers.sent(LeagueCompletedMessage)

    async def test_a_command_that_comes_too_late_for_a_stopped_league_is_no_failure(self):
        async with runner_harness(2) as held:
            gate = anyio.Event()
            held.peers.script(StartMatch, held.plays_when(gate))
            held.begin()
            await until_called(held, StartMatch)
            held.store.gate = anyio.Event()
            gate.set()
            await settle()
            held.tasks.start_soon(held.manager.ledger.execute, StopLeague("enough"))
            await settle()
            held.store.gate.set()
            await held.over.wait()
        assert held.manager.types[-2:] == ["MatchRecorded", "LeagueStopped"]


class TestRegistration:
    @requirement("001-DEP-04", "003-SEQ-04")
    async def test_the_league_starts_once_all_that_are_expected_are_in(self):
        async with runner_harness(2, expected_players=3) as held:
            held.begin()
            await settle()
            assert held.manager.league.state is LeagueState.WAITING_FOR_REGISTRATIONS
            await held.manager.ledger.execute(_third_player())
            await held.over.wait()
        assert held.manager.league.closing_reason == "quorum"

    @requirement("003-LOG-11", "003-SEQ-04")
    async def test_the_deadline_starts_a_league_with_enough_players(self):
        async with runner_harness(2, expected_players=4, registration_timeout_sec=60.0) as held:
            held.begin()
            await held.clock.pass_by(59)
            assert held.manager.league.state is LeagueState.WAITING_FOR_REGISTRATIONS
            await held.clock.pass_by(2)
            await held.over.wait()
        assert held.manager.league.closing_reason == "timeout"
        assert held.manager.league.state is LeagueState.COMPLETED
        ((level, details),) = held.manager.journal.named("REGISTRATION_TIMEOUT")
        assert (level, details) == ("WARNING", {"players": 2, "referees": 1})

    @requirement("004-OBJ-02")
    @pytest.mark.parametrize(("players", "referees"), [(2, 0), (1, 1)])
    async def test_the_deadline_stops_a_league_that_cannot_be_played(self, players: int, referees: int):
        changes: Any = {"expected_players": 4, "expected_referees": 1, "registration_timeout_sec": 60.0}
        async with runner_harness(players, referees, **changes) as held:
            held.begin()
            await held.clock.pass_by(61)
            await held.over.wait()
        assert held.manager.league.state is LeagueState.STOPPED
        reason = held.manager.league.stop_reason
        assert reason.startswith(f"registration timed out after 60 s with {players} players (at least 2 are needed)")
        assert reason.endswith(f"{referees} referees (1 is needed)")

    @pytest.mark.parametrize("expected", [3, 4])
    async def test_a_league_whose_format_refuses_its_players_says_what_fits_and_stops(self, expected: int):
        stages = (StageRules("swiss", {"rounds": 9}),)
        changes: Any = {"expected_players": expected, "registration_timeout_sec": 60.0, "stages": stages}
        async with runner_harness(3, 1, **changes) as held:
            held.begin()
            await held.clock.pass_by(61)
            await held.over.wait()
        assert held.manager.league.state is LeagueState.STOPPED
        assert held.manager.league.stop_reason.startswith("the league cannot start: ")
        assert "3 players" in held.manager.league.stop_reason

    @pytest.mark.parametrize("stages", [(StageRules("swiss", {"rounds": 2}),), (StageRules(),)])
    async def test_a_class_of_which_too_few_are_in_at_the_deadline_begins_once_enough_are(self, stages: Any):
        told: list[str] = []
        late: Any = {"expected_players": 4, "registration_deadline": "2025-01-15T10:05:00Z", "min_players": 3}
        async with runner_harness(2, 1, stages=stages, stays_open=True, tell=told.append, **late) as held:
            held.begin()
            await held.clock.pass_by(10_000)
            assert held.manager.league.state is LeagueState.WAITING_FOR_REGISTRATIONS
            [text] = told
            assert "2 players" in text
            assert text.endswith("registration stays open, and the league begins once enough are in")
            await held.manager.ledger.execute(_third_player())
            await held.over.wait()
        assert held.manager.league.state is LeagueState.COMPLETED

    async def test_a_class_whose_format_takes_none_of_its_numbers_stays_open_for_more(self):
        told: list[str] = []
        rules: Any = {"expected_players": 4, "registration_timeout_sec": 60.0}
        stages = (StageRules("swiss", {"rounds": 2}),)
        async with runner_harness(2, 1, stages=stages, stays_open=True, tell=told.append, **rules) as held:
            held.begin()
            await held.clock.pass_by(61)
            assert held.manager.league.state is LeagueState.WAITING_FOR_REGISTRATIONS
            assert "2 rounds are too many for a Swiss tournament of 2 players" in told[0]
            await held.manager.ledger.execute(_third_player())
            await held.over.wait()
        assert held.manager.league.state is LeagueState.COMPLETED

    @pytest.mark.parametrize("timeout", [None, 0.0])
    async def test_without_a_deadline_the_league_waits(self, timeout: float | None):
        async with runner_harness(2, expected_players=4, registration_timeout_sec=timeout) as held:
            held.begin()
            await held.clock.pass_by(1_000_000)
            assert held.manager.league.state is LeagueState.WAITING_FOR_REGISTRATIONS

    @requirement("003-SEQ-04")
    async def test_the_operator_starts_with_those_that_are_in(self):
        async with runner_harness(2, expected_players=4, registration_timeout_sec=60.0) as held:
            held.begin()
            await settle()
            await held.manager.call("start_league", {}, OPERATOR)
            await held.over.wait()
        assert held.manager.league.closing_reason == "operator"

    async def test_a_schedule_made_by_hand_waits_for_the_start_even_beyond_the_deadline(self):
        async with runner_harness(2, expected_players=4, registration_timeout_sec=60.0) as held:
            held.begin()
            await settle()
            await held.manager.call("create_schedule", {}, OPERATOR)
            await held.clock.pass_by(1000)
            assert held.manager.league.state is LeagueState.SCHEDULED
            await held.manager.call("start_league", {}, OPERATOR)
            await held.over.wait()
        assert held.manager.league.state is LeagueState.COMPLETED

    @pytest.mark.parametrize("tool", ["start_league", "create_schedule"])
    async def test_the_operator_may_be_faster_than_the_quorum_by_a_hair(self, tool: str):
        async with runner_harness(1, expected_players=2) as held:
            held.begin()
            await settle()
            held.store.gate = anyio.Event()
            held.tasks.start_soon(held.manager.ledger.execute, _third_player(2))
            await settle()
            held.tasks.start_soon(held.manager.call, tool, {}, OPERATOR)
            await settle()
            held.store.gate.set()
            await settle()
            if tool == "create_schedule":
                assert held.manager.league.state is LeagueState.SCHEDULED
                await held.manager.call("start_league", {}, OPERATOR)
            await held.over.wait()
        assert held.manager.league.state is LeagueState.COMPLETED

    async def test_a_refusal_that_is_not_the_operators_doing_is_not_hidden(self):
        async with runner_harness(2) as held:
            await held.manager.ledger.execute(CloseRegistration("quorum"))
            with pytest.raises(InvalidState):
                await held.course._registration._unless_overtaken(CloseRegistration("quorum"), LeagueState.SCHEDULED)

    async def test_a_league_whose_manager_died_between_closing_and_starting_starts(self):
        async with runner_harness(2) as held:
            await held.manager.ledger.execute(CloseRegistration("quorum"))
            await play(held)
        assert held.manager.league.state is LeagueState.COMPLETED


def _third_player(number: int = 3) -> Any:
    return RegisterPlayer(entrant(Role.PLAYER, number))


class TestSlowAndSilentPlayers:
    @requirement(
        "000-LM-ROUND-03", "000-LM-FAIL-02", "000-PL-FAIL-01", "project-END-02", "000-LM-ROUND-02", "002-RANN-04"
    )
    async def test_a_player_who_does_not_hear_holds_up_a_round_no_longer_than_the_grace(self):
        async with runner_harness(4) as held:
            held.peers.script(RoundAnnouncement, never, to="P03")
            with anyio.fail_after(30):
                held.begin()
                await until_called(held, LeagueCompletedMessage, 4)
        assert held.manager.league.state is LeagueState.COMPLETED
        assert held.peers.order("P03") == ["ROUND_ANNOUNCEMENT"]


def frozen(held: RunnerHarness) -> Any:
    """The answer of a referee whose process stands still: none, until the call's time is over."""

    async def answer(call: Sent) -> Any:
        await held.clock.sleep(call.timeout)
        raise ResponseTimeout(f"no answer within {call.timeout:g} s")

    return answer


class TestARefereeThatFails:
    """Each way of failing gives the match to the other referee, as the next attempt."""

    @requirement("003-LOG-11")
    @pytest.mark.parametrize(
        ("refusal", "told"),
        [
            (PeerUnreachable("connection refused"), "did not take it: connection refused"),
            (ResponseTimeout("no answer within 10 s"), "did not take it: no answer"),
            (MalformedReply("not a message"), "did not take it: not a message"),
        ],
    )
    async def test_a_referee_that_does_not_take_a_match_is_passed_over(self, refusal: Exception, told: str):
        async with runner_harness(2, 2) as held:
            held.peers.script(StartMatch, refusal, to="REF01")
            await play(held)
        assert held.started() == [("R1M1", "REF01", 1), ("R1M1", "REF02", 2)]
        assert told in held.assigned("R1M1")[1][2]
        ((level, details),) = held.manager.journal.named("REFEREE_ERROR")
        assert (level, details["referee_id"], details["match_id"]) == ("ERROR", "REF01", "R1M1")
        assert held.manager.league.results["R1M1"].referee_id == "REF02"

    async def test_a_referee_that_is_too_busy_gets_a_breath(self):
        async with runner_harness(2, 2) as held:
            held.peers.script(StartMatch, RateLimited("2 matches are under way"), to="REF01")
            held.begin()
            await until_called(held, StartMatch)
            await settle()
            assert held.started() == [("R1M1", "REF01", 1)]
            await held.clock.pass_by(0.03)
            await held.over.wait()
        assert held.started()[1] == ("R1M1", "REF02", 2)

    @pytest.mark.parametrize(
        ("answer", "seconds", "told"),
        [
            (PeerUnreachable("gone"), 16, "REF01 stopped answering"),
            (MalformedReply("nonsense"), 16, "REF01 stopped answering"),
            (MatchNotFound("never heard of it"), 6, "REF01 does not know the match any more"),
            (status("COLLECTING_CHOICES"), 16, "REF01 got no further with it: nothing happened for 15 s"),
            (status("COLLECTING_CHOICES", messages=0), 16, "REF01 got no further with it: nothing happened for 15 s"),
            (status("COLLECTING_CHOICES", messages=3), 71, "REF01 got no further with it: nothing happened for 60 s"),
        ],
    )
    async def test_a_match_that_comes_to_nothing_is_played_again_by_another(self, answer: Any, seconds: int, told: str):
        async with runner_harness(2, 2) as held:
            held.peers.script(StartMatch, begun, to="REF01")
            held.peers.script(MatchStatus, answer, to="REF01")
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(seconds)
            await held.over.wait()
        assert [(referee, attempt) for referee, attempt, _ in held.assigned("R1M1")] == [("REF01", 1), ("REF02", 2)]
        assert held.assigned("R1M1")[1][2] == told
        assert held.manager.journal.named("REFEREE_ERROR")[0][1]["reason"] == told

    @requirement("project-TRUST-11")
    async def test_a_referee_that_freezes_with_a_match_is_replaced_within_four_beats(self):
        """Three seconds until it is looked at, and three looks that are not answered within a beat each."""
        async with runner_harness(2, 2) as held:
            held.peers.script(StartMatch, begun, to="REF01")
            held.peers.script(MatchStatus, frozen(held), to="REF01")
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(17.9)
            assert held.started() == [("R1M1", "REF01", 1)]
            await held.clock.pass_by(0.2)
            assert held.started() == [("R1M1", "REF01", 1), ("R1M1", "REF02", 2)]
            await held.over.wait()
        assert held.assigned("R1M1")[1][2] == "REF01 stopped answering"

    @requirement("project-TRUST-11")
    async def test_a_referee_that_is_frozen_when_it_is_given_a_match_is_replaced_within_three_beats(self):
        async with runner_harness(2, 2) as held:
            held.peers.script(StartMatch, never, to="REF01")
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(14.9)
            assert held.started() == [("R1M1", "REF01", 1)]
            await held.clock.pass_by(0.2)
            assert held.started() == [("R1M1", "REF01", 1), ("R1M1", "REF02", 2)]
            await held.over.wait()
        assert held.assigned("R1M1")[1][2] == "REF01 did not take it: no answer within 15 s"

    async def test_a_match_that_goes_on_is_not_taken_away_however_long_it_lasts(self):
        async with runner_harness(2, 2) as held:
            gate = anyio.Event()
            held.peers.script(StartMatch, held.plays_when(gate), to="REF01")
            numbers = itertools.count()
            held.peers.script(
                MatchStatus,
                lambda call: status("COLLECTING_CHOICES", messages=1 + next(numbers) // 5)(call),
                to="REF01",
            )
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(300)
            gate.set()
            await held.over.wait()
        assert held.started() == [("R1M1", "REF01", 1)]

    @requirement("project-TRUST-06")
    async def test_a_match_that_had_to_be_aborted_is_void_and_not_played_again(self):
        async with runner_harness(2, 2) as held:
            held.peers.script(StartMatch, begun, to="REF01")
            held.peers.script(MatchStatus, status("ABORTED"), to="REF01")
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(6)
            await held.over.wait()
        assert held.started() == [("R1M1", "REF01", 1)]
        assert dict(held.manager.league.voided) == {"R1M1": "REF01 had to abort it"}
        (over,) = held.peers.sent(LeagueCompletedMessage, "P01")
        assert (over.champion, over.champions) == (None, None)
        assert over.no_champion == "no champion: nothing was played"

    async def test_a_match_whose_referee_waited_for_the_seats_process_is_played_again_and_at_last_void(self):
        async with runner_harness(2, 2, max_attempts=3) as held:
            held.peers.script(StartMatch, begun)
            held.peers.script(MatchStatus, status("ABORTED", failed_part="seats"))
            held.begin()
            for number in range(1, 4):
                await held.manager.ledger.until(lambda league, number=number: league.attempt("R1M1") == number)
                await held.clock.pass_by(4)
            await held.over.wait()
        told = "{} waited for the seats process in vain"
        played, causes = held.assigned("R1M1"), [told.format(name) for name in ("REF01", "REF02", "REF01")]
        assert played == [("REF01", 1, ""), ("REF02", 2, causes[0]), ("REF01", 3, causes[1])]
        assert dict(held.manager.league.voided) == {"R1M1": f"the seats process failed 3 times: {causes[2]}"}

    async def test_a_match_whose_game_failed_is_void_and_says_so_to_its_author(self):
        async with runner_harness(2, 2) as held:
            held.peers.script(StartMatch, begun, to="REF01")
            held.peers.script(MatchStatus, status("ABORTED", game_fault="rules.py:7: KeyError: 'x'"), to="REF01")
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(6)
            await held.over.wait()
        assert held.started() == [("R1M1", "REF01", 1)]
        assert dict(held.manager.league.voided) == {"R1M1": "the game failed: rules.py:7: KeyError: 'x'"}

    @requirement("project-TRUST-05")
    @pytest.mark.parametrize(
        "refused", [status("REPORTED", reported=True), status("FINISHED", report_refused=True)], ids=["old", "new"]
    )
    async def test_a_match_whose_report_is_refused_stays_open_and_is_void_after_a_time(self, refused: Any):
        async with runner_harness(4, 1, concurrent=1) as held:
            held.peers.script(StartMatch, begun, held.plays)
            held.peers.script(MatchStatus, refused)
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(6)
            assert held.started() == [("R1M1", "REF01", 1), ("R1M2", "REF01", 1)], "the others continue"
            assert not held.manager.league.voided
            await held.clock.pass_by(61)
            await held.over.wait()
        assert [one for one in held.started() if one[0] == "R1M1"] == [("R1M1", "REF01", 1)], "nobody tries it again"
        told = "REF01 has a result, and its report is refused"
        assert dict(held.manager.league.voided) == {"R1M1": told}
        assert held.manager.league.state is LeagueState.COMPLETED

    async def test_a_report_that_is_taken_at_last_counts(self):
        async with runner_harness(2, 1) as held:
            held.peers.script(StartMatch, begun)
            held.peers.script(MatchStatus, status("FINISHED", report_refused=True))
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(30)
            (call,) = [call for call in held.peers.calls if isinstance(call.message, StartMatch)]
            await held.report(call)
            await held.over.wait()
        assert list(held.manager.league.results) == ["R1M1"]
        assert held.started() == [("R1M1", "REF01", 1)]

    async def test_a_referee_that_misses_a_beat_but_comes_back_keeps_its_match(self):
        async with runner_harness(2, 2) as held:
            gate = anyio.Event()
            held.peers.script(StartMatch, held.plays_when(gate), to="REF01")
            silent, well = PeerUnreachable("away"), status("COLLECTING_CHOICES", messages=2)
            held.peers.script(MatchStatus, silent, silent, well, silent, silent, well, to="REF01")
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(36)
            gate.set()
            await held.over.wait()
        assert held.started() == [("R1M1", "REF01", 1)]

    @pytest.mark.parametrize("known", [True, False], ids=["a new instance", "none told"])
    async def test_a_referee_that_was_restarted_loses_its_matches_at_once(self, known):
        async with runner_harness(2, 2) as held:
            held.peers.script(StartMatch, begun, to="REF01")
            held.begin()
            await until_called(held, StartMatch)
            await settle()
            digest = tokens.digest(token_of("REF01"))
            await held.manager.ledger.execute(ReturnAgent("P01", "digest", "http://localhost:8101/mcp"))
            await settle()
            assert len(held.started()) == 1
            if known:
                again = ReturnAgent("REF01", digest, "http://localhost:8001/mcp", instance_id="another")
                await held.manager.ledger.execute(again)
            else:
                await held.manager.ledger.note_return("REF01")
            await held.over.wait()
        assert held.assigned("R1M1")[1] == ("REF02", 2, "REF01 was restarted")

    async def test_the_only_referee_gets_its_match_again_after_a_heartbeat(self):
        async with runner_harness(2, 1) as held:
            held.peers.script(StartMatch, PeerUnreachable("away"), held.plays)
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(4.9)
            assert held.started() == [("R1M1", "REF01", 1)]
            await held.clock.pass_by(0.2)
            await held.over.wait()
        assert held.started() == [("R1M1", "REF01", 1), ("R1M1", "REF01", 2)]

    async def test_a_referee_that_failed_is_the_last_to_be_asked_again(self):
        async with runner_harness(2, 3) as held:
            held.peers.script(StartMatch, PeerUnreachable("away"), to="REF01")
            held.peers.script(StartMatch, PeerUnreachable("away"), to="REF02")
            await play(held)
        assert [referee for _, referee, _ in held.started()] == ["REF01", "REF02", "REF03"]

    async def test_a_referee_that_is_dead_from_the_start_costs_nothing(self):
        async with runner_harness(8, 2, concurrent=1) as held:
            held.peers.pings_of["REF01"] = [PeerUnreachable("dead")]
            await play(held)
        assert {referee for _, referee, _ in held.started()} == {"REF02"}
        assert len(held.manager.league.results) == 28

    async def test_no_broadcast_is_waited_for_at_a_referee_that_is_silent(self):
        async with runner_harness(4, 2) as held:
            held.peers.pings_of["REF01"] = [PeerUnreachable("dead")]
            for kind in (RoundAnnouncement, RoundCompletedMessage, LeagueCompletedMessage):
                held.peers.script(kind, never, to="REF01")
            await play(held)
        assert held.manager.league.state is LeagueState.COMPLETED

    async def test_the_operators_own_referees_go_before_one_that_never_finished_a_match(self):
        async with runner_harness(4, 2) as held:
            own = entrant(Role.REFEREE, 3, max_concurrent_matches=2)
            expected = ExpectedAgent(Role.REFEREE, own.display_name, own.token_digest)
            await held.manager.ledger.execute(ExpectAgents((expected,)))
            await held.manager.ledger.execute(RegisterReferee(own, "launcher"))
            await play(held)
        assert {referee for _, referee, _ in held.started()} == {"REF03"}

    async def test_once_more_referees_have_failed_than_finished_a_match_others_are_waited_for(self):
        async with runner_harness(8, 6, concurrent=1) as held:
            for number in range(1, 6):
                held.peers.script(StartMatch, PeerUnreachable("hole"), to=f"REF0{number}")
            await play(held)
        assert len(held.manager.league.results) == 28
        tried = [referee for _, referee, _ in held.started() if referee != "REF06"]
        assert sorted(tried) == [f"REF0{number}" for number in range(1, 6)], "each once"

    async def test_a_dead_referee_costs_one_try_a_league(self):
        async with runner_harness(8, 2, concurrent=1) as held:
            held.peers.pings_of["REF01"] = [None, PeerUnreachable("dead")]
            held.peers.script(StartMatch, PeerUnreachable("dead"), to="REF01")
            await play(held)
        assert [match_id for match_id, referee, _ in held.started() if referee == "REF01"] == ["R1M1"]
        assert len(held.manager.league.results) == 28

    async def test_a_dead_referee_that_answers_again_is_given_what_the_others_have_no_room_for(self):
        async with runner_harness(4, 2, concurrent=1) as held:
            gate = anyio.Event()
            held.peers.pings_of["REF01"] = [None, PeerUnreachable("dead"), None]
            held.peers.script(StartMatch, PeerUnreachable("dead"), held.plays, to="REF01")
            held.peers.script(StartMatch, held.plays_when(gate), held.plays, to="REF02")
            held.begin()
            await until_called(held, StartMatch, 2)
            await held.clock.pass_by(TIMEOUTS.heartbeat)
            assert held.peers.pinged == 4, "each once before its first match, and the dead one until it answers"
            gate.set()
            await held.over.wait()
        tries = [match_id.partition("M")[0] for match_id, referee, _ in held.started() if referee == "REF01"]
        assert tries == ["R1", "R2", "R3"]

    async def test_a_referee_that_fails_but_answers_costs_one_try_a_round_and_not_one_a_match(self):
        async with runner_harness(8, 2, concurrent=1) as held:
            held.peers.script(StartMatch, PeerUnreachable("dead"), to="REF01")
            await play(held)
        tries = [(match_id.partition("M")[0], referee) for match_id, referee, _ in held.started()]
        assert [round_id for round_id, referee in tries if referee == "REF01"] == [
            f"R{number}" for number in range(1, 8)
        ]
        assert len(held.manager.league.results) == 28

    async def test_a_referee_that_joins_takes_matches_that_wait_for_room(self):
        gate = anyio.Event()
        async with runner_harness(6, 1, concurrent=1) as held:
            held.peers.script(StartMatch, held.plays_when(gate), held.plays, to="REF01")
            held.begin()
            await until_called(held, StartMatch, 1)
            await held.manager.ledger.execute(
                RegisterReferee(entrant(Role.REFEREE, 2, max_concurrent_matches=1), "secret")
            )
            gate.set()
            await held.over.wait()
        by_round = [(match_id.partition("M")[0], referee) for match_id, referee, _ in held.started()]
        assert ("R1", "REF02") in by_round
        assert {referee for round_id, referee in by_round if round_id == "R5"} == {"REF01", "REF02"}
        assert len(held.manager.league.results) == 15

    async def test_a_match_that_nobody_can_referee_is_void_and_the_league_still_completes(self):
        async with runner_harness(4, 2, max_attempts=3) as held:
            stubborn = [(lambda call: PeerUnreachable("no") if call.message.match_id == "R2M1" else held.plays(call))]
            held.peers.script(StartMatch, *stubborn)
            held.begin()
            await until_called(held, StartMatch, 5)
            await held.clock.pass_by(5)
            await held.over.wait()
        league = held.manager.league
        assert league.state is LeagueState.COMPLETED
        assert list(league.voided) == ["R2M1"]
        assert "did not take it: no" in league.voided["R2M1"]
        assert [attempt for match, _, attempt in held.started() if match == "R2M1"] == [1, 2, 3]
        (end,) = held.peers.sent(RoundCompletedMessage, "P01")[1:2]
        assert (end.matches_played, end.void_matches) == (1, dict(league.voided))
        (over,) = held.peers.sent(LeagueCompletedMessage, "P01")
        assert (over.total_matches, over.void_matches) == (5, dict(league.voided))

    async def test_a_late_report_counts_while_the_match_waits_for_another_referee(self):
        async with runner_harness(4, 2, concurrent=1) as held:
            held.peers.script(StartMatch, begun, *[held.plays] * 9, to="REF01")
            gate = anyio.Event()
            held.peers.script(StartMatch, held.plays_when(gate), held.plays, to="REF02")
            held.peers.script(MatchStatus, MatchNotFound("?"), to="REF01")
            held.begin()
            await until_called(held, StartMatch, 2)
            await held.clock.pass_by(6)
            late = next(
                call for call in held.peers.calls if isinstance(call.message, StartMatch) and call.to == "REF01"
            )
            assert held.started() == [("R1M1", "REF01", 1), ("R1M2", "REF02", 1)]
            await held.report(late)
            gate.set()
            await held.over.wait()
        league = held.manager.league
        assert league.state is LeagueState.COMPLETED
        assert league.results["R1M1"].referee_id == "REF01"
        assert len(held.assigned("R1M1")) == 1

    async def test_a_report_that_arrives_in_the_moment_of_giving_up_is_the_result(self):
        async with runner_harness(2, 1, max_attempts=1) as held:
            held.peers.script(StartMatch, begun)
            held.peers.script(MatchStatus, MatchNotFound("?"))
            held.begin()
            await until_called(held, StartMatch)
            await settle()
            (call,) = [call for call in held.peers.calls if isinstance(call.message, StartMatch)]
            held.store.gate = anyio.Event()
            held.tasks.start_soon(held.report, call)
            await held.clock.pass_by(6)
            held.store.gate.set()
            await held.over.wait()
        assert list(held.manager.league.results) == ["R1M1"]
        assert not held.manager.league.voided

    async def test_a_match_that_cannot_be_assigned_for_another_reason_is_not_hidden(self):
        async with runner_harness(2, 1, max_attempts=1) as held:
            await start(held.manager.ledger)
            await held.manager.ledger.execute(StartRound(1))
            await held.manager.ledger.execute(AssignMatch("R1M1", "REF01"))
            with pytest.raises(InvalidState):
                await held.course._dispatcher._unless_decided(AssignMatch("R1M1", "REF01"))


async def interrupted(held: RunnerHarness) -> Sent:
    """Play until only the second match of the second round is open, then stop; how that was assigned."""
    held.peers.script(StartMatch, held.plays, held.plays, held.plays, begun)
    held.begin()
    await until_called(held, StartMatch, 4)
    await settle()
    await held.manager.ledger.execute(StopLeague("interrupted"))
    await held.over.wait()
    assert len(held.manager.league.results) == 3
    return next(call for call in held.peers.calls if getattr(call.message, "match_id", "") == "R2M2")


class TestGoingOn:
    async def test_a_match_that_its_referee_has_lost_meanwhile_is_played_again(self):
        async with runner_harness(4, 2) as held:
            await interrupted(held)
            held.peers.script(StartMatch, held.plays)
            held.peers.script(MatchStatus, MatchNotFound("?"))
            before = len(held.peers.calls)
            await held.manager.ledger.execute(ResumeLeague("by the operator"))
            await course_of(held.manager, held.peers, held.clock).run()
        league = held.manager.league
        assert league.state is LeagueState.COMPLETED
        assert len(league.results) == 6
        after = [call.message for call in held.peers.calls[before:]]
        assert next(message.round_id for message in after if isinstance(message, RoundAnnouncement)) == 2
        assert [attempt for _, attempt, _ in held.assigned("R2M2")] == [1, 2]
        assert "does not know the match any more" in held.assigned("R2M2")[1][2]
        assert held.manager.types.count("RoundStarted") == 3

    async def test_a_match_that_its_referee_still_has_is_waited_for(self):
        async with runner_harness(4, 2) as held:
            last = await interrupted(held)
            held.peers.script(StartMatch, held.plays)
            await held.manager.ledger.execute(ResumeLeague("by the operator"))
            held.tasks.start_soon(course_of(held.manager, held.peers, held.clock).run)
            await until_called(held, MatchStatus)
            await settle()
            await held.report(last)
            await held.manager.ledger.until(lambda league: league.state is LeagueState.COMPLETED)
        assert held.assigned("R2M2") == [(last.to, 1, "")]

    async def test_a_course_goes_on_between_two_rounds(self):
        async with runner_harness(4) as held:
            held.begin()
            await until_called(held, RoundCompletedMessage)
            await held.manager.ledger.execute(StopLeague("interrupted"))
            await held.over.wait()
            done = held.manager.league.rounds_completed
            await held.manager.ledger.execute(ResumeLeague())
            await course_of(held.manager, held.peers, held.clock).run()
        assert 1 <= done < 3
        assert held.manager.types.count("RoundCompleted") == 3
        assert held.manager.league.state is LeagueState.COMPLETED


async def test_a_forged_report_does_not_end_a_match():
    async with runner_harness(4, 2) as held:
        held.peers.script(StartMatch, begun)
        held.begin()
        await until_called(held, StartMatch, 2)
        await settle()
        forged = envelope("MATCH_RESULT_REPORT", "referee:REF02", token_of("REF02"), league_id=LEAGUE, round_id=1)
        body = {"winner": "P01", "score": {"P01": 3, "P02": 0}, "details": {}}
        with pytest.raises(Exception, match="not assigned to REF02"):
            await held.manager.call(
                "report_match_result", {**forged, "match_id": "R1M1", "game_type": "even_odd", "result": body}
            )
        assert not held.manager.league.results

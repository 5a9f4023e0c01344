"""A referee's answers, and its concurrent matches."""

import re
from typing import Any

import anyio
import pytest

from league_sdk.domain.lifecycles import AgentState, MatchState
from league_sdk.ports import CallRefused
from league_sdk.protocol.match import GameInvitation, GameOver, MatchResultReport, MoveCall
from servers.agent.identity import Credentials
from servers.referee import known_matches
from servers.referee.player_timeouts import PlayerTimeouts
from tests.requirements.marker import requirement
from tests.servers.fakes import LEAGUE, OPERATOR, SteppingClock, choose, context, envelope, join, never, settle
from tests.servers.referee.referee_harness import LIMITS, PEER_TOKEN, RefereeHarness, assignment, referee_harness

pytestmark = pytest.mark.anyio


async def refused(held: RefereeHarness, tool: str, message: Any = None, token: str = PEER_TOKEN) -> tuple[int, str]:
    """Number and E-code of a refusal."""
    with pytest.raises(CallRefused) as caught:
        await held.call(tool, message, token)
    assert caught.value.data is not None
    return caught.value.number, caught.value.data["error_code"]


def round_one(kind: str, **fields: Any) -> dict[str, Any]:
    return envelope(kind, "league_manager", league_id=LEAGUE, round_id=1, **fields)


def the_end() -> dict[str, Any]:
    champion = {"player_id": "P01", "display_name": "Ada", "points": 3}
    return envelope(
        "LEAGUE_COMPLETED",
        "league_manager",
        league_id=LEAGUE,
        total_rounds=1,
        total_matches=1,
        champion=champion,
        final_standings=[],
    )


class TestStartingAMatch:
    @requirement("000-REF-ASSIGN-01")
    async def test_it_answers_as_soon_as_the_match_has_begun(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, never)
            answer = await held.start()
        assert (answer["message_type"], answer["status"]) == ("START_MATCH_RESPONSE", "ACCEPTED")
        assert (answer["match_id"], answer["game_session_id"]) == ("R1M1", "R1M1#1")
        assert answer["state"] in ("CREATED", "WAITING_FOR_PLAYERS")
        assert answer["sender"] == "referee:REF01"

    @pytest.mark.parametrize("names", [["P01"], ["P01", "P02", "P03"], ["P01", "P01"]], ids=len)
    async def test_a_table_that_the_game_has_not_is_refused(self, names):
        table = [{"player_id": name, "endpoint": f"http://localhost:81{at:02}/mcp"} for at, name in enumerate(names)]
        async with referee_harness() as held:
            message = {**assignment(), "players": table}
            assert await refused(held, "start_match", message) == (-32602, "E002")

    async def test_the_same_assignment_again_changes_nothing(self):
        async with referee_harness() as held:
            first = await held.start()
            again = await held.start()
            runner = await held.ended("R1M1#1")
            late = await held.start()
        assert first["game_session_id"] == again["game_session_id"] == late["game_session_id"]
        assert late["state"] == "REPORTED"
        assert runner.match.state is MatchState.REPORTED
        assert len(held.peers.sent(GameInvitation)) == 2
        assert len(held.peers.sent(MatchResultReport)) == 1

    async def test_nobody_is_invited_before_the_league_has_recorded_what_the_draw_is_bound_to(self):
        async with referee_harness(clock=SteppingClock()) as held:
            answer = await held.start(draw_recorded=False)
            await settle()
            before = len(held.peers.sent(GameInvitation))
            again = await held.start(draw_recorded=True)
            await held.ended("R1M1#1")
        assert (before, answer["state"]) == (0, "CREATED")
        commitments = {message.draw_commitment for message in held.peers.sent(GameInvitation)}
        assert commitments == {answer["draw_commitment"]} == {again["draw_commitment"]}

    async def test_a_match_whose_manager_died_before_it_said_so_begins_all_the_same(self):
        clock = SteppingClock()
        async with referee_harness(clock=clock) as held:
            await held.start(draw_recorded=False)
            await settle()
            assert held.peers.sent(GameInvitation) == []
            await clock.pass_by(LIMITS.response)
            await held.ended("R1M1#1")
        assert len(held.peers.sent(GameInvitation)) == 2
        assert len(held.journal.named("DRAW_NOT_RECORDED")) == 1

    @pytest.mark.parametrize(
        "where", ["start", "to_move", "legal_moves", "observe", "public_moves", "check", "apply", "outcome"]
    )
    async def test_a_game_that_raises_is_named_with_its_line_and_nobody_is_blamed(self, where: str):
        async with referee_harness() as held:
            held.peers.script(MoveCall, choose("bang"))
            broken = await held.played(game_type="explosive", game_options={"where": where})
            told = await held.call("match_status", {"match_id": "R1M1"})
        assert re.fullmatch(rf"referee_harness\.py:\d+: ZeroDivisionError: in {where}", told["game_fault"])
        assert (told["state"], broken.match.result) == ("ABORTED", None)
        assert not held.peers.sent(MatchResultReport)

    async def test_a_game_that_breaks_its_contract_is_named_too(self):
        async with referee_harness() as held:
            broken = await held.played(game_type="explosive", game_options={"where": "nobody"})
        assert broken.game_fault == "explosive: nobody is to move, but there is no outcome either"

    @pytest.mark.parametrize("where", ["render", "svg", "notation"])
    async def test_a_game_that_cannot_show_itself_is_played_all_the_same(self, where: str):
        async with referee_harness() as held:
            held.peers.script(MoveCall, choose("bang"))
            whole = await held.played(game_type="explosive", game_options={"where": where})
        assert (whole.match.state, whole.game_fault) == (MatchState.REPORTED, "")

    async def test_a_fault_of_the_referee_is_not_the_games(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, ZeroDivisionError("a fault of ours"))
            broken = await held.played()
        assert (broken.match.state, broken.game_fault) == (MatchState.ABORTED, "")

    @requirement("000-REF-RESET-01")
    async def test_the_next_attempt_is_another_match(self):
        async with referee_harness() as held:
            await held.played()
            await held.played(attempt=2)
        assert [report.attempt for report in held.peers.sent(MatchResultReport)] == [1, 2]

    @requirement("000-REF-RESET-01", "000-REF-NOT-01", "003-LAYER-03")
    async def test_no_more_matches_than_it_takes(self):
        async with referee_harness(most=2) as held:
            held.peers.script(MoveCall, never)
            await held.start("R1M1")
            await held.start("R1M2", players=("P03", "P04"))
            await settle()
            third = assignment("R1M3", ("P05", "P06"))
            assert await refused(held, "start_match", third) == (23, "E023")
            held.runner("R1M1#1").abort("make room")
            await settle()
            assert (await held.call("start_match", third))["status"] == "ACCEPTED"

    @requirement("project-LEAVE-06")
    async def test_one_that_leaves_waits_for_its_matches(self):
        gate, left = anyio.Event(), anyio.Event()

        async def at_last(call: Any) -> Any:
            await gate.wait()
            return choose("even")(call)

        async with referee_harness() as held:
            await held.service.idle()
            held.peers.script(MoveCall, at_last)
            await held.start()

            async def leave() -> None:
                await held.service.idle()
                left.set()

            held.tasks.start_soon(leave)
            await settle()
            assert not left.is_set()
            gate.set()
            await left.wait()
            assert len(held.peers.sent(MatchResultReport)) == 1

    async def test_a_game_that_it_does_not_know(self):
        async with referee_harness() as held:
            assert await refused(held, "start_match", assignment(game_type="chess")) == (17, "E017")
            await held.played()

    async def test_nobody_plays_against_itself(self):
        async with referee_harness() as held:
            assert await refused(held, "start_match", assignment(players=("P01", "P01"))) == (-32602, "E002")

    @requirement("003-RES-04")
    async def test_a_match_that_says_little_is_played_all_the_same(self):
        message = {
            "match_id": "friendly",
            "player_A_id": "Ada",
            "player_B_id": "Bea",
            "player_A_endpoint": "http://localhost/a",
            "player_B_endpoint": "http://localhost/b",
        }
        async with referee_harness() as held:
            answer = await held.call("start_match", message, OPERATOR)
            await held.ended(answer["game_session_id"])
        (report,) = held.peers.sent(MatchResultReport)
        assert (report.league_id, report.round_id, report.game_type) == (LEAGUE, 1, "even_odd")

    @requirement("project-CFG-06")
    async def test_a_match_has_the_time_limits_of_its_league(self):
        asked: list[tuple[str, dict[str, float]]] = []

        def limits(choice_field: str, of_league: dict[str, float]) -> PlayerTimeouts:
            asked.append((choice_field, of_league))
            return PlayerTimeouts(move=of_league.get("move_timeout_sec", 30.0))

        async with referee_harness(limits=limits) as held:
            await held.played(timeouts={"move_timeout_sec": 3.0})
            await held.played(match_id="R1M2")
        assert ("parity_choice", {"move_timeout_sec": 3.0}) in asked
        assert asked[-1][1] == {}

    async def test_games_take_their_options(self):
        async with referee_harness() as held:
            await held.played(game_type="explosive", game_options={"where": "nowhere"})
        assert held.peers.sent(MatchResultReport)[0].result.details.status == "DRAW"


class TestIsolation:
    @requirement("004-ERR-08", "project-AGENT-01", "project-END-02")
    @pytest.mark.parametrize("where", ["legal_moves", "apply", "outcome"])
    async def test_a_game_that_breaks_does_not_touch_the_others(self, where: str):
        async with referee_harness() as held:
            gate = anyio.Event()

            async def patiently(call: Any) -> Any:
                await gate.wait()
                return choose("even")(call)

            held.peers.script(MoveCall, patiently, to="P03")
            await held.start("R1M2", players=("P03", "P04"))
            broken = await held.played(game_type="explosive", game_options={"where": where})
            assert broken.match.state is MatchState.ABORTED
            gate.set()
            whole = await held.ended("R1M2#1")
        assert whole.match.state is MatchState.REPORTED
        assert [report.match_id for report in held.peers.sent(MatchResultReport)] == ["R1M2"]
        ((level, details),) = held.journal.named("MATCH_FAILED")
        assert (level, details["match_id"]) == ("ERROR", "R1M1")
        assert "ZeroDivisionError" in details["reason"]
        assert re.fullmatch(rf"referee_harness\.py:\d+: ZeroDivisionError: in {where}", broken.game_fault)

    @requirement("000-REF-RESET-01")
    async def test_a_broken_match_can_be_asked_about_and_gives_its_place_free(self):
        async with referee_harness(most=1) as held:
            await held.played(game_type="explosive")
            await settle()
            assert (await held.call("match_status", {"match_id": "R1M1"}))["state"] == "ABORTED"
            await held.played("R1M2")

    async def test_a_match_that_broke_after_it_was_decided_is_reported_all_the_same(self):
        async with referee_harness() as held:
            held.peers.script(GameOver, ZeroDivisionError("a fault of ours"))
            await held.start()
            await settle()
            assert held.runner().match.state is MatchState.REPORTED
            assert held.journal.named("MATCH_FAILED")
        assert len(held.peers.sent(MatchResultReport)) == 1

    async def test_a_result_that_cannot_even_be_written_is_told_as_one_that_is_refused(self):
        async with referee_harness() as held:
            held.peers.script(GameOver, TypeError("no JSON"))
            held.peers.script(MatchResultReport, TypeError("no JSON"))
            await held.start(game_type="explosive", game_options={"where": "details"})
            await settle()
            told = await held.call("match_status", {"match_id": "R1M1"})
            assert (told["state"], told["reported"], told.get("report_refused")) == ("FINISHED", False, True)

    @requirement(
        "003-CAP-04", "003-IMPL-08", "004-TEST-11", "004-PERF-03", "project-AGENT-01", "000-REF-NOT-01", "003-LAYER-03"
    )
    async def test_fifty_matches_at_once(self):
        async with referee_harness(most=50) as held:
            for number in range(50):
                players = (f"P{2 * number + 1:02d}", f"P{2 * number + 2:02d}")
                await held.start(f"R1M{number + 1}", players=players)
            for number in range(50):
                await held.ended(f"R1M{number + 1}#1")
        reports = held.peers.sent(MatchResultReport)
        assert sorted(report.match_id for report in reports) == sorted(f"R1M{number}" for number in range(1, 51))
        for report in reports:
            assert len(report.result.score) == 2

    async def test_only_the_latest_finished_matches_are_remembered(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(known_matches, "FINISHED_KEPT", 2)
        async with referee_harness() as held:
            for number in range(1, 5):
                await held.played(f"R{number}M1")
            assert await refused(held, "match_status", {"match_id": "R1M1"}) == (7, "E007")
            assert (await held.call("match_status", {"match_id": "R4M1"}))["state"] == "REPORTED"


class TestByHand:
    """004 §3.2.3: the same match, a step at a time."""

    @requirement("003-TEST-I-02", "004-REF-02", "004-REF-03", "004-REF-04", "project-PROTO-08")
    async def test_a_whole_match(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, choose("odd"), to="P02")
            begun = await held.call("start_match", assignment(step_by_step=True), OPERATOR)
            assert begun["state"] == "COLLECTING_CHOICES"
            assert not held.peers.sent(MoveCall)
            this = {"game_session_id": begun["game_session_id"]}

            collected = await held.call("collect_choices", this, OPERATOR)
            assert (collected["state"], collected["choices"]) == ("DRAWING_NUMBER", {"P01": "even", "P02": "odd"})
            assert "result" not in collected

            drawn = await held.call("draw_number", this, OPERATOR)
            assert drawn["state"] == "FINISHED"
            assert drawn["result"]["drawn_number"] in range(1, 11)
            assert drawn["result"]["status"] == "WIN"
            assert drawn["reported"] is False
            assert not held.peers.sent(GameOver)

            final = await held.call("finalize_match", this, OPERATOR)
            assert (final["state"], final["reported"]) == ("REPORTED", True)
        assert len(held.peers.sent(GameOver)) == 2
        assert len(held.peers.sent(MatchResultReport)) == 1

    async def test_a_game_of_two_turns_goes_round(self):
        async with referee_harness() as held:
            message = assignment(step_by_step=True, game_type="rock_paper_scissors")
            await held.call("start_match", message, OPERATOR)
            this = {"match_id": "R1M1"}
            steps = ("collect_choices", "resolve_match") * 2
            states = [(await held.call(tool, this, OPERATOR))["state"] for tool in steps]
        assert states == ["RESOLVING", "COLLECTING_CHOICES", "RESOLVING", "FINISHED"]

    @requirement("project-PROTO-08")
    async def test_every_step_out_of_turn_is_refused_and_changes_nothing(self):
        order = ["collect_choices", "draw_number", "finalize_match"]
        async with referee_harness() as held:
            await held.call("start_match", assignment(step_by_step=True), OPERATOR)
            this = {"match_id": "R1M1"}
            for done in range(len(order) + 1):
                state = held.runner().match.state
                for tool in order[:done] + order[done + 1 :]:
                    assert await refused(held, tool, this, OPERATOR) == (8, "E008"), (done, tool)
                    assert held.runner().match.state is state
                if done < len(order):
                    await held.call(order[done], this, OPERATOR)

    async def test_a_match_that_plays_by_itself_takes_no_steps(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, never)
            await held.start()
            await settle()
            for tool in ("collect_choices", "draw_number", "finalize_match"):
                assert await refused(held, tool, {"match_id": "R1M1"}, OPERATOR) == (8, "E008")

    async def test_a_player_who_declines_decides_it_at_once(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, join(accept=False), to="P01")
            begun = await held.call("start_match", assignment(step_by_step=True), OPERATOR)
            assert begun["state"] == "FINISHED"
            status = await held.call("match_status", {"match_id": "R1M1"}, OPERATOR)
            assert (status["result"]["status"], status["result"]["winner_player_id"]) == ("TECHNICAL_LOSS", "P02")
            assert (await held.call("finalize_match", {"match_id": "R1M1"}, OPERATOR))["reported"] is True

    async def test_a_fault_in_the_last_step_leaves_nobody_waiting(self):
        async with referee_harness() as held:
            await held.call("start_match", assignment(step_by_step=True), OPERATOR)
            this = {"match_id": "R1M1"}
            for tool in ("collect_choices", "draw_number"):
                await held.call(tool, this, OPERATOR)
            held.peers.script(GameOver, ZeroDivisionError("a fault of ours"))
            answer = await held.call("finalize_match", this, OPERATOR)
            assert answer["reported"] is False

    @pytest.mark.parametrize(
        ("which", "code"),
        [
            ({}, (-32602, "E003")),
            ({"match_id": "R9M9"}, (7, "E007")),
            ({"game_session_id": "R1M1#7"}, (7, "E007")),
        ],
    )
    @pytest.mark.parametrize("tool", ["match_status", "collect_choices", "draw_number", "finalize_match"])
    async def test_it_has_to_be_clear_which_match_is_meant(self, tool: str, which: Any, code: tuple[int, str]):
        async with referee_harness() as held:
            await held.played()
            assert await refused(held, tool, which, OPERATOR) == code

    async def test_the_match_id_means_its_latest_attempt(self):
        async with referee_harness() as held:
            await held.played()
            held.peers.script(GameInvitation, never)
            await held.start(attempt=2)
            await settle()
            status = await held.call("match_status", {"match_id": "R1M1"})
        assert (status["game_session_id"], status["state"]) == ("R1M1#2", "WAITING_FOR_PLAYERS")


class TestTheCourseOfTheLeague:
    async def test_it_becomes_active_with_the_first_round_and_ends_with_the_league(self):
        async with referee_harness() as held:
            assert held.service.life.state is AgentState.REGISTERED
            for _ in range(2):
                answer = await held.call("notify_round", round_one("ROUND_ANNOUNCEMENT", matches=[]))
                assert (answer["message_type"], answer["referee_id"], answer["round_id"]) == (
                    "ROUND_ANNOUNCEMENT_ACK",
                    "REF01",
                    1,
                )
            assert held.service.life.state is AgentState.ACTIVE
            done = round_one("ROUND_COMPLETED", matches_played=1, next_round_id=None)
            assert (await held.call("notify_round_completed", done))["referee_id"] == "REF01"
            assert not held.over.is_set()
            for _ in range(2):
                answer = await held.call("notify_league_completed", the_end())
                assert (answer["message_type"], answer["status"]) == ("LEAGUE_COMPLETED_ACK", "ACKNOWLEDGED")
            assert held.service.life.state is AgentState.SHUTDOWN
            assert held.over.is_set()

    async def test_a_referee_without_an_id_leaves_it_out(self):
        async with referee_harness() as held:
            held.seat.settle(None)
            answer = await held.call("notify_round", round_one("ROUND_ANNOUNCEMENT", matches=[]))
            await held.played(league_id=None)
        assert "referee_id" not in answer
        assert held.peers.sent(MatchResultReport)[0].league_id == "none"


class TestWhoMayCall:
    @pytest.mark.parametrize("tool", ["start_match", "match_status", "notify_round", "notify_league_completed"])
    async def test_only_the_manager_and_the_operator(self, tool: str):
        messages = {
            "start_match": assignment(),
            "match_status": {"match_id": "R1M1"},
            "notify_round": round_one("ROUND_ANNOUNCEMENT", matches=[]),
            "notify_league_completed": the_end(),
        }
        async with referee_harness() as held:
            await held.played("R1M1")
            with pytest.raises(CallRefused) as caught:
                await held.agent.call(tool, messages[tool], context())
            assert caught.value.data is not None
            assert caught.value.data["error_code"] == "E011"
            for token in ("a guess", "the referee's own token", "ticket of P01"):
                assert (await refused(held, tool, messages[tool], token))[1] == "E012"
            for token in (PEER_TOKEN, OPERATOR):
                assert await held.call(tool, messages[tool], token)

    @requirement("project-PROTO-07")
    @pytest.mark.parametrize("tool", ["collect_choices", "draw_number", "resolve_match", "finalize_match"])
    async def test_steps_by_hand_are_the_operators(self, tool: str):
        async with referee_harness() as held:
            assert await refused(held, tool, {"match_id": "R1M1"}, PEER_TOKEN) == (12, "E012")
            assert await refused(held, tool, {"match_id": "R1M1"}, OPERATOR) == (7, "E007")

    async def test_a_manager_that_gives_no_peer_token_is_believed(self):
        async with referee_harness(credentials=Credentials("REF01", LEAGUE, "own")) as held:
            assert (await held.call("start_match", assignment(), "whatever"))["status"] == "ACCEPTED"

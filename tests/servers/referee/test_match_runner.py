"""One match, from its invitations to its report, with players of every kind."""

from dataclasses import replace
from typing import Any

import anyio
import pytest

from clients.message_queue import Overloaded
from game_rules.even_odd import EvenOdd
from league_sdk.domain.lifecycles import MatchState
from league_sdk.domain.matches.causes import GONE_CONNECT_SEC
from league_sdk.domain.model import Cause, MatchResult, ResultStatus
from league_sdk.errors import (
    AuthTokenInvalid,
    DuplicateReport,
    InternalError,
    InvalidField,
    InvalidState,
    MatchNotFound,
    PeerUnreachable,
    RateLimited,
    ResponseTimeout,
)
from league_sdk.ports import MalformedReply, Priority, SaysUnreachable
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.match import (
    GameError,
    GameInvitation,
    GameJoinAck,
    GameOver,
    MatchResultReport,
    MoveCall,
    MoveResponse,
)
from tests.requirements.marker import requirement
from tests.servers.fakes import NATURAL, NOW, Sent, SteppingClock, choose, join, never, settle
from tests.servers.referee.referee_harness import LIMITS, RefereeHarness, referee_harness

pytestmark = pytest.mark.anyio

SILENT = ResponseTimeout("no answer in time")
GONE = PeerUnreachable("connection refused")


async def result_of(held: RefereeHarness, **changes: Any) -> MatchResult:
    """Play a match and return what was reported."""
    await held.played(**changes)
    (report,) = held.peers.sent(MatchResultReport)
    result = held.runner().result
    assert result is not None
    assert report.result.winner == result.winner
    assert report.result.status == result.status
    return result


class TestAMatchThatGoesWell:
    @requirement(
        "000-REF-NOT-03",
        "002-NOTE-06",
        "003-TYPE-14",
        "003-REF-04",
        "003-REF-06",
        "003-REF-10",
        "003-REF-11",
        "003-TEST-I-02",
        "004-FLOW-02",
        "004-TEST-10",
    )
    async def test_a_player_is_invited_asked_and_told(self):
        async with referee_harness() as held:
            await held.played()
        for player in ("P01", "P02"):
            assert held.peers.order(player) == ["GAME_INVITATION", "CHOOSE_PARITY_CALL", "GAME_OVER"]
        assert held.peers.order("league_manager") == ["MATCH_RESULT_REPORT"]

    @requirement("001-COMP-03", "003-FORMAT-03")
    async def test_both_are_asked_at_once_and_nobody_before_both_are_there(self):
        async with referee_harness() as held:
            await held.played()
        kinds = [call.message.message_type for call in held.peers.calls]
        assert kinds == [
            "GAME_INVITATION",
            "GAME_INVITATION",
            "CHOOSE_PARITY_CALL",
            "CHOOSE_PARITY_CALL",
            "GAME_OVER",
            "GAME_OVER",
            "MATCH_RESULT_REPORT",
        ]

    @requirement(
        "000-REF-ASSIGN-03",
        "000-REF-REPORT-01",
        "000-MAP-06",
        "001-ERR-04",
        "002-TIME-01",
        "002-TIME-02",
        "002-TIME-03",
        "003-LIMIT-04",
        "003-LIMIT-05",
        "003-REF-05",
        "003-REF-07",
        "004-TEST-12",
        "003-LIMIT-02",
        "003-LIMIT-03",
    )
    async def test_every_call_has_its_own_limit_and_shows_the_players_ticket(self):
        async with referee_harness() as held:
            await held.played()
        limits = {type(call.message): (call.timeout, call.priority) for call in held.peers.calls}
        assert limits == {
            GameInvitation: (5.0, Priority.MATCH),
            MoveCall: (30.0, Priority.MATCH),
            GameOver: (10.0, Priority.MATCH),
            MatchResultReport: (10.0, Priority.RESULT),
        }
        assert {call.peer.token for call in held.peers.calls if call.to == "P02"} == {"ticket of P02"}
        assert {call.retry for call in held.peers.calls if call.to == "P02"} == {False}

    @requirement("003-TYPE-10", "003-REF-04", "004-MSG-06", "002-INV-01")
    async def test_an_invitation_tells_seat_opponent_and_attempt(self):
        async with referee_harness() as held:
            await held.played(attempt=2)
        (first,) = held.peers.sent(GameInvitation, "P01")
        (second,) = held.peers.sent(GameInvitation, "P02")
        assert (first.player_id, first.role_in_match, first.opponent_id) == ("P01", "PLAYER_A", "P02")
        assert (second.player_id, second.role_in_match, second.opponent_id) == ("P02", "PLAYER_B", "P01")
        assert (first.opponent_name, first.attempt, first.sender) == ("Name of P02", 2, "referee:REF01")

    @requirement("002-CALL-07")
    async def test_the_whole_match_is_one_conversation(self):
        async with referee_harness() as held:
            await held.played()
        assert len({call.message.conversation_id for call in held.peers.calls}) == 1

    @requirement("000-REF-JOIN-05", "002-CALL-03", "003-TYPE-12", "004-MSG-06", "002-CALL-01", "002-CALL-02")
    async def test_a_call_for_a_move_tells_what_the_player_needs_to_know(self):
        rows = [
            {
                "rank": 1,
                "player_id": "P01",
                "display_name": "Ada",
                "played": 2,
                "wins": 1,
                "draws": 1,
                "losses": 0,
                "points": 4,
            }
        ]
        async with referee_harness() as held:
            await held.played(standings=rows)
        (call,) = held.peers.sent(MoveCall, "P01")
        context = call.context
        assert (context.opponent_id, context.round_id, context.turn) == ("P02", 1, 1)
        assert context.legal_moves == ("even", "odd")
        assert (context.your_standings.wins, context.your_standings.points) == (1, 4)
        assert (call.deadline, call.time_limit_sec) == ("2025-01-15T10:00:30Z", 30)
        (other,) = held.peers.sent(MoveCall, "P02")
        assert (other.context.your_standings.wins, other.context.your_standings.points) == (0, 0)

    @requirement("000-REF-RESP-01", "003-ORCH-02")
    async def test_nobody_is_shown_a_choice_before_both_have_chosen(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, choose("odd"), to="P01")
            await held.played()
        for call in held.peers.sent(MoveCall):
            assert not any((call.context.moves_so_far or {}).values())

    async def test_equal_choices_are_a_draw(self):
        async with referee_harness() as held:
            result = await result_of(held)
        assert (result.status, result.winner, dict(result.score)) == (ResultStatus.DRAW, None, {"P01": 1, "P02": 1})

    @requirement("000-REF-REPORT-01", "003-REF-10", "004-TEST-10")
    async def test_different_choices_have_a_winner_with_three_points(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, choose("odd"), to="P02")
            result = await result_of(held)
        winner = "P01" if result.details["number_parity"] == "even" else "P02"
        assert (result.status, result.winner, result.score[winner]) == (ResultStatus.WIN, winner, 3)
        for player in ("P01", "P02"):
            (told,) = held.peers.sent(GameOver, player)
            assert told.game_result.winner_player_id == winner
            assert told.game_result.choices == {"P01": "even", "P02": "odd"}

    async def test_the_points_are_those_of_the_league(self):
        async with referee_harness() as held:
            scoring = {"win": 2, "draw": 7, "loss": 0, "technical_loss": -1}
            result = await result_of(held, scoring=scoring)
        assert dict(result.score) == {"P01": 7, "P02": 7}

    async def test_a_game_of_many_turns_shows_what_was_played(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, choose("paper"), choose("rock"), to="P01")
            held.peers.script(MoveCall, choose("rock"), choose("rock"), to="P02")
            result = await result_of(held, game_type="rock_paper_scissors")
        assert result.winner == "P01"
        first, second = held.peers.sent(MoveCall, "P02")
        assert (first.context.turn, second.context.turn) == (1, 2)
        assert second.context.moves_so_far == {"P01": ("paper",), "P02": ("rock",)}
        assert second.context.observation["rounds_won"] == {"P01": 1, "P02": 0}

    async def test_the_same_seed_gives_the_same_match(self):
        numbers: list[Any] = []
        for _ in range(2):
            async with referee_harness() as held:
                result = await result_of(held, seed="seven")
                numbers.append(result.details["drawn_number"])
        assert numbers[0] == numbers[1]

    @requirement("000-REF-RESP-03")
    async def test_the_course_is_noted_with_its_times(self):
        async with referee_harness() as held:
            result = await result_of(held)
        assert list(result.lifecycle) == [
            "CREATED",
            "WAITING_FOR_PLAYERS",
            "COLLECTING_CHOICES",
            "DRAWING_NUMBER",
            "FINISHED",
        ]
        states = [details["state"] for _, details in held.journal.named("MATCH_STATE")]
        assert states == [*list(result.lifecycle)[1:3], "FINISHED", "REPORTED"]


class TestTheTranscript:
    async def test_it_tells_every_message_in_order(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, choose("odd"), to="P02")
            await held.played()
        (report,) = held.peers.sent(MatchResultReport)
        entries = report.result.transcript
        assert [entry["sequence"] for entry in entries] == list(range(1, len(entries) + 1))
        one = [
            (entry["message_type"], "to" if "to" in entry else "from") for entry in entries if "P02" in entry.values()
        ]
        assert one == [
            ("GAME_INVITATION", "to"),
            ("GAME_JOIN_ACK", "from"),
            ("CHOOSE_PARITY_CALL", "to"),
            ("MOVE_RESPONSE", "from"),
            ("GAME_OVER", "to"),
            ("GAME_OVER_ACK", "from"),
        ]
        assert next(entry["choice"] for entry in entries if entry.get("from") == "P02" and "choice" in entry) == "odd"

    async def test_a_declined_invitation_does_not_look_like_a_join(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, join(accept=False), to="P02")
            await held.played()
        (report,) = held.peers.sent(MatchResultReport)
        answers = {
            entry["from"]: entry for entry in report.result.transcript if entry["message_type"] == "GAME_JOIN_ACK"
        }
        assert answers["P01"]["accept"] is True
        assert answers["P02"]["accept"] is False

    @requirement("001-ERR-04")
    async def test_a_failed_call_is_told_with_its_code(self):
        async with referee_harness(max_retries=0) as held:
            held.peers.script(MoveCall, SILENT, to="P01")
            await held.played()
        (report,) = held.peers.sent(MatchResultReport)
        (entry,) = [entry for entry in report.result.transcript if "error_code" in entry]
        assert (entry["from"], entry["message_type"], entry["error_code"]) == ("P01", "CHOOSE_PARITY_CALL", "E001")
        assert entry["error"] == "no answer in time"

    async def test_a_stand_ins_moves_are_marked_and_everybody_is_told_of_it(self):
        async with referee_harness(max_retries=0) as held:
            held.peers.script(MoveCall, choose(1), to="P01")
            held.peers.script(MoveCall, choose(2), to="P02")
            held.peers.script(MoveCall, SILENT, to="P03")
            await held.played(players=("P01", "P02", "P03"), game_type="lowest_unique_number")
        (report,) = held.peers.sent(MatchResultReport)
        marked = [entry for entry in report.result.transcript if entry["message_type"] == "STAND_IN_MOVE"]
        assert [(entry["for"], entry["turn"]) for entry in marked] == [("P03", turn) for turn in range(1, 6)]
        assert all(entry["choice"] in (1, 2, 3, 4, 5) and "from" not in entry for entry in marked)
        assert report.result.details.model_extra["stand_ins"] == {"P03": 1}
        told = [call.context.stand_ins for call in held.peers.sent(MoveCall, to="P01")]
        assert told == [None, *[("P03",)] * 4]
        assert [call.context.turn for call in held.peers.sent(MoveCall, to="P03")] == [1]
        assert len(held.peers.sent(GameOver)) == 3

    async def test_no_ticket_stands_in_it(self):
        async with referee_harness() as held:
            await held.played()
        (report,) = held.peers.sent(MatchResultReport)
        assert "ticket of" not in str(report.result)


def signed(sender: str, kind: type[Any], *, player: str = "P02", **fields: Any) -> Any:
    if sender:
        fields["sender"] = sender
    return lambda call: kind(timestamp=NOW, conversation_id="c", match_id="R1M1", player_id=player, **fields)


def wrong_player(kind: type[Any], **fields: Any) -> Any:
    return signed("player:P09", kind, player="P09", **fields)


class TestTechnicalLosses:
    @pytest.mark.parametrize("sender", ["player:P01", "player:P09", "referee:P02", "league_manager"])
    async def test_who_signs_as_somebody_else_does_not_come(self, sender: str):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, signed(sender, GameJoinAck, accept=True, arrival_timestamp=NOW), to="P02")
            (fault,) = (await result_of(held)).faults
        assert (fault.player_id, fault.cause, fault.error_code) == ("P02", Cause.MALFORMED_REPLY, "E002")
        assert sender in fault.description

    @pytest.mark.parametrize("sender", ["player:P02", "player:Agent Beta", ""])
    async def test_who_signs_with_its_id_or_its_name_or_not_at_all_comes(self, sender: str):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, signed(sender, GameJoinAck, accept=True, arrival_timestamp=NOW), to="P02")
            assert (await result_of(held)).faults == ()

    @requirement(
        "000-REF-ASSIGN-03",
        "001-ERR-01",
        "002-TIME-01",
        "002-GERR-04",
        "003-CODE-01",
        "003-REF-05",
        "004-TEST-12",
        "003-LIMIT-02",
    )
    @pytest.mark.parametrize(
        ("answer", "cause", "code", "tries"),
        [
            pytest.param(SILENT, Cause.NO_JOIN, "E001", 4, id="silent"),
            pytest.param(GONE, Cause.CONNECTION_REFUSED, "E009", 2, id="not there"),
            pytest.param(PeerUnreachable("broke", dropped=True), Cause.CONNECTION_DROPPED, "E009", 2, id="hangs up"),
            pytest.param(SaysUnreachable("I am not here"), Cause.MALFORMED_REPLY, "E009", 4, id="says that it is gone"),
            pytest.param(MalformedReply("nonsense", "x"), Cause.MALFORMED_REPLY, "E002", 1, id="nonsense"),
            pytest.param(InternalError("boom"), Cause.CRASHED_HANDLER, "E099", 1, id="crashes"),
            pytest.param(AuthTokenInvalid("no"), Cause.MALFORMED_REPLY, "E012", 1, id="does not know the referee"),
            pytest.param(join(accept=False), Cause.DECLINED, "E008", 1, id="declines"),
            pytest.param(
                wrong_player(GameJoinAck, accept=True, arrival_timestamp=NOW),
                Cause.MALFORMED_REPLY,
                "E002",
                1,
                id="answers as somebody else",
            ),
        ],
    )
    async def test_who_does_not_come(self, answer: Any, cause: Cause, code: str, tries: int):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, answer, to="P02")
            result = await result_of(held)
        assert (result.status, result.winner) == (ResultStatus.TECHNICAL_LOSS, "P01")
        assert dict(result.score) == {"P01": 3, "P02": 0}
        (fault,) = result.faults
        assert (fault.player_id, fault.cause, fault.error_code) == ("P02", cause, code)
        assert (fault.phase, fault.tries) == ("join", tries)
        assert len(held.peers.sent(GameInvitation, "P02")) == tries
        assert not held.peers.sent(MoveCall)

    @requirement(
        "001-ERR-01",
        "002-TIME-02",
        "002-GERR-02",
        "002-GERR-04",
        "003-CODE-01",
        "003-REF-07",
        "004-TEST-12",
        "003-LIMIT-03",
    )
    @pytest.mark.parametrize(
        ("answer", "cause", "code", "tries"),
        [
            pytest.param(SILENT, Cause.NO_MOVE, "E001", 4, id="silent"),
            pytest.param(GONE, Cause.CONNECTION_REFUSED, "E009", 2, id="not there"),
            pytest.param(PeerUnreachable("broke", dropped=True), Cause.CONNECTION_DROPPED, "E009", 2, id="hangs up"),
            pytest.param(SaysUnreachable("I am not here"), Cause.MALFORMED_REPLY, "E009", 4, id="says that it is gone"),
            pytest.param(MalformedReply("nonsense", "x"), Cause.MALFORMED_REPLY, "E002", 1, id="nonsense"),
            pytest.param(InternalError("boom"), Cause.CRASHED_HANDLER, "E099", 1, id="crashes"),
            pytest.param(choose("EVEN"), Cause.ILLEGAL_MOVE, "E004", 4, id="illegal"),
            pytest.param(choose(None), Cause.ILLEGAL_MOVE, "E004", 4, id="nothing"),
            pytest.param(wrong_player(MoveResponse, move="even"), Cause.MALFORMED_REPLY, "E002", 1, id="somebody else"),
        ],
    )
    async def test_who_does_not_move(self, answer: Any, cause: Cause, code: str, tries: int):
        async with referee_harness() as held:
            held.peers.script(MoveCall, answer, to="P01")
            result = await result_of(held)
        assert (result.status, result.winner) == (ResultStatus.TECHNICAL_LOSS, "P02")
        assert dict(result.score) == {"P01": 0, "P02": 3}
        (fault,) = result.faults
        assert (fault.player_id, fault.cause, fault.error_code) == ("P01", cause, code)
        assert (fault.phase, fault.tries) == ("move", tries)
        assert len(held.peers.sent(MoveCall, "P01")) == tries
        assert len(held.peers.sent(MoveCall, "P02")) == 1

    async def test_both_at_fault_is_nobodys_win(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, GONE)
            result = await result_of(held)
        assert (result.status, result.winner) == (ResultStatus.TECHNICAL_LOSS, None)
        assert dict(result.score) == {"P01": 0, "P02": 0}
        assert {fault.player_id for fault in result.faults} == {"P01", "P02"}

    async def test_a_technical_loss_has_the_games_own_fields_as_null_and_the_choices(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, GONE, to="P01")
            held.peers.script(MoveCall, choose("odd"), to="P02")
            await result_of(held)
        (told,) = held.peers.sent(GameOver, "P02")
        written = Codec([EvenOdd.move_spec]).render(told)["game_result"]
        assert {"drawn_number": None, "number_parity": None, "choices": {"P02": "odd"}}.items() <= written.items()
        assert written["winner_player_id"] == "P02"

    async def test_the_evidence_says_what_was_sent_and_how_long_it_took(self):
        clock = SteppingClock()

        async def slow(call: Sent) -> Any:
            await clock.sleep(30)
            return SILENT

        async with referee_harness(clock=clock, max_retries=0) as held:
            held.peers.script(MoveCall, slow, to="P01")
            await held.start()
            await settle()
            await clock.pass_by(31)
            await held.ended("R1M1#1")
            result = held.runner().result
        assert result is not None
        evidence = result.faults[0].evidence
        assert evidence["sent"] == "CHOOSE_PARITY_CALL"
        assert evidence["sent_at"] == "2025-01-15T10:00:00.000Z"
        assert (evidence["elapsed_sec"], evidence["limit_sec"], evidence["try"]) == (30.0, 30.0, 1)
        assert (evidence["error_code"], evidence["error"]) == ("E001", "no answer in time")

    async def test_nonsense_is_kept_as_evidence(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, MalformedReply("no move in it", {"hello": "world"}), to="P01")
            result = await result_of(held)
        assert result.faults[0].evidence["received"] == {"hello": "world"}

    @requirement("000-REF-REPORT-01", "000-PL-FAIL-01")
    async def test_a_player_who_does_not_listen_to_the_result_changes_nothing(self):
        async with referee_harness() as held:
            held.peers.script(GameOver, GONE, to="P01")
            held.peers.script(GameOver, MalformedReply("x"), to="P02")
            result = await result_of(held)
        assert result.status is ResultStatus.DRAW


class TestTryingAgain:
    async def test_a_player_is_told_before_each_new_try(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, SILENT, GONE, join(), to="P01")
            held.peers.script(MoveCall, choose("maybe"), choose("even"), to="P01")
            result = await result_of(held)
        assert result.status is ResultStatus.DRAW
        assert held.peers.order("P01") == [
            "GAME_INVITATION",
            "GAME_ERROR",
            "GAME_INVITATION",
            "GAME_ERROR",
            "GAME_INVITATION",
            "CHOOSE_PARITY_CALL",
            "GAME_ERROR",
            "CHOOSE_PARITY_CALL",
            "GAME_OVER",
        ]

    @requirement("002-GERR-01", "002-GERR-04", "003-TYPE-16", "003-TYPE-17", "002-INV-04")
    async def test_the_notice_says_what_went_wrong_and_what_follows(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, SILENT, join(), to="P01")
            held.peers.script(MoveCall, choose("maybe"), choose("even"), to="P01")
            await held.played()
        late, illegal = held.peers.sent(GameError, "P01")
        assert (late.error_code, late.error_description, late.action_required) == (
            "E001",
            "TIMEOUT_ERROR",
            "GAME_JOIN_ACK",
        )
        assert (late.retryable, late.retry_count, late.max_retries, late.affected_player) == (True, 1, 3, "P01")
        assert late.match_id == illegal.match_id == "R1M1"
        assert "technical loss" in late.consequence
        assert (illegal.error_code, illegal.error_description, illegal.action_required) == (
            "E004",
            "INVALID_PARITY_CHOICE",
            "CHOOSE_PARITY_RESPONSE",
        )

    @requirement("002-TIME-03", "003-LIMIT-05")
    async def test_a_notice_has_the_time_of_any_other_message(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, SILENT, join(), to="P01")
            await held.played()
        assert {call.timeout for call in held.peers.calls if isinstance(call.message, GameError)} == {10.0}

    @requirement("000-REF-JTIME-03")
    async def test_a_notice_that_does_not_arrive_holds_nothing_up(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, SILENT, join(), to="P01")
            held.peers.script(GameError, GONE, to="P01")
            result = await result_of(held)
        assert result.status is ResultStatus.DRAW

    async def test_the_pauses_grow_and_jitter(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, SILENT, to="P02")
            await held.played()
        pauses = held.clock.slept
        assert len(pauses) == 3
        assert all(0 <= pause <= 2.0 * 2**index for index, pause in enumerate(pauses))
        assert len(set(pauses)) == 3

    async def test_a_player_that_is_gone_is_asked_once_more_after_the_whole_backoff(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, GONE, to="P02")
            await held.played()
        assert held.clock.slept == [2.0]

    async def test_a_player_that_was_gone_at_its_last_match_is_asked_once_and_has_three_seconds_to_connect(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, GONE, to="P02")
            result = await result_of(held, player_B_gone_in="R1M2")
            (asked,) = [
                call for call in held.peers.calls if call.to == "P02" and isinstance(call.message, GameInvitation)
            ]
        assert asked.peer.connect_sec == GONE_CONNECT_SEC
        assert held.clock.slept == []
        assert [(fault.tries, fault.evidence["gone_in"]) for fault in result.faults] == [(1, "R1M2")]

    async def test_a_player_that_was_gone_at_its_last_match_and_is_back_has_all_its_tries(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, GONE, choose("odd"), to="P02")
            result = await result_of(held, player_B_gone_in="R1M2")
            asked = [call.peer.connect_sec for call in held.peers.calls if call.to == "P02"]
        assert result.faults == ()
        assert asked[0] == GONE_CONNECT_SEC
        assert set(asked[1:]) == {None}

    @pytest.mark.parametrize("failure", [SILENT, GONE], ids=["silent", "gone"])
    async def test_a_match_hardly_waits_for_notices_to_a_player_that_gave_no_answer(self, failure: Any):
        async with referee_harness(limits=lambda *_: replace(LIMITS, response=0.01)) as held:
            held.peers.script(GameInvitation, failure, to="P02")
            held.peers.script(GameError, never)
            held.peers.script(GameOver, never, to="P02")
            result = await result_of(held)
        assert [fault.player_id for fault in result.faults] == ["P02"]
        notices = [
            entry["to"]
            for entry in result.transcript
            if entry["message_type"] in ("GAME_ERROR", "GAME_OVER") and "to" in entry
        ]
        assert notices.count("P02") == result.faults[0].tries

    async def test_nobody_waits_for_somebody_elses_retries_but_all_are_heard(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, SILENT, SILENT, choose("odd"), to="P01")
            result = await result_of(held)
        assert result.faults == ()
        assert len(held.peers.sent(MoveCall, "P02")) == 1


class TestTooMuchToDo:
    async def test_a_player_is_not_blamed_for_our_own_full_queue(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, Overloaded("no turn"), Overloaded("no turn"), join(), to="P01")
            held.peers.script(MoveCall, Overloaded("no turn"), choose("even"), to="P02")
            result = await result_of(held)
        assert result.status is ResultStatus.DRAW
        assert result.faults == ()
        assert not held.peers.sent(GameError)
        assert len(held.journal.named("OVERLOADED")) == 3
        assert len(held.clock.slept) == 3
        assert min(held.clock.slept) > 0


class TestTheReport:
    @requirement("003-REF-11", "000-REF-REPORT-03", "000-REF-REPORT-04")
    async def test_it_is_repeated_until_the_manager_has_it(self):
        async with referee_harness() as held:
            held.peers.script(MatchResultReport, GONE, SILENT, RateLimited("busy"), NATURAL[MatchResultReport])
            runner = await held.played()
        assert runner.match.state is MatchState.REPORTED
        reports = held.peers.sent(MatchResultReport)
        assert len(reports) == 4
        assert len({report.result.model_dump_json() for report in reports}) == 1
        assert len(held.journal.named("REPORT_DELAYED")) == 3
        assert len(held.clock.slept) == 3

    @pytest.mark.parametrize("refusal", [DuplicateReport("no"), InvalidState("void"), MatchNotFound("another's")])
    async def test_it_ends_when_the_manager_wants_it_no_more(self, refusal: Exception):
        async with referee_harness() as held:
            held.peers.script(MatchResultReport, refusal)
            runner = await held.played()
        assert runner.match.state is MatchState.REPORTED
        assert len(held.peers.sent(MatchResultReport)) == 1
        ((level, details),) = held.journal.named("REPORT_UNWANTED")
        assert (level, details["match_id"]) == ("WARNING", "R1M1")

    @requirement("project-TRUST-05")
    @pytest.mark.parametrize("refusal", [InvalidField("no"), InternalError("oops"), AuthTokenInvalid("no")])
    async def test_what_is_refused_is_reported_again_without_its_evidence(self, refusal: Exception):
        async with referee_harness() as held:
            held.peers.script(MoveCall, MalformedReply("no move in it", {"hello": "world"}), to="P01")
            held.peers.script(MatchResultReport, refusal, NATURAL[MatchResultReport])
            runner = await held.played()
        assert runner.match.state is MatchState.REPORTED
        whole, bare = held.peers.sent(MatchResultReport)
        assert (whole.evidence_omitted, bare.evidence_omitted) == (None, True)
        assert (whole.result.winner, whole.result.score) == (bare.result.winner, bare.result.score)
        assert (bare.result.faults[0].cause, bare.result.faults[0].evidence) == (Cause.MALFORMED_REPLY, None)
        assert bare.result.transcript is None
        assert whole.result.transcript
        ((level, details),) = held.journal.named("REPORT_REFUSED")
        assert (level, details["match_id"]) == ("ERROR", "R1M1")

    @requirement("project-TRUST-05")
    async def test_one_that_is_refused_without_its_evidence_stays_decided_and_is_offered_again(self):
        clock = SteppingClock()
        async with referee_harness(clock=clock) as held:
            held.peers.script(MatchResultReport, InvalidField("no"))
            await held.start()
            await settle()
            told = await held.call("match_status", {"match_id": "R1M1"})
            assert (told["state"], told["reported"], told["report_refused"]) == ("FINISHED", False, True)
            held.peers.script(MatchResultReport, InvalidState("void"))
            await clock.pass_by(6)
            assert (await held.ended("R1M1#1")).match.state is MatchState.REPORTED
        omitted = [report.evidence_omitted for report in held.peers.sent(MatchResultReport)]
        assert omitted[:2] == [None, True]
        assert all(omitted[1:])

    async def test_an_acknowledgement_that_cannot_be_read_is_one(self):
        async with referee_harness() as held:
            held.peers.script(MatchResultReport, MalformedReply("?"))
            runner = await held.played()
        assert runner.match.state is MatchState.REPORTED
        assert held.journal.named("REPORT_UNREADABLE_ACK")[0][0] == "ERROR"

    @requirement("000-REF-REPORT-02", "002-REPORT-03")
    async def test_it_comes_after_the_players_were_told(self):
        async with referee_harness() as held:
            gate = anyio.Event()

            async def slowly(call: Sent) -> Any:
                await gate.wait()
                return GONE

            held.peers.script(GameOver, slowly, to="P02")
            await held.start()
            await settle()
            assert len(held.peers.sent(GameOver)) == 2
            assert not held.peers.sent(MatchResultReport)
            gate.set()
            await held.ended("R1M1#1")

    async def test_it_says_which_attempt_it_is_about(self):
        async with referee_harness() as held:
            await held.played(attempt=3)
        (report,) = held.peers.sent(MatchResultReport)
        assert (report.attempt, report.round_id, report.match_id, report.game_type) == (3, 1, "R1M1", "even_odd")


class TestGivingUp:
    async def test_a_match_can_be_given_up_until_it_is_decided(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, never)
            await held.start()
            await settle()
            held.runner().abort("the referee was told to")
            runner = await held.ended("R1M1#1")
            await settle()
        assert runner.match.state is MatchState.ABORTED
        assert runner.match.abort_reason == "the referee was told to"
        assert not runner.alive
        assert not held.peers.sent(MatchResultReport)

    async def test_but_not_after(self):
        async with referee_harness() as held:
            runner = await held.played()
            runner.abort("too late")
        assert runner.match.state is MatchState.REPORTED

    async def test_nobody_waits_for_a_match_in_which_nothing_can_happen_any_more(self):
        async with referee_harness() as held:
            held.peers.script(MoveCall, never)
            await held.start()
            await settle()
            runner = held.runner()
            waiting: list[MatchState] = []

            async def wait() -> None:
                waiting.append((await runner.until(lambda match: match.state is MatchState.REPORTED)).state)

            held.tasks.start_soon(wait)
            await settle()
            runner.abort("given up")
            await settle()
        assert waiting == [MatchState.ABORTED]

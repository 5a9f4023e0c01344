"""Every way that a match can go, with two small games made for the purpose."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.bounds import Bounds
from league_sdk.clock import HashRng
from league_sdk.domain.lifecycles import MatchState
from league_sdk.domain.matches.causes import GONE, GONE_TRIES, RULES, AskedAgain
from league_sdk.domain.matches.match import RETRIED_CODES, RETURNED_CODES, new_match, step
from league_sdk.domain.matches.match_io import (
    Abort,
    AskForMove,
    Begin,
    Collect,
    Failure,
    Finalize,
    Invite,
    Joined,
    JoinFailed,
    MoveFailed,
    MoveMade,
    NotifyError,
    Reported,
    Resolve,
    SendGameOver,
    SendReport,
)
from league_sdk.domain.model import Cause, ResultStatus, Scoring
from league_sdk.errors import InvalidState
from league_sdk.game import Game, MoveSpec, Outcome
from tests.requirements.marker import requirement

A, B = "P01", "P02"


@dataclass(frozen=True)
class Shown:
    """Rounds of showing fingers, and what was shown."""

    players: tuple
    shown: tuple = ()
    drawn: tuple = ()


class Fingers(Game):
    """Both show one or two fingers at once; more fingers over all rounds win. Chance draws a number and ignores it."""

    name = "fingers"
    move_spec = MoveSpec(resolving_label="COUNTING")

    def __init__(self, rounds=1):
        self.rounds = rounds

    def start(self, players, rng):
        return Shown(tuple(players), drawn=(rng.randint(1, 1000),))

    def to_move(self, state):
        return () if len(state.shown) == self.rounds else state.players

    def legal_moves(self, state, player):
        return ("one", "two")

    def apply(self, state, moves, rng):
        return replace(state, shown=(*state.shown, dict(moves)), drawn=(*state.drawn, rng.randint(1, 1000)))

    def outcome(self, state):
        if len(state.shown) < self.rounds:
            return None
        scores = {player: sum(1 + (shown[player] == "two") for shown in state.shown) for player in state.players}
        best = [player for player in state.players if scores[player] == max(scores.values())]
        winner = best[0] if len(best) == 1 else None
        return Outcome(winner, scores, f"{scores}", {"shown": list(state.shown), "drawn": list(state.drawn)})


class Pile(Game):
    """Players take one or two from a pile in turn; who takes the last one wins."""

    name = "pile"

    def __init__(self, size=4):
        self.size = size

    def start(self, players, rng):
        return (self.size, tuple(players))

    def to_move(self, state):
        left, order = state
        return order[:1] if left else ()

    def legal_moves(self, state, player):
        return tuple(range(1, min(2, state[0]) + 1))

    def apply(self, state, moves, rng):
        left, (mover, *others) = state
        assert set(moves) == {mover}
        return (left - moves[mover], (*others, mover))

    def outcome(self, state):
        left, order = state
        return None if left else Outcome(order[-1], {}, f"{order[-1]} took the last one")


@dataclass
class Bench:
    """Drives a match, counts the time, and keeps what it was told to do last."""

    match: Any
    told: tuple = ()
    ticks: int = 0
    log: list = field(default_factory=list)

    def do(self, kind, *arguments, **options):
        self.ticks += 1
        self.match, self.told = step(self.match, kind(*arguments, at=f"t{self.ticks}", **options))
        self.log += self.told
        return self.told

    def unmoved_by(self, kind, *arguments, **options):
        before = self.match
        assert self.do(kind, *arguments, **options) == ()
        return self.match is before

    def begin(self):
        self.do(Begin)
        return self

    def join(self):
        self.begin().do(Joined, A)
        self.do(Joined, B)
        return self


def bench(game=None, **options):
    settings: dict[str, Any] = {
        "match_id": "R1M1",
        "round_id": 1,
        "players": (A, B),
        "referee_id": "REF01",
        "seed": "s",
    }
    return Bench(new_match(game or Fingers(), **{**settings, **options}))


TIMEOUT = Failure(Cause.NO_MOVE, "E001", retryable=True, description="no answer in time", evidence={"waited": 5})
REFUSED = Failure(Cause.CONNECTION_REFUSED, "E009", retryable=True, description="nobody listens")
DECLINED = Failure(Cause.DECLINED, "E008", retryable=False, description="declined the invitation")
BROKEN = Failure(Cause.MALFORMED_REPLY, "E003", retryable=False, description="no move in the answer")


def give_up(table, kind, player, failure, retries=3):
    for _ in range(retries + 1):
        table.do(kind, player, failure)


TRIES = {AskedAgain.ALL: 4, AskedAgain.BY_CODE: 4, AskedAgain.GONE: GONE_TRIES, AskedAgain.NONE: 1}


@pytest.mark.parametrize("cause", RULES)
def test_a_call_is_tried_as_often_as_the_table_of_causes_says(cause: Cause):
    failure = Failure(cause, "E009", retryable=True, description="no use")
    table, tries = bench(max_retries=3).join(), 0
    while A in table.match.awaited:
        table.do(MoveFailed, A, failure)
        tries += 1
    assert tries == TRIES[RULES[cause].again]


class TestTheStraightWay:
    @requirement(
        "000-REF-ASSIGN-02",
        "000-REF-JOIN-01",
        "000-REF-MOVE-03",
        "000-REF-RESP-02",
        "001-LAYER-02",
        "001-FLOW-02",
        "002-INV-05",
        "002-CALL-04",
        "002-CALL-08",
        "003-GAME-02",
        "003-MATCH-01",
        "003-MATCH-02",
        "003-MATCH-04",
        "003-TEST-A-02",
        "003-IMPL-03",
    )
    def test_both_join_and_both_choose_and_the_game_decides(self):
        table = bench()
        assert table.do(Begin) == (Invite(A, 1), Invite(B, 1))
        assert table.do(Joined, B) == ()
        assert table.do(Joined, A) == (AskForMove(A, 1, 1), AskForMove(B, 1, 1))
        assert table.match.state is MatchState.COLLECTING_CHOICES
        assert table.do(MoveMade, B, "one") == ()
        game_over, report = table.do(MoveMade, A, "two")
        result = table.match.result
        assert game_over == SendGameOver((A, B), result)
        assert report == SendReport(result)
        assert (result.status, result.winner, result.score) == (ResultStatus.WIN, A, {A: 3, B: 0})
        assert (result.match_id, result.round_id, result.players) == ("R1M1", 1, (A, B))
        assert (result.referee_id, result.attempt, result.faults) == ("REF01", 1, ())
        assert result.details["scores"] == {A: 2, B: 1}
        assert result.details["shown"] == [{A: "two", B: "one"}]
        assert result.reason == str({A: 2, B: 1})
        assert table.match.state is MatchState.FINISHED
        assert table.do(Reported) == ()
        assert table.match.state is MatchState.REPORTED

    @requirement("000-REF-JOIN-06", "000-REF-MOVE-03", "001-LAYER-02", "004-REF-05")
    def test_the_times_of_joining_and_of_every_state_are_kept_in_order(self):
        table = bench().join()
        table.do(MoveMade, A, "one")
        table.do(MoveMade, B, "one")
        table.do(Reported)
        assert table.match.joined_at == {A: "t2", B: "t3"}
        entered = {
            "CREATED": "t1",
            "WAITING_FOR_PLAYERS": "t1",
            "COLLECTING_CHOICES": "t3",
            "COUNTING": "t5",
            "FINISHED": "t5",
        }
        assert list(table.match.result.lifecycle.items()) == list(entered.items())
        assert list(table.match.lifecycle.items()) == [*entered.items(), ("REPORTED", "t6")]

    @requirement("000-LM-RESULT-04", "003-FORMAT-02", "003-GAME-05", "003-SCORE-01", "003-SCORE-02", "003-SCORE-03")
    def test_equal_scores_are_a_draw_with_the_leagues_points(self):
        table = bench(scoring=Scoring(win=5, draw=2, loss=1, technical_loss=-1)).join()
        table.do(MoveMade, A, "one")
        table.do(MoveMade, B, "one")
        assert table.match.result.status is ResultStatus.DRAW
        assert table.match.result.winner is None
        assert table.match.result.score == {A: 2, B: 2}

    @requirement("000-LM-RESULT-04", "003-FORMAT-02", "003-GAME-05", "003-SCORE-01", "003-SCORE-02", "003-SCORE-03")
    def test_a_win_gives_the_leagues_points(self):
        table = bench(scoring=Scoring(win=5, draw=2, loss=1, technical_loss=-1)).join()
        table.do(MoveMade, A, "one")
        table.do(MoveMade, B, "two")
        assert table.match.result.score == {A: 1, B: 5}

    def test_it_is_over_from_the_result_on(self):
        table = bench().join()
        table.do(MoveMade, A, "one")
        assert not table.match.over
        table.do(MoveMade, B, "one")
        assert table.match.over


class TestManyTurns:
    @requirement("003-IMPL-05")
    def test_moves_at_once_over_many_rounds(self):
        table = bench(Fingers(rounds=3)).join()
        for turn in (1, 2):
            assert table.match.turn == turn
            table.do(MoveMade, A, "two")
            assert table.do(MoveMade, B, "one") == (AskForMove(A, 1, turn + 1), AskForMove(B, 1, turn + 1))
            assert table.match.state is MatchState.COLLECTING_CHOICES
            assert table.match.moves == {}
        table.do(MoveMade, A, "one")
        table.do(MoveMade, B, "two")
        assert table.match.result.winner == A
        assert len(table.match.result.details["shown"]) == 3
        assert table.match.lifecycle["COLLECTING_CHOICES"] == "t3"

    @requirement("003-IMPL-05")
    def test_moves_in_turn_ask_one_player_at_a_time(self):
        table = bench(Pile(4)).begin()
        table.do(Joined, A)
        assert table.do(Joined, B) == (AskForMove(A, 1, 1),)
        assert table.unmoved_by(MoveMade, B, 1)
        assert table.do(MoveMade, A, 1) == (AskForMove(B, 1, 2),)
        assert table.do(MoveMade, B, 1) == (AskForMove(A, 1, 3),)
        table.do(MoveMade, A, 2)
        assert table.match.result.winner == A

    def test_retries_begin_anew_with_every_turn(self):
        table = bench(Fingers(rounds=2), max_retries=1).join()
        for turn in (1, 2):
            notice, again = table.do(MoveFailed, A, TIMEOUT)
            assert (notice.try_number, again) == (1, AskForMove(A, 2, turn))
            table.do(MoveMade, A, "two")
            table.do(MoveMade, B, "one")
        assert table.match.result.status is ResultStatus.WIN

    @requirement("000-REF-MOVE-01")
    def test_an_answer_to_an_earlier_turn_changes_nothing(self):
        table = bench(Fingers(rounds=2)).join()
        table.do(MoveMade, A, "one", turn=1)
        table.do(MoveMade, B, "one", turn=1)
        assert table.unmoved_by(MoveMade, A, "two", turn=1)
        assert table.unmoved_by(MoveFailed, A, BROKEN, turn=1)
        table.do(MoveMade, A, "two", turn=2)
        assert table.match.moves == {A: "two"}

    def test_a_technical_loss_may_come_in_a_later_turn(self):
        table = bench(Fingers(rounds=2)).join()
        table.do(MoveMade, A, "two")
        table.do(MoveMade, B, "one")
        table.do(MoveFailed, A, BROKEN)
        table.do(MoveMade, B, "one")
        assert table.match.result.winner == B
        assert table.match.result.details == {"choices": {B: "one"}}


class TestChance:
    def play(self, seed):
        table = bench(Fingers(rounds=2), seed=seed).join()
        for _ in range(2):
            table.do(MoveMade, B, "one")
            table.do(MoveMade, A, "one")
        return table.match.result.details["drawn"]

    def test_the_same_seed_gives_the_same_match(self):
        assert self.play("s") == self.play("s")

    def test_each_step_draws_from_a_stream_of_its_own(self):
        streams = ["s:start", "s:1", "s:2"]
        assert self.play("s") == [HashRng(stream).randint(1, 1000) for stream in streams]

    def test_another_seed_gives_another_match(self):
        assert self.play("s") != self.play("t")


class TestJoining:
    @requirement(
        "000-REF-ASSIGN-04",
        "000-REF-JTIME-01",
        "001-TIME-01",
        "002-INV-06",
        "003-MATCH-01",
        "003-REF-12",
        "003-TEST-A-04",
        "003-TEST-E-01",
        "004-TEST-06",
    )
    def test_an_invitation_without_answer_is_sent_again_exactly_as_often_as_allowed(self):
        table = bench(max_retries=3).begin()
        for number in (1, 2, 3):
            notice, again = table.do(JoinFailed, A, TIMEOUT)
            assert isinstance(notice, NotifyError)
            assert (notice.player, notice.failure, notice.phase) == (A, TIMEOUT, "join")
            assert (notice.try_number, notice.max_retries) == (number, 3)
            assert "technical loss" in notice.consequence
            assert again == Invite(A, number + 1)
        assert table.do(JoinFailed, A, TIMEOUT) == ()
        assert table.match.state is MatchState.WAITING_FOR_PLAYERS
        assert table.do(Joined, B) == (
            SendGameOver((A, B), table.match.result),
            SendReport(table.match.result),
        )
        assert len([told for told in table.log if told == Invite(A, 4)]) == 1
        (fault,) = table.match.result.faults
        assert (fault.player_id, fault.cause, fault.phase) == (A, Cause.NO_MOVE, "join")
        assert (fault.error_code, fault.tries, fault.evidence) == ("E001", 4, {"waited": 5})

    @requirement(
        "000-REF-JTIME-02",
        "000-REF-FAIL-01",
        "000-REF-FAIL-03",
        "001-TIME-01",
        "002-INV-06",
        "002-NOTE-04",
        "003-CAP-05",
        "003-TEST-E-01",
        "004-STATE-02",
        "004-ERR-01",
        "004-APP-03",
    )
    def test_the_opponent_of_who_did_not_join_wins(self):
        table = bench(scoring=Scoring(win=5, technical_loss=-1)).begin()
        table.do(Joined, B)
        give_up(table, JoinFailed, A, TIMEOUT)
        result = table.match.result
        assert (result.status, result.winner) == (ResultStatus.TECHNICAL_LOSS, B)
        assert result.score == {A: -1, B: 5}
        assert result.reason == "Technical loss (P01: no_move in join phase, no answer in time). P02 wins."
        assert "COLLECTING_CHOICES" not in result.lifecycle

    def test_nobody_is_asked_twice_when_no_retries_are_allowed(self):
        table = bench(max_retries=0).begin()
        assert table.do(JoinFailed, A, TIMEOUT) == ()
        table.do(Joined, B)
        assert table.match.result.faults[0].tries == 1

    def test_joining_at_the_last_try_is_in_time(self):
        table = bench(max_retries=1).begin()
        table.do(Joined, B)
        table.do(JoinFailed, A, REFUSED)
        assert table.do(Joined, A) == (AskForMove(A, 1, 1), AskForMove(B, 1, 1))
        assert table.match.faults == ()

    @requirement("000-REF-JOIN-02")
    def test_a_declined_invitation_loses_at_once(self):
        table = bench().begin()
        assert table.do(JoinFailed, A, DECLINED) == ()
        table.do(Joined, B)
        assert table.match.result.faults[0].cause is Cause.DECLINED
        assert table.match.result.faults[0].tries == 1
        assert table.match.result.winner == B

    @requirement("000-REF-ASSIGN-05", "004-ERR-03", "004-APP-03")
    def test_two_silent_players_both_lose(self):
        table = bench().begin()
        give_up(table, JoinFailed, A, TIMEOUT)
        give_up(table, JoinFailed, B, REFUSED)
        result = table.match.result
        assert (result.status, result.winner, result.score) == (ResultStatus.TECHNICAL_LOSS, None, {A: 0, B: 0})
        assert [fault.player_id for fault in result.faults] == [A, B]
        assert "wins" not in result.reason
        assert result.details == {"choices": {}}

    @requirement("000-REF-JOIN-01")
    def test_the_players_are_heard_out_before_anything_is_decided(self):
        table = bench().begin()
        table.do(JoinFailed, A, DECLINED)
        assert not table.match.over
        assert table.do(JoinFailed, B, TIMEOUT)[1:] == (Invite(B, 2),)
        table.do(JoinFailed, B, DECLINED)
        assert table.match.result.winner is None

    @requirement("000-REF-JOIN-03", "000-REF-JOIN-04")
    @pytest.mark.parametrize("late", [A, B])
    def test_a_second_answer_and_a_stranger_change_nothing(self, late):
        table = bench().begin()
        table.do(Joined, A)
        assert table.unmoved_by(Joined, A)
        assert table.unmoved_by(JoinFailed, A, DECLINED)
        assert table.unmoved_by(Joined, "P99")
        assert table.unmoved_by(JoinFailed, "P99", DECLINED)
        table.do(Joined, B)
        assert table.unmoved_by(Joined, late)
        assert table.unmoved_by(JoinFailed, late, DECLINED)

    def test_a_failure_that_came_before_the_match_began_changes_nothing(self):
        table = bench()
        assert table.unmoved_by(Joined, A)
        assert table.unmoved_by(JoinFailed, A, DECLINED)
        assert table.unmoved_by(MoveMade, A, "one")
        assert table.unmoved_by(MoveFailed, A, BROKEN)


class TestChoosing:
    @requirement("000-REF-MOVE-04", "003-REF-12", "003-TEST-E-03", "003-IMPL-04", "004-TEST-18", "004-ERR-04")
    def test_an_illegal_move_is_refused_and_a_legal_one_still_counts(self):
        table = bench().join()
        notice, again = table.do(MoveMade, A, "ONE")
        assert again == AskForMove(A, 2, 1)
        assert (notice.phase, notice.try_number) == ("move", 1)
        assert (notice.failure.cause, notice.failure.error_code) == (Cause.ILLEGAL_MOVE, "E004")
        assert notice.failure.evidence["received"] == "ONE"
        assert notice.failure.evidence["expected"] == ["one", "two"]
        table.do(MoveMade, A, "one")
        table.do(MoveMade, B, "one")
        assert table.match.result.status is ResultStatus.DRAW
        assert table.match.result.faults == ()

    @requirement("002-OVER-02", "003-TEST-E-03", "004-FLOW-03", "004-ERR-04")
    def test_illegal_moves_to_the_end_lose_and_the_other_choice_is_told(self):
        table = bench(max_retries=2).join()
        table.do(MoveMade, B, "one")
        for _ in range(3):
            table.do(MoveMade, A, 1)
        (fault,) = table.match.result.faults
        assert (fault.cause, fault.error_code, fault.tries, fault.phase) == (Cause.ILLEGAL_MOVE, "E004", 3, "move")
        assert table.match.result.winner == B
        assert table.match.result.details == {"choices": {B: "one"}}
        assert len([told for told in table.log if isinstance(told, NotifyError)]) == 2

    @pytest.mark.parametrize("move", [{}, ["one"], 10**30, {f"k{number}": 1 for number in range(50_000)}, "x" * 60_000])
    def test_a_move_that_the_rules_trip_over_is_illegal_and_does_not_undo_the_match(self, move):
        class Careless(Fingers):
            def check(self, state, player, move):
                return {"one": None, "two": None}[move]

        table = bench(Careless(), max_retries=0).join()
        table.do(MoveMade, B, "one")
        table.do(MoveMade, A, move)
        result = table.match.result
        assert (result.winner, result.faults[0].cause) == (B, Cause.ILLEGAL_MOVE)
        assert len(result.reason) < 1500
        Bounds(depth=9, text=2048, items=2048).check({"evidence": result.faults[0].evidence})

    def test_rules_that_trip_over_a_legal_move_are_not_the_players_fault(self):
        class Broken(Fingers):
            def check(self, state, player, move):
                raise ZeroDivisionError

        table = bench(Broken()).join()
        with pytest.raises(ZeroDivisionError):
            table.do(MoveMade, A, "one")

    @pytest.mark.parametrize("move", [10**30, "x" * 2000, [[[[[[[[["deep"]]]]]]]]], "\ud800", float("nan")])
    def test_a_move_that_no_report_could_hold_is_illegal_in_any_game(self, move):
        class Anything(Fingers):
            def check(self, state, player, move):
                return

        table = bench(Anything(), max_retries=0).join()
        table.do(MoveMade, A, move)
        table.do(MoveMade, B, "one")
        assert table.match.result.faults[0].description == "the move is too large to be recorded"

    @requirement(
        "000-REF-MTIME-01",
        "000-REF-MTIME-02",
        "000-REF-FAIL-01",
        "001-TIME-02",
        "002-CALL-09",
        "002-NOTE-04",
        "003-MATCH-02",
        "003-REF-12",
        "003-TEST-A-04",
        "003-TEST-E-02",
        "004-STATE-02",
        "004-TEST-06",
        "004-ERR-01",
    )
    def test_silence_is_asked_again_and_then_loses(self):
        table = bench().join()
        table.do(MoveMade, A, "one")
        for number in (1, 2, 3):
            notice, again = table.do(MoveFailed, B, TIMEOUT)
            assert (notice.try_number, again) == (number, AskForMove(B, number + 1, 1))
        table.do(MoveFailed, B, TIMEOUT)
        assert table.match.result.winner == A
        assert table.match.result.faults[0].tries == 4

    def test_two_silent_players_both_lose(self):
        table = bench().join()
        give_up(table, MoveFailed, A, TIMEOUT)
        give_up(table, MoveFailed, B, TIMEOUT)
        assert table.match.result.score == {A: 0, B: 0}
        assert table.match.result.winner is None

    def test_an_answer_that_makes_no_sense_loses_at_once(self):
        table = bench().join()
        assert table.do(MoveFailed, A, BROKEN) == ()
        table.do(MoveMade, B, "two")
        assert table.match.result.faults[0].cause is Cause.MALFORMED_REPLY

    def test_who_has_failed_cannot_come_back(self):
        table = bench().join()
        table.do(MoveFailed, A, BROKEN)
        assert table.unmoved_by(MoveMade, A, "two")
        assert table.unmoved_by(MoveFailed, A, BROKEN)

    @requirement("000-REF-MOVE-01", "000-REF-MOVE-05")
    def test_a_second_choice_and_a_stranger_change_nothing(self):
        table = bench().join()
        table.do(MoveMade, A, "one")
        assert table.unmoved_by(MoveMade, A, "two")
        assert table.unmoved_by(MoveFailed, A, BROKEN)
        assert table.unmoved_by(MoveMade, "P99", "two")
        assert table.unmoved_by(MoveFailed, "P99", BROKEN)
        table.do(MoveMade, B, "two")
        assert table.match.result.details["shown"] == [{A: "one", B: "two"}]

    @requirement("003-TEST-E-09", "004-ERR-06")
    def test_what_comes_after_the_end_changes_nothing(self):
        table = bench().join()
        table.do(MoveMade, A, "one")
        table.do(MoveMade, B, "two")
        assert table.unmoved_by(MoveMade, A, "two")
        assert table.unmoved_by(MoveFailed, B, BROKEN)
        assert table.unmoved_by(Joined, A)

    @requirement("002-NOTE-03", "002-NOTE-04", "003-CAP-05", "004-OBJ-10")
    @pytest.mark.parametrize("code", [f"E{number:03d}" for number in (*range(1, 24), 30, 31, 99)])
    @pytest.mark.parametrize("retryable", [True, False])
    def test_only_timeouts_broken_connections_and_illegal_moves_are_tried_again(self, code, retryable):
        table = bench().join()
        failure = Failure(Cause.NO_MOVE, code, retryable=retryable, description="…")
        assert bool(table.do(MoveFailed, A, failure)) == (retryable and code in {"E001", "E004", "E009"})
        assert (code in RETRIED_CODES) == (code in {"E001", "E004", "E009"})

    @pytest.mark.parametrize("code", ["E001", "E002", "E004", "E005", "E007", "E008", "E009", "E012", "E099"])
    def test_a_player_that_has_returned_is_also_asked_again_when_it_has_lost_its_memory(self, code):
        table = bench().join()
        failure = Failure(Cause.MALFORMED_REPLY, code, retryable=False, description="…", returned=True)
        assert bool(table.do(MoveFailed, A, failure)) == (code in RETURNED_CODES)
        assert set(RETURNED_CODES) == {"E007", "E008", "E012"}


class TestGone:
    def tries_of(self, *failures, **options):
        """Fail an invitation again and again; the fault once it is given up."""
        table = bench(**options).begin()
        table.do(Joined, B)
        for failure in failures:
            assert not table.match.faults
            table.do(JoinFailed, A, failure)
        (fault,) = table.match.faults
        return fault

    @pytest.mark.parametrize("cause", sorted(GONE))
    def test_a_player_that_is_gone_is_asked_once_more(self, cause):
        gone = replace(REFUSED, cause=cause)
        assert self.tries_of(gone, gone).tries == 2

    def test_one_that_was_gone_at_its_last_match_is_asked_no_more_and_its_fault_names_that_match(self):
        fault = self.tries_of(REFUSED, gone_in={A: "R1M1"}, match_id="R2M1")
        assert (fault.tries, fault.evidence["gone_in"]) == (1, "R1M1")

    def test_silence_keeps_its_tries_whatever_came_before(self):
        silent = replace(TIMEOUT, cause=Cause.NO_JOIN)
        assert self.tries_of(silent, silent, silent, silent).tries == 4
        assert self.tries_of(REFUSED, silent, silent, silent).tries == 4
        fault = self.tries_of(silent, silent, silent, silent, gone_in={A: "R1M1"}, match_id="R2M1")
        assert "gone_in" not in fault.evidence

    def test_never_more_tries_than_the_league_gives_everybody(self):
        assert self.tries_of(REFUSED, max_retries=0).tries == 1
        silent = replace(TIMEOUT, cause=Cause.NO_JOIN)
        assert self.tries_of(silent, REFUSED, max_retries=1).tries == 2

    def test_the_notice_says_how_many_tries_are_left(self):
        table = bench().begin()
        table.do(JoinFailed, A, REFUSED)
        (notice,) = [told for told in table.told if isinstance(told, NotifyError)]
        assert (notice.try_number, notice.max_retries) == (1, 1)

    def test_each_call_has_its_own_tries_and_a_player_that_is_back_has_them_all(self):
        table = bench(gone_in={A: "R1M1"}, match_id="R2M1").begin()
        table.do(Joined, A)
        table.do(Joined, B)
        table.do(MoveFailed, A, REFUSED)
        assert not table.match.faults
        table.do(MoveFailed, A, REFUSED)
        (fault,) = table.match.faults
        assert fault.tries == 2
        assert "gone_in" not in fault.evidence


class TestThreePlayers:
    def trio(self):
        class Crowd(Fingers):
            max_players = 3

        table = bench(Crowd(), players=(A, B, "P03")).begin()
        for player in (A, B):
            table.do(Joined, player)
        return table

    def test_one_of_three_wins_alone(self):
        table = self.trio()
        assert len(table.do(Joined, "P03")) == 3
        for player, move in ((A, "one"), (B, "two"), ("P03", "one")):
            table.do(MoveMade, player, move)
        assert table.match.result.score == {A: 1, B: 6, "P03": 1}


class TestStepByStep:
    def test_nothing_happens_until_the_operator_says_so(self):
        table = bench(step_by_step=True).begin()
        table.do(Joined, A)
        assert table.do(Joined, B) == ()
        assert table.match.state_label == "COLLECTING_CHOICES"
        assert table.unmoved_by(MoveMade, A, "one")
        assert table.do(Collect) == (AskForMove(A, 1, 1), AskForMove(B, 1, 1))
        table.do(MoveMade, A, "one")
        assert table.do(MoveMade, B, "two") == ()
        assert table.match.state_label == "COUNTING"
        assert table.match.moves == {A: "one", B: "two"}
        assert table.do(Resolve) == ()
        assert table.match.result.winner == B
        assert table.do(Finalize) == (SendGameOver((A, B), table.match.result), SendReport(table.match.result))
        assert table.do(Finalize) == (SendGameOver((A, B), table.match.result), SendReport(table.match.result))
        table.do(Reported)
        assert table.match.state is MatchState.REPORTED

    def test_every_turn_is_collected_and_resolved(self):
        table = bench(Fingers(rounds=2), step_by_step=True).join()
        for _ in range(2):
            table.do(Collect)
            table.do(MoveMade, A, "one")
            table.do(MoveMade, B, "one")
            table.do(Resolve)
        assert table.match.result.status is ResultStatus.DRAW

    def test_a_technical_loss_waits_to_be_finalized(self):
        table = bench(step_by_step=True).begin()
        table.do(JoinFailed, A, DECLINED)
        assert table.do(Joined, B) == ()
        assert table.match.result.winner == B
        assert len(table.do(Finalize)) == 2

    def test_steps_out_of_turn_are_refused(self):
        table = bench(step_by_step=True)
        for early in (Collect, Resolve, Finalize):
            with pytest.raises(InvalidState):
                table.do(early)
        table.join()
        for early in (Resolve, Finalize):
            with pytest.raises(InvalidState):
                table.do(early)
        table.do(Collect)
        with pytest.raises(InvalidState, match="no moves to ask for"):
            table.do(Collect)
        table.do(MoveMade, A, "one")
        with pytest.raises(InvalidState):
            table.do(Collect)
        table.do(MoveMade, B, "one")
        for wrong in (Collect, Finalize):
            with pytest.raises(InvalidState):
                table.do(wrong)
        table.do(Resolve)
        for late in (Collect, Resolve):
            with pytest.raises(InvalidState):
                table.do(late)

    @pytest.mark.parametrize("by_hand", [Collect, Resolve, Finalize])
    def test_a_match_that_runs_by_itself_takes_no_steps(self, by_hand):
        with pytest.raises(InvalidState, match="not played step by step"):
            bench().join().do(by_hand)


class TestTheReferee:
    def test_a_match_begins_once(self):
        with pytest.raises(InvalidState):
            bench().begin().do(Begin)

    def test_a_match_without_result_cannot_be_reported(self):
        with pytest.raises(InvalidState):
            bench().join().do(Reported)

    @requirement("001-STATE-02")
    def test_an_aborted_match_keeps_its_reason_and_moves_no_more(self):
        table = bench().join()
        assert table.do(Abort, "the referee is shutting down") == ()
        assert table.match.state is MatchState.ABORTED
        assert table.match.abort_reason == "the referee is shutting down"
        assert table.match.over
        assert table.match.result is None
        assert table.unmoved_by(MoveMade, A, "one")
        for late in (Begin, Reported):
            with pytest.raises(InvalidState):
                table.do(late)
        with pytest.raises(InvalidState):
            table.do(Abort, "again")

    def test_a_match_with_a_result_is_not_aborted(self):
        table = bench().join()
        table.do(MoveMade, A, "one")
        table.do(MoveMade, B, "two")
        with pytest.raises(InvalidState):
            table.do(Abort, "too late")

    def test_a_match_can_be_aborted_before_it_begins(self):
        table = bench()
        table.do(Abort, "no")
        assert table.match.state is MatchState.ABORTED


class TestWhatIsRefusedAtOnce:
    def test_a_player_against_itself(self):
        with pytest.raises(ValueError, match="names a player twice"):
            bench(players=(A, A))

    @pytest.mark.parametrize("players", [(A,), (A, B, "P03")])
    def test_too_few_or_too_many_players(self, players):
        with pytest.raises(ValueError, match="fingers is for 2 to 2 players"):
            bench(players=players)

    def test_a_negative_number_of_retries(self):
        with pytest.raises(ValueError, match="max_retries is -1"):
            bench(max_retries=-1)

    def test_a_game_in_which_nobody_is_to_move(self):
        class Stuck(Fingers):
            def to_move(self, state):
                return ()

        with pytest.raises(ValueError, match="nobody is to move"):
            bench(Stuck()).join()

    def test_a_game_whose_winner_does_not_play(self):
        class Rigged(Fingers):
            def outcome(self, state):
                return Outcome("P99", {}, "surprise") if state.shown else None

        table = bench(Rigged()).join()
        table.do(MoveMade, A, "one")
        with pytest.raises(ValueError, match="'P99' does not play"):
            table.do(MoveMade, B, "one")


FAILURES = st.sampled_from([TIMEOUT, REFUSED, DECLINED, BROKEN])
PLAYERS = st.sampled_from([A, B, "P99"])
NOISE = st.one_of(
    st.tuples(st.just(Joined), PLAYERS),
    st.tuples(st.just(JoinFailed), PLAYERS, FAILURES),
    st.tuples(st.just(MoveMade), PLAYERS, st.sampled_from(["one", "two", "three", None, 1, []])),
    st.tuples(st.just(MoveFailed), PLAYERS, FAILURES),
)


@requirement("003-IMPL-06")
@given(st.lists(NOISE, max_size=60), st.integers(1, 3), st.integers(0, 3))
def test_whatever_players_do_nobody_is_asked_too_often_and_the_result_fits(noise, rounds, max_retries):
    table = bench(Fingers(rounds), max_retries=max_retries).begin()
    for kind, *arguments in noise:
        over = table.match.over
        told = table.do(kind, *arguments)
        assert not (over and told)
    asked = [told for told in table.log if isinstance(told, Invite | AskForMove)]
    assert len(asked) == len(set(asked))
    assert all(told.try_number <= max_retries + 1 for told in asked)
    assert {told.player for told in asked} <= {A, B}
    again = [told for told in asked if told.try_number > 1]
    assert len(again) == len([told for told in table.log if isinstance(told, NotifyError)])
    result = table.match.result
    assert len([told for told in table.log if isinstance(told, SendReport)]) == (result is not None)
    assert bool(table.match.awaited) == (result is None)
    if result is not None:
        guilty = {fault.player_id for fault in result.faults}
        assert (result.status is ResultStatus.TECHNICAL_LOSS) == bool(guilty)
        assert result.winner not in guilty
        assert sum(result.score.values()) == {0: (2 if result.winner is None else 3), 1: 3, 2: 0}[len(guilty)]

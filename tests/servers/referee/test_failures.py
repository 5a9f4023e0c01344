"""From what a call raised to a cause with its evidence."""

from typing import Any

import pytest

from league_sdk.domain.model import Cause, Fault, MatchResult, ResultStatus
from league_sdk.errors import (
    AuthTokenInvalid,
    InternalError,
    InvalidEndpoint,
    InvalidField,
    InvalidMove,
    LeagueError,
    PeerUnreachable,
    ResponseTimeout,
)
from league_sdk.ports import MalformedReply
from servers.referee.failures import Tries, declined, failure_from

ASKED: dict[str, Any] = {
    "sent": "GAME_INVITATION",
    "sent_at": "2026-01-15T10:00:00.000Z",
    "elapsed_sec": 5.25,
    "limit_sec": 5.0,
    "try": 1,
}


def timed(error: Any, transport: float = 0.2, agent: float = 5.05) -> Any:
    error.context |= {"transport_sec": transport, "agent_sec": agent}
    return error


@pytest.mark.parametrize(
    ("error", "phase", "cause", "retryable"),
    [
        (ResponseTimeout(), "join", Cause.NO_JOIN, True),
        (ResponseTimeout(), "move", Cause.NO_MOVE, True),
        (PeerUnreachable(), "join", Cause.CONNECTION_REFUSED, True),
        (PeerUnreachable(dropped=False, name_not_found=True), "move", Cause.NAME_NOT_FOUND, True),
        (PeerUnreachable(dropped=False), "join", Cause.CONNECTION_REFUSED, True),
        (PeerUnreachable(dropped=True), "move", Cause.CONNECTION_DROPPED, True),
        (PeerUnreachable(silent=True), "join", Cause.NO_JOIN, True),
        (PeerUnreachable(silent=True), "move", Cause.NO_MOVE, True),
        (InvalidEndpoint(), "join", Cause.CONNECTION_REFUSED, False),
        (InternalError(), "move", Cause.CRASHED_HANDLER, False),
        (InvalidMove("the strategy raised KeyError"), "move", Cause.ILLEGAL_MOVE, True),
        (InvalidMove(), "join", Cause.MALFORMED_REPLY, True),
        (InvalidField(), "move", Cause.MALFORMED_REPLY, False),
        (AuthTokenInvalid(), "move", Cause.MALFORMED_REPLY, False),
        (MalformedReply("no JSON"), "move", Cause.MALFORMED_REPLY, False),
    ],
)
def test_what_a_call_raised_has_one_cause(error: LeagueError, phase: str, cause: Cause, retryable: bool):
    failure = failure_from(error, phase, ASKED)
    assert (failure.cause, failure.retryable) == (cause, retryable)
    assert failure.evidence.items() >= ASKED.items()


def test_the_agents_time_is_told_apart_from_that_of_the_transport():
    evidence = failure_from(timed(ResponseTimeout("late")), "join", ASKED).evidence
    assert (evidence["transport_sec"], evidence["agent_sec"]) == (0.2, 5.05)
    assert evidence["context"] == {}


def test_over_time_counts_the_agents_time_alone():
    assert failure_from(timed(ResponseTimeout()), "join", ASKED).evidence["over_by_sec"] == 0.05
    assert failure_from(ResponseTimeout(), "join", ASKED).evidence["over_by_sec"] == 0.25
    assert failure_from(timed(ResponseTimeout(), agent=1.0), "join", ASKED).evidence["over_by_sec"] == 0.0
    assert "over_by_sec" not in failure_from(timed(PeerUnreachable()), "join", ASKED).evidence


def test_no_token_gets_into_the_evidence():
    reply = {"auth_token": "a secret", "nested": {"peer_token": "another"}, "move": "even"}
    evidence = failure_from(MalformedReply("bad", reply), "move", ASKED).evidence
    assert evidence["received"]["move"] == "even"
    told = failure_from(InvalidField("bad", auth_token="a secret"), "move", ASKED).evidence
    for text in ("a secret", "another"):
        assert text not in repr((evidence, told))


def test_what_a_player_sent_is_shortened():
    evidence = failure_from(MalformedReply("x" * 10_000, "y" * 100_000), "move", ASKED)
    assert len(repr(evidence)) < 5_000


def result(*faults: Fault) -> MatchResult:
    return MatchResult(
        "R1M1", 1, ("P01", "P02"), ResultStatus.TECHNICAL_LOSS, "P02", {"P01": 0, "P02": 3}, "REF01", faults=faults
    )


def fault(**evidence: Any) -> Fault:
    return Fault("P01", Cause.NO_JOIN, "join", "E001", 2, "late", evidence)


def test_a_fault_has_its_last_try_in_full_and_the_others_in_short():
    tries = Tries()
    for asked in (ASKED, {**ASKED, "try": 2, "sent_at": "later"}):
        tries.note("P01", asked, failure_from(timed(ResponseTimeout("late")), "join", asked))
    (completed,) = tries.complete(result(fault(error="late"))).faults
    assert completed.evidence["sent_at"] == "later"
    assert completed.evidence["try"] == 2
    assert completed.evidence["error"] == "late"
    (earlier,) = completed.evidence["earlier"]
    assert earlier == {
        "try": 1,
        "cause": "no_join",
        "error_code": "E001",
        "sent_at": ASKED["sent_at"],
        "elapsed_sec": 5.25,
        "over_by_sec": 0.05,
    }


def test_an_illegal_move_has_the_time_of_the_answer_that_held_it():
    tries = Tries()
    tries.note("P01", ASKED)
    (completed,) = tries.complete(result(fault(received="EVEN"))).faults
    assert completed.evidence == {**ASKED, "received": "EVEN"}


def test_the_tries_of_an_earlier_question_are_forgotten():
    tries = Tries()
    tries.note("P01", {**ASKED, "try": 1})
    tries.note("P01", {**ASKED, "try": 2})
    tries.note("P01", {**ASKED, "try": 1, "sent": "MOVE_CALL"})
    (completed,) = tries.complete(result(fault())).faults
    assert completed.evidence["sent"] == "MOVE_CALL"
    assert "earlier" not in completed.evidence


def test_a_fault_of_which_no_try_is_known_stays_as_it_is():
    assert Tries().complete(result(fault(error="?"))).faults[0].evidence == {"error": "?"}


def test_a_player_that_declines_said_so():
    failure = declined()
    assert (failure.cause, failure.retryable) == (Cause.DECLINED, False)
    assert failure.evidence["received"] == "accept: false"

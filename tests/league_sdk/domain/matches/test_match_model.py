"""A match whose answers come late, doubled, in any order or not at all, against a plain model."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from league_sdk.clock import Rng
from league_sdk.domain.lifecycles import MatchState
from league_sdk.domain.matches.match import new_match, step
from league_sdk.domain.matches.match_io import (
    Abort,
    AskForMove,
    Begin,
    Failure,
    Invite,
    Joined,
    JoinFailed,
    MoveFailed,
    MoveMade,
    NotifyError,
    Reported,
    SendGameOver,
    SendReport,
)
from league_sdk.domain.model import Cause, ResultStatus
from league_sdk.errors import InvalidState
from league_sdk.game import Game, Move, MoveSpec, Outcome

AT = "2026-01-01T00:00:00.000Z"
A, B = "P01", "P02"
TIMEOUT = Failure(Cause.NO_MOVE, "E001", retryable=True, description="no answer in time")
BROKEN = Failure(Cause.MALFORMED_REPLY, "E002", retryable=False, description="not JSON")
PICK = st.integers(0, 10_000)


class Sums(Game[tuple[tuple[int, int], ...]]):
    """Each turn both show a number from 1 to 3; the higher sum of all turns wins."""

    name = "sums"
    move_spec = MoveSpec()

    def __init__(self, turns: int) -> None:
        self.turns = turns

    def start(self, players: Sequence[str], rng: Rng) -> tuple[tuple[int, int], ...]:
        return ()

    def to_move(self, state: tuple[tuple[int, int], ...]) -> tuple[str, ...]:
        return () if len(state) == self.turns else (A, B)

    def legal_moves(self, state: tuple[tuple[int, int], ...], player: str) -> tuple[Move, ...]:
        return ("1", "2", "3")

    def apply(
        self, state: tuple[tuple[int, int], ...], moves: Mapping[str, Move], rng: Rng
    ) -> tuple[tuple[int, int], ...]:
        return (*state, (int(moves[A]), int(moves[B])))

    def outcome(self, state: tuple[tuple[int, int], ...]) -> Outcome | None:
        if len(state) < self.turns:
            return None
        first, second = (sum(turn[seat] for turn in state) for seat in (0, 1))
        winner = None if first == second else A if first > second else B
        return Outcome(winner, {A: float(first), B: float(second)}, "the higher sum wins", {})


@dataclass
class Question:
    """An invitation or a call for a move that went out; `ended` once an answer or a failure has counted."""

    player: str
    turn: int
    try_number: int
    ended: bool = False


class AnswersAreUnreliable(RuleBasedStateMachine):
    """Every question can be answered at any time, several times, or fail, even long after it was asked.

    The model: the last question to each player is open until its first answer or failure; only that one counts. It
    knows the moves that counted, how often each player failed, and says from these alone how the match must stand.
    """

    @initialize(turns=st.integers(1, 3), retries=st.integers(0, 2))
    def begin(self, turns: int, retries: int) -> None:
        self.turns, self.retries = turns, retries
        made = new_match(
            Sums(turns), match_id="R1M1", round_id=1, players=(A, B), referee_id="REF01", seed="7", max_retries=retries
        )
        self.match: Any = made
        self.asked: list[Question] = []
        self.commands: list[Any] = []
        self.turn = 0
        self.open: dict[str, Question] = {}
        self.shown: list[dict[str, int]] = []
        self.guilty: set[str] = set()
        self.reported = self.aborted = False
        self.feed(Begin(AT))
        self.expect_questions()

    # The match, and what it asks for

    def feed(self, event: Any) -> None:
        self.match, commands = step(self.match, event)
        self.commands += commands
        for command in commands:
            if isinstance(command, Invite):
                self.asked.append(Question(command.player, 0, command.try_number))
            elif isinstance(command, AskForMove):
                self.asked.append(Question(command.player, command.turn, command.try_number))

    def expect_questions(self) -> None:
        """Both are asked anew."""
        first, second = self.asked[-2:]
        assert {first.player, second.player} == {A, B}
        assert {(one.turn, one.try_number) for one in (first, second)} == {(self.turn, 1)}
        self.open = {first.player: first, second.player: second}

    # The model

    @property
    def over(self) -> bool:
        return self.aborted or (not self.open and (bool(self.guilty) or len(self.shown) == self.turns))

    def settled(self) -> None:
        """A question has come to its end: does the match continue?"""
        if self.open or self.over:
            return
        self.turn += 1
        self.shown.append({})
        self.expect_questions()

    def failed(self, question: Question, *, again: bool) -> None:
        del self.open[question.player]
        question.ended = True
        if again and question.try_number <= self.retries:
            follower = self.asked[-1]
            expected = (question.player, question.turn, question.try_number + 1)
            assert (follower.player, follower.turn, follower.try_number) == expected
            self.open[question.player] = follower
            return
        self.guilty.add(question.player)
        self.conclude()

    def answered(self, question: Question, move: int | None) -> None:
        del self.open[question.player]
        question.ended = True
        if move is not None:
            self.shown[-1][question.player] = move
        self.conclude()

    def conclude(self) -> None:
        if self.open or self.guilty:
            return
        if self.turn == 0 or len(self.shown) < self.turns:
            self.settled()

    def counts(self, question: Question) -> bool:
        """True if an answer to this question counts.

        The machine takes an answer to an earlier try for one to the present try: the player did answer.
        """
        present = self.open.get(question.player)
        return not self.over and present is not None and present.turn == question.turn

    # What happens

    @precondition(lambda self: self.asked)
    @rule(pick=PICK, move=st.sampled_from(["1", "2", "3", "1", "2", "3", "4", "", None, 2]), recent=st.booleans())
    def answer(self, pick: int, move: Any, recent: bool) -> None:
        question = self.asked[-1 - pick % min(2, len(self.asked))] if recent else self.asked[pick % len(self.asked)]
        counts, present = self.counts(question), self.open.get(question.player)
        before = self.match
        if question.turn == 0:
            self.feed(Joined(question.player, AT))
        else:
            self.feed(MoveMade(question.player, move, AT, question.turn))
        if not counts or present is None:
            assert self.match is before
        elif question.turn == 0:
            self.answered(present, None)
        elif move in ("1", "2", "3"):
            self.answered(present, int(move))
        else:
            self.failed(present, again=True)

    @precondition(lambda self: self.asked)
    @rule(pick=PICK, fatal=st.sampled_from([False, False, False, True]))
    def fail(self, pick: int, fatal: bool) -> None:
        question = self.asked[pick % len(self.asked)]
        counts, present = self.counts(question), self.open.get(question.player)
        before, failure = self.match, BROKEN if fatal else TIMEOUT
        if question.turn == 0:
            self.feed(JoinFailed(question.player, failure, AT))
        else:
            self.feed(MoveFailed(question.player, failure, AT, question.turn))
        if counts and present is not None:
            self.failed(present, again=not fatal)
        else:
            assert self.match is before

    @rule(player=st.sampled_from(["P03", "", "REF01"]))
    def a_stranger_speaks(self, player: str) -> None:
        before = self.match
        for event in (Joined(player, AT), MoveMade(player, "1", AT), MoveFailed(player, TIMEOUT, AT)):
            self.feed(event)
        assert self.match is before

    @rule()
    def acknowledge(self) -> None:
        """The manager takes the report, perhaps before there is one: that must be refused."""
        if self.over and not self.aborted and not self.reported:
            self.feed(Reported(AT))
            self.reported = True
            return
        before = self.match
        try:
            self.feed(Reported(AT))
        except InvalidState:
            assert self.match is before
        else:
            assert self.reported

    @precondition(lambda self: self.turn == 3 or self.retries == 0)
    @rule()
    def abort(self) -> None:
        """The referee gives up; a match that is decided stays decided."""
        before = self.match
        try:
            self.feed(Abort("shutting down", AT))
        except InvalidState:
            assert self.over
            assert self.match is before
        else:
            assert not self.over
            self.aborted, self.open = True, {}

    # How it must stand

    @invariant()
    def it_waits_for_those_who_were_asked(self) -> None:
        if hasattr(self, "match"):
            assert self.match.awaited == {player: question.try_number for player, question in self.open.items()}
            assert self.match.over == self.over

    @invariant()
    def there_is_a_result_exactly_when_it_is_decided(self) -> None:
        if not hasattr(self, "match"):
            return
        result = self.match.result
        reports = [command for command in self.commands if isinstance(command, SendReport)]
        farewells = [command for command in self.commands if isinstance(command, SendGameOver)]
        decided = self.over and not self.aborted
        assert (result is not None) == decided
        assert len(reports) == len(farewells) == decided
        if result is None:
            return
        assert {fault.player_id for fault in result.faults} == self.guilty
        assert (result.winner, dict(result.score)) == self.expected()
        assert (result.status is ResultStatus.TECHNICAL_LOSS) == bool(self.guilty)
        assert (self.match.state is MatchState.REPORTED) == self.reported

    def expected(self) -> tuple[str | None, dict[str, int]]:
        if self.guilty:
            points = {player: 0 if player in self.guilty else 3 for player in (A, B)}
            innocent = [player for player in (A, B) if player not in self.guilty]
            return (innocent[0] if innocent else None), points
        first, second = (sum(turn[player] for turn in self.shown) for player in (A, B))
        if first == second:
            return None, {A: 1, B: 1}
        winner = A if first > second else B
        return winner, {player: 3 if player == winner else 0 for player in (A, B)}

    @invariant()
    def nobody_is_asked_too_often_and_every_new_try_is_explained(self) -> None:
        if not hasattr(self, "match"):
            return
        assert all(question.try_number <= self.retries + 1 for question in self.asked)
        explained = [command for command in self.commands if isinstance(command, NotifyError)]
        assert len(explained) == sum(question.try_number > 1 for question in self.asked)


AnswersAreUnreliable.TestCase.settings = settings(
    max_examples=5_000 if "LEAGUE_SOAK" in os.environ else 60, stateful_step_count=40, deadline=None
)
TestAnswersAreUnreliable = AnswersAreUnreliable.TestCase

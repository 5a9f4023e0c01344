"""A ledger whose manager crashes, whose disk fills up, whose mail is late, doubled or lost: against a plain model."""

import asyncio
import os
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from league_sdk.clock import ManualClock
from league_sdk.domain.commands import AssignMatch, CompleteRound, CreateLeague, RecordResult, ReturnAgent, StartRound
from league_sdk.domain.decisions.result_summary import summarised, summary
from league_sdk.domain.league import fold
from league_sdk.domain.model import Role
from league_sdk.errors import LeagueError
from league_sdk.ports import StoreFailed
from servers.league_manager.ledger import Ledger
from tests.league_sdk.domain.season import outcome
from tests.servers.fakes import LEAGUE, StubbornStore, enrol, entrant, rules, start

PICK = st.integers(0, 10_000)
REFEREES = st.sampled_from(["REF01", "REF02"])


class MailIsUnreliable(RuleBasedStateMachine):
    """Referees report until they are acknowledged; everything else may happen at any time.

    The model is three tables: who may report which match, what was told to a referee as acknowledged, and what lies in
    the mail. The league must hold what was acknowledged, whatever is delivered, and nothing that was never true.
    """

    @initialize(players=st.integers(2, 5))
    def begin(self, players: int) -> None:
        self.runner = asyncio.Runner()
        self.store = StubbornStore()
        self.holder: dict[str, tuple[str, int]] = {}
        self.acknowledged: dict[str, Any] = {}
        self.mail: list[Any] = []
        self.run(self.open())
        self.run(self.ledger.execute(CreateLeague(rules(max_attempts=50))))
        self.run(enrol(self.ledger, players, 2))
        self.run(start(self.ledger))

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    async def open(self) -> None:
        self.ledger = Ledger(self.store, ManualClock(), LEAGUE)
        await self.ledger.open()

    def tell(self, command: Any) -> bool:
        """True if the league took a command; a failed or refused one must leave no trace."""
        before = self.ledger.league if self.ledger else None
        try:
            self.run(self.ledger.execute(command))
        except (LeagueError, StoreFailed):
            assert self.ledger.league is before
            return False
        return True

    @property
    def open_matches(self) -> list[str]:
        league = self.ledger.league
        return [one.match_id for one in league.unfinished(league.current_round)] if league.current_round else []

    @rule()
    def go_on(self) -> None:
        """The league's next steps between matches."""
        league = self.ledger.league
        if league.current_round is None:
            self.tell(StartRound(league.rounds_completed + 1))
        elif not self.open_matches:
            self.tell(CompleteRound(league.current_round))

    @precondition(lambda self: self.open_matches)
    @rule(pick=PICK, referee=REFEREES)
    def assign(self, pick: int, referee: str) -> None:
        """A match is given out, perhaps again: the last referee is taken for dead, and may not be."""
        match_id = self.open_matches[pick % len(self.open_matches)]
        attempt = self.ledger.league.attempt(match_id) + 1
        if self.tell(AssignMatch(match_id, referee)):
            self.holder[match_id] = (referee, attempt)

    @precondition(lambda self: self.holder)
    @rule(pick=PICK, winner=st.sampled_from([0, 1, None]), copies=st.integers(1, 3))
    def play(self, pick: int, winner: int | None, copies: int) -> None:
        """A referee has played its match to the end; its report lies in the mail, perhaps several times."""
        match_id = sorted(self.holder)[pick % len(self.holder)]
        referee, attempt = self.holder[match_id]
        if any((one.match_id, one.attempt) == (match_id, attempt) for one in self.mail):
            return  # one attempt has one end
        fixture = self.ledger.league.fixture(match_id)
        who = None if winner is None else fixture.players[winner]
        self.mail += [outcome(fixture, who, referee_id=referee, attempt=attempt)] * copies

    @precondition(lambda self: self.open_matches)
    @rule(pick=PICK, first=REFEREES, second=REFEREES, winner=st.sampled_from([0, 1, None]))
    def give_up_too_early(self, pick: int, first: str, second: str, winner: int | None) -> None:
        """A match is given to another referee, or to the same once more, while a report of it is on its way."""
        match_id = self.open_matches[pick % len(self.open_matches)]
        self.assign(pick, first)
        if match_id in self.holder:
            self.play(sorted(self.holder).index(match_id), winner, 1)
            self.assign(pick, second)

    @precondition(lambda self: self.mail)
    @rule(pick=PICK, lost=st.booleans())
    def deliver(self, pick: int, lost: bool) -> None:
        """A report arrives, in any order, again and again; the answer may get lost on its way back."""
        result = self.mail[pick % len(self.mail)]
        match_id, full = result.match_id, self.store.full
        current = self.holder[match_id] == (result.referee_id, result.attempt)
        known = match_id in self.ledger.league.results
        taken = self.tell(RecordResult(result))
        assert taken == (current and (known or not full))
        if taken and not lost:
            self.acknowledged[match_id] = result

    @rule()
    def crash(self) -> None:
        """SIGKILL: only the store is left."""
        before = self.ledger.league
        self.run(self.open())
        assert self.ledger.league == before

    @rule()
    def fill_the_disk(self) -> None:
        self.store.full = True

    @precondition(lambda self: self.store.full)
    @rule()
    def empty_the_disk(self) -> None:
        """The operator makes room and starts the manager again."""
        self.store.full = False
        self.crash()

    @rule(number=st.integers(1, 2))
    def return_a_player(self, number: int) -> None:
        player = entrant(Role.PLAYER, number)
        if self.tell(ReturnAgent(f"P{number:02d}", player.token_digest, player.endpoint)):
            assert self.ledger.league.player(f"P{number:02d}").token_digest == player.token_digest

    @invariant()
    def what_was_acknowledged_is_kept(self) -> None:
        kept = self.run(self.ledger.results([*self.acknowledged]))
        assert {result.match_id: result for result in kept} == self.acknowledged

    @invariant()
    def what_is_recorded_was_once_reported(self) -> None:
        reported = [summary(result) for result in self.mail]
        assert all(result in reported for result in self.ledger.league.results.values())

    @invariant()
    def the_points_are_those_of_the_results(self) -> None:
        league = self.ledger.league
        expected = dict.fromkeys(league.players, 0)
        for result in league.results.values():
            for player, points in result.score.items():
                expected[player] += points
        assert {row.player_id: row.points for row in league.standings()} == expected

    def teardown(self) -> None:
        if not hasattr(self, "runner"):
            return
        records = self.run(self.store.read(LEAGUE))
        assert fold(summarised(record.event, self.ledger.league) for record in records) == self.ledger.league
        recorded = [record.payload["result"]["match_id"] for record in records if record.type == "MatchRecorded"]
        assert len(recorded) == len(set(recorded))
        self.runner.close()


MailIsUnreliable.TestCase.settings = settings(
    max_examples=2_000 if "LEAGUE_SOAK" in os.environ else 30, stateful_step_count=50, deadline=None
)
TestMailIsUnreliable = MailIsUnreliable.TestCase

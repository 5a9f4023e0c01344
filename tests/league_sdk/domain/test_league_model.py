"""A league against a simple model of it, while commands come in any order, twice, late and forged."""

import os
from dataclasses import replace
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteLeague,
    CompleteRound,
    RecordResult,
    RegisterPlayer,
    RemovePlayer,
    ResumeLeague,
    StartLeague,
    StartRound,
    StopLeague,
    VoidMatch,
)
from league_sdk.domain.events import event_from_json, event_to_json
from league_sdk.domain.league import fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import ResultStatus
from league_sdk.domain.ranking.standings import table
from league_sdk.errors import LeagueError
from tests.league_sdk.domain.season import Season, agent, outcome, registered, running

REFEREES = st.sampled_from(["REF01", "REF02", "REF09"])
PICK = st.integers(0, 10_000)
WINNERS = st.sampled_from([0, 1, None])


class AnyLeague(RuleBasedStateMachine):
    """Commands at random; what the league takes has to agree with what was plainly written down here."""

    @initialize(players=st.integers(2, 5), begin=st.sampled_from([registered, running, running, running]))
    def register(self, players: int, begin: Any) -> None:
        self.season: Season = begin(players, 2, max_attempts=3)
        self.recorded: dict[str, Any] = {}
        self.void: set[str] = set()
        self.removed: set[str] = set()
        self.attempts: dict[str, list[str]] = {}
        self.reports: list[Any] = []

    def tell(self, command: Any) -> tuple[Any, ...] | None:
        """The events, or None when the command was refused; a refusal must leave no trace."""
        before = (self.season.league, len(self.season.events))
        try:
            return self.season.do(command)
        except LeagueError:
            assert (self.season.league, len(self.season.events)) == before
            return None

    def match_ids(self) -> list[str]:
        return [one.match_id for scheduled in self.season.league.rounds for one in scheduled.fixtures]

    @rule(winners=st.lists(WINNERS, min_size=1, max_size=6), referee_id=REFEREES)
    def go_on(self, winners: list[int | None], referee_id: str) -> None:
        """A few of the manager's next steps."""
        for winner in winners:
            league = self.season.league
            if league.current_round is None:
                self.tell(StartRound(league.rounds_completed + 1))
                continue
            unfinished = league.unfinished(league.current_round)
            if not unfinished:
                self.tell(CompleteRound(league.current_round))
            elif unfinished[0].match_id not in self.attempts:
                self.assign_all(referee_id)
            else:
                self.report_all(winner)

    @rule()
    def close(self) -> None:
        self.tell(CloseRegistration("operator"))

    @rule()
    def start(self) -> None:
        self.tell(StartLeague())

    @rule()
    def register_late(self) -> None:
        open_before = self.season.league.state is LeagueState.WAITING_FOR_REGISTRATIONS
        taken = self.tell(RegisterPlayer(agent(f"Late {len(self.season.events)}")))
        assert (taken is not None) == open_before

    @rule()
    def next_round(self) -> None:
        self.tell(StartRound(self.season.league.rounds_completed + 1))

    @rule(round_id=st.integers(0, 6))
    def some_round(self, round_id: int) -> None:
        self.tell(StartRound(round_id))

    @precondition(lambda self: self.season.league.rounds)
    @rule(pick=PICK, referee_id=REFEREES)
    def assign(self, pick: int, referee_id: str) -> None:
        match_id = self.match_ids()[pick % len(self.match_ids())]
        if self.tell(AssignMatch(match_id, referee_id)) is not None:
            self.attempts.setdefault(match_id, []).append(referee_id)

    @precondition(lambda self: self.season.league.current_round)
    @rule(referee_id=REFEREES)
    def assign_all(self, referee_id: str) -> None:
        for fixture in self.season.league.unfinished(self.season.league.current_round):
            if self.tell(AssignMatch(fixture.match_id, referee_id)) is not None:
                self.attempts.setdefault(fixture.match_id, []).append(referee_id)

    @precondition(lambda self: self.attempts)
    @rule(pick=PICK, winner=WINNERS, technical=st.booleans(), stale=st.booleans())
    def report(self, pick: int, winner: int | None, technical: bool, stale: bool) -> None:
        match_id = sorted(self.attempts)[pick % len(self.attempts)]
        tries = self.attempts[match_id]
        attempt = 1 if stale else len(tries)
        fixture = self.season.league.fixture(match_id)
        who = None if winner is None else fixture.players[winner]
        result = outcome(fixture, who, attempt=attempt, referee_id=tries[attempt - 1])
        if technical:
            result = outcome(
                fixture,
                who,
                status=ResultStatus.TECHNICAL_LOSS,
                attempt=attempt,
                referee_id=tries[attempt - 1],
            )
        self.hear(result)

    @precondition(lambda self: self.reports)
    @rule(pick=PICK)
    def repeat_a_report(self, pick: int) -> None:
        self.hear(self.reports[pick % len(self.reports)])

    @precondition(lambda self: self.reports)
    @rule(pick=PICK, forgery=st.sampled_from(["referee", "attempt", "score", "winner", "players", "round"]))
    def forge(self, pick: int, forgery: str) -> None:
        true = self.reports[pick % len(self.reports)]
        forged = {
            "referee": replace(true, referee_id="REF77"),
            "attempt": replace(true, attempt=99),
            "score": replace(true, score=dict.fromkeys(true.players, 99)),
            "winner": replace(true, winner="P99"),
            "players": replace(true, players=true.players[::-1]),
            "round": replace(true, round_id=99),
        }[forgery]
        assert self.tell(RecordResult(forged)) is None

    def hear(self, result: Any) -> None:
        """A report comes in; the model says what has to become of it."""
        match_id = result.match_id
        tries = self.attempts[match_id]
        current = result.attempt == len(tries) and result.referee_id == tries[-1]
        known = self.recorded.get(match_id)
        events = self.tell(RecordResult(result))
        self.reports.append(result)
        if current and known is None and match_id not in self.void:
            assert events is not None
            assert len(events) == 1
            self.recorded[match_id] = result
        elif current and known == result:
            assert events == ()
        else:
            assert events is None

    @precondition(lambda self: self.season.league.rounds)
    @rule(pick=PICK)
    def void_one(self, pick: int) -> None:
        current = self.season.league.current_round
        here = [one.match_id for one in self.season.league.unfinished(current)] if current else []
        anywhere = [*here, *here, *self.match_ids()]
        match_id = anywhere[pick % len(anywhere)]
        if self.tell(VoidMatch(match_id, "no referee")) is not None:
            assert match_id not in self.recorded
            self.void.add(match_id)

    @precondition(lambda self: self.season.league.current_round)
    @rule(winner=WINNERS)
    def report_all(self, winner: int | None) -> None:
        for fixture in self.season.league.unfinished(self.season.league.current_round):
            tries = self.attempts.get(fixture.match_id)
            if tries:
                who = None if winner is None else fixture.players[winner]
                self.hear(outcome(fixture, who, attempt=len(tries), referee_id=tries[-1]))

    @rule(pick=PICK)
    def remove(self, pick: int) -> None:
        league = self.season.league
        players = sorted({*league.players, *league.dismissed, "P99"})
        player_id = players[pick % len(players)]
        open_matches = {
            one.match_id
            for scheduled in league.rounds
            for one in scheduled.fixtures
            if player_id in one.players and one.match_id not in self.recorded and one.match_id not in self.void
        }
        last = bool(league.rounds) and set(league.players) - self.removed == {player_id}
        over = league.state is LeagueState.COMPLETED
        events = self.tell(RemovePlayer(player_id, "unwanted"))
        if player_id in self.removed:
            assert events == ()
        elif player_id == "P99" or last or over:
            assert events is None
        else:
            assert events is not None
            assert len(events) == 1 + len(open_matches)
            self.removed.add(player_id)
            self.void |= open_matches

    @rule()
    def finish_round(self) -> None:
        self.tell(CompleteRound(self.season.league.rounds_started))

    @rule()
    def finish(self) -> None:
        if self.tell(CompleteLeague()) is not None:
            assert set(self.recorded) | self.void == set(self.match_ids())
            champions = set(self.season.league.champions)
            assert bool(champions) == self.season.league.played
            assert champions.isdisjoint(self.removed)

    @rule(reports=st.lists(PICK, max_size=3))
    def stop_and_go_on(self, reports: list[int]) -> None:
        self.tell(StopLeague("tea"))
        for pick in reports if self.reports else []:
            self.hear(self.reports[pick % len(self.reports)])
        self.tell(ResumeLeague("after tea"))

    @precondition(lambda self: self.season.league.rounds_completed)
    @rule()
    def stop(self) -> None:
        self.tell(StopLeague("dinner"))

    @rule()
    def resume(self) -> None:
        taken = self.tell(ResumeLeague())
        assert (taken is None) == (self.season.league.state is LeagueState.COMPLETED)

    @invariant()
    def the_league_holds_what_was_recorded(self) -> None:
        league = self.season.league
        assert league.results == self.recorded
        assert set(league.voided) == self.void
        assert {match_id: league.attempt(match_id) for match_id in self.attempts} == {
            match_id: len(tries) for match_id, tries in self.attempts.items()
        }

    @invariant()
    def the_table_is_that_of_the_recorded_results(self) -> None:
        league = self.season.league
        names = {player.agent_id: player.display_name for player in league.players.values()}
        plain = tuple(replace(row, removed=False) for row in league.standings())
        assert plain == table(names, self.recorded.values())
        assert {row.player_id for row in league.standings() if row.removed} == self.removed - set(league.dismissed)

    @invariant()
    def a_complete_round_has_no_open_match(self) -> None:
        league = self.season.league
        for round_id in range(1, league.rounds_completed + 1):
            assert league.unfinished(round_id) == ()

    def teardown(self) -> None:
        if hasattr(self, "season"):
            events = self.season.events
            assert fold(events) == self.season.league
            stored = [event_from_json(type(event).__name__, event_to_json(event)) for event in events]
            assert fold(stored) == self.season.league


AnyLeague.TestCase.settings = settings(
    max_examples=2_000 if "LEAGUE_SOAK" in os.environ else 40, stateful_step_count=70, deadline=None
)
TestAnyLeague = AnyLeague.TestCase

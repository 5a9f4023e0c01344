"""A league to test with: commands go in, and every event that it makes is kept."""

from dataclasses import dataclass, field, replace
from typing import Any

from league_sdk.domain.checks import points
from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteLeague,
    CompleteRound,
    CreateLeague,
    RecordResult,
    RegisterPlayer,
    RegisterReferee,
    StartLeague,
    StartRound,
)
from league_sdk.domain.league import decide, evolve
from league_sdk.domain.model import Agent, Fixture, LeagueRules, MatchResult, ResultStatus, Role, Scoring


def rules(**changes: Any) -> LeagueRules:
    """Rules of a league of `fingers`."""
    return replace(LeagueRules(league_id="summer", game_type="fingers"), **changes)


def agent(name: str = "Alpha", **changes: Any) -> Agent:
    """An agent that may register."""
    plain = Agent(
        agent_id="",
        role=Role.PLAYER,
        display_name=name,
        endpoint=f"http://localhost/{name}",
        token_digest=f"digest of {name}",
        game_types=("fingers",),
    )
    return replace(plain, **changes)


def outcome(fixture: Fixture, winner: str | None = None, scoring: Scoring | None = None, **changes: Any) -> MatchResult:
    """A result of a fixture: a win or a draw, with the points that fit it unless they are given."""
    plain = MatchResult(
        match_id=fixture.match_id,
        round_id=fixture.round_id,
        players=fixture.players,
        status=ResultStatus.WIN if winner else ResultStatus.DRAW,
        winner=winner,
        score={},
        referee_id="REF01",
    )
    changed = replace(plain, **changes)
    return changed if "score" in changes else replace(changed, score=points(changed, scoring or Scoring()))


@dataclass
class Season:
    """A league, driven."""

    league: Any = None
    events: list[Any] = field(default_factory=list[Any])

    def do(self, command: Any) -> tuple[Any, ...]:
        """Decide, and let it happen."""
        events = decide(self.league, command)
        for event in events:
            self.league = evolve(self.league, event)
        self.events += events
        return events

    def result(self, match_id: str, winner: str | None = None, **changes: Any) -> MatchResult:
        """A possible report of the assigned referee."""
        assignment = self.league.assignments[match_id]
        by_whom = {"referee_id": assignment.referee_id, "attempt": assignment.attempt}
        return outcome(self.league.fixture(match_id), winner, self.league.rules.scoring, **{**by_whom, **changes})

    def record(self, match_id: str, winner: str | None = None, **changes: Any) -> tuple[Any, ...]:
        """Report it."""
        return self.do(RecordResult(self.result(match_id, winner, **changes)))

    def play_round(self, round_id: int) -> None:
        """A whole round, in which the first seats win."""
        self.do(StartRound(round_id))
        for fixture in self.league.unfinished(round_id):
            self.do(AssignMatch(fixture.match_id, "REF01"))
            self.record(fixture.match_id, fixture.players[0])
        self.do(CompleteRound(round_id))

    def play_rounds(self) -> "Season":
        """All rounds, without the end."""
        for scheduled_round in self.league.rounds:
            self.play_round(scheduled_round.round_id)
        return self

    def play(self) -> "Season":
        """All rounds."""
        self.play_rounds()
        self.do(CompleteLeague())
        return self


def created(**changes: Any) -> Season:
    """A league that waits for registrations."""
    season = Season()
    season.do(CreateLeague(rules(**changes)))
    return season


def registered(players: int = 4, referees: int = 2, **changes: Any) -> Season:
    """A league with agents in it."""
    season = created(**changes)
    for number in range(1, referees + 1):
        season.do(RegisterReferee(agent(f"Referee {number}"), "secret"))
    for number in range(1, players + 1):
        season.do(RegisterPlayer(agent(f"Player {number}")))
    return season


def scheduled(players: int = 4, referees: int = 2, **changes: Any) -> Season:
    """A league with a schedule."""
    season = registered(players, referees, **changes)
    season.do(CloseRegistration("operator"))
    return season


def running(players: int = 4, referees: int = 2, **changes: Any) -> Season:
    """A league that has started, before its first round."""
    season = scheduled(players, referees, **changes)
    season.do(StartLeague())
    return season


def first_round(players: int = 4, referees: int = 2, **changes: Any) -> Season:
    """A league in its first round, with R1M1 assigned to REF01."""
    season = running(players, referees, **changes)
    season.do(StartRound(1))
    season.do(AssignMatch("R1M1", "REF01"))
    return season

"""A league as a value, the fold that makes it from events, and the questions it can be asked.

Nothing here refuses anything but events that cannot have happened: what may happen is decided in `league.py`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from sys import intern
from typing import Any

from league_sdk.domain.events import (
    AgentReturned,
    Event,
    LeagueCompleted,
    LeagueCreated,
    LeagueResumed,
    LeagueStarted,
    LeagueStopped,
    MatchAssigned,
    MatchRecorded,
    MatchVoided,
    PlayerRegistered,
    PlayerRemoved,
    RefereeRegistered,
    RoundCompleted,
    RoundStarted,
    ScheduleCreated,
)
from league_sdk.domain.fixtures import compact
from league_sdk.domain.lifecycles import LEAGUE, RESUMES, LeagueState, LeagueTrigger
from league_sdk.domain.model import Agent, Assignment, Fixture, LeagueRules, MatchResult, Role, Round, Standing
from league_sdk.domain.packed import packed
from league_sdk.domain.persistent import PersistentMap
from league_sdk.domain.standings import Tally
from league_sdk.errors import InvalidField, MatchNotFound, PlayerNotRegistered, RefereeNotRegistered

_MATCH_ID = re.compile(r"R([1-9][0-9]{0,8})M([1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True)
class PlayerProgress:
    """One player's league so far.

    Attributes:
        standing: Its row of the table.
        results: Its decided matches, in the order of the rounds.
        voided: Its matches that are void.
        remaining: How many of its matches are still to be decided; 0 before there is a schedule.
        returns: How often it has taken its seat again.
    """

    standing: Standing
    results: tuple[MatchResult, ...]
    voided: tuple[str, ...]
    remaining: int
    returns: int = 0


@dataclass(frozen=True, slots=True)
class League:
    """All that is known of a league.

    Attributes:
        rules: What it was created with.
        state: Where it stands.
        stopped_in: While it is STOPPED: the state it will go on in.
        stop_reason: While it is STOPPED: why.
        referees: Registered referees by id, in order of registration.
        players: Registered players by id, in order of registration.
        removed: Of every player that was removed, by its id: why, as its void matches say it.
        dismissed: Players that were removed before there was a schedule, by id: not among `players` any more. Their
            seats are free; their ids and names are not given again.
        returns: How often each agent has taken its seat again, of those that have.
        rounds: The schedule; empty while registration is open.
        closing_reason: Why registration closed: `quorum`, `operator` or `timeout`; empty before.
        rounds_started: How many rounds have begun; so the number of the latest.
        rounds_completed: How many of them are complete.
        assignments: The current assignment by match id.
        results: The result of every decided match by its id, in order of arrival.
        voided: Cause by id of every void match.
        replays: How often a match was given out again, by its id; only those that were.
        tally: What everybody has won and lost.
        champions: Ids of the winners, once COMPLETED.
    """

    rules: LeagueRules
    state: LeagueState = LEAGUE.initial
    stopped_in: LeagueState | None = None
    stop_reason: str = ""
    referees: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    players: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    removed: Mapping[str, str] = field(default_factory=dict[str, str])
    dismissed: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    returns: Mapping[str, int] = field(default_factory=dict[str, int], repr=False)
    rounds: tuple[Round, ...] = field(default=(), repr=False)
    closing_reason: str = ""
    rounds_started: int = 0
    rounds_completed: int = 0
    assignments: PersistentMap[str, Assignment] = field(default_factory=PersistentMap[str, Assignment], repr=False)
    results: PersistentMap[str, MatchResult] = field(default_factory=PersistentMap[str, MatchResult], repr=False)
    voided: PersistentMap[str, str] = field(default_factory=PersistentMap[str, str], repr=False)
    replays: Mapping[str, int] = field(default_factory=dict[str, int], repr=False)
    tally: Tally = field(default_factory=Tally, repr=False)
    champions: tuple[str, ...] = ()

    @property
    def league_id(self) -> str:
        """As configured."""
        return self.rules.league_id

    @property
    def current_round(self) -> int | None:
        """The number of the round under way; None between rounds."""
        return self.rounds_started if self.rounds_started > self.rounds_completed else None

    @property
    def total_matches(self) -> int:
        """How many matches the schedule has."""
        return sum(len(scheduled.fixtures) for scheduled in self.rounds)

    @property
    def unplayed(self) -> dict[str, str]:
        """Cause by id of every match that is void because no referee brought it to a result."""
        removals = set(self.removed.values())
        return {match_id: cause for match_id, cause in self.voided.items() if cause not in removals}

    def quorum(self) -> bool:
        """Whether all players and referees that the league waits for are in; never, when it waits for the clock."""
        expected = self.rules.expected_players
        return (
            expected is not None
            and len(self.players) >= expected
            and len(self.referees) >= max(1, self.rules.expected_referees)
        )

    def standings(self) -> tuple[Standing, ...]:
        """The table, a row for every registered player."""
        return self.tally.ranked(self._names(), self.rules.tiebreakers, self.removed)

    def staying(self) -> tuple[str, ...]:
        """Ids of the players that were not removed, in order of registration."""
        return tuple(player_id for player_id in self.players if player_id not in self.removed)

    def winners(self) -> tuple[str, ...]:
        """Ids of the best of those who were not removed: of the champions, if the league were over."""
        staying = [row for row in self.standings() if not row.removed]
        return tuple(row.player_id for row in staying if row.rank == staying[0].rank)

    def leaders(self) -> tuple[str, ...]:
        """Ids of the players with rank 1."""
        return self.tally.leaders(self._names(), self.rules.tiebreakers)

    def _names(self) -> dict[str, str]:
        return {player.agent_id: player.display_name for player in self.players.values()}

    def player(self, player_id: str) -> Agent:
        """A registered player.

        Raises:
            PlayerNotRegistered: There is none of that id.
        """
        if player_id not in self.players:
            raise PlayerNotRegistered(f"no player {player_id!r} in this league", player_id=player_id)
        return self.players[player_id]

    def referee(self, referee_id: str) -> Agent:
        """A registered referee.

        Raises:
            RefereeNotRegistered: There is none of that id.
        """
        if referee_id not in self.referees:
            raise RefereeNotRegistered(f"no referee {referee_id!r} in this league", referee_id=referee_id)
        return self.referees[referee_id]

    def agents(self, role: Role) -> Mapping[str, Agent]:
        """The registered agents of a role, by id."""
        return self.referees if role is Role.REFEREE else self.players

    def named(self, role: Role, display_name: str) -> Agent | None:
        """The agent of a role that registered under this name, or None."""
        return next((agent for agent in self.agents(role).values() if agent.display_name == display_name), None)

    def round(self, round_id: int) -> Round:
        """A round of the schedule.

        Raises:
            InvalidField: The schedule has no such round.
        """
        if not 1 <= round_id <= len(self.rounds):
            raise InvalidField(
                f"no round {round_id}", field="round_id", value=round_id, expected=f"1 to {len(self.rounds)}"
            )
        return self.rounds[round_id - 1]

    def fixture(self, match_id: str) -> Fixture:
        """A match of the schedule.

        Raises:
            MatchNotFound: The schedule has no such match.
        """
        parts = _MATCH_ID.fullmatch(match_id)
        if parts is not None:
            round_number, place = int(parts[1]), int(parts[2])
            if round_number <= len(self.rounds) and place <= len(self.rounds[round_number - 1].fixtures):
                return self.rounds[round_number - 1].fixtures[place - 1]
        raise MatchNotFound(f"no match {match_id!r} in the schedule", match_id=match_id)

    def decided(self, match_id: str) -> bool:
        """Whether a match has its result or is void."""
        return match_id in self.results or match_id in self.voided

    def unfinished(self, round_id: int) -> tuple[Fixture, ...]:
        """The matches of a round that are neither decided nor void.

        Raises:
            InvalidField: The schedule has no such round.
        """
        return tuple(fixture for fixture in self.round(round_id).fixtures if not self.decided(fixture.match_id))

    def attempt(self, match_id: str) -> int:
        """How often a match has been assigned; 0 before the first time."""
        assignment = self.assignments.get(match_id)
        return 0 if assignment is None else assignment.attempt

    def next_match(self, player_id: str) -> Fixture | None:
        """The first match of a player that is not decided yet, or None.

        Raises:
            PlayerNotRegistered: There is no such player.
        """
        self.player(player_id)
        return next(self.open_matches(player_id), None)

    def open_matches(self, player_id: str) -> Iterator[Fixture]:
        """The matches of a player that are not decided yet, in order."""
        for scheduled in self.rounds[self.rounds_completed :]:
            for fixture in scheduled.fixtures:
                if player_id in fixture.players and not self.decided(fixture.match_id):
                    yield fixture

    def player_stats(self, player_id: str) -> PlayerProgress:
        """What a player has done and still has to do.

        Raises:
            PlayerNotRegistered: There is no such player.
        """
        self.player(player_id)
        own = [
            fixture.match_id
            for scheduled in self.rounds
            for fixture in scheduled.fixtures
            if player_id in fixture.players
        ]
        results = tuple(self.results[match_id] for match_id in own if match_id in self.results)
        voided = tuple(match_id for match_id in own if match_id in self.voided)
        standing = next(row for row in self.standings() if row.player_id == player_id)
        remaining = len(own) - len(results) - len(voided)
        return PlayerProgress(standing, results, voided, remaining, self.returns.get(player_id, 0))


def evolve(league: League | None, event: Event) -> League:
    """The league after an event. `None` is the league before its first one.

    Raises:
        ValueError: The event cannot come first, or comes first a second time.
        InvalidState: The league's state machine does not allow it here.
    """
    if isinstance(event, LeagueCreated):
        if league is not None:
            raise ValueError("a league is created once, by its first event")
        return League(event.rules)
    if league is None:
        raise ValueError(f"a league begins with LeagueCreated, not with {type(event).__name__}")
    return _EVOLVERS[type(event)](league, event)


def fold(events: Iterable[Event]) -> League:
    """The league that these events made.

    Raises:
        ValueError: There is no event, or the first is not LeagueCreated, or a later one is.
        InvalidState: They are in an order that cannot be.
    """
    league: League | None = None
    for event in events:
        league = evolve(league, event)
    if league is None:
        raise ValueError("a league begins with LeagueCreated, and there is no event at all")
    return league


def _referee_registered(league: League, event: RefereeRegistered) -> League:
    return replace(league, referees={**league.referees, event.referee.agent_id: event.referee})


def _player_registered(league: League, event: PlayerRegistered) -> League:
    return replace(league, players={**league.players, event.player.agent_id: event.player})


def _agent_returned(league: League, event: AgentReturned) -> League:
    agent_id = event.agent.agent_id
    agents = {**league.agents(event.agent.role), agent_id: event.agent}
    league = replace(league, returns={**league.returns, agent_id: league.returns.get(agent_id, 0) + 1})
    if event.agent.role is Role.REFEREE:
        return replace(league, referees=agents)
    return replace(league, players=agents)


def _player_removed(league: League, event: PlayerRemoved) -> League:
    player, removed = league.player(event.player_id), {**league.removed, event.player_id: event.cause}
    if league.rounds:
        return replace(league, removed=removed)
    players = {agent_id: agent for agent_id, agent in league.players.items() if agent_id != event.player_id}
    return replace(league, players=players, removed=removed, dismissed={**league.dismissed, event.player_id: player})


def _schedule_created(league: League, event: ScheduleCreated) -> League:
    state = LEAGUE.next(league.state, LeagueTrigger.CLOSE_REGISTRATION)
    rounds = tuple(map(compact, event.rounds))
    return replace(league, state=state, rounds=rounds, closing_reason=event.reason)


def _league_started(league: League, _event: LeagueStarted) -> League:
    return replace(league, state=LEAGUE.next(league.state, LeagueTrigger.START))


def _round_started(league: League, event: RoundStarted) -> League:
    return replace(league, rounds_started=event.round_id)


def _match_assigned(league: League, event: MatchAssigned) -> League:
    assignment = Assignment(intern(event.match_id), intern(event.referee_id), event.attempt)
    replays = league.replays
    if event.attempt > 1:
        replays = {**replays, assignment.match_id: event.attempt - 1}
    return replace(league, assignments=league.assignments.set(assignment.match_id, assignment), replays=replays)


def _match_recorded(league: League, event: MatchRecorded) -> League:
    result = packed(event.result)
    results = league.results.set(result.match_id, result)
    return replace(league, results=results, tally=league.tally.add(event.result))


def _match_voided(league: League, event: MatchVoided) -> League:
    return replace(league, voided=league.voided.set(event.match_id, event.cause))


def _round_completed(league: League, event: RoundCompleted) -> League:
    return replace(league, rounds_completed=event.round_id)


def _league_completed(league: League, event: LeagueCompleted) -> League:
    return replace(league, state=LEAGUE.next(league.state, LeagueTrigger.COMPLETE), champions=event.champions)


def _league_stopped(league: League, event: LeagueStopped) -> League:
    state = LEAGUE.next(league.state, LeagueTrigger.STOP)
    return replace(league, state=state, stopped_in=league.state, stop_reason=event.reason)


def _league_resumed(league: League, _event: LeagueResumed) -> League:
    state = LEAGUE.next(league.state, RESUMES[league.stopped_in or league.state])
    return replace(league, state=state, stopped_in=None, stop_reason="")


_EVOLVERS: Mapping[type, Callable[[League, Any], League]] = {
    RefereeRegistered: _referee_registered,
    PlayerRegistered: _player_registered,
    AgentReturned: _agent_returned,
    PlayerRemoved: _player_removed,
    ScheduleCreated: _schedule_created,
    LeagueStarted: _league_started,
    RoundStarted: _round_started,
    MatchAssigned: _match_assigned,
    MatchRecorded: _match_recorded,
    MatchVoided: _match_voided,
    RoundCompleted: _round_completed,
    LeagueCompleted: _league_completed,
    LeagueStopped: _league_stopped,
    LeagueResumed: _league_resumed,
}

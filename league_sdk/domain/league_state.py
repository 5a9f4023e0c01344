"""A league as a value, and its queries."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from league_sdk.domain.events import FORMAT_VERSION
from league_sdk.domain.lifecycles import LEAGUE, LeagueState
from league_sdk.domain.model import Agent, Assignment, Fixture, LeagueRules, MatchResult, Role, Round
from league_sdk.domain.pairings.unplayed_rounds import NumberedRound
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from league_sdk.domain.participants.sitting_out import SittingOut, SittingOutReason
from league_sdk.domain.persistent import PersistentMap
from league_sdk.domain.played_rounds import played_rounds, ranking_rules
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import Tally, ranked_as
from league_sdk.domain.records.epoch import Epoch
from league_sdk.errors import InvalidField, MatchNotFound, PlayerNotRegistered, RefereeNotRegistered
from league_sdk.json_value import Json
from league_sdk.names import name_key
from league_sdk.tournament import ENDLESS, Advanced, Ranking

_MATCH_ID = re.compile(r"R([1-9][0-9]{0,8})M([1-9][0-9]{0,8})(?:G[1-9][0-9]{0,8})?")

NO_CHAMPION = "no champion: nothing was played"
"""The sentence about the end of a league without a decided match."""


@dataclass(frozen=True, slots=True)
class PlayerProgress:
    """One player's league so far."""

    standing: Standing  # its row of the table
    results: tuple[MatchResult, ...]  # in the order of the rounds
    voided: tuple[str, ...]
    remaining: int  # undecided matches; 0 before there is a schedule
    returns: int = 0  # number of its repeated registrations


@dataclass(frozen=True, slots=True)
class League:
    """The state of a league.

    Agents are in order of registration. Those that are or were `expected` are known by role and the form in which names
    are compared. `dismissed` players were removed before there was a schedule: their places are free, but their ids
    and names are not given again. `removed` has every player that left, `withdrew` the round under way, or the last
    one, by agent that left by itself. `returns` counts repeated registrations by agent, `replays` repeated
    assignments by match; absent is 0. `left_after` has, for removed players, the number of rounds paired by
    then, `expunged` those whose results count for nobody. `entered` has, by player that entered late, what it gets
    for a round that it `missed`, and that their number. `expected_rounds` is the number of rounds where they are paired
    one by one. `sitting_out` has the players that sit out, `absences` the matches running that each was absent from,
    `have_played` those that have played without a forfeit. An endless league that is `closed` has no round beyond
    those that are paired.
    """

    rules: LeagueRules
    state: LeagueState = LEAGUE.initial
    stopped_in: LeagueState | None = None  # the state before it was stopped
    stop_reason: str = ""
    cancelled: bool = False  # stopped for good
    expected: Mapping[tuple[Role, str], ExpectedAgent] = field(
        default_factory=dict[tuple[Role, str], ExpectedAgent], repr=False
    )
    # digest of the invitation, by the form in which names are compared
    invited: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    revoked: frozenset[str] = frozenset()  # referees whose invitation was revoked: their names may be given again
    referees: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    players: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    removed: Mapping[str, str] = field(default_factory=dict[str, str])  # reason, by player id
    withdrew: Mapping[str, int] = field(default_factory=dict[str, int])
    dismissed: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    returns: Mapping[str, int] = field(default_factory=dict[str, int], repr=False)
    left_after: Mapping[str, int] = field(default_factory=dict[str, int], repr=False)
    expunged: frozenset[str] = frozenset()
    sitting_out: Mapping[str, SittingOut] = field(default_factory=dict[str, SittingOut])
    absences: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]], repr=False)
    have_played: frozenset[str] = field(default=frozenset(), repr=False)
    entered: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    missed: Mapping[str, int] = field(default_factory=dict[str, int], repr=False)
    rounds: tuple[Round, ...] = field(default=(), repr=False)
    expected_rounds: int = 0
    closed: bool = False
    closing_reason: str = ""  # `quorum`, `operator` or `timeout`
    rounds_started: int = 0
    rounds_completed: int = 0
    assignments: PersistentMap[str, Assignment] = field(default_factory=PersistentMap[str, Assignment], repr=False)
    results: PersistentMap[str, MatchResult] = field(default_factory=PersistentMap[str, MatchResult], repr=False)
    voided: PersistentMap[str, str] = field(default_factory=PersistentMap[str, str], repr=False)
    replays: Mapping[str, int] = field(default_factory=dict[str, int], repr=False)
    tally: Tally = field(default_factory=Tally, repr=False)
    champions: tuple[str, ...] = ()
    rankings: tuple[Ranking, ...] = field(default=(), repr=False)  # by the format, after each complete round
    ranking: Ranking = ()  # the last of them
    format_version: int = FORMAT_VERSION  # of its records; a league keeps to the rules of its time
    operator_digest: str = ""  # of the operator's token; empty where none is recorded
    unaware: frozenset[str] = frozenset()  # agents that have not registered since that token was changed
    plan: Mapping[str, Json] = field(default_factory=dict[str, Json], repr=False)  # of its launcher; empty without one
    read_only: str = ""  # why no manager may lead it: `restored`, `archived`; empty where one may
    older_manager: str = ""  # endpoint of the manager that led it when it was backed up
    epoch: Epoch = field(default_factory=Epoch)
    advanced: tuple[Advanced, ...] = ()  # from level ties, by lots or as the higher seed

    @property
    def league_id(self) -> str:
        return self.rules.league_id

    @property
    def current_round(self) -> int | None:
        """The number of the round under way, the last of several; None between rounds."""
        return self.rounds_started if self.rounds_started > self.rounds_completed else None

    @property
    def open_rounds(self) -> range:
        """The numbers of the rounds under way: several only where rounds overlap."""
        return range(self.rounds_completed + 1, self.rounds_started + 1)

    @property
    def no_champion(self) -> str:
        """The reason why there is no champion."""
        return f"no champion: the league was {self.stop_reason}" if self.cancelled else NO_CHAMPION

    @property
    def finished(self) -> bool:
        """True once nothing can happen in it any more."""
        return self.cancelled or self.state is LeagueState.COMPLETED

    @property
    def scheduled(self) -> bool:
        """True once registration is closed."""
        return bool(self.closing_reason)

    @property
    def endless(self) -> bool:
        """True if it has no last round until the operator closes it."""
        return self.expected_rounds == ENDLESS

    @property
    def lots_from_draws(self) -> bool:
        """True if lots come from draws: without a seed, anyone knows its id beforehand."""
        return self.rules.seed is None and self.format_version > 1

    @property
    def goes_on(self) -> bool:
        """True while an endless league is not closed."""
        return self.endless and not self.closed

    @property
    def total_rounds(self) -> int:
        """The number of rounds; the expected number while rounds are paired one by one.

        Of an endless league, those that are paired so far.
        """
        if self.state is LeagueState.COMPLETED or self.endless:
            return len(self.rounds)
        return max(len(self.rounds), self.expected_rounds)

    @property
    def total_matches(self) -> int:
        """The number of matches of the schedule, as far as it is settled."""
        return sum(len(scheduled.fixtures) for scheduled in self.rounds)

    @property
    def unplayed(self) -> dict[str, str]:
        """Cause by id of every match that is void for lack of a result by any referee."""
        removals = set(self.removed.values())
        return {match_id: cause for match_id, cause in self.voided.items() if cause not in removals}

    def quorum(self) -> bool:
        """True if all expected agents are registered; never if only the time-out counts."""
        expected = self.rules.expected_players
        return (
            expected is not None
            and len(self.players) >= expected
            and len(self.active_referees) >= max(1, self.rules.expected_referees)
        )

    def standings(self) -> tuple[Standing, ...]:
        """All players' standings, by the format's last ranking if it has one."""
        rows = self.tally.ranked(
            self._names(), self.rules.tiebreakers, self.removed, rounds=self._course, **ranking_rules(self.rules)
        )
        if self.withdrew or self.expunged or self.sitting_out:
            rows = tuple(map(self._marked, rows))
        return ranked_as(rows, self.ranking) if self.ranking else rows

    def _marked(self, row: Standing) -> Standing:
        player_id, sitting = row.player_id, self.sitting_out.get(row.player_id)
        withdrew, expunged = self.withdrew.get(player_id), player_id in self.expunged
        return replace(row, withdrew=withdrew, expunged=expunged, sitting_out=str(sitting.reason) if sitting else "")

    @property
    def active_referees(self) -> dict[str, Agent]:
        """The referees that have not withdrawn, by id."""
        return {agent_id: agent for agent_id, agent in self.referees.items() if agent_id not in self.withdrew}

    def staying(self) -> tuple[str, ...]:
        """Ids of the players that have not left, in order of registration."""
        return tuple(player_id for player_id in self.players if player_id not in self.removed)

    def playing(self) -> tuple[str, ...]:
        """Ids of the players that have not left and don't sit out."""
        return tuple(player_id for player_id in self.staying() if player_id not in self.sitting_out)

    def sits_out(self, fixture: Fixture) -> tuple[str, ...]:
        """The players of a match of two that sit out, in seat order."""
        if len(fixture.players) > 2:
            return ()
        return tuple(player_id for player_id in fixture.players if player_id in self.sitting_out)

    def freed(self) -> frozenset[str]:
        """Absent players that have only forfeited so far: their places are free."""
        return frozenset(
            player_id
            for player_id, sitting in self.sitting_out.items()
            if sitting.reason is SittingOutReason.ABSENT and player_id not in self.have_played
        )

    def taken_places(self) -> int:
        """The number of places that are not free for a newcomer."""
        return len(self.players) - len(self.freed())

    @property
    def played(self) -> bool:
        """True if a referee brought a match to a result, as a champion needs."""
        return self.format_version < 2 or any(result.referee_id for result in self.results.values())

    def winners(self) -> tuple[str, ...]:
        """Ids of the best of those who were not removed: the champions, once it is over."""
        staying = [row for row in self.standings() if not row.removed]
        return tuple(row.player_id for row in staying if row.rank == staying[0].rank)

    def leaders(self) -> tuple[str, ...]:
        """Ids of the players in front, by the criteria that need no whole round."""
        if self.rules.series_points:
            return tuple(row.player_id for row in self.standings() if row.rank == 1)
        return self.tally.leaders(self._names(), self.rules.tiebreakers, **ranking_rules(self.rules))

    def _course(self) -> Iterator[NumberedRound]:
        return played_rounds(
            self.rounds[: self.rounds_started], self.results, self.rounds_completed, self.expunged, self.late_byes
        )

    def _names(self) -> dict[str, str]:
        return {player.agent_id: player.display_name for player in self.players.values()}

    def player(self, player_id: str) -> Agent:
        """A registered player; else PlayerNotRegistered."""
        if player_id not in self.players:
            raise PlayerNotRegistered(f"no player {player_id!r} in this league", player_id=player_id)
        return self.players[player_id]

    def referee(self, referee_id: str) -> Agent:
        """A registered referee; else RefereeNotRegistered."""
        if referee_id not in self.referees:
            raise RefereeNotRegistered(f"no referee {referee_id!r} in this league", referee_id=referee_id)
        return self.referees[referee_id]

    @property
    def most_attempts(self) -> int:
        """Limit of attempts at a match: each referee may have had its first one in vain."""
        return max(self.rules.max_attempts, len(self.referees))

    def names_of_referees(self) -> frozenset[str]:
        """Names that no player may bear, as they are compared: those of referees.

        Those that are invited or listed come when they like, and show their name.
        """
        return frozenset((*self.invited, *map(name_key, self.rules.referees_expected)))

    def expects(self, agent: Agent) -> bool:
        """True if the name of an agent is kept for it: it has the token that was told."""
        known = self.expected.get((agent.role, name_key(agent.display_name)))
        return known is not None and (known.display_name, known.token_digest) == (
            agent.display_name,
            agent.token_digest,
        )

    def agents(self, role: Role) -> Mapping[str, Agent]:
        """The registered agents of a role, by id."""
        return self.referees if role is Role.REFEREE else self.players

    def named(self, role: Role, display_name: str) -> Agent | None:
        """The agent of a role with this display name, or None."""
        agents = (agent for agent in self.agents(role).values() if agent.agent_id not in self.revoked)
        return next((agent for agent in agents if agent.display_name == display_name), None)

    def round(self, round_id: int) -> Round:
        """A round of the schedule; else InvalidField."""
        if not 1 <= round_id <= len(self.rounds):
            raise InvalidField(
                f"no round {round_id}", field="round_id", value=round_id, expected=f"1 to {len(self.rounds)}"
            )
        return self.rounds[round_id - 1]

    def fixture(self, match_id: str) -> Fixture:
        """A match of the schedule; else MatchNotFound."""
        parts = _MATCH_ID.fullmatch(match_id)
        if parts is not None:
            round_number, place = int(parts[1]), int(parts[2])
            if round_number <= len(self.rounds) and place <= len(self.rounds[round_number - 1].fixtures):
                found = self.rounds[round_number - 1].fixtures[place - 1]
                if found.match_id == match_id:
                    return found
        raise MatchNotFound(f"no match {match_id!r} in the schedule", match_id=match_id)

    def decided(self, match_id: str) -> bool:
        """True if a match has its result or is void."""
        return match_id in self.results or match_id in self.voided

    def late_byes(self, round_id: int) -> tuple[str, ...]:
        """Players who entered after a round and get the points of a draw for it."""
        return tuple(p for p, worth in self.entered.items() if worth == "draw" and self.missed[p] >= round_id)

    def with_byes(self, tally: Tally, round_id: int) -> Tally:
        """A tally with the points for a complete round's byes."""
        scoring, complete = self.rules.scoring, self.rounds[round_id - 1]
        if complete.bye_points != "none":
            tally = tally.add_byes(complete.byes, getattr(scoring, complete.bye_points, 0))
        late = self.late_byes(round_id)
        return tally.add_byes(late, scoring.draw) if late else tally

    def counts(self, players: Collection[str]) -> bool:
        """True if a result of these players counts in the table."""
        return self.expunged.isdisjoint(players)

    def by_default(self, match_id: str) -> bool:
        """True if a match is void, or was decided by the league without playing it."""
        return match_id in self.voided or (match_id in self.results and not self.results[match_id].referee_id)

    def unfinished(self, round_id: int) -> tuple[Fixture, ...]:
        """The matches of a round that are neither decided nor void."""
        return tuple(fixture for fixture in self.round(round_id).fixtures if not self.decided(fixture.match_id))

    def coming(self, round_id: int) -> tuple[Fixture, ...]:
        """The matches of a round whose players have not left, and don't sit out."""
        return tuple(
            fixture
            for fixture in self.round(round_id).fixtures
            if not self.by_default(fixture.match_id) and not self.sits_out(fixture)
        )

    def under_way(self) -> tuple[Fixture, ...]:
        """The matches of all open rounds that are neither decided nor void."""
        return tuple(fixture for round_id in self.open_rounds for fixture in self.unfinished(round_id))

    def attempt(self, match_id: str) -> int:
        """The number of assignments of a match so far."""
        assignment = self.assignments.get(match_id)
        return 0 if assignment is None else assignment.attempt

    def next_match(self, player_id: str) -> Fixture | None:
        """A player's first undecided match, or None."""
        self.player(player_id)
        return next(self.open_matches(player_id), None)

    def open_matches(self, player_id: str) -> Iterator[Fixture]:
        """A player's undecided matches, in order."""
        for scheduled in self.rounds[self.rounds_completed :]:
            for fixture in scheduled.fixtures:
                if player_id in fixture.players and not self.decided(fixture.match_id):
                    yield fixture

    def player_stats(self, player_id: str) -> PlayerProgress:
        """A player's record so far."""
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

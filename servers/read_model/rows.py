"""Values that the columns of a league's tables read, where the domain has none."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from league_sdk.domain.league import League
from league_sdk.domain.model import Agent, Fault, Fixture, MatchResult
from league_sdk.domain.pairings.schedule import SINGLE, SeriesGame, all_series_games
from league_sdk.domain.ranking.standings import at_fault, id_order
from league_sdk.json_value import Json
from servers.read_model import columns
from servers.read_model.clocks import Clocks
from servers.read_model.matches import took


class LeagueMatch(NamedTuple):
    """A match of a league, with all that is recorded of it."""

    league: League
    fixture: Fixture
    clocks: Clocks = Clocks()
    series: SeriesGame = SINGLE

    @property
    def match_id(self) -> str:
        return self.fixture.match_id

    @property
    def round_id(self) -> int:
        return self.fixture.round_id

    @property
    def players(self) -> tuple[str, ...]:
        return self.fixture.players

    @property
    def result(self) -> MatchResult | None:
        return self.league.results.get(self.match_id)

    @property
    def referee_id(self) -> str | None:
        given = self.league.assignments.get(self.match_id)
        return given.referee_id if given else None

    @property
    def attempt(self) -> int:
        given = self.league.assignments.get(self.match_id)
        return given.attempt if given else 0

    @property
    def status(self) -> str:
        if self.match_id in self.league.voided:
            return "VOID"
        if self.result is not None:
            return str(self.result.status)
        return "SCHEDULED" if self.referee_id is None else "UNDER_WAY"

    @property
    def winner(self) -> str | None:
        return self.result.winner if self.result else None

    @property
    def reason(self) -> str | None:
        """The end of a match in the referee's words, or the cause that makes it void."""
        told = self.result.reason if self.result else None
        return self.league.voided.get(self.match_id, told)

    @property
    def at_fault(self) -> tuple[str, ...]:
        """Players with a technical loss, in seat order."""
        blamed = at_fault(self.result) if self.result else ()
        return tuple(player for player in self.players if player in blamed)

    @property
    def seconds(self) -> float | None:
        """The time that it took, by the referee's times."""
        return took(self.result) if self.result else None

    @property
    def score(self) -> tuple[int | None, ...]:
        """League points by seat; None before it is decided."""
        told = self.result
        return tuple(told.score.get(player, 0) if told else None for player in self.players)

    @property
    def points(self) -> Mapping[str, int | None] | None:
        """The same by player."""
        return dict(zip(self.players, self.score, strict=True)) if self.result else None

    def of_result(self, name: str) -> Json:
        """A mapping of the result; None before it is decided."""
        return dict(getattr(self.result, name)) if self.result else None

    def at(self, times: Mapping[str, str]) -> str | None:
        """The time of something of it; None if it has not happened."""
        return times.get(self.match_id)

    def name(self, player_id: str | None) -> str | None:
        return self.league.players[player_id].display_name if player_id else None


class PlayerFault(NamedTuple):
    """A technical loss of a player; a minimal referee does not say why."""

    league: League
    result: MatchResult
    player_id: str
    fault: Fault | None

    @property
    def match_id(self) -> str:
        return self.result.match_id

    @property
    def round_id(self) -> int:
        return self.result.round_id

    @property
    def display_name(self) -> str:
        return self.league.players[self.player_id].display_name

    @property
    def substituted_moves(self) -> int:
        return sum(self.result.substituted.get(self.player_id, {}).values())

    def of_fault(self, name: str) -> Json:
        """A field of what the referee says of it; None where it says nothing."""
        return None if self.fault is None else self.fault.to_json()[name]


class SentMessage(NamedTuple):
    """A message of a match that is decided."""

    result: MatchResult
    sequence: int
    entry: Mapping[str, Json]

    @property
    def match_id(self) -> str:
        return self.result.match_id

    @property
    def round_id(self) -> int:
        return self.result.round_id


def matches(league: League, clocks: Clocks | None = None) -> Iterator[LeagueMatch]:
    """Every match of the schedule."""
    series, clocks = all_series_games(league.rounds), clocks or Clocks()
    for scheduled in league.rounds:
        for fixture in scheduled.fixtures:
            yield LeagueMatch(league, fixture, clocks, series.get(fixture.match_id, SINGLE))


def results(league: League) -> Iterator[MatchResult]:
    """Every result, in the order of the schedule."""
    return (match.result for match in matches(league) if match.result is not None)


def faults(league: League) -> Iterator[PlayerFault]:
    """Every technical loss."""
    for result in results(league):
        named = {fault.player_id: fault for fault in result.faults}
        blamed = at_fault(result)
        for player in (player for player in result.players if player in blamed):
            yield PlayerFault(league, result, player, named.get(player))


def messages(league: League) -> Iterator[SentMessage]:
    """Every message of the matches that are decided, in order."""
    for result in results(league):
        for number, entry in enumerate(result.transcript, start=1):
            yield SentMessage(result, number, entry)


def in_order(agents: Iterable[Agent]) -> list[Agent]:
    return sorted(agents, key=lambda agent: id_order(agent.agent_id))


def league_json(league: League) -> dict[str, Any]:
    """The fields by which every JSON object of the command line begins."""
    return {"league_id": league.league_id, "game_type": league.rules.game_type, "state": str(league.state)}


def match_json(league: League, fixture: Fixture) -> dict[str, Any]:
    """A match as a JSON object of the command line."""
    match = LeagueMatch(league, fixture)
    told = columns.to_json(columns.MATCH_STATE, match)
    if match.result is not None:
        told |= {"not_played": True} if match.result.not_played else {}
        return told | columns.to_json(columns.MATCH_END, match)
    return told if match.reason is None else told | {"reason": match.reason}

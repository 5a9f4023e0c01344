"""Values that the columns of a league's tables read, where the domain has none."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from league_sdk.domain.league import League
from league_sdk.domain.model import Agent, Fault, Fixture, MatchResult
from league_sdk.domain.ranking.standings import at_fault, id_order
from league_sdk.json_value import Json
from servers.read_model import columns
from servers.read_model.matches import MatchRow, match_rows


class PlayerFault(NamedTuple):
    """A technical loss of a player; a minimal referee does not say why."""

    match_id: str
    round_id: int
    player_id: str
    display_name: str
    substituted_moves: int  # of the player in this match
    fault: Fault | None

    def of_fault(self, name: str) -> Json:
        """A field of what the referee says of it; None where it says nothing."""
        return None if self.fault is None else self.fault.to_json()[name]


class SentMessage(NamedTuple):
    """A message of a match that is decided."""

    match_id: str
    round_id: int
    sequence: int
    entry: Mapping[str, Json]


def results(league: League) -> Iterator[MatchResult]:
    """Every result, in the order of the schedule."""
    return (match.result for match in match_rows(league) if match.result is not None)


def faults(league: League) -> Iterator[PlayerFault]:
    """Every technical loss."""
    for result in results(league):
        named = {fault.player_id: fault for fault in result.faults}
        blamed = at_fault(result)
        for player in (player for player in result.players if player in blamed):
            name, moves = league.players[player].display_name, sum(result.substituted.get(player, {}).values())
            yield PlayerFault(result.match_id, result.round_id, player, name, moves, named.get(player))


def messages(league: League) -> Iterator[SentMessage]:
    """Every message of the matches that are decided, in order."""
    for result in results(league):
        for number, entry in enumerate(result.transcript, start=1):
            yield SentMessage(result.match_id, result.round_id, number, entry)


def in_order(agents: Iterable[Agent]) -> list[Agent]:
    return sorted(agents, key=lambda agent: id_order(agent.agent_id))


def league_json(league: League) -> dict[str, Any]:
    """The fields by which every JSON object of the command line begins."""
    return {"league_id": league.league_id, "game_type": league.rules.game_type, "state": str(league.state)}


def match_json(league: League, fixture: Fixture) -> dict[str, Any]:
    """A match as a JSON object of the command line."""
    match = MatchRow(league, fixture)
    told = columns.to_json(columns.MATCH_STATE, match)
    if match.result is not None:
        told |= {"not_played": True} if match.result.not_played else {}
        return told | columns.to_json(columns.MATCH_END, match)
    return told if match.reason is None else told | {"reason": match.reason}

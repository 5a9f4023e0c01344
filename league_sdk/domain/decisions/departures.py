"""Removal and withdrawal: which events a departure from the league causes."""

from collections.abc import Iterator

from league_sdk.domain.commands import RemovePlayer, WithdrawAgent
from league_sdk.domain.decisions.forfeits import forfeit
from league_sdk.domain.events import AgentWithdrew, Event, MatchRecorded, MatchVoided, PlayerRemoved
from league_sdk.domain.league_state import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Cause, Fault
from league_sdk.errors import InvalidState, LeagueAlreadyComplete


def remove_player(league: League, command: RemovePlayer) -> tuple[Event, ...]:
    """PlayerNotRegistered, LeagueAlreadyComplete; InvalidState: the last player.

    A removed player stays removed. Its undecided matches become void at once, in all rounds.
    """
    player_id = command.player_id
    if player_id in league.removed:
        return ()
    league.player(player_id)
    _check_can_leave(league, player_id, league.staying())
    removal = PlayerRemoved(player_id, command.reason)
    return (removal, *(MatchVoided(match.match_id, removal.cause) for match in league.open_matches(player_id)))


def withdraw_agent(league: League, command: WithdrawAgent) -> tuple[Event, ...]:
    """PlayerNotRegistered, RefereeNotRegistered, LeagueAlreadyComplete.

    InvalidState: it is the last one.

    A player loses its undecided matches at once, in all rounds; a referee brings those that it has to their end.
    """
    agent_id = command.agent_id
    if agent_id in league.withdrew or agent_id in league.removed:
        return ()
    withdrawal = AgentWithdrew(agent_id, command.reason)
    if agent_id.startswith("REF"):
        league.referee(agent_id)
        _check_can_leave(league, agent_id, tuple(league.active_referees))
        return (withdrawal,)
    league.player(agent_id)
    _check_can_leave(league, agent_id, league.staying())
    return (withdrawal, *_defaults(league, withdrawal))


def lost_by_default(league: League, player_id: str) -> tuple[str, ...]:
    """Ids of the matches that a player lost by its withdrawal, in order."""
    own = (fixture for each in league.rounds for fixture in each.fixtures if player_id in fixture.players)
    found = ((fixture.match_id, league.results.get(fixture.match_id)) for fixture in own)
    return tuple(
        match_id
        for match_id, result in found
        if result is not None
        and not result.referee_id
        and (result.faults[0].player_id, result.faults[0].cause) == (player_id, Cause.WITHDREW)
    )


def _defaults(league: League, withdrawal: AgentWithdrew) -> Iterator[MatchRecorded]:
    """The player's open matches of two, each lost by default."""
    fault = Fault(withdrawal.agent_id, Cause.WITHDREW, "join", "E008", 0, withdrawal.cause)
    for fixture in league.open_matches(withdrawal.agent_id):
        if len(fixture.players) > 2 and league.format_version > 1:
            continue  # its referee finds it gone, and a stand-in moves
        yield MatchRecorded(forfeit(fixture, (fault,), withdrawal.cause, league.rules.scoring))


def _check_can_leave(league: League, agent_id: str, staying: tuple[str, ...]) -> None:
    """Refuse a departure after the end, and that of the last of a role."""
    if league.state is LeagueState.COMPLETED:
        raise LeagueAlreadyComplete(f"league {league.league_id} is complete", league_id=league.league_id)
    if league.scheduled and staying == (agent_id,):
        role = "referee" if agent_id in league.referees else "player"
        raise InvalidState(f"{agent_id} is the last {role}: stop the league instead", agent_id=agent_id)

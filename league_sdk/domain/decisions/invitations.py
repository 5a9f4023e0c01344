"""Invitations of referees that run elsewhere."""

from league_sdk.domain.commands import InviteReferee, RevokeInvitation, WithdrawAgent
from league_sdk.domain.decisions.departures import withdraw_agent
from league_sdk.domain.events import Event, InvitationRevoked, RefereeInvited
from league_sdk.domain.league_state import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import DuplicateName, LeagueAlreadyComplete, RefereeNotRegistered
from league_sdk.names import name_key


def invite_referee(league: League, command: InviteReferee) -> tuple[Event, ...]:
    """DuplicateName: one of the operator's has that name; LeagueAlreadyComplete.

    A new invitation for a name takes the place of the one before; as for a withdrawal, where a referee came by that.
    """
    if league.state is LeagueState.COMPLETED:
        raise LeagueAlreadyComplete(f"league {league.league_id} is complete", league_id=league.league_id)
    name, key = command.display_name, name_key(command.display_name)
    others = (agent for agent_id, agent in league.referees.items() if agent_id not in league.revoked)
    if not any(name_key(agent.display_name) == key for agent in others):
        return (RefereeInvited(name, command.digest),)
    if key not in league.invited:
        raise DuplicateName(f"a referee {name!r} is registered already", field="display_name", value=name)
    return (*revoke_invitation(league, RevokeInvitation(name)), RefereeInvited(name, command.digest))


def revoke_invitation(league: League, command: RevokeInvitation) -> tuple[Event, ...]:
    """RefereeNotRegistered: nobody of that name is invited; as for a withdrawal.

    A referee that came by the invitation gets no new match, and its token admits it no more.
    """
    name, key = command.display_name, name_key(command.display_name)
    if key not in league.invited:
        raise RefereeNotRegistered(f"no referee {name!r} is invited to this league", display_name=name)
    came = [agent_id for agent_id, agent in league.active_referees.items() if name_key(agent.display_name) == key]
    left = withdraw_agent(league, WithdrawAgent(came[0], "its invitation was revoked")) if came else ()
    return (InvitationRevoked(name), *left)

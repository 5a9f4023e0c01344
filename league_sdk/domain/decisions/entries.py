"""Registration: which agents get a place in a league, and which id."""

from collections.abc import Mapping
from dataclasses import replace

from league_sdk.domain.checks import check_agent, require
from league_sdk.domain.commands import EnterPlayer, ExpectAgents, RegisterPlayer, RegisterReferee
from league_sdk.domain.events import AgentsExpected, Event, PlayerEntered, PlayerRegistered, RefereeRegistered
from league_sdk.domain.league_state import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Agent, Role
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from league_sdk.errors import DuplicateName, LeagueFull, RegistrationClosed
from league_sdk.names import name_key

_TAKES_PLAYERS = (LeagueState.WAITING_FOR_REGISTRATIONS,)
_TAKES_REFEREES = (*_TAKES_PLAYERS, LeagueState.SCHEDULED, LeagueState.RUNNING)


_ROLES = (Role.REFEREE, Role.PLAYER)


def expect_agents(league: League, command: ExpectAgents) -> tuple[Event, ...]:
    """None for those that are expected already, or whose name is registered.

    None in a league from before there was such an event, either.
    """
    registered = {(role, name_key(agent.display_name)) for role in _ROLES for agent in league.agents(role).values()}

    def news(agent: ExpectedAgent) -> bool:
        key = agent.role, name_key(agent.display_name)
        return league.expected.get(key) != agent and key not in registered

    agents = tuple(filter(news, command.agents)) if league.format_version > 1 else ()
    return (AgentsExpected(agents, command.by),) if agents else ()


def register_referee(league: League, command: RegisterReferee) -> tuple[Event, ...]:
    """Errors: RegistrationClosed, InvalidField, DuplicateName, LeagueFull.

    Also ProtocolVersionMismatch and UnsupportedGameType. A referee may join a league that runs.
    """
    return (RefereeRegistered(_seat(league, command.agent, Role.REFEREE), command.admitted_by),)


def register_player(league: League, command: RegisterPlayer) -> tuple[Event, ...]:
    """As for a referee; also RegistrationClosed with the expected players registered."""
    expected = league.rules.expected_players
    if expected is not None and len(league.players) >= expected:
        raise _closed(league)
    return (PlayerRegistered(_seat(league, command.agent, Role.PLAYER)),)


def enter_player(league: League, command: EnterPlayer) -> tuple[Event, ...]:
    """As for a player, while the league runs, and rounds are paired one by one."""
    ending = league.closed or len(league.rounds) >= league.expected_rounds
    if not league.scheduled or league.state is LeagueState.COMPLETED or ending:
        raise _closed(league)
    require(command.bye_points in ("none", "draw"), "bye_points", command.bye_points, "none or draw")
    return (PlayerEntered(_seat(league, command.agent, Role.PLAYER, late=True), command.bye_points),)


def _seat(league: League, agent: Agent, role: Role, *, late: bool = False) -> Agent:
    """The agent with its id, if the league accepts it."""
    referee = role is Role.REFEREE
    if league.state not in (_TAKES_REFEREES if referee else _TAKES_PLAYERS) and not late:
        raise _closed(league)
    rules = league.rules
    check_agent(agent, rules)
    registered = league.agents(role)
    known = registered if referee else {**registered, **league.dismissed}
    _check_name(league, agent, known)
    roster = rules.referee_roster if referee else rules.roster
    seats = rules.max_referees if referee else rules.max_players
    reserved_id = roster.get(agent.display_name)
    held = 0 if reserved_id else sum(agent_id not in known for agent_id in roster.values())
    taken = len(registered) if referee else league.taken_places()
    if taken + held >= seats:
        raise LeagueFull(f"all {seats} seats are taken or reserved", seats=seats, reserved=held)
    agent_id = reserved_id or _free_id("REF" if referee else "P", known, set(roster.values()))
    return replace(agent, agent_id=agent_id, role=role)


def _check_name(league: League, agent: Agent, known: Mapping[str, Agent]) -> None:
    """Refuse a name that another of the role has, or that is kept for any other."""
    key = name_key(agent.display_name)
    others = (other for agent_id, other in known.items() if agent_id not in league.revoked)
    taken = any(name_key(other.display_name) == key for other in others)
    kept = not league.expects(agent) and any((kind, key) in league.expected for kind in _ROLES)
    kept = kept or (agent.role is not Role.REFEREE and key in league.names_of_referees())
    if taken or kept:
        why = "is taken" if taken else "is kept for an agent that the operator starts or invited; choose another"
        raise DuplicateName(f"the name {agent.display_name!r} {why}", field="display_name", value=agent.display_name)


def _free_id(prefix: str, known: Mapping[str, Agent], reserved: set[str]) -> str:
    number = 1 + sum(agent_id not in reserved for agent_id in known)
    while (agent_id := f"{prefix}{number:02d}") in known or agent_id in reserved:
        number += 1
    return agent_id


def _closed(league: League) -> RegistrationClosed:
    early = f": {league.rules.stages[0].format} takes no late entry here" if league.expected_rounds else ""
    early = ": the league is closed" if league.closed else early
    early = ": the league was cancelled" if league.cancelled else early
    return RegistrationClosed(f"Registration closed{early}", state=str(league.state))

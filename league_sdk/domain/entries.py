"""Registration: which agents get a place in a league, and which id."""

from collections.abc import Mapping
from dataclasses import replace

from league_sdk.domain.checks import check_agent, require
from league_sdk.domain.commands import EnterPlayer, RegisterPlayer, RegisterReferee
from league_sdk.domain.events import Event, PlayerEntered, PlayerRegistered, RefereeRegistered
from league_sdk.domain.league_state import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Agent, Role
from league_sdk.errors import DuplicateName, LeagueFull, RegistrationClosed

_TAKES_PLAYERS = (LeagueState.WAITING_FOR_REGISTRATIONS,)
_TAKES_REFEREES = (*_TAKES_PLAYERS, LeagueState.SCHEDULED, LeagueState.RUNNING)


def register_referee(league: League, command: RegisterReferee) -> tuple[Event, ...]:
    """Errors: RegistrationClosed, InvalidField, DuplicateName, LeagueFull.

    Also ProtocolVersionMismatch and UnsupportedGameType. A referee may join a league that runs.
    """
    return (RefereeRegistered(_seat(league, command.agent, Role.REFEREE)),)


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
    if any(other.display_name == agent.display_name for other in known.values()):
        raise DuplicateName(f"the name {agent.display_name!r} is taken", field="display_name", value=agent.display_name)
    roster = rules.referee_roster if referee else rules.roster
    seats = rules.max_referees if referee else rules.max_players
    reserved_id = roster.get(agent.display_name)
    held = 0 if reserved_id else sum(agent_id not in known for agent_id in roster.values())
    if len(registered) + held >= seats:
        raise LeagueFull(f"all {seats} seats are taken or reserved", seats=seats, reserved=held)
    agent_id = reserved_id or _free_id("REF" if referee else "P", known, set(roster.values()))
    return replace(agent, agent_id=agent_id, role=role)


def _free_id(prefix: str, known: Mapping[str, Agent], reserved: set[str]) -> str:
    number = 1 + sum(agent_id not in reserved for agent_id in known)
    while (agent_id := f"{prefix}{number:02d}") in known or agent_id in reserved:
        number += 1
    return agent_id


def _closed(league: League) -> RegistrationClosed:
    early = f": {league.rules.stages[0].format} takes no late entry here" if league.expected_rounds else ""
    early = ": the league is closed" if league.closed else early
    return RegistrationClosed(f"Registration closed{early}", state=str(league.state))

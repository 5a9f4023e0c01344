"""Operator's token, plan, read-only records and epochs of a league."""

from league_sdk.domain.checks import require
from league_sdk.domain.commands import BeginEpoch, ChangeOperatorToken, Command, KeepPlan, MakeReadOnly
from league_sdk.domain.events import EpochBegun, Event, MadeReadOnly, OperatorTokenChanged, RunPlanned
from league_sdk.domain.league_state import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import InvalidState, LeagueAlreadyComplete


def check_writable(league: League, command: Command) -> None:
    """InvalidState: the records are read-only."""
    if league.read_only and not isinstance(command, BeginEpoch | MakeReadOnly):
        raise InvalidState(f"the records of league {league.league_id} are read-only: they were {league.read_only}")


def change_operator_token(league: League, command: ChangeOperatorToken) -> tuple[Event, ...]:
    """LeagueAlreadyComplete; InvalidField: how; InvalidState: a digest is recorded."""
    not_complete(league)
    require(command.how in ("kept", "rotated", "lost"), "how", command.how, "kept, rotated, lost")
    if command.digest == league.operator_digest:
        return ()
    if command.how == "kept" and league.operator_digest:
        raise InvalidState("the digest of another operator's token is recorded")
    return (OperatorTokenChanged(command.digest, command.how),)


def keep_plan(league: League, command: KeepPlan) -> tuple[Event, ...]:
    return () if league.plan else (RunPlanned(command.plan),)


def make_read_only(league: League, command: MakeReadOnly) -> tuple[Event, ...]:
    """InvalidField: reason."""
    require(command.reason in ("restored", "archived"), "reason", command.reason, "restored, archived")
    return () if command.reason == league.read_only else (MadeReadOnly(command.reason, command.manager),)


def begin_epoch(league: League, command: BeginEpoch) -> tuple[Event, ...]:
    """LeagueAlreadyComplete; InvalidState: a manager may lead it already."""
    not_complete(league)
    if not league.read_only:
        raise InvalidState(f"the records of league {league.league_id} are not read-only: no new epoch is needed")
    return (EpochBegun(league.epoch.number + 1, command.id),)


def not_complete(league: League) -> None:
    """LeagueAlreadyComplete."""
    if league.state is LeagueState.COMPLETED:
        raise LeagueAlreadyComplete(f"league {league.league_id} is complete", league_id=league.league_id)

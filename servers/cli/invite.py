"""`league invite`: invitations of referees that run elsewhere."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Annotated

import typer

from league_sdk.clock import SystemIds
from league_sdk.domain.events import InvitationRevoked, Record, RefereeInvited, RefereeRegistered
from league_sdk.names import display_name, name_key
from league_sdk.settings import read_secret, write_secret
from league_sdk.tokens import digest
from servers.cli import common, output
from servers.cli.common import DataOption, LeagueOption, ManagerOption, TlsCa, TokenOption
from servers.cli.control import manager_of, operate
from servers.cli.output import ForceOption, OutputOption
from servers.launcher.run_options import PlanError
from servers.read_model.text import printable


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation as it is given to whoever runs the referee."""

    league_id: str
    referee: str
    manager: str
    secret: str = field(repr=False)

    def checked_name(self, given: str | None) -> str:
        """The referee's name; another one is refused."""
        if given is not None and name_key(given) != name_key(self.referee):
            raise PlanError(f"the invitation is for {self.referee!r}, not for {given!r}; leave --name out")
        return self.referee


def read_invitation(path: Path) -> Invitation:
    """The invitation in a file that its owner alone can read."""
    text = read_secret(path)
    if text is None:
        raise PlanError(f"there is no invitation {path}; the league's operator makes one: league invite --referee NAME")
    try:
        told = json.loads(text)
        return Invitation(*(str(told[each.name]) for each in fields(Invitation)))
    except (ValueError, TypeError, KeyError) as error:
        raise PlanError(f"{path} is no file that 'league invite --referee NAME' has written") from error


def invite(
    referee: Annotated[str | None, typer.Option("--referee", help="Invite a referee of this name.")] = None,
    revoke: Annotated[
        str | None,
        typer.Option("--revoke", help="Take the invitation for this name back; a referee that came by it withdraws."),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the league's invitations.")] = False,
    target: OutputOption = None,
    force: ForceOption = False,
    manager_url: ManagerOption = None,
    league: LeagueOption = None,
    token: TokenOption = None,
    tls_ca: TlsCa = None,
    data: DataOption = None,
    config: common.ConfigOption = None,
    store: common.StoreOption = None,
) -> None:
    """Invite a referee that runs elsewhere to a league whose manager runs.

    The invitation is bound to the name, and is good for one registration: a referee that returns shows its token. Give
    the file to whoever runs the referee, as privately as a password.

    [bold]Examples[/bold]

      league invite --referee Rhea -o rhea.json
      league referee --invitation-file rhea.json
      league invite --list
      league invite --revoke Rhea
    """
    if [referee is not None, revoke is not None, listed].count(True) != 1:
        raise PlanError("league invite needs one of --referee NAME, --revoke NAME and --list")
    workspace = common.workspace_of(data)
    found = common.league_id_of(workspace, league)
    if listed:
        for line in _lines(common.read_records(workspace, found, config, store)):
            common.print_out(line)
        return
    output.check_target(target, force=force)
    url, secret = manager_of(workspace, found, manager_url), common.operator_token(workspace, found, token)
    if revoke is not None:
        operate(url, "invitations/revoke", {"display_name": revoke}, secret, tls_ca)
        common.print_out(f"The invitation of {printable(revoke)} is revoked.")
        return
    invitation = Invitation(found, _name(referee or ""), url, SystemIds().token())
    told = {"display_name": invitation.referee, "digest": digest(invitation.secret)}
    operate(url, "invitations", told, secret, tls_ca)
    text = json.dumps(asdict(invitation), indent=2, ensure_ascii=False) + "\n"
    if target is None:
        output.write([text], target)
        return
    try:
        write_secret(target, text)
    except OSError as error:
        raise PlanError(f"{target} cannot be written: {error.strerror}") from error
    common.print_err(
        f"{printable(invitation.referee)} is invited; the file is a secret: league referee --invitation-file {target}"
    )


def _name(text: str) -> str:
    try:
        return display_name(text)
    except ValueError as error:
        raise PlanError(f"--referee: expected {error}") from error


def _lines(records: Sequence[Record]) -> list[str]:
    """A line for each name that was invited, in order."""
    states: dict[str, str] = {}
    for record in records:
        match record.event:
            case RefereeInvited(display_name=name):
                states[name] = "invited, not registered yet"
            case InvitationRevoked(display_name=name):
                states[name] = "revoked"
            case RefereeRegistered(referee=referee, admitted_by="invitation"):
                states[referee.display_name] = f"registered as {referee.agent_id}"
            case _:
                pass
    return [f"{printable(name)}: {state}" for name, state in states.items()] or ["no referee was invited"]

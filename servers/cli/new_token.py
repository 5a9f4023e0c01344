"""A new operator's token of a league whose manager does not run (`--new-token`)."""

from typing import Annotated, TypeAlias

import anyio
import typer

from league_sdk.clock import SystemIds
from league_sdk.domain.commands import ChangeOperatorToken
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.settings import Workspace, write_secret
from league_sdk.tokens import operator_digest
from servers.agent.operator_secret import kept_token, next_file, shows, take_next
from servers.cli import common
from servers.cli.leagues.lead import record
from servers.launcher.run_options import PlanError

NewToken: TypeAlias = Annotated[
    bool,
    typer.Option("--new-token", help="Replace the operator's token, also one that is lost: all agents register again."),
]


def change_token(workspace: Workspace, league: League, store_url: str | None, given: str | None = None) -> str:
    """Record a new operator's token, under the one before if it is here.

    Returns:
        The new token: the given one, else one that is made.

    Raises:
        PlanError: The league is complete.
    """
    league_id = league.league_id
    if league.state is LeagueState.COMPLETED:
        raise PlanError(f"league {league_id!r} is complete: it needs no new token")
    how = "rotated" if shows(league, kept_token(workspace, league)) else "lost"
    token = given or SystemIds().token()
    # In its place only once it is recorded: a start that was killed between finds either of both.
    write_secret(next_file(workspace, league_id), token)
    anyio.run(record, workspace, league_id, store_url, ChangeOperatorToken(operator_digest(token, league_id), how))
    take_next(workspace, league_id)
    _forget_agents(workspace, league)
    under = "under the one before" if how == "rotated" else "without the one before, which everybody can see"
    common.print_err(
        f"league: the operator's token of {league_id} was changed {under}, in its records and in league audit. The "
        "agents refuse the league until they register again: those of this launcher do, start the others anew"
    )
    return token


def _forget_agents(workspace: Workspace, league: League) -> None:
    """Forget tokens of the launcher's agents: whoever had the operator's knows them."""
    for agent in league.expected.values():
        file = workspace.credentials_file(league.league_id, str(agent.role), agent.display_name)
        file.unlink(missing_ok=True)

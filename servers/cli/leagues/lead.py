"""`league lead`: a new epoch of a league whose records are read-only."""

from pathlib import Path
from typing import Annotated, Any, TypeAlias, cast

import anyio
import typer

from league_sdk.clock import SystemClock, SystemIds
from league_sdk.domain.commands import BeginEpoch, Command
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.settings import Workspace
from league_sdk.stores import open_store
from servers.agent.manager_lock import leader
from servers.agent.operator_secret import kept_token
from servers.cli import common
from servers.cli.manager_calls import NotAnswered, call_manager
from servers.launcher.run_options import PlanError
from servers.league_manager.ledger import Ledger

LOOK_SEC = 5.0
"""Limit of asking an older manager if it still leads the league."""
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", help="Don't ask.")]


def lead(
    league: Annotated[str, typer.Argument(metavar="LEAGUE", help="The league's id.", show_default=False)],
    yes: Yes = False,
    store: common.StoreOption = None,
    tls_ca: common.TlsCa = None,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
) -> None:
    """Let a manager lead a league that was restored or archived.

    It begins a new epoch. Agents that are called by a manager of the new epoch refuse the older one from then on.

    [bold]Examples[/bold]

      league lead cup
      league resume cup

    Exit code: 0 the league can be led, 1 you said no, 2 the older manager still answers, or a mistake in the command.
    """
    workspace = common.workspace_of(data)
    known, _ = common.read_league(workspace, league, config, store)
    begin_lead(workspace, known, common.store_of(workspace, known.league_id, config, store), tls_ca, yes=yes)


def check_can_lead(workspace: Workspace, league: League, tls_ca: Path | None) -> None:
    """Refuse to lead a league that is over, is led, or whose older manager answers."""
    league_id = league.league_id
    if league.state is LeagueState.COMPLETED:
        raise PlanError(f"league {league_id!r} is complete: there is nothing to lead")
    endpoint = leader(workspace, league_id) or answering_manager(workspace, league, tls_ca)
    if endpoint:
        raise PlanError(
            f"the league manager at {endpoint} still leads {league_id}: stop it first, with 'league stop' or "
            f"'league control stop --manager {endpoint}'"
        )


def begin_lead(workspace: Workspace, league: League, store_url: str | None, tls_ca: Path | None, *, yes: bool) -> None:
    """Begin a new epoch of a league, when the operator agrees."""
    if not league.read_only:
        raise PlanError(
            f"league {league.league_id!r} is not read-only; 'league resume {league.league_id}' continues it"
        )
    check_can_lead(workspace, league, tls_ca)
    number = league.epoch.number + 1
    confirm(
        f"{league.league_id} will be led from here, in epoch {number}. An older manager of it that still runs where it "
        "cannot be reached from here goes on with the agents that it reaches, and what it records is not in this "
        "league. Agents that were called from here refuse it, and it stops",
        yes=yes,
    )
    anyio.run(record, workspace, league.league_id, store_url, BeginEpoch(SystemIds().token()[:16]))
    common.print_out(f"{league.league_id} can be led: league resume {league.league_id}{common.data_flag(workspace)}")


def answering_manager(workspace: Workspace, league: League, tls_ca: Path | None) -> str:
    """The endpoint at which a manager of this league answers; empty for none."""
    token = kept_token(workspace, league)
    shared = cast("dict[str, Any]", league.plan.get("shared", {}))
    agents = cast("list[dict[str, Any]]", league.plan.get("referees", []))
    planned = {str(agent.get("manager_url", "")) for agent in (shared, *agents)}
    for endpoint in sorted({league.older_manager, *planned} - {""}):
        try:
            if token and call_manager(endpoint, "standings", token, tls_ca, limit=LOOK_SEC):
                return endpoint
        except NotAnswered:
            continue
    return ""


def confirm(text: str, *, yes: bool) -> None:
    """Ask before something that cannot be undone; ends the command at a no."""
    common.print_err(f"league: {text}.")
    try:
        agreed = yes or typer.confirm("Go on?", err=True)
    except typer.Abort:  # nobody is there to answer, or Ctrl-C
        common.print_err("")
        agreed = False
    if not agreed:
        common.print_err("league: nothing was changed; --yes does it without a question")
        common.end(common.FAILED)


async def record(workspace: Workspace, league_id: str, store_url: str | None, command: Command) -> None:
    """Record one command in a league whose manager does not run."""
    store = await open_store(store_url, workspace.data, league_id)
    try:
        ledger = Ledger(store, SystemClock(), league_id)
        await ledger.open()
        await ledger.execute(command)
    finally:
        await store.close()

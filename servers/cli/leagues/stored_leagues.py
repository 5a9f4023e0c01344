"""`league archive`, `delete` and `move`: leagues that no manager leads."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import anyio
import typer

from league_sdk.domain.commands import MakeReadOnly
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.ports import ConcurrentAppend, EventStore, MovableStore
from league_sdk.settings import Workspace, read_secret, write_secret
from league_sdk.stores import open_store
from servers.agent import event_store
from servers.agent.manager_lock import leader
from servers.agent.operator_secret import check_leads, kept_token
from servers.cli import common
from servers.cli.leagues.backup import pages_of
from servers.cli.leagues.lead import Yes, answering_manager, confirm, record
from servers.launcher.run_options import PlanError
from servers.read_model.text import count

MOVED_FROM = "moved.from"
"""File of secrets with the store that a league is being moved out of; an address may hold a password."""
League_: TypeAlias = Annotated[str, typer.Argument(metavar="LEAGUE", help="The league's id.", show_default=False)]


def archive(league: League_, data: common.DataOption = None, config: common.ConfigOption = None) -> None:
    """Archive a league: it is read from now on, and not changed.

    'league lead' takes it back, unless it is complete.

    [bold]Examples[/bold]

      league archive cup
      league report cup

    Exit code: 0 the league is archived, 2 a manager leads it, or a mistake in the command.
    """
    workspace = common.workspace_of(data)
    known, url = _at_rest(workspace, league, config)
    if not known.read_only and known.state is not LeagueState.COMPLETED:
        check_leads(known, kept_token(workspace, known), kept=True)
    anyio.run(record, workspace, known.league_id, url, MakeReadOnly("archived"))
    common.print_out(f"{known.league_id} is archived")


def delete(
    league: League_, yes: Yes = False, data: common.DataOption = None, config: common.ConfigOption = None
) -> None:
    """Delete one league, with its files and secrets.

    [bold]Examples[/bold]

      league delete cup

    Exit code: 0 the league is deleted, 1 you said no, 2 a manager leads it, or a mistake in the command.
    """
    workspace = common.workspace_of(data)
    known, url = _at_rest(workspace, league, config)
    league_id = known.league_id
    confirm(
        f"{league_id}, with {count(len(known.results), 'match')}, its files and its secrets are deleted for good",
        yes=yes,
    )
    anyio.run(_delete_records, workspace, league_id, url)
    for folder in _folders(workspace, league_id):
        shutil.rmtree(folder, ignore_errors=True)
    common.print_out(f"{league_id} is deleted")


def move(
    league: League_,
    store: Annotated[str, typer.Option("--store", help="The store to move it to: sqlite:///FILE or postgresql://…")],
    data: common.DataOption = None,
    config: common.ConfigOption = None,
) -> None:
    """Move one league's records to another store.

    It may be ended in the middle, and run again.

    [bold]Examples[/bold]

      league move cup --store postgresql://league@db/league

    Exit code: 0 the records are there, 2 a manager leads it, that store has another of its name, or a mistake.
    """
    workspace = common.workspace_of(data)
    league_id = common.league_id_of(workspace, league)
    target = event_store.checked(store)
    note = workspace.operator_token_file(league_id).with_name(MOVED_FROM)
    begun = read_secret(note)
    source = begun or common.store_of(workspace, league_id, config, None) or _own_store(workspace, league_id)
    if source == target:
        raise PlanError(f"the records of league {league_id!r} are there already")
    if begun is None:
        _at_rest(workspace, league_id, config)
    moved = anyio.run(_move, workspace, league_id, source, target, note)
    note.unlink()
    common.print_out(f"{league_id}: {count(moved, 'record')} are in the new store, and are deleted in the one before")


def _own_store(workspace: Workspace, league_id: str) -> str:
    from league_sdk.stores import events_file

    return f"sqlite:///{events_file(workspace.data, league_id).absolute()}"


async def _move(workspace: Workspace, league_id: str, source: str, target: str | None, note: Path) -> int:
    """Copy all records, remember their new place, delete the old ones."""
    old, new = await open_store(source, workspace.data, league_id), await open_store(target, workspace.data, league_id)
    try:
        out, into = _movable(old), _movable(new)
        try:
            await into.adopt(league_id, pages_of(old, league_id))
        except ConcurrentAppend as error:
            if not await _is_copy(old, new, league_id):
                raise PlanError(f"another league {league_id!r} is in that store; nothing was moved") from error
        write_secret(note, source)
        event_store.remember(workspace, league_id, target)
        await out.delete(league_id)
        return sum([len(page) async for page in pages_of(new, league_id)])
    finally:
        await old.close()
        await new.close()


async def _is_copy(old: EventStore, new: EventStore, league_id: str) -> bool:
    """True if the new store has all records that the old one has left."""
    heads = {page[-1].sequence: page[-1].digest async for page in pages_of(new, league_id)}
    last = [page[-1] async for page in pages_of(old, league_id)]
    return not last or heads.get(last[-1].sequence) == last[-1].digest


def _movable(store: EventStore) -> MovableStore:
    if not isinstance(store, MovableStore):
        raise PlanError("this store gives no league away, and takes none")
    return store


def _at_rest(workspace: Workspace, league: str, config: Path | None) -> tuple[League, str | None]:
    """A league that no manager leads, and the store of its records."""
    known, _ = common.read_league(workspace, league, config)
    endpoint = leader(workspace, known.league_id) or answering_manager(workspace, known, None)
    if endpoint:
        raise PlanError(f"the league manager at {endpoint} leads {known.league_id}: stop it first, with 'league stop'")
    if leader(workspace, known.league_id) is not None:
        raise PlanError(f"a league manager leads {known.league_id}: stop it first, with 'league stop'")
    return known, common.store_of(workspace, known.league_id, config, None)


async def _delete_records(workspace: Workspace, league_id: str, url: str | None) -> None:
    store = await open_store(url, workspace.data, league_id)
    try:
        await _movable(store).delete(league_id)
    finally:
        await store.close()


def _folders(workspace: Workspace, league_id: str) -> Sequence[Path]:
    """The folders of a league alone; its secrets last."""
    league_dir = workspace.league_dir(league_id)
    name = league_dir.name
    logs = workspace.logs / "league" / name
    return league_dir, workspace.data / "matches" / name, logs, workspace.operator_token_file(league_id).parent

"""`league restore`: a league from its backup, at first read-only."""

import json
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer

from league_sdk.clock import SystemClock, to_record_time
from league_sdk.domain.commands import Command, KeepPlan, MakeReadOnly
from league_sdk.domain.events import Record, seal
from league_sdk.domain.league import decide, evolve
from league_sdk.ports import ConcurrentAppend, MovableStore
from league_sdk.settings import Workspace, read_secret, write_secret
from league_sdk.stores import open_store
from servers.agent import event_store
from servers.cli import common
from servers.cli.leagues.backup import WithoutSecrets
from servers.cli.leagues.backup_file import PLAN, SECRETS, BackupReader, NotABackup
from servers.cli.leagues.lead import Yes, begin_lead
from servers.cli.leagues.passphrase import OnCommandLine, PassphraseFile, read_passphrase
from servers.cli.leagues.projected_files import write_files
from servers.cli.leagues.sealed_secrets import WrongPassphrase, unseal
from servers.launcher.plan_document import plan_file, recorded_form
from servers.launcher.run_options import PlanError
from servers.read_model.text import count


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup.", show_default=False)],
    lead: Annotated[bool, typer.Option("--lead", help="Let a manager lead it, as 'league lead' does.")] = False,
    yes: Yes = False,
    without_secrets: WithoutSecrets = False,
    passphrase_file: PassphraseFile = None,
    passphrase: OnCommandLine = None,
    store: common.StoreOption = None,
    tls_ca: common.TlsCa = None,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Restore a league from a backup, into SQLite or PostgreSQL.

    The restored league is read-only: standings, reports, page and audit show it, and no manager leads it
    until 'league lead'.

    [bold]Examples[/bold]

      league restore cup.backup
      league restore cup.backup --store postgresql://league@db/league
      league restore cup.backup --passphrase-file passphrase.txt
      league restore cup.backup --lead         then: league resume cup

    Exit code: 0 the league is restored, 2 a mistake in the command, or no backup; then nothing is written. With
    --lead also what 'league lead' has; then it is restored, and read-only.
    """
    del passphrase
    workspace = common.workspace_of(data)
    try:
        backup = BackupReader(file)
        league_id = common.league_id_of(workspace, backup.manifest.league_id)
        url = common.store_of(workspace, league_id, config, store)
        _check_free(workspace, league_id, url)
        secrets = {} if without_secrets else _secrets(backup, file, passphrase_file)
        _check_same(workspace, league_id, secrets)
        anyio.run(partial(_restore, backup, workspace, league_id, url, secrets))
    except NotABackup as error:
        raise PlanError(str(error)) from error
    except OSError as error:
        why = f"cannot write below {workspace.root}: {error.strerror or error}"
        raise PlanError(f"{why}; the league is not restored, and the same command does it again") from error
    if as_json:
        common.print_json({"league_id": league_id, "records": backup.manifest.records, "head": backup.manifest.head})
        return
    records = count(backup.manifest.records, "record")
    without = "" if secrets else "; without secrets"
    common.print_out(f"{league_id}: {records} up to {backup.manifest.head} are restored, and read-only{without}")
    if lead:
        known, _ = common.read_league(workspace, league_id, config, store)
        begin_lead(workspace, known, url, tls_ca, yes=yes)


def _check_free(workspace: Workspace, league_id: str, url: str | None) -> None:
    """Refuse a league whose name is taken here, or in the store."""
    known = event_store.is_stored(workspace, league_id, url) or event_store.is_stored(workspace, league_id, None)
    if known or plan_file(workspace, league_id).exists():
        raise PlanError(f"league {league_id!r} exists already; nothing was restored over it")


def _check_same(workspace: Workspace, league_id: str, secrets: dict[str, str]) -> None:
    """Refuse to replace secrets; those of an interrupted restore are the same."""
    folder = workspace.operator_token_file(league_id).parent
    for name, text in secrets.items():
        if Path(name).name != name or name.startswith("."):
            raise NotABackup(f"the backup of {league_id} has a secret with a name that no secret has")
        if read_secret(folder / name) not in (None, text.strip()):
            raise PlanError(f"{folder / name} exists already, with another secret; nothing was restored over it")


def _secrets(backup: BackupReader, file: Path, passphrase_file: Path | None) -> dict[str, str]:
    """The secrets of a backup that has some."""
    try:
        sealed = backup.part(SECRETS)
        if sealed is None:
            return {}
        return unseal(sealed, read_passphrase(passphrase_file, twice=False), backup.manifest.bound_to)
    except WrongPassphrase as error:
        raise PlanError(
            f"the passphrase does not open the secrets of {file}, or the file was changed; without them it is restored "
            "with --without-secrets"
        ) from error
    except ValueError as error:
        raise NotABackup(f"{file} is no backup of a league: {error}") from error


async def _restore(
    backup: BackupReader, workspace: Workspace, league_id: str, url: str | None, secrets: dict[str, str]
) -> None:
    """Write secrets, then all records at once, and then what is made from those."""
    added = _added(backup)
    store = await open_store(url, workspace.data, league_id)
    try:
        if not isinstance(store, MovableStore):
            raise PlanError("this store takes no league that has records already: restore it into another one")
        folder = workspace.operator_token_file(league_id).parent
        for name, text in secrets.items():
            write_secret(folder / name, text)
        event_store.remember(workspace, league_id, url)
        try:
            await store.adopt(league_id, _pages(backup, added))
        except ConcurrentAppend as error:
            raise PlanError(f"league {league_id!r} exists already; nothing was restored over it") from error
        await write_files(store, workspace, league_id)
    finally:
        await store.close()


def _added(backup: BackupReader) -> list[Record]:
    """Records to add: the plan, if none is recorded, and that all are read-only."""
    orders: list[Command] = [MakeReadOnly("restored", backup.manifest.manager)]
    if (plan := backup.part(PLAN)) is not None and not backup.league.read_only:
        orders.insert(0, KeepPlan(_as_recorded(plan)))
    league, records, head = backup.league, list[Record](), backup.manifest.head
    at = to_record_time(SystemClock().now())
    for order in orders:
        for event in decide(league, order):
            league = evolve(league, event)
            number = backup.manifest.records + len(records) + 1
            records.append(seal(backup.manifest.league_id, number, at, event, head))
            head = records[-1].digest
    return records


def _as_recorded(plan: bytes) -> dict[str, Any]:
    try:
        return recorded_form(json.loads(plan))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotABackup(f"the plan in the backup is none of 'league run': {error!r}") from error


async def _pages(backup: BackupReader, added: Sequence[Record]) -> AsyncIterator[Sequence[Record]]:
    for page in backup.pages():
        yield page
    if added:
        yield added

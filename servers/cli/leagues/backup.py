"""`league backup`: a league with its plan and its secrets in one file."""

import json
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import anyio
import typer

from league_sdk.clock import SystemClock, to_record_time
from league_sdk.domain.events import GENESIS, Record, first_broken_link
from league_sdk.ports import EventStore
from league_sdk.settings import Workspace, read_secret
from league_sdk.stores import open_store
from servers.agent import event_store
from servers.agent.manager_lock import leader
from servers.cli import common
from servers.cli.leagues.backup_file import PAGE, PLAN, SECRETS, BackupWriter, Manifest
from servers.cli.leagues.passphrase import OnCommandLine, PassphraseFile, read_passphrase
from servers.cli.leagues.sealed_secrets import seal
from servers.launcher.plan_document import plan_file
from servers.launcher.run_options import PlanError
from servers.read_model.text import count

NAME: Final = typer.Argument(metavar="LEAGUE", help="The league's id.", show_default=False)
WithoutSecrets: TypeAlias = Annotated[
    bool, typer.Option("--without-secrets", help="Leave out the tokens: the backup can be looked at, and not led.")
]


def backup(
    league: Annotated[str, NAME],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.", show_default=False)],
    without_secrets: WithoutSecrets = False,
    passphrase_file: PassphraseFile = None,
    passphrase: OnCommandLine = None,
    store: common.StoreOption = None,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Back up a league into one file, also while it runs.

    It has all records up to one of them, the plan of the run, and the league's secrets, sealed with a passphrase.
    'league restore' puts them back.

    [bold]Examples[/bold]

      league backup cup cup.backup
      league backup cup cup.backup --passphrase-file passphrase.txt
      league backup cup cup.backup --without-secrets

    Exit code: 0 the file is written, 2 a mistake in the command; then no file is.
    """
    del passphrase
    workspace = common.workspace_of(data)
    league_id = common.league_id_of(workspace, league)
    if file.exists():
        raise PlanError(f"{file} exists already; name another file")
    url = common.store_of(workspace, league_id, config, store)
    if not event_store.is_stored(workspace, league_id, url):
        raise common.no_records(workspace, league_id)
    secrets = {} if without_secrets else secrets_of(workspace, league_id)
    if not secrets and not without_secrets:
        raise PlanError(
            f"the secrets of league {league_id!r} are not in {workspace.secrets}: leave them out with --without-secrets"
        )
    word = read_passphrase(passphrase_file, twice=True) if secrets else ""
    made = write_backup(file, workspace, league_id, url, secrets, word)
    if as_json:
        common.print_json({"league_id": league_id, "file": str(file), "records": made.records, "head": made.head})
        return
    sealed = "sealed with the passphrase" if secrets else "left out"
    common.print_out(
        f"{league_id}: {count(made.records, 'record')} up to {made.head} are in {file}, its secrets {sealed}"
    )


def secrets_of(workspace: Workspace, league_id: str) -> dict[str, str]:
    """A league's secrets by file name, without the address of its store."""
    folder = workspace.operator_token_file(league_id).parent
    files = sorted(path for path in folder.glob("[!.]*") if path.is_file() and path.name != event_store.STORE_FILE)
    return {path.name: read_secret(path) or "" for path in files}


def write_backup(
    file: Path, workspace: Workspace, league_id: str, url: str | None, secrets: dict[str, str], passphrase: str
) -> Manifest:
    """Write a backup beside its place, and move it there when it is whole."""
    try:
        handle, temporary = tempfile.mkstemp(dir=file.absolute().parent, prefix=f".{file.name[:40]}-")  # mode 0600
        try:
            with os.fdopen(handle, "wb") as target:
                writer = BackupWriter(target)
                made = anyio.run(_write, writer, workspace, league_id, url, secrets, passphrase)
                target.flush()
                os.fsync(target.fileno())
            os.link(temporary, file)  # never over a file that has come meanwhile
        finally:
            Path(temporary).unlink(missing_ok=True)
    except FileExistsError as error:
        raise PlanError(f"{file} exists already; name another file") from error
    except OSError as error:
        raise PlanError(f"cannot write {file}: {error.strerror or error}") from error
    return made


async def _write(
    writer: BackupWriter,
    workspace: Workspace,
    league_id: str,
    url: str | None,
    secrets: dict[str, str],
    passphrase: str,
) -> Manifest:
    last: list[Record] = []
    store = await open_store(url, workspace.data, league_id)

    async def noted() -> AsyncIterator[list[Record]]:
        async for page in pages_of(store, league_id):
            last[:] = page[-1:]
            yield page

    try:
        await writer.add_records(noted())
    finally:
        await store.close()
    made = Manifest(
        league_id,
        last[0].sequence,
        last[0].digest,
        to_record_time(SystemClock().now()),
        leader(workspace, league_id) or "",
    )
    plan = read_secret(plan_file(workspace, league_id))
    if plan is not None and _is_json(plan):
        writer.add(PLAN, plan.encode())
    if secrets:
        writer.add(SECRETS, seal(secrets, passphrase, writer.described(made).bound_to))
    writer.end(made)
    return made


async def pages_of(store: EventStore, league_id: str) -> AsyncIterator[list[Record]]:
    """A league's records, page by page, up to one that is the last for now.

    Raises:
        PlanError: A record does not fit the chain.
    """
    sequence, digest = 0, GENESIS
    while page := await store.read(league_id, after=sequence, limit=PAGE):
        broken = first_broken_link(page, after=sequence, previous=digest)
        if broken is not None:
            raise PlanError(f"the log of league {league_id!r} was changed: record {broken} does not fit the chain")
        sequence, digest = page[-1].sequence, page[-1].digest
        yield page
        if len(page) < PAGE:
            return


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True

"""Event store of a league: chosen by URL, and remembered beside its secrets.

The stores bring a database library with them: they are loaded when one is opened.
"""

from pathlib import Path

import anyio

from league_sdk import plugins
from league_sdk.domain.events import LeagueCancelled, Record
from league_sdk.names import SAFE, alternatives, is_safe_name
from league_sdk.settings import Workspace, read_secret, write_secret

STORE_FILE = "store.url"
"""A secret like the others in its folder, since a database's URL may hold a password."""


class StorageError(Exception):
    """There is no such store, or no such league; the message says what can be done."""


def checked(url: str | None) -> str | None:
    """A checked store URL; the path of an SQLite file is made absolute."""
    if url is None:
        return None
    from league_sdk.stores import SCHEMES

    scheme, _, rest = url.partition(":")
    family = scheme.partition("+")[0]
    if family not in SCHEMES and scheme not in plugins.stores():
        known = [f"{name}:" for name in (*SCHEMES, *sorted(plugins.stores()))]
        raise StorageError(f"no store is called {scheme!r} in {url!r}; {alternatives(f'{scheme}:', known)}")
    file = _file_of(url)
    if file is None:
        return url
    _, question, options = rest.partition("?")
    return f"{scheme}:///{file.absolute()}{question}{options}"


def _file_of(url: str) -> Path | None:
    scheme, _, rest = url.partition(":")
    path = rest.removeprefix("///").partition("?")[0]
    is_file = scheme.partition("+")[0] == "sqlite" and rest.startswith("///") and path not in ("", ":memory:")
    return Path(path) if is_file else None


def remember(workspace: Workspace, league_id: str, url: str | None) -> None:
    """Keep where a league's events are, unless they are in the league's own file."""
    if url is not None:
        write_secret(_file(workspace, league_id), url)


def remembered(workspace: Workspace, league_id: str) -> str | None:
    """The remembered store URL; None for the league's own file."""
    return read_secret(_file(workspace, league_id))


def new_league_id(workspace: Workspace, base: str, url: str | None) -> str:
    """Reserve an id for a new league that neither this folder nor the store knows."""
    try:
        taken = anyio.run(_leagues, url, workspace) if url else []
    except ValueError as error:
        raise StorageError(str(error)) from error
    return workspace.new_league_id(base, taken)


def is_cancelled(workspace: Workspace, league_id: str, url: str | None) -> bool:
    """True for a league that was cancelled, whose name is free for a new one."""
    return any(record.type == LeagueCancelled.__name__ for record in read_records(workspace, league_id, url))


def is_stored(workspace: Workspace, league_id: str, url: str | None) -> bool:
    """True for a league with records."""
    return bool(read_records(workspace, league_id, url, limit=1))


def read_records(workspace: Workspace, league_id: str, url: str | None, limit: int | None = None) -> list[Record]:
    """The records of a league; none when nothing has happened in it yet."""
    from league_sdk.stores import events_file

    if not is_safe_name(league_id):
        raise StorageError(f"{league_id!r} cannot be the id of a league: use {SAFE}")
    url = url or remembered(workspace, league_id)
    file = events_file(workspace.data, league_id) if url is None else _file_of(url)
    if file is not None and not file.is_file():
        return []  # to open it would make it
    try:
        return anyio.run(_read, url, workspace, league_id, limit)
    except ValueError as error:
        raise StorageError(str(error)) from error


def _file(workspace: Workspace, league_id: str) -> Path:
    return workspace.operator_token_file(league_id).with_name(STORE_FILE)


async def _leagues(url: str, workspace: Workspace) -> list[str]:
    from league_sdk.stores import open_store

    store = await open_store(url, workspace.data, "any")
    try:
        return await store.leagues()
    finally:
        await store.close()


async def _read(url: str | None, workspace: Workspace, league_id: str, limit: int | None) -> list[Record]:
    from league_sdk.stores import open_store

    store = await open_store(url, workspace.data, league_id)
    try:
        return await store.read(league_id, limit=limit)
    finally:
        await store.close()

"""Checks of `league doctor`: store, disk, certificate, address, webhook, cluster."""

import json
import os
import resource
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio

from league_sdk.clock import Clock
from league_sdk.domain.records.format_version import NewerRecords, check_version
from league_sdk.errors import InvalidEndpoint
from league_sdk.net.addresses import AddressRule
from league_sdk.net.tls import TlsUnusable, server_context
from league_sdk.ports import StoreFailed
from league_sdk.settings import ConfigError, NotifyConfig, SecurityConfig, Workspace
from servers.agent import event_store
from servers.agent.security import tls_files
from servers.cli.free_space import LEAST_FREE_BYTES, existing_folder, free_bytes
from servers.launcher.run_options import PlanError
from servers.league_manager.webhook import notify_secret
from servers.read_model.text import count

LEAST_FREE_FILES = 10_000
LEAST_DESCRIPTORS = 1024
OLDEST_SQLITE, OLDEST_POSTGRESQL = (3, 35), 13
FIRST_RECORDS = "SELECT payload FROM events WHERE sequence = 1"
STORE_SEC = 15.0
REACH_SEC = 3.0


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One thing that was looked at."""

    what: str
    fine: bool
    detail: str
    advice: str = ""  # what to do, when it is not fine


def disk(workspace: Workspace) -> Iterator[CheckResult]:
    """Room for records, files and logs where they are written."""
    folder = existing_folder(workspace.data)
    free, files = free_bytes(folder), os.statvfs(folder).f_favail
    enough = free >= LEAST_FREE_BYTES and (files >= LEAST_FREE_FILES or not os.statvfs(folder).f_files)
    detail = f"{free / 1e9:.1f} GB free at {folder}" + ("" if enough else f", and room for {files} files")
    yield CheckResult("disk", enough, detail, "make room there, or choose another folder with --data")


def descriptors() -> Iterator[CheckResult]:
    """The files and connections that a process may have open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = hard == resource.RLIM_INFINITY
    detail = "any number" if unlimited else f"{hard} files and connections for each process"
    advice = (
        f"raise the hard limit to {LEAST_DESCRIPTORS} or more, such as by 'ulimit -Hn' or the service's LimitNOFILE"
    )
    yield CheckResult("descriptors", unlimited or hard >= LEAST_DESCRIPTORS, detail, advice)


def certificate(security: SecurityConfig, host: str, clock: Clock) -> Iterator[CheckResult]:
    """The certificate of this machine's servers: its key, its dates, its names."""
    files = tls_files(security)
    if files is None:
        return
    what = "certificate"
    try:
        server_context(files)
        found = _read(files.cert)
    except (TlsUnusable, ImportError, OSError, ValueError) as error:
        yield CheckResult(what, False, str(error), "give a PEM certificate and its key (security.tls_cert, tls_key)")
        return
    now, begins, ends = clock.now().astimezone(UTC), found.not_valid_before_utc, found.not_valid_after_utc
    days = (ends - now).days
    if not begins <= now <= ends:
        dates = f"{files.cert} is valid from {_day(begins)} to {_day(ends)}"
        yield CheckResult(what, False, dates, "renew it: every agent refuses this server")
        return
    names = _names(found)
    if not any(_fits(name, host) for name in names):
        detail = f"{files.cert} is for {', '.join(names) or 'nobody'}, and not for {host}"
        yield CheckResult(what, False, detail, "name one of its hosts with --public-host, or issue one for this host")
        return
    yield CheckResult(what, True, f"{files.cert} is for {host}, valid for {days} days")


def reachability(bind_host: str, public_host: str) -> Iterator[CheckResult]:
    """The address that others are told: if it leads to this machine."""
    what, advice = (
        f"address {public_host}",
        ("name an address of this machine with --public-host, and let connections to its ports in (router, firewall)"),
    )
    family = socket.AF_INET6 if ":" in bind_host else socket.AF_INET
    try:
        with socket.create_server((bind_host, 0), family=family) as listener, listener.dup() as accepting:
            accepting.settimeout(REACH_SEC)
            with socket.create_connection((public_host, listener.getsockname()[1]), REACH_SEC) as calling:
                answered = accepting.accept()
                answered[0].close()
                arrived = answered[1][1] == calling.getsockname()[1]
    except OSError as error:
        reason = str(error) or type(error).__name__
        yield CheckResult(what, False, f"nothing of this machine answers there: {reason}", advice)
        return
    detail = f"leads to this machine, which listens on {bind_host}" if arrived else "leads to something else"
    yield CheckResult(what, arrived, detail, advice)


def cluster(place: str) -> Iterator[CheckResult]:
    """The Ray cluster that a league is to be played in; nothing for processes."""
    from servers.launcher.ray_cluster import is_ray, ray_cluster

    try:
        if not is_ray(place):
            return
        with ray_cluster(place, "doctor") as ray:
            nodes = [node for node in ray.nodes() if node["Alive"]]
            processors, version = ray.cluster_resources().get("CPU", 0), ray.__version__
    except PlanError as error:
        yield CheckResult("Ray", False, str(error), "start a cluster, or name its address in RAY_ADDRESS or with --on")
        return
    detail = f"Ray {version}: {count(len(nodes), 'node')}, {processors:g} CPU"
    yield CheckResult("Ray", processors > 0, detail, "add nodes with processors: no agent has a place")


def store(url: str | None) -> Iterator[CheckResult]:
    """The store that leagues are recorded in, where that is not the data folder."""
    if url is None:
        return
    try:
        yield CheckResult("store", True, _look_at(str(event_store.checked(url))))
    except (event_store.StorageError, StoreFailed, NewerRecords, OSError, ValueError, sqlite3.Error) as error:
        detail = f"{url}: {error}" if isinstance(error, sqlite3.Error) else str(error)
        yield CheckResult("store", False, detail, "start it, or name another one with --store")


def webhook(config: NotifyConfig) -> Iterator[CheckResult]:
    """The operator's webhook: secret and host are looked at, and nothing is sent."""
    if config.webhook is None:
        return
    url = urlsplit(config.webhook)
    host, port = str(url.hostname), url.port or (443 if url.scheme == "https" else 80)
    try:
        notify_secret(config)
        anyio.run(AddressRule(config.allowed_targets, local=False).addresses, host, port)
    except ConfigError as error:
        yield CheckResult("webhook", False, str(error), "see notify.secret_file and notify.allowed_targets")
    except InvalidEndpoint:
        detail = f"{host} cannot be found, or is not among notify.allowed_targets"
        yield CheckResult("webhook", False, detail, "add its host there, if messages may go to it")
    else:
        yield CheckResult("webhook", True, f"{host} may be told of {', '.join(config.events)}")


def _look_at(url: str) -> str:
    """Version and space of a store; raises if it can't be used."""
    from league_sdk.stores.sql_engines import target_of

    scheme = url.partition(":")[0].partition("+")[0]
    if scheme not in ("sqlite", "postgres", "postgresql"):
        return f"{scheme}: has no checks of its own"
    target = target_of(url)
    return _sqlite(Path(target.database or "")) if scheme == "sqlite" else anyio.run(_postgresql, target)


def _sqlite(file: Path) -> str:
    version, folder = sqlite3.sqlite_version, existing_folder(file.parent)
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StoreFailed(f"SQLite {version} is too old: {'.'.join(map(str, OLDEST_SQLITE))} is needed")
    if not os.access(file if file.exists() else folder, os.W_OK):
        raise StoreFailed(f"{file} cannot be written to")
    free = free_bytes(folder)
    if free < LEAST_FREE_BYTES:
        raise StoreFailed(f"{free / 1e9:.1f} GB are free at {folder}, and {LEAST_FREE_BYTES / 1e9:.1f} GB are needed")
    if not file.exists():
        return f"SQLite {version}: {file} will be made; {free / 1e9:.1f} GB free"
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
        known = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'events'").fetchall()
        found = database.execute(FIRST_RECORDS).fetchall() if known else []
    return f"SQLite {version}: {file.stat().st_size / 1e6:.1f} MB, {_leagues(found)}; {free / 1e9:.1f} GB free"


async def _postgresql(target: Any) -> str:
    from league_sdk.stores.sql_engines import engine_for, reason

    engine = engine_for(target)
    try:
        with anyio.fail_after(STORE_SEC):
            async with engine.connect() as connection:
                return await _ask(connection)
    except (StoreFailed, NewerRecords):
        raise
    except Exception as error:  # of the driver, the library, or the network
        shown = target.set(drivername=target.get_backend_name()).render_as_string(hide_password=True)
        raise StoreFailed(f"{shown} does not answer: {reason(error)}") from error
    finally:
        await engine.dispose()


async def _ask(connection: Any) -> str:
    import sqlalchemy as sa

    async def rows(query: str) -> list[Any]:
        return list((await connection.execute(sa.text(query))).all())

    version = int((await rows("SHOW server_version_num"))[0][0]) // 10_000
    if version < OLDEST_POSTGRESQL:
        raise StoreFailed(f"PostgreSQL {version} is too old: {OLDEST_POSTGRESQL} is needed")
    if (await rows("SELECT pg_is_in_recovery()"))[0][0]:
        raise StoreFailed(f"PostgreSQL {version}: this server is a replica, and only reads")
    known = (await rows("SELECT to_regclass('events') IS NOT NULL"))[0][0]
    right = "has_table_privilege('events', 'INSERT')" if known else "has_schema_privilege(current_schema(), 'CREATE')"
    if not (await rows(f"SELECT {right}"))[0][0]:
        raise StoreFailed(
            f"PostgreSQL {version}: this user may not {'write to' if known else 'make'} the table 'events'"
        )
    size = int((await rows("SELECT pg_database_size(current_database())"))[0][0])
    leagues = _leagues(await rows(FIRST_RECORDS) if known else [])
    return f"PostgreSQL {version}: {size / 1e6:.1f} MB, {leagues}; the space of its disk shows on its own machine alone"


def _leagues(first_records: Sequence[Any]) -> str:
    """The number of leagues; NewerRecords if one was written by a newer release."""
    for (payload,) in first_records:
        check_version(json.loads(payload).get("format_version", 1))
    return count(len(first_records), "league")


def _read(file: Path) -> Any:
    from cryptography import x509

    return x509.load_pem_x509_certificates(file.read_bytes())[0]


def _names(found: Any) -> list[str]:
    from cryptography import x509

    try:
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return [*names.get_values_for_type(x509.DNSName), *map(str, names.get_values_for_type(x509.IPAddress))]


def _fits(name: str, host: str) -> bool:
    """True if a name of a certificate is that of a host; a wildcard is one label."""
    try:
        return ip_address(name) == ip_address(host)
    except ValueError:
        name, host = name.casefold().rstrip("."), host.casefold().rstrip(".")
    return host.partition(".")[2] == name[2:] if name.startswith("*.") else host == name


def _day(at: datetime) -> str:
    return at.strftime("%Y-%m-%d")

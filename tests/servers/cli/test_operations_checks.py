"""Checks of `league doctor` for a league that is to last: each broken thing is not ok."""

import json
import resource
import shutil
import socket
import sqlite3
from contextlib import closing
from typing import Any, NamedTuple

import pytest

from league_sdk.stores import events_file
from servers.cli import operations_checks
from tests.league_sdk.stores.conftest import postgres_server, postgres_url
from tests.ports import free_base
from tests.security.authority import Authority
from tests.servers.league_history import under_way


class Usage(NamedTuple):
    total: int
    used: int
    free: int


__all__ = ["postgres_server", "postgres_url"]  # fixtures


@pytest.fixture
def finding(league, monkeypatch) -> Any:
    """One finding of `league doctor` with these words, and whether all of it was fine."""

    def look(what: str, *words: object) -> tuple[dict[str, Any], int]:
        shown = league("doctor", "--port-base", free_base(), "--json", *words)
        (found,) = [each for each in shown.json["findings"] if each["what"] == what] or [{}]
        return found, shown.code

    return look


def test_a_disk_with_room_is_fine_and_says_how_much(finding):
    found, code = finding("disk")
    assert (found["fine"], code) == (True, 0)
    assert " GB free at " in found["detail"]


def test_a_full_disk_is_not(finding, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 9 * 10**8, 10**8))
    found, code = finding("disk")
    assert (found["fine"], code) == (False, 1)
    assert found["detail"].startswith("0.1 GB free at ")
    assert "--data" in found["advice"]


@pytest.mark.parametrize(("hard", "fine"), [(512, False), (4096, True), (resource.RLIM_INFINITY, True)])
def test_too_few_descriptors_are_not_fine(finding, monkeypatch, hard, fine):
    monkeypatch.setattr(operations_checks.resource, "getrlimit", lambda _: (256, hard))
    found, code = finding("descriptors")
    assert (found["fine"], code) == (fine, int(not fine))


@pytest.mark.parametrize(
    ("host", "days", "asked", "told"),
    [
        ("localhost", 30, (), None),
        ("192.0.2.7", 30, ("--public-host", "192.0.2.7"), None),
        ("*.example.org", 30, ("--public-host", "League.example.org"), None),
        (
            "*.example.org",
            30,
            ("--public-host", "a.b.example.org"),
            "is for *.example.org, and not for a.b.example.org",
        ),
        ("localhost", 30, ("--public-host", "192.0.2.8"), "is for localhost, and not for 192.0.2.8"),
        ("localhost", -1, (), "is valid from "),
    ],
    ids=["good", "an address", "a wildcard", "two labels", "another name", "expired"],
)
def test_a_certificate_has_to_be_valid_and_for_this_host(finding, tmp_path, monkeypatch, host, days, asked, told):
    monkeypatch.setattr(operations_checks, "reachability", lambda *_: iter(()))  # these hosts are nobody's here
    cert, key = Authority(tmp_path).issue(host, days=days)
    monkeypatch.setenv("LEAGUE_SECURITY__TLS_CERT", str(cert))
    monkeypatch.setenv("LEAGUE_SECURITY__TLS_KEY", str(key))
    found, code = finding("certificate", *asked)
    assert (found["fine"], code) == (told is None, int(told is not None))
    assert (told or " days") in found["detail"]


def test_a_certificate_with_the_key_of_another_is_not_fine(finding, tmp_path, monkeypatch):
    cert, _ = Authority(tmp_path).issue("localhost")
    _, key = Authority(tmp_path, "other").issue("127.0.0.1")
    monkeypatch.setenv("LEAGUE_SECURITY__TLS_CERT", str(cert))
    monkeypatch.setenv("LEAGUE_SECURITY__TLS_KEY", str(key))
    found, code = finding("certificate")
    assert (found["fine"], code) == (False, 1)
    assert "cannot be used" in found["detail"]


def test_without_tls_and_without_a_store_of_ones_own_neither_is_looked_at(finding):
    assert finding("certificate") == ({}, 0)
    assert finding("store") == ({}, 0)


@pytest.mark.parametrize(
    ("targets", "mode", "told"),
    [
        ("127.0.0.1", 0o600, None),
        ("192.0.2.1", 0o600, "127.0.0.1 cannot be found, or is not among notify.allowed_targets"),
        (None, 0o600, "notify.allowed_targets"),
        ("127.0.0.1", 0o644, "others can read this secret"),
        ("127.0.0.1", None, "a file with the secret"),
    ],
    ids=["good", "another host", "no hosts", "read by others", "no secret"],
)
def test_a_webhook_has_to_be_a_host_that_may_be_called_with_a_secret_of_its_own(
    finding, tmp_path, monkeypatch, targets, mode, told
):
    secret = tmp_path / "hook.secret"
    if mode is not None:
        secret.write_text("secret")
        secret.chmod(mode)
    monkeypatch.setenv("LEAGUE_NOTIFY__WEBHOOK", "http://127.0.0.1:1/{secret}")
    monkeypatch.setenv("LEAGUE_NOTIFY__SECRET_FILE", str(secret))
    if targets:
        monkeypatch.setenv("LEAGUE_NOTIFY__ALLOWED_TARGETS", json.dumps([targets]))
    found, code = finding("webhook")
    assert (found["fine"], code) == (told is None, int(told is not None))
    assert (told or "may be told of start, ") in found["detail"]


def test_without_a_webhook_none_is_looked_at(finding):
    assert finding("webhook") == ({}, 0)


def test_a_store_in_a_file_says_version_size_and_leagues(finding, workspace):
    under_way(2).write(workspace)
    found, code = finding("store", "--store", f"sqlite:///{events_file(workspace.data, 'summer')}")
    assert (found["fine"], code) == (True, 0)
    assert found["detail"].startswith(f"SQLite {sqlite3.sqlite_version}: ")
    assert ", 1 league; " in found["detail"]


def test_a_file_that_is_not_there_yet_is_fine_and_is_not_made(finding, tmp_path):
    found, code = finding("store", "--store", f"sqlite:///{tmp_path}/new/events.db")
    assert (found["fine"], code) == (True, 0)
    assert "will be made" in found["detail"]
    assert not (tmp_path / "new").exists()


@pytest.mark.tampers("with a record of another release")
def test_a_store_of_a_newer_release_is_not_fine(finding, workspace):
    under_way(2).write(workspace)
    file = events_file(workspace.data, "summer")
    with closing(sqlite3.connect(file)) as database, database:
        (text,) = database.execute("SELECT payload FROM events WHERE sequence = 1").fetchone()
        newer = json.dumps({**json.loads(text), "format_version": 9})
        database.execute("UPDATE events SET payload = ? WHERE sequence = 1", [newer])
    found, code = finding("store", "--store", f"sqlite:///{file}")
    assert (found["fine"], code) == (False, 1)
    assert "of format 9" in found["detail"]


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://nobody:secret@127.0.0.1:1/league", "does not answer"),
        ("sqlite:///{folder}/text.db", "not a database"),
        ("mysql://here/league", "no store is called 'mysql'"),
    ],
    ids=["nobody there", "no database", "unknown"],
)
def test_a_store_that_cannot_be_used_is_not_fine_and_no_password_is_told(finding, tmp_path, url, told):
    (tmp_path / "text.db").write_text("not a database, but more than sixteen bytes\n" * 50)
    found, code = finding("store", "--store", url.format(folder=tmp_path))
    assert (found["fine"], code) == (False, 1)
    assert told in found["detail"]
    assert "secret" not in found["detail"]


def test_a_postgresql_says_version_size_and_leagues(finding, postgres_url):
    found, code = finding("store", "--store", postgres_url)
    assert (found["fine"], code) == (True, 0), found
    assert found["detail"].startswith("PostgreSQL ")
    assert " league" in found["detail"]


def test_an_address_of_this_machine_is_fine(finding):
    found, code = finding("address localhost", "--public-host", "localhost")
    assert (found["fine"], code) == (True, 0)
    assert found["detail"] == "leads to this machine, which listens on 0.0.0.0"


@pytest.mark.parametrize("host", ["no-such-host.invalid", "192.0.2.77"])
def test_an_address_of_nobody_is_not_fine(finding, monkeypatch, host):
    monkeypatch.setattr(operations_checks, "REACH_SEC", 0.5)
    found, code = finding(f"address {host}", "--public-host", host)
    assert (found["fine"], code) == (False, 1)
    assert "--public-host" in found["advice"]


def test_an_address_where_another_program_answers_is_not_fine(finding, monkeypatch):
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        connect = socket.create_connection
        monkeypatch.setattr(socket, "create_connection", lambda address, wait: connect(("127.0.0.1", port), wait))
        monkeypatch.setattr(operations_checks, "REACH_SEC", 0.2)
        found, code = finding("address localhost", "--public-host", "localhost")
    assert (found["fine"], code) == (False, 1)


def test_a_cluster_that_does_not_answer_is_not_fine(finding, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{free_base()}")
    found, code = finding("Ray")
    assert (found["fine"], code) == (False, 1)
    assert found["advice"].startswith("start a cluster")


def test_without_a_cluster_nothing_is_said_of_one(finding):
    assert finding("Ray") == ({}, 0)

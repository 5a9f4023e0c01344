"""`league backup` and `league restore`."""

import errno
import hashlib
import json
import shutil
import stat
import zipfile
from pathlib import Path

import anyio
import pytest

from league_sdk.domain.events import Record
from league_sdk.ports import StoreFailed
from league_sdk.settings import Workspace, read_secret, write_secret
from league_sdk.stores import MemoryEventStore, SqlEventStore
from servers.cli import common
from servers.cli.leagues import restore as restoring
from servers.cli.leagues.backup import pages_of
from servers.cli.leagues.backup_file import LONGEST_PART, MANIFEST, PAGE, PLAN, RECORDS, SECRETS
from servers.cli.leagues.passphrase import VARIABLE
from servers.launcher.plan_document import plan_file
from tests.league_sdk.audit.recorded.restore import restore_interrupted
from tests.league_sdk.stores.conftest import ScriptedLeague


def records(workspace: Workspace, store: str | None = None) -> list[Record]:
    return common.read_records(workspace, "cup", None, store)


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def repacked(file: Path, **parts: bytes | None) -> Path:
    """The backup with other parts, named with an underscore for the dot; None leaves one out."""
    changed = {name.replace("_", "."): content for name, content in parts.items()}
    target = file.with_name(f"{len([*file.parent.iterdir()])}.backup")
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(target, "w") as made:
        for name in source.namelist():
            content = changed.get(name, source.read(name))
            if content is not None:
                made.writestr(name, content)
    return target


def test_a_league_comes_back_with_records_plan_and_secrets_on_a_bare_folder(league, cup, saved, workspace, bare):
    before, token = records(workspace), read_secret(workspace.operator_token_file(cup))
    secrets = files_below(workspace.secrets / "cup")
    shutil.rmtree(workspace.root)
    ran = league("restore", saved, "--data", bare.root)
    assert (ran.code, ran.err) == (0, "")
    assert f"cup: {len(before)} records up to {before[-1].digest} are restored, and read-only" in ran.out
    after = records(bare)
    assert after[: len(before)] == before
    assert [(record.type, record.payload["reason"]) for record in after[len(before) :]] == [
        ("MadeReadOnly", "restored")
    ]
    assert read_secret(bare.operator_token_file(cup)) == token
    assert files_below(bare.secrets / "cup") == secrets
    audit = league("audit", cup, "--data", bare.root, "--json")
    assert (audit.code, audit.json["findings"]) == (0, [])
    assert league("standings", cup, "--data", bare.root).code == 0


def test_a_restored_league_is_not_led(league, cup, saved, bare):
    league("restore", saved, "--data", bare.root)
    before = records(bare)
    for command in (("resume", cup, "--in-process"), ("manager", "--resume", cup)):
        ran = league(*command, "--data", bare.root)
        assert (ran.code, ran.out) == (2, "")
        assert "the records of league 'cup' were restored, and are read-only" in ran.err
    assert records(bare) == before


def test_the_file_is_its_owners_alone_and_shows_no_secret(cup, saved, workspace):
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    token = str(read_secret(workspace.operator_token_file(cup)))
    with zipfile.ZipFile(saved) as backup:
        assert not any(token.encode() in backup.read(name) for name in backup.namelist())
        manifest = json.loads(backup.read(MANIFEST))
    assert (manifest["version"], manifest["league_id"], manifest["records"]) == (1, cup, len(records(workspace)))


def test_secrets_can_be_left_out_and_then_nothing_asks_for_a_passphrase(league, cup, tmp_path, bare, monkeypatch):
    monkeypatch.delenv(VARIABLE)
    assert league("backup", cup, "public.backup", "--without-secrets", "--json").code == 0
    with zipfile.ZipFile("public.backup") as backup:
        assert SECRETS not in backup.namelist()
    ran = league("restore", "public.backup", "--data", bare.root)
    assert (ran.code, "are restored, and read-only; without secrets" in ran.out) == (0, True)
    assert not bare.operator_token_file(cup).exists()
    assert league("audit", cup, "--data", bare.root).code == 0


def test_a_passphrase_comes_from_a_file_or_a_person_and_never_from_the_command_line(
    league, cup, bare, tmp_path, monkeypatch
):
    monkeypatch.delenv(VARIABLE)
    refused = league("backup", cup, "a.backup")
    assert refused.code == 2
    assert f"set {VARIABLE}, name a file with --passphrase-file, or type it" in refused.err
    on_the_line = league("backup", cup, "a.backup", "--passphrase", "secret")
    assert (on_the_line.code, "can be read by others" in on_the_line.err) == (2, True)
    typed = iter(["typed", "mistyped", "typed", "typed", "typed"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda _: next(typed))
    assert "not the same" in league("backup", cup, "a.backup").err
    assert not Path("a.backup").exists()
    assert league("backup", cup, "a.backup").code == 0
    write_secret(tmp_path / "word", "typed")
    assert league("restore", "a.backup", "--data", bare.root, "--passphrase-file", tmp_path / "word").code == 0


def test_a_wrong_passphrase_restores_nothing(league, saved, bare, monkeypatch):
    monkeypatch.setenv(VARIABLE, "wrong")
    ran = league("restore", saved, "--data", bare.root)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert "the passphrase does not open the secrets" in ran.err
    assert not bare.root.exists()


def test_the_secrets_of_another_league_are_not_opened(league, cup, saved, bare, tmp_path):
    """Whoever has the file cannot let the operator seal one league's token to other records."""
    assert league("backup", cup, "later.backup").code == 0
    with zipfile.ZipFile(saved) as backup:
        manifest = json.loads(backup.read(MANIFEST))
    manifest["manager"] = ""
    manifest["records"] += 1
    changed = repacked(saved, manifest_json=json.dumps(manifest).encode())
    ran = league("restore", changed, "--data", bare.root)
    assert (ran.code, "was changed" in ran.err) == (2, True)
    assert not bare.root.exists()


def test_the_secrets_vouch_for_the_plan_and_the_address_of_the_older_manager(league, saved, bare):
    """`league lead` shows that manager the operator's token: nobody who had the file chooses where it goes."""
    with zipfile.ZipFile(saved) as backup:
        plan, manifest = backup.read(PLAN), json.loads(backup.read(MANIFEST))
    elsewhere = json.dumps({**manifest, "manager": "http://elsewhere.example/mcp"}).encode()
    planned = plan.replace(b"localhost", b"elsewhere")
    assert planned != plan
    fitting = {**manifest, "digests": {**manifest["digests"], PLAN: hashlib.sha256(planned).hexdigest()}}
    for changed in (
        repacked(saved, manifest_json=elsewhere),
        repacked(saved, run_json=planned, manifest_json=json.dumps(fitting).encode()),
    ):
        ran = league("restore", changed, "--data", bare.root)
        assert (ran.code, "or the file was changed" in ran.err) == (2, True)
        assert not bare.root.exists()


def test_parts_that_no_backup_has_are_refused_before_they_are_read(league, saved, bare, tmp_path):
    def with_part(name: str, content: bytes, *, listed: bool) -> Path:
        with zipfile.ZipFile(saved) as backup:
            manifest = json.loads(backup.read(MANIFEST))
        if listed:
            manifest["digests"][name] = hashlib.sha256(content).hexdigest()
        file = repacked(saved, manifest_json=json.dumps(manifest).encode())
        with zipfile.ZipFile(file, "a") as made:
            made.writestr(name, content)
        return file

    large = bytes(LONGEST_PART + 1)
    with zipfile.ZipFile(tmp_path / "large.backup", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(MANIFEST, large)
    for file in (
        with_part("../../outside.txt", b"x", listed=False),
        with_part("../../outside.txt", b"x", listed=True),
        with_part("/outside.txt", b"x", listed=True),
        repacked(saved, secrets_sealed=None),
        repacked(saved, secrets_sealed=large),
        tmp_path / "large.backup",
    ):
        ran = league("restore", file, "--data", bare.root)
        assert (ran.code, "is no backup of a league" in ran.err) == (2, True), ran.err
        assert ran.err.count("\n") == 1, ran.err
        assert not [*tmp_path.parent.rglob("outside.txt")]
        assert not bare.root.exists()


def test_a_truncated_foreign_or_changed_file_restores_nothing_and_is_told_in_a_sentence(league, saved, bare, tmp_path):
    (tmp_path / "cut.backup").write_bytes(saved.read_bytes()[:-100])
    (tmp_path / "text.backup").write_text("not a backup")
    with zipfile.ZipFile(tmp_path / "other.backup", "w") as other:
        other.writestr("hello.txt", "hello")
    with zipfile.ZipFile(saved) as backup:
        lines, manifest = backup.read(RECORDS).splitlines(keepends=True), json.loads(backup.read(MANIFEST))
    newer = json.dumps({**manifest, "version": 2, "release": "9.9"}).encode()
    for file, why in (
        (tmp_path / "cut.backup", "was cut off"),
        (tmp_path / "text.backup", "is no backup of a league"),
        (tmp_path / "other.backup", "is no backup of a league"),
        (tmp_path / "missing.backup", "No such file"),
        (tmp_path, "cannot read"),
        (repacked(saved, records_jsonl=b"".join(lines[:-1])), "was changed"),
        (repacked(saved, manifest_json=newer), "version 2, made by release 9.9"),
        (repacked(saved, manifest_json=b"[]"), "is no backup of a league"),
        (repacked(saved, manifest_json=json.dumps({**manifest, "digests": [1]}).encode()), "is no backup of a league"),
        (repacked(saved, manifest_json=json.dumps({**manifest, "version": "1"}).encode()), "it has no version"),
    ):
        ran = league("restore", file, "--data", bare.root)
        assert (ran.code, ran.out) == (2, ""), file
        assert why in ran.err
        assert ran.err.count("\n") == 1, ran.err
        assert not bare.root.exists()


def test_records_that_do_not_fit_their_chain_are_refused_though_the_manifest_fits_them(league, saved, bare):
    with zipfile.ZipFile(saved) as backup:
        text, manifest = backup.read(RECORDS), json.loads(backup.read(MANIFEST))
    forged = text.replace(b'"winner":"P0', b'"winner":"P1')
    assert forged != text
    manifest["digests"][RECORDS] = hashlib.sha256(forged).hexdigest()
    changed = repacked(saved, records_jsonl=forged, manifest_json=json.dumps(manifest).encode())
    ran = league("restore", changed, "--data", bare.root)
    assert (ran.code, "does not fit the chain" in ran.err) == (2, True)
    assert not bare.root.exists()


def test_a_league_is_not_restored_over_one_of_its_name(league, saved, workspace):
    before, files = records(workspace), files_below(workspace.root)
    ran = league("restore", saved)
    assert (ran.code, ran.out) == (2, "")
    assert "league 'cup' exists already; nothing was restored over it" in ran.err
    assert (records(workspace), files_below(workspace.root)) == (before, files)


def test_secrets_of_the_same_name_are_not_replaced(league, cup, saved, bare):
    write_secret(bare.operator_token_file(cup), "another league's")
    ran = league("restore", saved, "--data", bare.root)
    assert (ran.code, "with another secret" in ran.err) == (2, True)
    assert read_secret(bare.operator_token_file(cup)) == "another league's"
    assert records(bare) == []


def test_a_restore_that_ended_before_its_records_is_done_again(league, cup, saved, bare, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(SqlEventStore, "adopt", _killed)
        assert league("restore", saved, "--data", bare.root).code == 2
    assert bare.operator_token_file(cup).is_file()
    assert records(bare) == []
    assert league("restore", saved, "--data", bare.root).code == 0


def test_a_disk_that_is_full_is_told_in_a_sentence_and_the_restore_is_done_again(league, cup, saved, bare, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(restoring, "write_secret", _full)
        ran = league("restore", saved, "--data", bare.root)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert f"cannot write below {bare.root}: No space left on device" in ran.err
    assert records(bare) == []
    assert league("restore", saved, "--data", bare.root).code == 0


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


async def _killed(*_: object) -> None:
    raise StoreFailed("the database is gone")


def test_a_file_that_is_there_is_not_written_over(league, cup, saved):
    before = saved.read_bytes()
    ran = league("backup", cup, saved)
    assert (ran.code, "exists already" in ran.err) == (2, True)
    assert saved.read_bytes() == before
    assert league("backup", "autumn", "autumn.backup").code == 2
    assert league("backup", cup, "no/such/folder.backup").code == 2
    assert [path.name for path in Path().iterdir() if path.name.startswith(".")] == []


@pytest.mark.postgres
def test_a_league_goes_from_sqlite_to_postgresql_and_back_with_all_of_its_records(
    league, cup, saved, workspace, bare, postgres_url, tmp_path
):
    before = records(workspace)
    shutil.rmtree(workspace.root)
    assert league("restore", saved, "--data", bare.root, "--store", postgres_url).code == 0
    there = records(bare, postgres_url)
    assert there[: len(before)] == before
    assert league("backup", cup, "again.backup", "--data", bare.root).code == 0, "the store is remembered"
    back = Workspace(tmp_path / "back")
    assert league("restore", "again.backup", "--data", back.root).code == 0
    assert records(back) == there
    assert league("audit", cup, "--data", back.root).code == 0


def test_a_league_of_an_older_release_is_backed_up_with_its_plan(league, workspace, bare):
    league_id = restore_interrupted("4b51c84", workspace)
    ran = league("backup", league_id, "old.backup", "--json")
    assert ran.code == 0, ran.err
    assert league("restore", "old.backup", "--data", bare.root).code == 0
    kinds = [record.type for record in common.read_records(bare, league_id)]
    assert kinds[-2:] == ["RunPlanned", "MadeReadOnly"]
    assert not plan_file(bare, league_id).exists(), "it is made from the records when it is needed"
    assert league("audit", league_id, "--data", bare.root).code == 0


def test_records_go_through_memory_page_by_page(monkeypatch):
    """A backup's memory is bounded by a page: reading asks for no more at a time."""
    monkeypatch.setattr("servers.cli.leagues.backup.PAGE", 10)
    made = ScriptedLeague("cup")
    for command in made.commands(iter(["A"] * 100), players=8):
        made.do(command)

    async def all_of():
        yield made.records

    async def sizes() -> list[int]:
        store = MemoryEventStore()
        await store.adopt("cup", all_of())
        return [len(page) async for page in pages_of(store, "cup")]

    found = anyio.run(sizes)
    assert max(found) == 10 < PAGE
    assert sum(found) == len(made.records)

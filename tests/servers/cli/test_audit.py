"""`league audit`, as a person and as a script meet it."""

import json
import sqlite3
from contextlib import closing

import anyio
import pytest

from league_sdk.domain.league import fold
from league_sdk.stores import SqlEventStore, events_file
from league_sdk.stores.json_files import JsonFiles
from servers.agent import event_store
from tests.league_sdk.audit.leagues import LEAGUE, exported, number_of
from tests.league_sdk.audit.leagues import league as played
from tests.requirements.marker import requirement

pytestmark = pytest.mark.tampers
RECORDS = played()


async def _store(path):
    store = await SqlEventStore.open(f"sqlite:///{path}")
    for record in RECORDS:
        await store.append(LEAGUE, [record.event], expected=record.sequence - 1, at=record.at)
    await store.close()


FIRST_RESULT = number_of(RECORDS, "MatchRecorded")


@pytest.fixture
def path(workspace):
    path = events_file(workspace.data, LEAGUE)
    anyio.run(_store, path)
    JsonFiles(workspace.data).update(fold(record.event for record in RECORDS), RECORDS)
    return path


def change(path, statement):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def test_an_untouched_league_holds_and_its_head_is_printed(league, path):
    ran = league("audit")
    assert ran.code == 0
    assert f"Head: {RECORDS[-1].digest}" in ran.out
    assert "Random draws: 6 of 6 verified." in ran.out
    assert "Nothing that could be checked was changed." in ran.out


def test_as_json_all_of_it_is_one_object(league, path):
    told = league("audit", LEAGUE, "--json").json
    assert told["ok"] is True
    assert told["head"] == RECORDS[-1].digest
    assert told["files_compared"] == 8
    assert told["matches"] == {"scheduled": 6, "decided": 6, "void": 0, "draws_verified": 6, "replayed": 6}


@requirement("project-LATER-01")
def test_a_changed_record_ends_with_one_and_is_named(league, path):
    winner = 'replace(payload, \'"winner":"P0\', \'"winner":"P9\')'
    change(path, f"UPDATE events SET payload = {winner} WHERE sequence = {FIRST_RESULT}")
    ran = league("audit")
    assert ran.code == 1
    assert f"CHANGED: record {FIRST_RESULT}: was changed" in ran.out
    assert f"First bad record: {FIRST_RESULT}." in ran.out
    assert league("audit", "--json").json["first_changed_record"] == FIRST_RESULT


def test_what_is_doubtful_stands_on_top_and_fails_only_when_strict(league, tmp_path):
    lost = played(conduct={"R1M1": {"P01": "silent"}}, foreign=("R1M1",))
    assert lost[FIRST_RESULT - 2].payload["result"]["status"] == "TECHNICAL_LOSS"
    file = tmp_path / "records.jsonl"
    file.write_bytes(exported(lost))
    ran = league("audit", "--records", file)
    assert ran.code == 0
    assert ran.out.splitlines()[1].startswith(
        f"DOUBTFUL: record {FIRST_RESULT - 1}, match R1M1: P01 lost it by REF01's"
    )
    strict = league("audit", "--records", file, "--strict")
    assert strict.code == 1
    assert strict.out.splitlines()[1] == ran.out.splitlines()[1]
    told = league("audit", "--records", file, "--json").json
    assert (told["ok"], len(told["doubtful"])) == (True, 1)


def test_an_edited_file_ends_with_one(league, path, workspace):
    file = workspace.data / "leagues" / LEAGUE / "standings.json"
    content = json.loads(file.read_text())
    content["standings"][0]["points"] += 1
    file.write_text(json.dumps(content))
    ran = league("audit")
    assert ran.code == 1
    assert "standings[0].points" in ran.out


def test_records_that_were_cut_off_are_found_with_the_head_that_was_kept(league, path):
    head = league("audit", "--json").json["head"]
    assert league("audit", "--head", head).code == 0
    change(path, f"DELETE FROM events WHERE sequence = {len(RECORDS)}")
    assert league("audit").code == 0
    ran = league("audit", "--head", head)
    assert ran.code == 1
    assert "cut off" in ran.out
    assert "with --head" not in ran.out


def test_exported_records_can_be_audited_elsewhere(league, path, tmp_path):
    file = tmp_path / "records.jsonl"
    assert league("audit", "--export", file).code == 0
    assert [json.loads(line)["sequence"] for line in file.read_text().splitlines()] == [*range(1, len(RECORDS) + 1)]
    path.unlink()
    assert league("audit", "--records", file).code == 0
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert league("audit", "--records", file).code == 1


def test_a_file_that_is_no_database_ends_with_one(league, path):
    path.write_bytes(b"nonsense" * 1000)
    ran = league("audit")
    assert ran.code == 1
    assert "cannot be read as a database" in " ".join(ran.out.split())


def test_an_empty_file_of_records_ends_with_one(league, tmp_path):
    (tmp_path / "records.jsonl").write_bytes(b"")
    assert league("audit", "--records", tmp_path / "records.jsonl").code == 1


def test_what_is_not_there_is_a_mistake_and_no_change(league, path, tmp_path):
    for arguments in (("winter",), ("--records", tmp_path / "none.jsonl"), ("--store", "nonsense:x")):
        ran = league("audit", *arguments)
        assert ran.code == 2, arguments
        assert "league:" in ran.err


def test_a_league_that_never_began_was_not_tampered_with(league, path, workspace):
    change(path, "DELETE FROM events")
    removed = league("audit")
    assert (removed.code, "all of them were removed" in removed.out) == (1, True), "it had a table"
    (workspace.league_dir(LEAGUE) / "standings.json").unlink()
    shown = league("audit", LEAGUE)
    assert (shown.code, shown.out) == (2, "")
    assert "it never began" in shown.err


def test_what_cannot_be_a_head_and_what_holds_no_records_is_a_mistake_and_no_change(league, path, tmp_path):
    (tmp_path / "ada.py").write_text("player.run()\n")
    for arguments in (("--head", "3f5a"), ("--records", tmp_path / "ada.py")):
        ran = league("audit", *arguments)
        assert ran.code == 2, arguments
        assert "CHANGED" not in ran.out


def test_an_export_that_cannot_be_written_is_a_mistake(league, path, tmp_path):
    assert league("audit", "--export", tmp_path / "nowhere" / "records.jsonl").code == 2


def test_a_store_named_by_its_url_is_audited(league, path):
    assert league("audit", LEAGUE, "--store", f"sqlite:///{path}").code == 0


def test_a_store_that_is_remembered_is_audited_without_naming_it(league, path, workspace, tmp_path):
    elsewhere = tmp_path / "elsewhere.db"
    path.rename(elsewhere)
    event_store.remember(workspace, LEAGUE, f"sqlite:///{elsewhere}")
    assert league("audit", LEAGUE).code == 0


def test_an_agent_cannot_speak_to_the_terminal_through_a_record(league, path):
    change(path, "UPDATE events SET type = 'x' || char(27) || '[2J' WHERE sequence = 9")
    ran = league("audit")
    assert ran.code == 1
    assert "\x1b" not in ran.out

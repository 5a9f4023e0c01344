"""Tampering that fits the chain: found with a digest kept elsewhere, and named as not checked without one."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from league_sdk.audit import audit, rows_from_jsonl
from league_sdk.audit.findings import Report
from league_sdk.domain.events import Record
from league_sdk.stores import PlayerHistoryRepository
from league_sdk.stores.json_files import JsonFiles
from tests.league_sdk.audit.leagues import LEAGUE, exported, games, league, number_of, resealed
from tests.requirements.marker import requirement

RECORDS = league()
HEAD = RECORDS[-1].digest


def rewritten(records: list[Record], words: Mapping[str, str]) -> list[Record]:
    """The records with words replaced, in this order."""
    text = json.dumps([dict(record.payload) for record in records])
    for word, other in words.items():
        assert word in text
        text = text.replace(word, other)
    return [replace(record, payload=told) for record, told in zip(records, json.loads(text), strict=True)]


def renamed(records: list[Record]) -> list[Record]:
    """Another name for a player wherever its name stands, and every digest made to fit."""
    name = records[number_of(records, "PlayerRegistered") - 1].payload["player"]["display_name"]
    return resealed(rewritten(records, {json.dumps(name): '"Somebody else"'}))


def swapped(records: list[Record]) -> list[Record]:
    """Two referees in one another's place in everything, and every digest made to fit."""
    return resealed(rewritten(records, {"REF01": "REF??", "REF02": "REF01", "REF??": "REF02"}))


def cut(records: list[Record]) -> list[Record]:
    """The last record removed."""
    return records[:-1]


def look(records: list[Record], data: Path | None = None, **options: Any) -> Report:
    return audit(rows_from_jsonl(exported(records)), games, data_root=data, **options)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The files of the league, and a player beside it that kept its head."""
    JsonFiles(tmp_path).rebuild(RECORDS)
    PlayerHistoryRepository.open("P01", "Ada", tmp_path).keep_head(LEAGUE, len(RECORDS), HEAD)
    return tmp_path


TAMPERINGS = [renamed, swapped, cut]


@requirement("project-TRUST-13")
@pytest.mark.parametrize("tamper", TAMPERINGS)
def test_without_a_kept_head_it_is_said_that_this_cannot_be_seen(tamper: Callable[[list[Record]], list[Record]]):
    report = look(tamper(RECORDS))
    assert report.ok
    (told,) = [text for text in report.unchecked if "no digest was kept" in text]
    assert "removed at the end" in told
    assert "with another name, say, or two referees swapped" in told
    assert "--head" in told


@requirement("project-TRUST-13")
@pytest.mark.parametrize("tamper", TAMPERINGS)
def test_with_a_kept_head_it_is_found(tamper: Callable[[list[Record]], list[Record]]):
    report = look(tamper(RECORDS), head=HEAD)
    assert not report.ok
    (found,) = report.findings
    assert "no record has the digest" in found.message
    assert "--head" in found.message


@pytest.mark.parametrize("tamper", TAMPERINGS)
def test_a_head_that_a_player_has_kept_beside_the_league_is_found_by_itself(
    data: Path, tamper: Callable[[list[Record]], list[Record]]
):
    shutil.rmtree(data / "leagues")
    shutil.rmtree(data / "matches")
    report = look(tamper(RECORDS), data)
    (found,) = [finding for finding in report.findings if "that was kept" in finding.message]
    assert "players/P01/history.json" in found.message
    assert found in report.doubtful


@requirement("project-TRUST-13")
def test_a_wrong_head_in_a_players_own_file_never_makes_the_audit_of_an_honest_league_fail(data: Path):
    PlayerHistoryRepository.open("P02", "Bea", data).keep_head(LEAGUE, 5, "f" * 64)
    report = look(RECORDS, data)
    assert report.ok
    (found,) = report.doubtful
    assert "players/P02/history.json" in found.message
    assert "that file, which is its player's own, is wrong" in found.message
    assert not look(RECORDS, data, strict=True).ok


def test_an_untouched_league_agrees_with_what_was_kept(data: Path):
    report = look(RECORDS, data)
    assert report.findings == []
    assert report.kept == 1
    assert not any("no digest was kept" in text for text in report.unchecked)
    assert [text for text in report.unchecked if "verifiable_draws" in text]


def test_records_after_the_kept_one_are_named_as_not_checked(data: Path):
    early = RECORDS[-4].digest
    PlayerHistoryRepository.open("P01", "Ada", data).keep_head(LEAGUE, len(RECORDS) - 3, early)
    report = look(RECORDS, data)
    assert report.ok
    assert any(text.startswith(f"whether records {len(RECORDS) - 2} to {len(RECORDS)}") for text in report.unchecked)


def test_the_head_of_another_league_says_nothing(data: Path):
    PlayerHistoryRepository.open("P02", "Bea", data).keep_head("another", 3, "0" * 64)
    assert look(RECORDS, data).findings == []


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"record_heads": 3}', '{"record_heads": {"L": {"digest": 1}}}'])
def test_a_history_that_is_none_is_passed_over(data: Path, content: str):
    (data / "players" / "P01" / "history.json").write_text(content)
    report = look(RECORDS, data)
    assert (report.findings, report.kept) == ([], 0)


def test_matches_that_are_remembered_later_leave_the_heads_as_they_are(data: Path):
    history = PlayerHistoryRepository.open("P01", "Ada", data)
    history.add_match_result({"match_id": "R1M1", "league_id": "next", "opponent_id": "P02", "result": "WIN"})
    assert look(RECORDS, data).kept == 1


@requirement("project-TRUST-14")
@pytest.mark.parametrize("gone", [("R1M1",), ("R1M1", "R2M2")])
def test_deleted_files_of_matches_are_found(data: Path, gone: tuple[str, ...]):
    for match_id in gone:
        (data / "matches" / LEAGUE / f"{match_id}.json").unlink()
    report = look(RECORDS, data)
    assert not report.ok
    (found,) = report.findings
    assert found.message.endswith(f"the files of {', '.join(gone)} are missing: they were deleted")


def test_a_league_under_way_may_lack_a_file_for_a_moment(tmp_path: Path):
    records = league(until=2)
    JsonFiles(tmp_path).rebuild(records)
    (tmp_path / "matches" / LEAGUE / "R2M1.json").unlink()
    assert look(records, tmp_path).findings == []


def test_files_that_were_never_there_are_named_as_not_checked(tmp_path: Path):
    assert any("they were not there" in text for text in look(RECORDS, tmp_path).unchecked)


def backwards() -> list[Record]:
    """A record dated an hour before the one before it, and every digest made to fit."""
    number = number_of(RECORDS, "RoundCompleted")
    early = "2020-01-01T00:00:00.000Z"
    return resealed([replace(record, at=early) if record.sequence == number else record for record in RECORDS])


@requirement("project-TRUST-14")
def test_times_that_run_backwards_are_doubtful_and_strictly_a_change():
    report = look(backwards())
    (found,) = report.findings
    assert (found.kind, found.severity, found.record) == ("time", "doubtful", number_of(RECORDS, "RoundCompleted"))
    assert "the clock was set back, or times were changed" in found.message
    assert report.ok
    assert report.first_changed is None
    assert report.as_json()["findings"][0]["severity"] == "doubtful"
    assert not look(backwards(), strict=True).ok


def test_a_time_that_is_none_is_a_change():
    records = resealed([replace(record, at="soon") if record.sequence == 3 else record for record in RECORDS])
    assert [(found.kind, found.record) for found in look(records).findings] == [("time", 3)]
    assert not look(records).ok


def test_a_player_that_kept_it_elsewhere_can_tell_by_hand(data: Path):
    kept = json.loads((data / "players" / "P01" / "history.json").read_text())["record_heads"][LEAGUE]
    assert (kept["sequence"], kept["digest"]) == (len(RECORDS), HEAD)
    assert not look(renamed(RECORDS), head=kept["digest"]).ok


def test_the_verdict_is_no_stronger_than_what_could_be_checked():
    assert Report().all_clear == "Nothing that could be checked was changed."
    assert Report(kept=1).all_clear == "Nothing was changed."

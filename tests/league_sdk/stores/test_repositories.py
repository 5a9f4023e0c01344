"""003's repositories, and the files under them."""

import json
import threading
from pathlib import Path

import pytest

from league_sdk.clock import ManualClock
from league_sdk.errors import InvalidField, PlayerNotRegistered
from league_sdk.stores import DamagedFile, MatchRepository, RoundsRepository, StandingsRepository
from league_sdk.stores.atomic_files import pretty, read_json, write_json
from tests.requirements.marker import requirement

ROWS = [
    {
        "rank": 1,
        "player_id": player,
        "display_name": name,
        "wins": 0,
        "draws": 0,
        "losses": 0,
        "points": 0,
        "games_played": 0,
    }
    for player, name in (("P01", "Alpha"), ("P02", "Beta"), ("P03", "Gamma"))
]


@requirement("001-COMP-11", "003-TREE-05", "003-SDK-03", "003-SDK-10")
def test_missing_files_read_as_empty(tmp_path: Path):
    assert StandingsRepository("L", tmp_path).load()["standings"] == []
    assert RoundsRepository("L", tmp_path).load()["rounds"] == []
    assert MatchRepository("L", tmp_path).get_match("R1M1") is None
    assert MatchRepository("L", tmp_path).list_matches() == []
    assert list(tmp_path.iterdir()) == [], "reading makes no folders"


@requirement("001-COMP-11", "003-TREE-05", "003-SDK-10")
def test_standings_are_counted_and_ranked_again(tmp_path: Path):
    repository = StandingsRepository("L", tmp_path, ManualClock())
    repository.save({"schema_version": "1.0.0", "league_id": "L", "standings": ROWS})
    repository.update_player("P02", "WIN", 3)
    repository.update_player("P01", "LOSS", 0)
    repository.update_player("P01", "DRAW", 1)
    repository.update_player("P03", "DRAW", 1)
    standings = repository.load()
    assert standings["last_updated"] == "2025-01-15T10:00:00.000Z"
    table = [
        (row["rank"], row["player_id"], row["points"], row["games_played"], row["played"])
        for row in standings["standings"]
    ]
    assert table == [(1, "P02", 3, 1, 1), (2, "P01", 1, 2, 2), (2, "P03", 1, 1, 1)]


def test_a_stranger_and_a_strange_result_are_refused(tmp_path: Path):
    repository = StandingsRepository("L", tmp_path)
    repository.save({"standings": ROWS})
    with pytest.raises(PlayerNotRegistered):
        repository.update_player("P99", "WIN", 3)
    with pytest.raises(InvalidField):
        repository.update_player("P01", "VICTORY", 3)


@requirement("003-SDK-06")
def test_standings_updated_from_several_threads_lose_nothing(tmp_path: Path):
    StandingsRepository("L", tmp_path).save({"standings": ROWS})

    def count() -> None:
        repository = StandingsRepository("L", tmp_path)
        for _ in range(20):
            repository.update_player("P01", "WIN", 3)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    row = StandingsRepository("L", tmp_path).load()["standings"][0]
    assert (row["wins"], row["points"], row["games_played"]) == (80, 240, 80)


@requirement("001-COMP-11", "003-TREE-05", "003-SDK-10")
def test_a_round_is_added_once(tmp_path: Path):
    repository = RoundsRepository("L", tmp_path)
    repository.add_round({"round_id": 2, "status": "COMPLETED"})
    repository.add_round({"round_id": 1, "status": "IN_PROGRESS"})
    repository.add_round({"round_id": 1, "status": "COMPLETED"})
    assert repository.load() == {
        "schema_version": "1.0.0",
        "league_id": "L",
        "total_rounds": 2,
        "rounds": [{"round_id": 1, "status": "COMPLETED"}, {"round_id": 2, "status": "COMPLETED"}],
    }
    repository.add_round({"note": "without a number"})
    assert repository.load()["total_rounds"] == 3


def test_the_scheduled_number_of_rounds_stays(tmp_path: Path):
    repository = RoundsRepository("L", tmp_path)
    repository.save({"league_id": "L", "total_rounds": 3, "rounds": []})
    repository.add_round({"round_id": 1})
    assert repository.load()["total_rounds"] == 3


@requirement("001-COMP-11", "003-TREE-05", "003-SDK-10")
def test_matches_are_saved_got_and_listed_in_order(tmp_path: Path):
    repository = MatchRepository("L", tmp_path)
    for match_id in ("R10M1", "R2M1", "R1M2"):
        repository.save_match(match_id, {"match_id": match_id})
    (tmp_path / "matches" / "L" / ".R3M1.json.7-1.tmp").write_text("half of")
    (tmp_path / "matches" / "L" / ".hidden.json").write_text("{}")
    assert repository.list_matches() == ["R1M2", "R2M1", "R10M1"]
    assert repository.get_match("R2M1") == {"match_id": "R2M1"}


@pytest.mark.parametrize("name", ["../up", "a/b", "..", "", "a b", "é"])
def test_an_id_that_is_a_path_is_refused(name: str, tmp_path: Path):
    for repository in (StandingsRepository, RoundsRepository, MatchRepository):
        with pytest.raises(ValueError, match="cannot name a file"):
            repository(name, tmp_path)
    with pytest.raises(ValueError, match="cannot name a file"):
        MatchRepository("L", tmp_path).save_match(name, {})
    assert MatchRepository("L", tmp_path).get_match(name) is None


@requirement("000-LM-FAIL-04")
@pytest.mark.parametrize("text", ["{", "[]", '"text"', "\udcff", ""])
def test_a_damaged_file_is_named(text: str, tmp_path: Path):
    path = tmp_path / "leagues" / "L" / "standings.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DamagedFile, match=r"standings\.json"):
        StandingsRepository("L", tmp_path).load()


@requirement("003-SDK-06", "project-STATE-06")
def test_a_reader_never_sees_half_a_file(tmp_path: Path):
    path = tmp_path / "file.json"
    write_json(path, {"turn": 0, "filler": ["x" * 50] * 200})
    stop = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not stop.is_set():
            seen.append((read_json(path) or {})["turn"])

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(200):
        write_json(path, {"turn": turn, "filler": ["x" * 50] * 200})
    stop.set()
    reader.join()
    assert seen == sorted(seen)
    assert [child.name for child in tmp_path.iterdir()] == ["file.json"]


def test_what_cannot_be_json_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    path = tmp_path / "file.json"
    write_json(path, {"old": True})
    for bad in (float("nan"), object()):
        with pytest.raises((ValueError, TypeError)):
            write_json(path, {"new": bad})
    assert read_json(path) == {"old": True}
    assert [child.name for child in tmp_path.iterdir()] == ["file.json"]


def test_files_are_laid_out_for_people():
    value = {"a": 1, "rows": [{"b": 2}, {"c": [3]}], "map": {"x": {"y": "é\n"}}, "none": [], "empty": {}}
    text = pretty(value)
    assert json.loads(text) == value
    assert text.splitlines()[2:5] == ['  "rows": [', '    {"b": 2},', '    {"c": [3]}']

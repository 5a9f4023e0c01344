"""A player's memory: 003's fields, found again by the name, and never somebody else's."""

import json
import logging
import threading
from pathlib import Path
from typing import Any

import pytest

from league_sdk.clock import ManualClock
from league_sdk.game import PastMatch
from league_sdk.stores import DamagedFile, PlayerHistoryRepository, player_history
from tests.requirements.marker import requirement

AT = "2025-01-15T10:00:12.000Z"


def match(match_id: str = "R1M1", result: str = "WIN", **more: Any) -> dict[str, Any]:
    known = {
        "match_id": match_id,
        "round_id": 1,
        "league_id": "L1",
        "opponent_id": "P02",
        "opponent_name": "Beta",
        "result": result,
        "my_choice": "left",
        "opponent_choice": "right",
        "drawn": 8,
        "points_earned": {"WIN": 3, "DRAW": 1, "LOSS": 0}.get(result, 0),
        "timestamp": AT,
    }
    return known | more


@requirement(
    "000-PL-OVER-02",
    "001-LAYER-04",
    "001-COMP-06",
    "001-DIR-02",
    "002-OVER-04",
    "003-TREE-03",
    "003-DATA-06",
    "003-SDK-10",
    "004-STORE-02",
)
def test_a_history_carries_the_fields_that_are_documented(tmp_path: Path):
    repository = PlayerHistoryRepository.open("P01", "Alpha", tmp_path, ManualClock())
    repository.add_match_result(match("R1M1", "WIN"))
    repository.add_match_result(match("R2M1", "LOSS", opponent_id="P03", opponent_name="Gamma"))
    assert json.loads((tmp_path / "players" / "P01" / "history.json").read_text()) == {
        "schema_version": "1.0.0",
        "player_id": "P01",
        "display_name": "Alpha",
        "last_updated": "2025-01-15T10:00:00.000Z",
        "stats": {"total_matches": 2, "wins": 1, "losses": 1, "draws": 0, "win_rate": 0.5, "total_points": 3},
        "matches": [match("R1M1", "WIN"), match("R2M1", "LOSS", opponent_id="P03", opponent_name="Gamma")],
        "opponent_history": {
            "P02": {
                "opponent_name": "Beta",
                "matches_played": 1,
                "wins": 1,
                "losses": 0,
                "draws": 0,
                "their_choices": ["right"],
            },
            "P03": {
                "opponent_name": "Gamma",
                "matches_played": 1,
                "wins": 0,
                "losses": 1,
                "draws": 0,
                "their_choices": ["right"],
            },
        },
    }


@requirement("003-SDK-10")
def test_nothing_is_remembered_at_first(tmp_path: Path):
    repository = PlayerHistoryRepository("P01", tmp_path)
    assert repository.get_history() is None
    assert repository.past_matches() == ()
    assert list(tmp_path.iterdir()) == []


@requirement("003-DATA-07")
def test_the_memory_follows_the_name_from_league_to_league(tmp_path: Path):
    PlayerHistoryRepository.open("P01", "Alpha", tmp_path).add_match_result(match())
    PlayerHistoryRepository.open("P02", "Beta", tmp_path).add_match_result(match(opponent_name="Alpha"))
    alpha = PlayerHistoryRepository.open("P02", "Alpha", tmp_path)
    alpha.add_match_result(match("R1M1", "DRAW", league_id="L2"))
    beta = PlayerHistoryRepository.open("P01", "Beta", tmp_path)
    assert alpha.path.parent.name == "P01"
    assert beta.path.parent.name == "P02"
    assert [past.result for past in alpha.past_matches()] == ["WIN", "DRAW"]
    assert (alpha.get_history() or {})["player_id"] == "P02"
    assert len(beta.past_matches()) == 1


@requirement("000-PL-RESP-04")
def test_a_folder_that_is_anothers_is_left_alone(tmp_path: Path):
    PlayerHistoryRepository.open("P01", "Alpha", tmp_path).add_match_result(match())
    newcomer = PlayerHistoryRepository.open("P01", "New/../one", tmp_path)
    newcomer.add_match_result(match("R5M1"))
    folder = newcomer.path.parent
    assert folder.parent == tmp_path / "players"
    assert folder.name.startswith("P01-New-..-one-")
    assert PlayerHistoryRepository.open("P07", "New/../one", tmp_path).path == newcomer.path
    assert len(PlayerHistoryRepository.open("P09", "Alpha", tmp_path).past_matches()) == 1


def test_of_two_that_find_a_folder_free_the_first_to_write_has_it(tmp_path: Path):
    first = PlayerHistoryRepository.open("P01", "Alpha", tmp_path)
    second = PlayerHistoryRepository.open("P01", "Beta", tmp_path)
    first.add_match_result(match())
    second.add_match_result(match("R9M9"))
    first.add_match_result(match("R2M1"))
    assert [past.match_id for past in first.past_matches()] == ["R1M1", "R2M1"]
    assert [past.match_id for past in second.past_matches()] == ["R9M9"]
    assert second.path.parent.name == "P01-Beta"


def test_a_match_that_is_told_again_is_not_counted_again(tmp_path: Path):
    repository = PlayerHistoryRepository.open("P01", "Alpha", tmp_path)
    repository.add_match_result(match("R1M1", "WIN"))
    repository.add_match_result(match("R1M1", "WIN"))
    repository.add_match_result(match("R1M1", "LOSS"))
    stats = (repository.get_history() or {})["stats"]
    assert (stats["total_matches"], stats["wins"], stats["losses"], stats["total_points"]) == (1, 0, 1, 0)


def test_an_opponent_is_known_by_name_and_an_id_means_nothing_in_another_league(tmp_path: Path):
    repository = PlayerHistoryRepository.open("P01", "Alpha", tmp_path)
    repository.add_match_result(match("R1M1", league_id="L1", opponent_id="P02", opponent_name="Beta"))
    repository.add_match_result(match("R1M1", league_id="L2", opponent_id="P03", opponent_name="Beta"))
    repository.add_match_result(match("R2M1", league_id="L2", opponent_id="P02", opponent_name="Gamma"))
    repository.add_match_result(match("R2M1", league_id="L3", opponent_id="P02", opponent_name=""))
    opponents = (repository.get_history() or {})["opponent_history"]
    assert {key: value["matches_played"] for key, value in opponents.items()} == {"P02": 2, "Gamma": 1, "L3:P02": 1}
    present = repository.past_matches("L2", {"Beta": "P03", "Gamma": "P02"})
    assert [past.opponent_id for past in present] == ["P03", "P03", "P02", ""]
    assert [past.opponent_id for past in repository.past_matches()] == ["P02", "P03", "P02", "P02"]


@requirement("000-PL-START-03")
def test_what_strategies_see_comes_back_as_it_was_remembered(tmp_path: Path):
    repository = PlayerHistoryRepository.open("P01", "Alpha", tmp_path)
    one = PastMatch("R1M1", "L1", "P02", "Beta", "WIN", ("left",), ("right",), 3, {"drawn": 8})
    many = PastMatch("R2M1", "L1", "P03", "Gamma", "DRAW", (1, [2]), (3,), 1, {"reason": "full", "result": "mine"})
    none = PastMatch("R3M1", "L1", "P04", "Delta", "LOSS")
    for number, past in enumerate((one, many, none), start=1):
        repository.remember(past, round_id=number, timestamp=AT)
    again = PlayerHistoryRepository.open("P01", "Alpha", tmp_path).past_matches()
    assert again[0] == one
    assert again[1].my_moves == (1, [2])
    assert again[1].opponent_moves == (3,)
    assert again[1].details == {"reason": "full"}
    assert again[2] == none
    entry = (repository.get_history() or {})["matches"][0]
    assert (entry["my_choice"], entry["opponent_choice"], entry["drawn"], entry["round_id"]) == ("left", "right", 8, 1)


def test_a_file_that_others_changed_is_read_again(tmp_path: Path):
    repository = PlayerHistoryRepository.open("P01", "Alpha", tmp_path)
    repository.add_match_result(match("R1M1"))
    PlayerHistoryRepository.open("P01", "Alpha", tmp_path).add_match_result(match("R2M1"))
    assert len(repository.past_matches()) == 2
    repository.add_match_result(match("R3M1"))
    assert [past.match_id for past in repository.past_matches()] == ["R1M1", "R2M1", "R3M1"]


def test_the_plain_constructor_takes_the_folder_and_keeps_its_name(tmp_path: Path):
    PlayerHistoryRepository.open("P01", "Alpha", tmp_path).add_match_result(match("R1M1"))
    PlayerHistoryRepository("P01", tmp_path).add_match_result(match("R2M1"))
    assert len(PlayerHistoryRepository.open("P01", "Alpha", tmp_path).past_matches()) == 2


def test_the_oldest_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(player_history, "MAX_MATCHES", 3)
    repository = PlayerHistoryRepository.open("P01", "Alpha", tmp_path)
    for number in range(5):
        repository.add_match_result(match(f"R{number}M1"))
    assert [past.match_id for past in repository.past_matches()] == ["R2M1", "R3M1", "R4M1"]
    assert (repository.get_history() or {})["stats"]["total_matches"] == 3


def test_a_result_that_is_none_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="WIN, DRAW, LOSS"):
        PlayerHistoryRepository("P01", tmp_path).add_match_result(match(result="TECHNICAL"))
    with pytest.raises(ValueError, match="cannot name a file"):
        PlayerHistoryRepository("../P01", tmp_path)


@pytest.mark.parametrize("text", ["{", '{"matches": {}}', '{"matches": [{"result": "?"}]}', '{"matches": [1]}'])
def test_a_damaged_history_is_never_written_over(text: str, tmp_path: Path):
    path = tmp_path / "players" / "P01" / "history.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    plain = PlayerHistoryRepository("P01", tmp_path)
    with pytest.raises(DamagedFile, match="move it away"):
        plain.past_matches()
    with pytest.raises(DamagedFile, match="move it away"):
        plain.add_match_result(match())
    assert path.read_text() == text


@requirement("000-PL-FAIL-02")
def test_somebodys_damaged_history_stops_nobody_and_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    path = tmp_path / "players" / "P01" / "history.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with caplog.at_level(logging.ERROR):
        repository = PlayerHistoryRepository.open("P01", "Alpha", tmp_path)
    repository.add_match_result(match())
    assert "history.json" in caplog.text
    assert path.read_text() == "{"
    assert len(PlayerHistoryRepository.open("P02", "Alpha", tmp_path).past_matches()) == 1


@requirement("003-SDK-06")
def test_threads_that_remember_at_once_lose_nothing(tmp_path: Path):
    repository = PlayerHistoryRepository.open("P01", "Alpha", tmp_path)

    def remember(thread: int) -> None:
        for number in range(10):
            repository.add_match_result(match(f"R{thread}M{number}"))

    threads = [threading.Thread(target=remember, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(repository.past_matches()) == 40

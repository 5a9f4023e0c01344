"""Leagues from the configuration files that the documents print, copied to the letter."""

import json
import shutil
from pathlib import Path

import pytest

from tests.ports import free_base
from tests.requirements.marker import requirement

DOCUMENTS = Path(__file__).parents[2] / "documents"


@requirement("001-CONF-02", "003-CONF-02", "003-CONF-03", "001-CONF-03", "project-CFG-05")
@pytest.mark.parametrize(
    ("document", "players", "strategies"),
    [
        ("001", 4, ["random", "pattern_based", "random", "random"]),
        ("003", 2, ["random", "random"]),
    ],
)
def test_a_league_is_played_from_the_files_as_printed(league, tmp_path, document, players, strategies):
    config = tmp_path / "printed"
    shutil.copytree(DOCUMENTS / document, config)
    run = ("run", "--config", config, "--port-base", free_base(), "--in-process", "--json")
    ran = league(*run, "--set", "retry_policy.backoff_base_sec=0.01")
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    assert found["state"] == "COMPLETED"
    assert found["total_matches"] == players * (players - 1) // 2
    assert all(match["status"] in ("WIN", "DRAW") for match in found["matches"])
    assert [player["strategy"] for player in found["players"]] == strategies


def test_the_rules_of_the_printed_file_are_on_record_with_the_league(league, tmp_path):
    config = tmp_path / "printed"
    shutil.copytree(DOCUMENTS / "001", config)
    file = config / "leagues" / "league_2025_even_odd.json"
    printed = json.loads(file.read_text(encoding="utf-8"))
    printed["schedule"]["match_delay_sec"] = 0
    printed["rules"] |= {"number_range_min": 41, "number_range_max": 42, "draw_on_both_wrong": False}
    file.write_text(json.dumps(printed), encoding="utf-8")
    run = ("run", "--config", config, "--port-base", free_base(), "--in-process", "--json")
    ran = league(*run, "--set", "retry_policy.backoff_base_sec=0.01")
    assert (ran.code, ran.err) == (0, "")
    drawn = [match["details"]["drawn_number"] for match in ran.json["matches"]]
    assert len(drawn) == 6
    assert set(drawn) <= {41, 42}
    # The record alone is enough: the configuration is gone.
    shutil.rmtree(config)
    assert league("audit").code == 0
    assert league("replay", "R1M1").code == 0


@requirement("project-CFG-05")
def test_an_option_that_the_game_does_not_have_is_refused_in_a_sentence(league, tmp_path):
    config = tmp_path / "printed"
    shutil.copytree(DOCUMENTS / "001", config)
    ran = league("run", "--config", config, "--set", "league.rules.number_range_top=10")
    assert (ran.code, ran.out) == (2, "")
    assert "game 'even_odd' has no option 'number_range_top'" in ran.err
    assert "number_range_min, number_range_max, draw_on_both_wrong" in ran.err

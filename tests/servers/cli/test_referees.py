"""`--referees MIN:MAX`: referees that join and leave a league that runs."""

import json
import shutil
from pathlib import Path

import pytest

from tests.requirements.marker import requirement

ROOT = Path(__file__).parents[3]


@requirement("project-LEAVE-06")
@pytest.mark.parametrize("where", ["--in-process", pytest.param("--processes", marks=pytest.mark.slow)])
def test_referees_join_for_a_round_of_many_matches_and_leave_after_it(league, tmp_path: Path, where: str):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    file = tmp_path / "config" / "defaults" / "referee.json"
    defaults = json.loads(file.read_text())
    defaults["default_settings"]["max_concurrent_matches"] = 1
    file.write_text(json.dumps(defaults))
    players = (
        f"--player=name={name},strategy=always-{move}" for name, move in zip("ABCD", ("even", "odd") * 2, strict=True)
    )
    cup = (*players, "--seed", 1, "--format", "knockout", "--best-of", 3, "--agents-per-process", 4, where)  # no draws
    hasty = ("--config", tmp_path / "config", "--set", "timeouts.generic_response_timeout_sec=2")
    ran = league("run", *cup, *hasty, "--port-base", 0, "--referees", "1:2")
    assert ran.code == 0, ran.err
    assert ran.out.count("Referee Beta joins: 2 matches are open\n") == 1
    assert ran.out.count("Referee Beta leaves: 1 match is open\n") == 1
    assert "is void" not in ran.out + ran.err
    assert league("audit").code == 0


@pytest.mark.parametrize("text", ["6:2", "0:3", "many"])
def test_a_range_that_is_none_is_a_mistake_in_the_command(league, text: str):
    ran = league("run", "--referees", text)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"league: --referees '{text}': ")

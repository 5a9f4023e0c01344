"""Choices of `league run`, seen in the league that is played."""

import json

from tests.ports import free_base
from tests.requirements.marker import requirement


@requirement("project-CLI-03")
def test_league_file_referees_seed_time_limits_and_folder_are_those_that_were_chosen(league, tmp_path):
    file = tmp_path / "cup.json"
    file.write_text(
        json.dumps(
            {
                "league_id": "cup",
                "game_type": "tic_tac_toe",
                "scoring": {"win_points": 5, "draw_points": 2, "loss_points": 1, "technical_loss_points": 0},
            }
        )
    )
    folder = tmp_path / "elsewhere"
    ran = league(
        *("run", "--in-process", "--json", "--port-base", free_base(), "--league", file, "--data", folder),
        *("--players", 2, "--referees", 1, "--seed", "99", "--move-timeout", 7, "--join-timeout", 6),
    )
    assert (ran.code, ran.err) == (0, "")
    summary = ran.json
    assert (summary["league_id"], summary["game_type"], summary["seed"]) == ("cup", "tic_tac_toe", "99")
    assert (len(summary["players"]), len(summary["referees"]), len(summary["matches"])) == (2, 1, 1)
    (match,) = summary["matches"]
    assert sorted(match["score"].values()) in ([1, 5], [2, 2])
    assert summary["paths"]["data"].startswith(str(folder))
    plan = json.loads((folder / "data" / "leagues" / "cup" / "run.json").read_text())
    (referee,) = plan["referees"]
    assert referee["overrides"]["timeouts.move_timeout_sec"] == 7
    assert referee["overrides"]["timeouts.game_join_timeout_sec"] == 6


@requirement("project-CLI-03")
def test_a_game_alone_chooses_its_league(league, tmp_path):
    ran = league(
        *("run", "--in-process", "--json", "--port-base", free_base(), "--game", "rock_paper_scissors"),
        *("--players", 2, "--referees", 1),
    )
    assert ran.code == 0
    assert (ran.json["game_type"], ran.json["league_id"]) == (
        "rock_paper_scissors",
        "league_rock_paper_scissors",
    )

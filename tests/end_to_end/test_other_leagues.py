"""Leagues of another kind: other games, agents that run elsewhere, another store."""

import json

import pytest

from tests.end_to_end.program_harness import QUICK
from tests.requirements.marker import requirement


@requirement("project-GAMES-01")
@pytest.mark.parametrize(
    ("game", "how"),
    [("tic_tac_toe", "--processes"), ("rock_paper_scissors", "--in-process"), ("even_odd", "--in-process")],
)
def test_every_game_is_played_by_the_same_league_and_referees(programs, game, how):
    summary = programs.json(
        "run", "--game", game, how, "-n", 3, "--referees", 1, "--port-base", programs.base, "--json", *QUICK
    )
    assert (summary["game_type"], summary["state"], summary["total_matches"]) == (game, "COMPLETED", 3)
    assert {match["status"] for match in summary["matches"]} <= {"WIN", "DRAW"}
    assert all(row["played"] == 2 for row in summary["standings"])
    programs.empty()


@requirement("001-FUT-05", "004-DEP-02", "project-CLI-02")
def test_an_agent_that_runs_elsewhere_takes_part_by_its_address(programs):
    far = programs.start("player", "--name", "Far", "--standalone", "--port", 0, "--strategy", "always-even", "--json")
    far.says("listening")
    url = json.loads(far.out.splitlines()[0])["endpoint"]
    summary = programs.json(
        *("run", "--player", f"name=Far,url={url}", "--player", "name=Near,strategy=always-odd", "--referees", 1),
        *("--port-base", programs.base, "--json", *QUICK),
    )
    assert {player["display_name"]: player["endpoint"] for player in summary["players"]}["Far"] == url
    (match,) = summary["matches"]
    assert match["status"] == "WIN"
    assert match["details"]["choices"] == {"P01": "even", "P02": "odd"}
    assert not far.over


@pytest.mark.postgres
def test_a_league_in_postgresql_is_played_found_again_and_not_mixed_up(programs, postgres_url):
    small = ("-n", 2, "--referees", 1, "--port-base", programs.base, "--store", postgres_url, "--json", *QUICK)
    first = programs.json("run", *small)
    assert first["state"] == "COMPLETED"
    assert programs.look("standings", "--json")["standings"] == first["standings"]
    assert programs.look("resume", "--json")["standings"] == first["standings"]
    assert programs.json("run", "--in-process", *small)["league_id"] == f"{first['league_id']}-2"
    assert not list(programs.data.rglob("events.db"))

import json

from league_sdk.domain.commands import CloseRegistration, RecordResult, StartLeague, VoidMatch
from league_sdk.settings import Workspace
from servers.cli.summary import durations, matches_json, run_json, standing_json
from servers.read_model.rows import league_json, match_json
from tests.servers.league_history import finished, technical_loss, under_way, waiting


def test_the_summary_of_a_run_holds_all_that_came_of_it(tmp_path):
    history = finished(4, seed="42")
    summary = run_json(history.league, history.records(), Workspace(tmp_path), {"Player 1": "mirror"})
    assert json.loads(json.dumps(summary)) == summary
    assert summary["league_id"] == "summer"
    assert summary["state"] == "COMPLETED"
    assert summary["seed"] == "42"
    assert (summary["total_rounds"], summary["total_matches"]) == (3, 6)
    assert [player["player_id"] for player in summary["players"]] == ["P01", "P02", "P03", "P04"]
    assert [player["strategy"] for player in summary["players"]] == ["mirror", None, None, None]
    assert [referee["referee_id"] for referee in summary["referees"]] == ["REF01", "REF02"]
    assert len(summary["matches"]) == 6
    assert summary["champion"] == summary["standings"][0] == summary["champions"][0]
    assert summary["void_matches"] == {}
    assert summary["paths"] == {
        "data": str(tmp_path / "data" / "leagues" / "summer"),
        "matches": str(tmp_path / "data" / "matches" / "summer"),
        "logs": str(tmp_path / "logs"),
    }


def test_agents_are_listed_by_number_whatever_their_order_of_arrival(tmp_path):
    roster = {"Player 1": "P100", "Player 2": "P02", "Player 3": "P99"}
    history = finished(3, roster=roster, referee_roster={"Referee 1": "REF02", "Referee 2": "REF01"})
    summary = run_json(history.league, history.records(), Workspace(tmp_path), {})
    assert [player["player_id"] for player in summary["players"]] == ["P02", "P99", "P100"]
    assert [referee["referee_id"] for referee in summary["referees"]] == ["REF01", "REF02"]


def test_durations_are_those_of_registration_and_play():
    history = finished(2)
    assert durations(history.records()) == {"registration_sec": 6.0, "play_sec": 5.0, "total_sec": 11.0}
    assert durations(waiting(2).records()) == {"registration_sec": 3.0, "play_sec": 0.0, "total_sec": 3.0}


def test_a_match_is_scheduled_then_under_way_then_decided():
    history = waiting(2)
    history.do(CloseRegistration("operator"))
    history.do(StartLeague())
    fixture = history.league.fixture("R1M1")
    assert match_json(history.league, fixture)["status"] == "SCHEDULED"
    history = under_way(2)
    at_play = match_json(history.league, fixture)
    assert (at_play["status"], at_play["referee_id"], at_play["attempt"], at_play["winner"]) == (
        "UNDER_WAY",
        "REF01",
        1,
        None,
    )
    history.do(RecordResult(technical_loss(history, "R1M1", "P02")))
    decided = match_json(history.league, fixture)
    assert (decided["status"], decided["winner"], decided["score"]) == ("TECHNICAL_LOSS", "P01", {"P01": 3, "P02": 0})
    assert decided["reason"] == "no answer in time"


def test_a_void_match_says_why(tmp_path):
    history = under_way(2)
    history.do(VoidMatch("R1M1", "no referee is left"))
    match = matches_json(history.league)[0]
    assert (match["status"], match["reason"], match["score"]) == ("VOID", "no referee is left", {})
    summary = run_json(history.league, history.records(), Workspace(tmp_path), {})
    assert summary["void_matches"] == {"R1M1": "no referee is left"}
    assert (summary["champion"], summary["champions"]) == (None, [])


def test_a_row_of_the_standings_carries_both_names_of_the_number_of_matches():
    row = standing_json(finished(2).league.standings()[0])
    assert row["played"] == row["games_played"] == 1
    assert (row["rank"], row["points"], row["technical_losses"]) == (1, 3, 0)


def test_a_league_says_what_it_is_and_where_it_stands():
    assert league_json(waiting(2).league) == {
        "league_id": "summer",
        "game_type": "fingers",
        "state": "WAITING_FOR_REGISTRATIONS",
    }

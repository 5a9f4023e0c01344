import sys
from dataclasses import replace

import pytest

from game_rules.lowest_unique_number import LowestUniqueNumber
from league_sdk.domain.commands import RecordResult, RegisterPlayer
from league_sdk.domain.model import StageRules
from servers.cli.ratings import probability_text
from tests.league_sdk.domain.season import agent, created
from tests.requirements.marker import requirement
from tests.servers.league_history import LeagueHistory, finished, technical_loss, under_way, waiting
from tests.servers.ui.report.leagues import tournament


@requirement("001-FUT-08")
def test_every_player_has_a_rating_with_its_error(league, workspace):
    finished(4).write(workspace)
    ran = league("ratings", "--json")
    assert (ran.code, ran.err, ran.json["model"], ran.json["confidence"]) == (0, "", "bradley_terry", 0.95)
    rows = ran.json["players"]
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert sum(row["rating"] for row in rows) == pytest.approx(6000, abs=2)
    assert all(row["margin"] > 100 and row["matches"] == 3 for row in rows)
    names = {row["name"] for row in rows}
    for row in rows:
        assert set(row["not_distinguishable_from"]) <= names - {row["name"]}
        assert ran.json["superiority"][row["name"]][row["name"]] == 0.5


def test_a_person_gets_a_table_and_what_can_be_told_apart(league, workspace):
    finished(4).write(workspace)
    ran = league("ratings", "--matrix", "--seat-advantage")
    assert (ran.code, ran.err) == (0, "")
    assert "all others" in ran.out
    assert "No two players are distinguishable" in ran.out
    assert "advantage of the first seat" in ran.out
    assert "Probability that the player of the row is stronger" in ran.out


def test_a_probability_in_the_matrix_is_never_a_certainty():
    assert [probability_text(p) for p in (0.0, 0.004, 0.5, 0.9, 0.996, 1.0)] == [
        "<1%",
        "<1%",
        "50%",
        "90%",
        ">99%",
        ">99%",
    ]


def test_leagues_are_rated_together_by_the_names_of_their_players(league, workspace):
    finished(4).write(workspace)
    finished(4, league_id="second").write(workspace)
    one = league("ratings", "second", "--json").json
    both = league("ratings", "summer", "second", "--json").json
    assert {row["name"]: row["matches"] for row in both["players"]} == {row["name"]: 6 for row in one["players"]}


def test_technical_losses_can_be_left_out(league, workspace):
    history = under_way(4)
    history.do(RecordResult(replace(technical_loss(history, "R1M1", "P02"), transcript=())))
    history.write(workspace)
    assert [row["margin"] for row in league("ratings", "--json").json["players"]] == [None, None]
    ran = league("ratings", "--no-technical-losses")
    assert (ran.code, ran.err) == (2, "league: there are no decided matches to rate by yet\n")


def test_a_league_without_results_is_said_so(league, workspace):
    waiting(2).write(workspace)
    assert league("ratings").err == "league: there are no decided matches to rate by yet\n"


def test_leagues_of_different_games_are_not_rated_together(league, workspace):
    finished(4).write(workspace)
    other = created(league_id="other", game_type="toes")
    for number in range(2):
        other.do(RegisterPlayer(agent(f"Player {number}", game_types=("toes",))))
    LeagueHistory(other).write(workspace)
    ran = league("ratings", "summer", "other")
    assert (ran.code, ran.err) == (
        2,
        "league: leagues of one game can be rated together; these play fingers, toes\n",
    )


@pytest.mark.parametrize("confidence", ["0", "1", "1.5", "-1"])
def test_a_confidence_is_a_probability(league, confidence):
    ran = league("ratings", "--confidence", confidence)
    assert ran.code == 2
    assert "a probability between 0 and 1, such as 0.95" in ran.err


def test_without_the_extra_the_command_that_installs_it_is_named(league, workspace, monkeypatch):
    finished(2).write(workspace)
    for name in [name for name in sys.modules if name.startswith(("league_sdk.ratings", "numpy", "scipy"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numpy", None)
    ran = league("ratings")
    assert (ran.code, ran.err) == (
        2,
        "league: ratings need numpy and scipy: pip install 'mcp-agent-league[analysis]'\n",
    )


def test_openskill_is_another_model(league, workspace):
    finished(4).write(workspace)
    ran = league("ratings", "--model", "openskill", "--json").json
    assert ran["model"] == "openskill"
    assert [row["matches"] for row in ran["players"]] == [3] * 4
    assert "OpenSkill in the order of the matches" in league("ratings", "--model", "openskill").out
    assert "did you mean openskill?" in league("ratings", "--model", "opensill").err
    assert league("ratings", "--model", "openskill", "--seat-advantage").code == 2


@requirement("project-GAMES-06")
@pytest.mark.tampers
def test_matches_of_three_are_rated_by_openskill_unless_another_model_is_named(league, workspace):
    tournament(LowestUniqueNumber(), 6, (StageRules("tables"),)).write(workspace)
    ran = league("ratings", "--json").json
    assert (ran["model"], len(ran["players"])) == ("openskill", 6)
    refused = league("ratings", "--model", "bradley_terry")
    assert (refused.code, refused.err) == (
        2,
        "league: --model bradley_terry rates matches of two; these have more: --model openskill\n",
    )
    assert league("ratings", "--seat-advantage").code == 2


def test_without_openskill_the_command_that_installs_it_is_named(league, workspace, monkeypatch):
    finished(4).write(workspace)
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    assert "pip install 'mcp-agent-league[analysis]'" in league("ratings", "--model", "openskill").err

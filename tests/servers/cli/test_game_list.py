import sys

import pytest

from game_rules import textarena
from tests.requirements.marker import requirement


@requirement("project-GAMES-03")
def test_all_games_are_listed_with_what_a_player_of_them_needs_to_know(league):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    shown = league("games", "--json")
    games = {game["game"]: game for game in shown.json["games"]}
    assert (shown.code, shown.err) == (0, "")
    assert "openspiel" not in [library["library"] for library in shown.json["not_installed"]]
    assert len(games) >= 90
    assert not any(game["refusal"] for game in games.values())
    assert games["tic_tac_toe"] == {
        "game": "tic_tac_toe",
        "title": "Tic-tac-toe",
        "min_players": 2,
        "max_players": 2,
        "hidden": False,
        "simultaneous": False,
        "refusal": "",
    }
    poker, matrix = games["openspiel:kuhn_poker"], games["openspiel:matrix_pd"]
    assert (poker["hidden"], poker["simultaneous"], games["openspiel:skat"]["min_players"]) == (True, False, 3)
    assert (matrix["hidden"], matrix["simultaneous"]) == (False, True)


def test_those_that_cannot_be_played_are_listed_when_asked_for(league):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    assert "blackjack" not in league("games").out
    assert "'league games --all' says why" in league("games").out
    (blackjack,) = [g for g in league("games", "--all", "--json").json["games"] if g["game"] == "openspiel:blackjack"]
    assert blackjack["refusal"].startswith("seats: ")


@requirement("project-GAMES-03")
def test_what_an_extra_would_bring_is_told_with_the_line_that_installs_it(league, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.setitem(sys.modules, "textarena.envs.registration", None)
    textarena._registered.cache_clear()  # another test may have found it
    shown = league("games", "--json")
    assert [library["library"] for library in shown.json["not_installed"]] == ["openspiel", "textarena"]
    assert "Not installed: OpenSpiel: 100 and more" in league("games").out
    assert "pip install 'mcp-agent-league[games]'" in league("games").out


def test_a_league_of_a_library_is_refused_before_anything_starts(league, tmp_path):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    shown = league("run", "--players", 2, "--game", "openspiel:blackjack", "--data", tmp_path / "data")
    assert shown.code == 2
    assert "'openspiel:blackjack' cannot be played: seats: it is for one player" in shown.err
    assert not (tmp_path / "data").exists()

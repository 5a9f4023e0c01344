"""The public API: every name is there and documented. Its types are checked by tests/typing/api.py."""

import inspect
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import league_sdk
from game_rules.rock_paper_scissors import RockPaperScissors
from league_sdk import PlayerView, Strategy, strategy
from league_sdk.testing import check_strategy
from tests.requirements.marker import requirement

ROOT = Path(__file__).parents[2]


def test_all_names_everything_that_is_public_and_nothing_else():
    own = {"TYPE_CHECKING", "Any", "import_module"}
    assert {name for name in league_sdk.__all__ if not hasattr(league_sdk, name)} == set()
    names = {
        name for name, thing in vars(league_sdk).items() if not name.startswith("_") and not inspect.ismodule(thing)
    }
    assert names - own == set(league_sdk.__all__)
    assert league_sdk.__all__ == sorted(league_sdk.__all__, key=lambda name: (not name[0].isupper(), name))


def test_the_package_only_passes_on_what_its_modules_define():
    source = (ROOT / "league_sdk" / "__init__.py").read_text(encoding="utf-8")
    assert source.count("def ") == source.count("def __getattr__") == 1
    assert "class " not in source.split('"""')[2]


@pytest.mark.parametrize(
    "name", sorted(name for name in league_sdk.__all__ if isinstance(getattr(league_sdk, name), type | FunctionType))
)
def test_everything_public_is_documented(name: str):
    assert inspect.getdoc(getattr(league_sdk, name))


def test_importing_it_brings_in_no_server_no_store_and_no_game():
    heavy = ("servers", "clients", "game_rules", "mcp", "starlette", "uvicorn", "sqlalchemy", "pydantic", "httpx2")
    check = f"import sys, league_sdk; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


@requirement("project-API-02")
def test_a_function_becomes_a_named_strategy_that_keeps_its_contract():
    @strategy("contrarian")
    def contrarian(view: PlayerView) -> object:
        """Does what the opponent did not do.

        At least most of the time.
        """
        return next((move for move in view.legal_moves if move not in view.seen_moves()), view.legal_moves[0])

    assert isinstance(contrarian, Strategy)
    assert (contrarian.name, contrarian.description) == ("contrarian", "Does what the opponent did not do.")
    assert contrarian.argument == ""
    check_strategy(contrarian, RockPaperScissors())


def test_a_description_that_is_given_wins_over_the_docstring():
    @strategy("plain", "Said otherwise.")
    def plain(view: PlayerView) -> object:
        """Said so."""
        return view.legal_moves[0]

    assert plain.description == "Said otherwise."


def test_a_strategy_without_any_words_has_an_empty_description():
    assert strategy("silent")(lambda view: view.legal_moves[0]).description == ""


@requirement("003-TREE-05", "003-SDK-10", "003-SDK-11")
def test_the_examples_of_the_documents_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """003's appendix: a configuration loader, repositories and loggers under the names and calls that it prints."""
    from league_sdk import (
        AgentLogger,
        ConfigLoader,
        JsonLogger,
        MatchRepository,
        PlayerHistoryRepository,
        RoundsRepository,
        StandingsRepository,
    )

    monkeypatch.chdir(tmp_path)
    loader = ConfigLoader(ROOT / "tests" / "documents" / "001")
    assert loader.load_system().timeouts.move_timeout_sec == 30
    by_id = {r.referee_id: r.endpoint for r in loader.load_agents().referees if r.active}
    assert by_id["REF01"] == "http://localhost:8001/mcp"
    assert loader.load_league("league_2025_even_odd").game_type == "even_odd"
    assert loader.get_player_by_id("P02").display_name == "Agent Beta"
    with pytest.raises(ValueError, match="Referee not found"):
        loader.get_referee_by_id("REF99")
    standings = StandingsRepository("league_2025_even_odd")
    assert standings.load()["standings"] == []
    standings.save({"standings": [{"rank": 1, "player_id": "P01", "points": 0}]})
    assert standings.load()["standings"][0]["player_id"] == "P01"
    rounds = RoundsRepository("league_2025_even_odd")
    rounds.add_round({"round_id": 1, "matches": []})
    assert rounds.load()["total_rounds"] == 1
    matches = MatchRepository("league_2025_even_odd")
    matches.save_match("R1M1", {"match_id": "R1M1"})
    assert (matches.get_match("R1M1"), matches.get_match("R1M2")) == ({"match_id": "R1M1"}, None)
    assert matches.list_matches() == ["R1M1"]
    history = PlayerHistoryRepository("P01")
    assert history.get_history() is None
    history.add_match_result({"match_id": "R1M1", "league_id": "L", "opponent_id": "P02", "result": "WIN"})
    found = history.get_history()
    assert found is not None
    assert found["stats"]["win_rate"] == 1.0
    agent = AgentLogger("P01")
    agent.log_received("GAME_INVITATION", "REF01", {"match_id": "R1M1"})
    agent.log_sent("GAME_JOIN_ACK", "REF01", {"match_id": "R1M1"})
    league, system = JsonLogger("referee:REF01", "league_2025_even_odd"), JsonLogger("startup")
    league.error("GAME_ERROR", match_id="R1M1", error_code="TIMEOUT_MOVE", player_id="P02", timeout_sec=30)
    system.log_message_sent("GAME_INVITATION", "P01")
    for logger in (agent, league, system):
        logger.close()
    assert len((tmp_path / "logs/agents/P01.log.jsonl").read_text().splitlines()) == 2
    assert "TIMEOUT_MOVE" in (tmp_path / "logs/league/league_2025_even_odd/referee:REF01.log.jsonl").read_text()
    assert (tmp_path / "logs/system/startup.log.jsonl").is_file()

"""What authors import: every name is there and documented. What it is typed as, tests/typing/api.py says."""

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

ROOT = Path(__file__).parents[2]


def test_all_names_everything_that_is_public_and_nothing_else():
    public = {
        name for name, thing in vars(league_sdk).items() if not name.startswith("_") and not inspect.ismodule(thing)
    }
    assert public == set(league_sdk.__all__)
    assert league_sdk.__all__ == sorted(league_sdk.__all__, key=lambda name: (not name[0].isupper(), name))


def test_the_package_only_passes_on_what_its_modules_define():
    source = (ROOT / "league_sdk" / "__init__.py").read_text(encoding="utf-8")
    assert "def " not in source
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


def test_a_function_becomes_a_named_strategy_that_keeps_its_contract():
    @strategy("contrarian")
    def contrarian(view: PlayerView) -> object:
        """Does what the opponent did not do.

        At least most of the time.
        """
        return next((move for move in view.legal_moves if move not in view.seen_moves()), view.legal_moves[0])

    assert isinstance(contrarian, Strategy)
    assert (contrarian.name, contrarian.description) == ("contrarian", "Does what the opponent did not do.")
    assert not contrarian.takes_argument
    check_strategy(contrarian, RockPaperScissors())


def test_a_description_that_is_given_wins_over_the_docstring():
    @strategy("plain", "Said otherwise.")
    def plain(view: PlayerView) -> object:
        """Said so."""
        return view.legal_moves[0]

    assert plain.description == "Said otherwise."


def test_a_strategy_without_any_words_has_an_empty_description():
    assert strategy("silent")(lambda view: view.legal_moves[0]).description == ""

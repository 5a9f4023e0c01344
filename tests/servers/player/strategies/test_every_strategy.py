"""Whatever lies in `servers.player.strategies` keeps the contract, in every game, without being listed anywhere."""

from pathlib import Path

import pytest

from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.game import Strategy
from league_sdk.testing import check_strategy
from tests.requirements.marker import requirement
from tests.servers.player.model_server import FakeModel

GAMES = plugins.games()
STRATEGIES = plugins.strategies()
BUDGETS = {"mcts": "10", "minimax": "100"}  # less computing than by default
PAGES = Path(__file__).parents[4] / "docs" / "strategies"


def argument_for(strategy: Strategy, game: str) -> str:
    """A move to name where a strategy asks for one, and nothing where it can do without."""
    if strategy.name in BUDGETS:
        return BUDGETS[strategy.name]
    try:
        strategy.make("")
    except ValueError:
        state = GAMES[game].start(("P01", "P02"), HashRng("argument"))
        return str(GAMES[game].legal_moves(state, "P01")[0])
    return ""


@requirement("003-PLAYER-08", "003-PHASE-04", "003-IMPL-09", "project-GAMES-02")
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_keeps_its_contract_in_every_game(name: str, game: str):
    strategy, model = STRATEGIES[name], FakeModel()
    argument = "" if strategy.make_with_model else argument_for(strategy, game)
    check_strategy(strategy, GAMES[game], argument=argument, model=model)


@requirement("000-PL-STRAT-01", "001-COMP-05", "003-PLAYER-08", "project-AGENT-02")
def test_the_strategies_that_are_promised_are_there():
    assert {"random", "always", "alternating", "frequency", "pattern", "mirror", "llm"} <= set(STRATEGIES)


@requirement("003-DOC-06")
@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_has_a_page_of_at_most_500_words(name: str):
    page = PAGES / name / "AGENT_STRATEGY.md"
    assert page.is_file(), f"write {page.relative_to(PAGES.parents[1])}"
    words = page.read_text(encoding="utf-8").split()
    assert 50 < len(words) <= 500, f"{page.relative_to(PAGES.parents[1])} has {len(words)} words"


@requirement("003-DOC-06")
def test_every_page_belongs_to_a_strategy():
    assert {page.parent.name for page in PAGES.glob("*/AGENT_STRATEGY.md")} == set(STRATEGIES)

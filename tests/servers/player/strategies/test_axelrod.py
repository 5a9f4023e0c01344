"""Strategies of the library Axelrod, as players of the iterated prisoner's dilemma."""

import importlib
import sys
from itertools import combinations_with_replacement
from typing import Any

import pytest

from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.game import PlayerView
from tests.requirements.marker import requirement

PLAYERS = ("P01", "P02")
TURNS = 60


@pytest.fixture
def axelrod() -> Any:
    return pytest.importorskip("axelrod", reason="Axelrod is not installed: pip install 'mcp-agent-league[axelrod]'")


def played(names: tuple[str, str], seed: str = "seed", anew_at: int = TURNS) -> tuple[float, ...]:
    """Payoffs of a match; at turn `anew_at` both players are made anew, as after a restart."""
    game = plugins.game("iterated_prisoners_dilemma", options={"turns": TURNS})
    rng = HashRng(seed)
    state = game.start(PLAYERS, rng)
    functions = [plugins.strategy(name) for name in names]
    for turn in range(TURNS):
        if turn == anew_at:
            functions = [plugins.strategy(name) for name in names]
        done = game.public_moves(state)
        views = [
            PlayerView(
                *(game.name, "L", "R1M1", 1, mine, other, game.legal_moves(state, mine)),
                observation=game.observe(state, mine),
                my_moves=tuple(done[mine]),
                opponent_moves=tuple(done[other]),
                rng=HashRng(f"{seed} {mine} {turn}"),
            )
            for mine, other in (PLAYERS, PLAYERS[::-1])
        ]
        moves: Any = [choose(view) for choose, view in zip(functions, views, strict=True)]
        state = game.apply(state, dict(zip(PLAYERS, moves, strict=True)), rng)
    result = game.outcome(state)
    assert result is not None
    return tuple(result.scores[player] for player in PLAYERS)


@requirement("project-GAMES-02")
@pytest.mark.slow
def test_the_ten_basic_strategies_score_as_in_the_librarys_own_matches(axelrod: Any):
    for one, other in combinations_with_replacement(axelrod.basic_strategies, 2):
        match = axelrod.Match((one(), other()), turns=TURNS)
        match.play()
        assert played((f"axelrod:{one.__name__}", f"axelrod:{other.__name__}")) == match.final_score(), (one, other)


@pytest.mark.slow
def test_a_strategy_with_a_memory_plays_on_as_before_after_a_restart(axelrod: Any):
    names = ("axelrod:EvolvedLookerUp2_2_2", "axelrod:Gradual")
    assert played(names, anew_at=TURNS // 2) == played(names)


@pytest.mark.slow
def test_chance_comes_from_the_seed(axelrod: Any):
    names = ("axelrod:Random", "axelrod:FirstByJoss")
    assert played(names) == played(names)
    assert len({played(names, seed) for seed in "abcd"}) > 1


@pytest.mark.slow
def test_a_strategy_that_breaks_a_promise_is_refused_by_the_promises_name(axelrod: Any):
    with pytest.raises(plugins.BrokenPlugin, match=r"'axelrod:Darwin' cannot be played: own view: it runs"):
        plugins.strategy("axelrod:Darwin")
    with pytest.raises(plugins.BrokenPlugin, match="quick choice"):
        plugins.strategy("axelrod:DBS")


@pytest.mark.slow
def test_an_unknown_strategy_is_answered_with_the_nearest(axelrod: Any):
    with pytest.raises(plugins.UnknownPlugin, match=r"there is no strategy 'axelrod:TitForTa'; .*axelrod:TitForTat"):
        plugins.strategy("axelrod:TitForTa")
    with pytest.raises(plugins.UnknownPlugin, match=r"among the \d+ of axelrod"):
        plugins.strategy("axelrod:zzzzzz")


def test_without_the_library_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "axelrod", None)
    with pytest.raises(plugins.BrokenPlugin, match=r"pip install 'mcp-agent-league\[axelrod\]'"):
        plugins.strategy("axelrod:TitForTat")
    with pytest.raises(plugins.UnknownPlugin, match=r"no library of strategies 'axlrod'; did you mean axelrod\?"):
        plugins.strategy("axlrod:TitForTat")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_strategy_that_is_not_refused_plays_a_match(axelrod: Any):
    refused = list[str]()
    for kind in importlib.import_module("axelrod").all_strategies:
        try:
            plugins.strategy(f"axelrod:{kind.__name__}")
        except plugins.BrokenPlugin:
            refused.append(kind.__name__)
            continue
        assert sum(played((f"axelrod:{kind.__name__}", "random"))) > 0
    assert "Darwin" in refused
    assert len(refused) < 30

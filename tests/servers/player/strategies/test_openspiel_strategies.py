"""`openspiel-mcts` and `openspiel-cfr`, which know OpenSpiel's games alone."""

import asyncio
import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.experiment import Experiment
from league_sdk.game import Game, Move, PlayerView
from tests.requirements.marker import requirement

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'mcp-agent-league[games]'")

PLAYERS = ("P01", "P02")


def view_of(game: Game[Any], state: Any, seed: object = "view") -> PlayerView:
    (player,) = game.to_move(state)
    return PlayerView(
        *(game.name, "L", "R1M1", 1, player, next(other for other in PLAYERS if other != player)),
        legal_moves=game.legal_moves(state, player),
        observation=game.observe(state, player),
        rng=HashRng(str(seed)),
    )


def chosen(strategy: str, view: PlayerView) -> Move:
    return asyncio.run(plugins.strategy(strategy)(view))  # type: ignore[arg-type]


def rows(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def after(game: Game[Any], *moves: str) -> Any:
    state = game.start(PLAYERS, HashRng("deal"))
    for move in moves:
        state = game.apply(state, {game.to_move(state)[0]: move}, HashRng("none"))
    return state


def test_the_tree_search_completes_a_line_of_four_and_blocks_one():
    game = plugins.game("openspiel:connect_four")
    state = after(game, "x0", "o6", "x0", "o6", "x0", "o6")
    assert chosen("openspiel-mcts-500", view_of(game, state)) == "x0"
    assert chosen("openspiel-mcts-500", view_of(game, after(game, "x0", "o6", "x0", "o5", "x0"))) == "o0"


def test_the_tree_search_plays_the_same_move_by_the_same_chance():
    game = plugins.game("openspiel:breakthrough")
    assert len({chosen("openspiel-mcts-20", view_of(game, after(game))) for _ in range(3)}) == 1


def test_the_policy_never_folds_the_best_card_and_never_calls_with_the_worst():
    game = plugins.game("openspiel:kuhn_poker")
    seen: dict[str, Counter[Move]] = {}
    for number in range(300):
        state = game.start(PLAYERS, HashRng(f"deal {number}"))
        view = view_of(game, game.apply(state, {"P01": "Bet"}, HashRng("none")), number)
        seen.setdefault(str(view.observation["state"]), Counter())[chosen("openspiel-cfr", view)] += 1
    assert set(seen) == {"0b", "1b", "2b"}
    assert seen["0b"]["Bet"] <= 0.02 * seen["0b"].total()
    assert seen["2b"]["Pass"] <= 0.02 * seen["2b"].total()
    assert 0.15 < seen["1b"]["Bet"] / seen["1b"].total() < 0.55  # an equilibrium calls with 1/3


@pytest.mark.parametrize("strategy", ["openspiel-mcts-5", "openspiel-cfr-5"])
@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "openspiel:gin_rummy", "openspiel:nim", "openspiel:oshi_zumo", "openspiel:kuhn_poker"]
)
def test_in_any_other_game_they_choose_a_legal_move(strategy: str, name: str):
    game = plugins.game(name)
    state = game.start(PLAYERS, HashRng("deal"))
    player = game.to_move(state)[0]
    view = PlayerView(
        *(game.name, "L", "R1M1", 1, player, "P99"),
        legal_moves=game.legal_moves(state, player),
        observation=game.observe(state, player),
    )
    assert chosen(strategy, view) in view.legal_moves


@pytest.mark.parametrize("name", ["openspiel-mcts-0", "openspiel-mcts-many", "openspiel-cfr-0", "openspiel-cfr--1"])
def test_a_number_that_is_none_is_refused(name: str):
    with pytest.raises(plugins.PluginError, match=r"takes a number of|there is no strategy"):
        plugins.strategy(name)


@pytest.mark.slow
@requirement("project-GAMES-05")
def test_the_policy_against_itself_earns_the_value_of_kuhn_poker(tmp_path):
    strategies = ("openspiel-cfr-1000", "openspiel-cfr-2000")
    results = Experiment("openspiel:kuhn_poker", strategies, matches=10_000, seed="kuhn").run(tmp_path / "kuhn")
    earned = [float(row["first_score"]) for row in rows(results.table)]
    pairs = [(one + other) / 2 for one, other in zip(earned[::2], earned[1::2], strict=True)]
    mean = sum(pairs) / len(pairs)
    error = (sum((value - mean) ** 2 for value in pairs) / (len(pairs) - 1) / len(pairs)) ** 0.5
    assert abs(mean + 1 / 18) < 3 * error  # three standard errors: one seed in 370 would fail


@pytest.mark.slow
@requirement("project-GAMES-05")
def test_a_hundred_times_the_simulations_win_at_connect_four(tmp_path):
    strategies = ("openspiel-mcts-1000", "openspiel-mcts-10")
    results = Experiment("openspiel:connect_four", strategies, matches=20, seed="four").run(tmp_path / "four")
    assert sum(row["winner"] == "openspiel-mcts-1000" for row in rows(results.table)) >= 16

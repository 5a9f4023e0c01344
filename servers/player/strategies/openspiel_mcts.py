"""OpenSpiel's Monte Carlo tree search, for its games with open information."""

import asyncio
import importlib
from typing import Any

from league_sdk import plugins
from league_sdk.game import Move, PlayerView, Strategy, StrategyFunction

SIMULATIONS = 1000
EXPLORATION = 2.0
"""OpenSpiel's default constant of UCT."""
MEMORY_MB = 200


def make(argument: str) -> StrategyFunction:
    """The strategy that plays `argument` simulations for a move."""
    if argument and (not argument.isdecimal() or int(argument) < 1):
        raise ValueError(f"openspiel-mcts takes a number of simulations from 1, not {argument!r}")
    simulations = int(argument) if argument else SIMULATIONS

    async def choose(view: PlayerView) -> Move:
        """The most visited move; random in a game that it cannot search."""
        spiel = getattr(plugins.game(view.game_type), "spiel", None) if "history" in view.observation else None
        if (
            spiel is None
            or len(view.legal_moves) == 1
            or spiel.get_type().dynamics != spiel.get_type().Dynamics.SEQUENTIAL
        ):
            return view.rng.choice(view.legal_moves)
        return await asyncio.to_thread(_search, spiel, view, simulations)

    return choose


def _search(spiel: Any, view: PlayerView, simulations: int) -> Move:
    pyspiel: Any = importlib.import_module("pyspiel")
    state, seen = spiel.new_initial_state(), dict(view.observation)
    for action in seen["history"]:
        state.apply_action(action)
    seeds = [view.rng.randint(0, 2**31 - 1) for _ in range(2)]
    evaluator = pyspiel.RandomRolloutEvaluator(1, seeds[0])
    bot = pyspiel.MCTSBot(spiel, evaluator, EXPLORATION, simulations, MEMORY_MB, True, seeds[1], False)
    return view.legal_moves[seen["actions"].index(bot.step(state))]


OPENSPIEL_MCTS = Strategy(
    "openspiel-mcts",
    "Searches a game of OpenSpiel by OpenSpiel's own Monte Carlo tree search.",
    make,
    argument="simulations",
)

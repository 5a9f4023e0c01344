"""Counterfactual regret minimization in OpenSpiel's small games.

See M. Zinkevich et al., "Regret Minimization in Games with Incomplete Information" (2007). The average policy of all
iterations is played, which in a game of two players with zero sum comes near to an equilibrium.
"""

import asyncio
import importlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from league_sdk import plugins
from league_sdk.game import Move, PlayerView, Strategy, StrategyFunction

ITERATIONS = 200
LARGEST_TREE = 50_000
"""Positions of the largest game that is solved; Leduc poker has 9,457."""


def make(argument: str) -> StrategyFunction:
    if argument and (not argument.isdecimal() or int(argument) < 1):
        raise ValueError(f"openspiel-cfr takes a number of iterations from 1, not {argument!r}")
    iterations = int(argument) if argument else ITERATIONS

    async def choose(view: PlayerView) -> Move:
        """A move with the policy's probability; random in a game that it cannot solve."""
        if "actions" not in view.observation:
            return view.rng.choice(view.legal_moves)
        policy = await asyncio.to_thread(_policy, view.game_type, iterations)
        actions: Sequence[int] = dict(view.observation)["actions"]
        known = dict(policy.get(str(view.observation["state"]), ()))
        left = view.rng.random()
        for action, move in zip(actions, view.legal_moves, strict=True):
            left -= known.get(action, 1 / len(actions))
            if left < 0:
                return move
        return view.legal_moves[-1]

    return choose


@lru_cache(maxsize=8)
def _policy(game_type: str, iterations: int) -> Mapping[str, Sequence[tuple[int, float]]]:
    """Chances of actions by information state; empty for too large a game."""
    spiel: Any = getattr(plugins.game(game_type), "spiel", None)
    if spiel is None or not plugins.game(game_type).hidden or not _is_small(spiel):
        return {}
    pyspiel: Any = importlib.import_module("pyspiel")
    solver = pyspiel.CFRSolver(spiel)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy().policy_table()


def _is_small(spiel: Any) -> bool:
    """True if the game has turns, information states and few enough positions."""
    kind = spiel.get_type()
    if kind.dynamics != kind.Dynamics.SEQUENTIAL or not kind.provides_information_state_string:
        return False
    found = [spiel.new_initial_state()]
    for state in found:  # which grows meanwhile
        if len(found) > LARGEST_TREE:
            return False
        if not state.is_terminal():
            found += [state.child(action) for action in state.legal_actions()]
    return True


OPENSPIEL_CFR = Strategy(
    "openspiel-cfr",
    "Plays a small game of OpenSpiel near to an equilibrium (counterfactual regret minimization).",
    make,
    argument="iterations",
)

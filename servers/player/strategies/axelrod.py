"""Strategies of the library Axelrod, such as `axelrod:TitForTat`.

V. Knight et al., "An open framework for the reproducible study of the iterated prisoner's dilemma" (2016).
"""

import importlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from league_sdk.game import Move, PlayerView, Strategy, StrategyFunction
from league_sdk.game_library import StrategyLibrary

COOPERATE, DEFECT = "cooperate", "defect"
MATCHES = 8
"""Matches under way whose players are kept; an older one is built anew from its moves."""
BROKEN_PROMISES = {
    "inspects_source": "own view: it runs its opponent's code",
    "manipulates_source": "own view: it changes its opponent's code",
    "manipulates_state": "own view: it changes its opponent's memory",
    "long_run_time": "quick choice: Axelrod lists it among those that take long",
}
"""Promises of a strategy, by the classifier of those that cannot keep them."""


class Axelrod(StrategyLibrary):
    """The strategies of `axelrod.all_strategies`, by the names of their classes."""

    name = "axelrod"
    install = "pip install 'mcp-agent-league[axelrod]'"

    def names(self) -> Sequence[str]:
        """Every strategy of the library, also those that are refused."""
        return sorted(kind.__name__ for kind in _library().all_strategies)

    def strategy(self, name: str) -> Strategy:
        """One strategy, with the library's default parameters."""
        library = _library()
        kind = next(each for each in library.all_strategies if each.__name__ == name)
        example = kind()
        broken = [text for key, text in BROKEN_PROMISES.items() if library.Classifiers[key](example)]
        if broken:
            raise ValueError("; ".join(broken))
        return Strategy(f"axelrod-{name.lower()}", f"{example.name}, by Axelrod.", lambda _: _chooser(library, kind))


def _library() -> Any:
    return importlib.import_module("axelrod")


def _chooser(library: Any, kind: Any) -> StrategyFunction:
    """A function that keeps a player of `kind` for each match under way."""
    pairs = OrderedDict[str, tuple[Any, Any]]()
    actions = {COOPERATE: library.Action.C, DEFECT: library.Action.D}
    moves = {action: move for move, action in actions.items()}

    def choose(view: PlayerView) -> Move:
        """The player's move; random in another game."""
        if set(view.legal_moves) != set(actions):
            return view.rng.choice(view.legal_moves)
        seed, begun = view.rng.randint(0, 2**31 - 1), view.match_id in pairs
        player, opponent = pairs.pop(view.match_id) if begun else _pair(library, kind, view, seed)
        pairs[view.match_id] = (player, opponent)
        if len(pairs) > MATCHES:
            pairs.popitem(last=False)
        played = list(zip(view.my_moves, view.opponent_moves, strict=True))
        for mine, theirs in played[len(player.history) :]:
            if not begun:
                player.strategy(opponent)  # it remembers what it saw in each turn
            player.update_history(actions[str(mine)], actions[str(theirs)])
            opponent.update_history(actions[str(theirs)], actions[str(mine)])
        return moves[player.strategy(opponent)]

    return choose


def _pair(library: Any, kind: Any, view: PlayerView, seed: int) -> tuple[Any, Any]:
    """A new player, and one that stands for its opponent."""
    player, opponent = kind(), library.Player()
    for each in (player, opponent):
        each.set_match_attributes(length=view.observation.get("turns", -1), game=library.Game(), noise=0)
    player.set_seed(seed)
    return player, opponent

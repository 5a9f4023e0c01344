"""Everything that the author of an agent, a game or a strategy imports.

`Player` makes an agent out of one function, `Experiment` compares strategies. `Game` is what a game subclasses,
`Strategy` what a file of strategies holds. Checks of both for your own tests are in `league_sdk.testing`.
Each name is loaded when it is asked for: an author of a strategy pays for no configuration, no store and no logger.

Rooms for authors: `game` (rules, views, moves, the loop of a match), `tournament` (formats of your own), `testing`
(checkers for all of it), `board` (pictures). The core, pure and without I/O: `domain` (the league and its matches as
events), `formats`, `ratings`. The edges: `protocol` (messages), `mcp_adapter`, `transports` and `net` (the wire),
`stores`, `logs`, `settings`, `audit` (checks records, and shares no code with the domain). All else on top are leaves
that these share.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from league_sdk.board import board_svg
    from league_sdk.clock import HashRng, Rng
    from league_sdk.errors import InvalidMove, LeagueError
    from league_sdk.experiment import Experiment, ExperimentResults
    from league_sdk.game import (
        Game,
        Json,
        LanguageModel,
        Move,
        MoveSpec,
        Outcome,
        PastMatch,
        PlayedMatch,
        PlayerView,
        Strategy,
        StrategyFunction,
        strategy,
    )
    from league_sdk.game_library import GameLibrary, GameRefused, LibraryGame, StrategyLibrary
    from league_sdk.logs import AgentLogger, JsonLogger, LeagueLogger
    from league_sdk.player import Player
    from league_sdk.settings import ConfigLoader
    from league_sdk.stores import MatchRepository, PlayerHistoryRepository, RoundsRepository, StandingsRepository

__all__ = [
    "AgentLogger",
    "ConfigLoader",
    "Experiment",
    "ExperimentResults",
    "Game",
    "GameLibrary",
    "GameRefused",
    "HashRng",
    "InvalidMove",
    "Json",
    "JsonLogger",
    "LanguageModel",
    "LeagueError",
    "LeagueLogger",
    "LibraryGame",
    "MatchRepository",
    "Move",
    "MoveSpec",
    "Outcome",
    "PastMatch",
    "PlayedMatch",
    "Player",
    "PlayerHistoryRepository",
    "PlayerView",
    "Rng",
    "RoundsRepository",
    "StandingsRepository",
    "Strategy",
    "StrategyFunction",
    "StrategyLibrary",
    "board_svg",
    "strategy",
]

_MODULES = {
    "board": "board_svg",
    "clock": "HashRng Rng",
    "errors": "InvalidMove LeagueError",
    "experiment": "Experiment ExperimentResults",
    "game_library": "GameLibrary GameRefused LibraryGame StrategyLibrary",
    "logs": "AgentLogger JsonLogger LeagueLogger",
    "player": "Player",
    "settings": "ConfigLoader",
    "stores": "MatchRepository PlayerHistoryRepository RoundsRepository StandingsRepository",
}
"""The module of each name; that of all others is `game`."""
_MODULE_OF = dict.fromkeys(__all__, "game") | {name: module for module in _MODULES for name in _MODULES[module].split()}


def __getattr__(name: str) -> Any:
    """Load a name's module at its first use."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return found

"""Everything that the author of an agent, a game or a strategy imports.

`Player` makes an agent out of one function, `Experiment` compares strategies. `Game` is what a game subclasses,
`Strategy` what a file of strategies holds. Checks of both for your own tests are in `league_sdk.testing`.
Configuration, repositories and loggers are loaded when asked for: an author of a strategy pays for none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
from league_sdk.player import Player

if TYPE_CHECKING:
    from league_sdk.logs import AgentLogger, JsonLogger, LeagueLogger
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

_LATER = {
    "AgentLogger": "logs",
    "ConfigLoader": "settings",
    "JsonLogger": "logs",
    "LeagueLogger": "logs",
    "MatchRepository": "stores",
    "PlayerHistoryRepository": "stores",
    "RoundsRepository": "stores",
    "StandingsRepository": "stores",
}
"""Names whose package is loaded at their first use."""


def __getattr__(name: str) -> Any:
    """Load, at first use, names that only programs around a league need."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)

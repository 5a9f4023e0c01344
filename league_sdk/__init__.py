"""Everything that the author of an agent, a game or a strategy imports.

`Player` makes an agent out of one function. `Game` is what a game subclasses, `Strategy` what a file of strategies
holds. Checks of both for your own tests are in `league_sdk.testing`.
"""

from league_sdk.clock import HashRng, Rng
from league_sdk.errors import InvalidMove, LeagueError
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
from league_sdk.player import Player

__all__ = [
    "Game",
    "HashRng",
    "InvalidMove",
    "Json",
    "LanguageModel",
    "LeagueError",
    "Move",
    "MoveSpec",
    "Outcome",
    "PastMatch",
    "PlayedMatch",
    "Player",
    "PlayerView",
    "Rng",
    "Strategy",
    "StrategyFunction",
    "strategy",
]

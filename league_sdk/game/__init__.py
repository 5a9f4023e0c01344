"""The ports for authors of games and strategies: no I/O, no clock, no protocol.

A game is a pure state machine over immutable states. The league and the referee see it through `Game` alone, so a new
game is one file and nothing else changes. It fits games of two or more players, with simultaneous or alternating moves,
one round or many, open or hidden information: `to_move` lists the players to choose now, `observe` gives each player's
view, and `apply` takes the choices of all of them.
"""

from league_sdk.game.rules import Game, Move, MoveSpec, Outcome, PlayedMatch
from league_sdk.game.strategy import (
    ChoiceTooLate,
    IllegalChoice,
    LanguageModel,
    PastMatch,
    PlayerView,
    Strategy,
    StrategyFunction,
    strategy,
)
from league_sdk.game.turns import MatchLoop, first_state, next_state, stand_in_move, turns
from league_sdk.json_value import Json

__all__ = [
    "ChoiceTooLate",
    "Game",
    "IllegalChoice",
    "Json",
    "LanguageModel",
    "MatchLoop",
    "Move",
    "MoveSpec",
    "Outcome",
    "PastMatch",
    "PlayedMatch",
    "PlayerView",
    "Strategy",
    "StrategyFunction",
    "first_state",
    "next_state",
    "stand_in_move",
    "strategy",
    "turns",
]

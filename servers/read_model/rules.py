"""The game and the tournament format of a league, as those who show it need them."""

from collections.abc import Sequence
from typing import Any

from league_sdk import plugins
from league_sdk.domain.league import League
from league_sdk.errors import UnsupportedGameType
from league_sdk.game import Game
from league_sdk.tournament import Format


def rules_of(league: League, folders: Sequence[str] = ()) -> Game[Any] | None:
    """The rules of the league's game with its options; None if not installed here."""
    try:
        return plugins.game(league.rules.game_type, tuple(folders), league.rules.game_options)
    except (UnsupportedGameType, plugins.PluginError):
        return None


def format_of(league: League, folders: Sequence[str] = ()) -> Format | None:
    """The tournament format of a league's stages; None when it cannot be had here."""
    try:
        return plugins.stages_format(league.rules.stages, tuple(folders))
    except plugins.PluginError:
        return None

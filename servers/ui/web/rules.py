"""The rules by which matches are played again on the page."""

from collections.abc import Sequence
from typing import Any

from league_sdk import plugins
from league_sdk.domain.league import League
from league_sdk.errors import UnsupportedGameType
from league_sdk.game import Game


def rules_of(league: League, folders: Sequence[str] = ()) -> Game[Any] | None:
    """The rules of a league's game, with its options; None when they cannot be had here."""
    try:
        return plugins.game(league.rules.game_type, tuple(folders), league.rules.game_options)
    except (UnsupportedGameType, plugins.PluginError):
        return None

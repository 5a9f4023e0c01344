"""The rules of a league's game, for commands that play matches again."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from league_sdk import plugins
from league_sdk.domain.league import League
from league_sdk.errors import UnsupportedGameType
from league_sdk.game import Game
from league_sdk.plugins import PluginError
from league_sdk.settings import Workspace
from servers.cli import common
from servers.plan import load_plan
from servers.wish import PlanError


def game_of(league: League, workspace: Workspace, folders: Sequence[Path] | None = None) -> Game[Any] | None:
    """The game that a league plays; None when it is not installed here.

    Args:
        league: The league.
        workspace: Where it was written: a league that was run here remembers its plug-ins.
        folders: Folders with plug-ins, as they were named.

    Raises:
        PluginError: One of the folders that were named cannot be used.
    """
    rules = league.rules
    if folders:
        with suppress(UnsupportedGameType):
            return plugins.game(rules.game_type, common.folders_of(folders), rules.game_options)
        return None
    remembered: tuple[str, ...] = ()
    with suppress(PlanError):
        remembered = load_plan(workspace, league.league_id).manager.plugins
    with suppress(UnsupportedGameType, PluginError):
        return plugins.game(rules.game_type, remembered, rules.game_options)
    return None

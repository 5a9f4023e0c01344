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
from servers.launcher.plan import load_plan
from servers.launcher.run_options import PlanError


def plugin_folders(workspace: Workspace, league_id: str, given: Sequence[Path] | None) -> tuple[str, ...]:
    """Plug-in folders of a league: the given ones, else those of its run here."""
    if given:
        return common.folders_of(given)
    with suppress(PlanError):
        return load_plan(workspace, league_id).manager.plugins
    return ()


def game_of(league: League, workspace: Workspace, given: Sequence[Path] | None = None) -> Game[Any] | None:
    """The game that a league plays; None when it is not installed here."""
    rules, folders = league.rules, plugin_folders(workspace, league.league_id, given)
    try:
        return plugins.game(rules.game_type, folders, rules.game_options)
    except UnsupportedGameType:
        return None
    except PluginError:
        if given:
            raise
        return None

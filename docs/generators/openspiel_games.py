"""Write docs/reference/openspiel_games.md from the installed OpenSpiel."""

from importlib.metadata import version
from pathlib import Path

from docs.generators.tables import table
from league_sdk import plugins

TARGET = Path(__file__).resolve().parents[1] / "reference" / "openspiel_games.md"

HEAD = """\
# OpenSpiel's games

Made by `docs/generators/openspiel_games.py` from OpenSpiel {version}; change that, not this page.

Of {all} games a league can play {playable} with their default parameters, {for_two} of them by two players.
`check_game` holds for each of those {for_two} (`make slow-test`): turns, legal moves, refusals, observations, immutable
states, replay from the seed, outcome, an end. A game that breaks a promise is refused before anything starts, and the
last column names the promise.
[Choose a game](../how_to/choose_a_game.md) says how to play one.
"""


def render() -> str:
    """The page as Markdown."""
    games = plugins.game_libraries()["openspiel"].games()
    playable = [game for game in games if not game.refusal]
    counts = {
        "version": version("open-spiel"),
        "all": len(games),
        "playable": len(playable),
        "for_two": sum(game.max_players == 2 for game in playable),
    }
    rows = [
        (
            f"`{game.name}`",
            str(game.max_players),
            "hidden" if game.hidden else "open",
            "at once" if game.simultaneous else "in turn",
            game.refusal,
        )
        for game in games
    ]
    return "\n".join([HEAD.format(**counts), table(("game", "players", "information", "moves", "breaks"), rows)])

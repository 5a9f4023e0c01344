"""Checks of a player's strategy before anything is started."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from league_sdk import plugins
from league_sdk.game import Game, turns
from league_sdk.names import alternatives
from league_sdk.plugins import BrokenPlugin
from league_sdk.settings import ConfigLoader
from servers.player.language_model import check_model

FIRST_TURNS = 4
"""Turns of a match that are looked at: in games of alternating moves each seat has moved by then."""


def check_strategy_named(
    name: str, folders: Sequence[str], config: ConfigLoader, games: Iterable[Game[Any]] = ()
) -> None:
    """Make sure that a player can choose by the strategy of this name."""
    found, _ = plugins.named_strategy(name, folders)
    if found.make_with_model is not None:
        check_model(config.load_player_defaults().default_settings.llm)
        return
    plugins.strategy(name, folders)
    check_move_named(name, folders, games)


def check_move_named(name: str, folders: Sequence[str], games: Iterable[Game[Any]]) -> None:
    """Check that a game has the move that a strategy's name ends in."""
    found, move = plugins.named_strategy(name, folders)
    known = {game.name: _first_moves(game) for game in games} if found.argument_is_move else {}
    if known and not any(move in moves for moves in known.values()):
        said = [f"{game} has no move {move!r}; {alternatives(move, moves)}" for game, moves in known.items()]
        raise BrokenPlugin(f"strategy {name!r}: {'; '.join(said)}")


def _first_moves(game: Game[Any]) -> list[str]:
    """The moves that a match can begin with, of each seat, as text."""
    match = turns(game, [f"P{number:02d}" for number in range(1, game.min_players + 1)], "first moves")
    moves: dict[str, None] = {}
    for movers in islice(match, FIRST_TURNS):
        legal = {player: game.legal_moves(match.state, player) for player in movers}
        moves |= dict.fromkeys(str(move) for each in legal.values() for move in each)
        match.moves = {player: each[0] for player, each in legal.items()}
    return list(moves)

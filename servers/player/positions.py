"""Positions of a match, rebuilt from a player's view for strategies that search."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, TypeVar

from league_sdk import plugins
from league_sdk.clock import Clock, SystemClock
from league_sdk.errors import LeagueError
from league_sdk.game import Game, Move, PlayerView, StrategyFunction

T = TypeVar("T")

SHARE = 0.5
"""Share of the time to the deadline that a search may take; the guard of strategies ends one that takes more."""


class NotSearchable(Exception):
    """The game has chance, simultaneous moves or hidden information, or is missing."""


class _NoChance:
    """Refuses to draw: a position after chance cannot be foreseen."""

    def random(self) -> float:
        raise NotSearchable("the game draws by chance")

    def randint(self, low: int, high: int) -> int:
        raise NotSearchable(f"the game draws from {low} to {high}")

    def choice(self, items: Sequence[T]) -> T:
        raise NotSearchable(f"the game draws one of {items!r}")

    def shuffled(self, items: Sequence[T]) -> list[T]:
        raise NotSearchable(f"the game shuffles {items!r}")


NO_CHANCE = _NoChance()


@dataclass(frozen=True, slots=True)
class Position:
    """A state of a game of turns without chance."""

    game: Game[Any]
    state: Any
    players: tuple[str, str]

    @property
    def mover(self) -> str | None:
        """The player to move; None at the end."""
        movers = self.game.to_move(self.state)
        if len(movers) > 1:
            raise NotSearchable("players move at once")
        return movers[0] if movers else None

    def moves(self) -> tuple[Move, ...]:
        """The legal moves; empty at the end."""
        return self.game.legal_moves(self.state, self.mover) if self.mover else ()

    def after(self, move: Move) -> "Position":
        """The position that a legal move leads to."""
        state = self.game.apply(self.state, {str(self.mover): move}, NO_CHANCE)
        return Position(self.game, state, self.players)

    def value(self, player: str) -> float:
        """1 if `player` has won, -1 if it has lost, 0 for a draw or an open match."""
        outcome = self.game.outcome(self.state)
        if outcome is None or outcome.winner is None:
            return 0.0
        return 1.0 if outcome.winner == player else -1.0


def searching(search: Callable[[PlayerView], Move]) -> StrategyFunction:
    """A strategy that searches in a thread; it plays at random where it cannot."""

    async def choose(view: PlayerView) -> Move:
        """The move found; random in a game that cannot be searched."""
        if len(view.legal_moves) == 1:
            return view.legal_moves[0]
        try:
            return await asyncio.to_thread(search, view)
        except NotSearchable:
            return view.rng.choice(view.legal_moves)

    return choose


def seconds_in(argument: str) -> float | None:
    """The seconds in an argument such as `0.5s`; None for any other."""
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,3})?s", argument):
        return None
    return float(argument[:-1]) or None


class SearchLimit:
    """The limit in the name of a strategy, such as `mcts-1000` or `mcts-0.5s`.

    `counted` names the steps of which a number is the limit; there are `default` where the name has none.
    """

    def __init__(self, argument: str, strategy: str, counted: str, default: int, clock: Clock | None) -> None:
        self._seconds = seconds_in(argument)
        self._clock = clock or SystemClock()
        number = argument if self._seconds is None else ""
        if number and (not number.isdecimal() or int(number) < 1):
            raise ValueError(
                f"{strategy} takes a number of seconds, such as {strategy}-0.5s, "
                f"or of {counted} from 1, such as {strategy}-1000, not {argument!r}"
            )
        self._steps = int(number) if number else default

    def steps(self, view: PlayerView) -> Iterator[bool]:
        """True for each step that one search may take."""
        if self._seconds is None:
            yield from repeat(True, self._steps)
            return
        begin, seconds = self._clock.monotonic(), self._seconds
        if view.deadline:
            seconds = min(seconds, (view.deadline - self._clock.now()).total_seconds() * SHARE)
        while self._clock.monotonic() - begin < seconds:
            yield True


def position_of(view: PlayerView) -> Position:
    """The position in which `view` asks for a move.

    The moves are played again from the start. A game with hidden information or with options of its league leads to
    other legal moves or another observation than the view's, and is refused.
    """
    try:
        game = plugins.game(view.game_type)
    except LeagueError as error:
        raise NotSearchable(str(error)) from error
    if len(view.opponents) > 1:
        raise NotSearchable("the search knows two players")
    for players in ((view.player_id, view.opponent_id), (view.opponent_id, view.player_id)):
        position = _replayed(game, players, view)
        if position is not None:
            return position
    raise NotSearchable("the moves made so far do not lead to this view")


def known_position(view: PlayerView) -> Position | None:
    """The position in which `view` asks for a move, or None."""
    try:
        return position_of(view)
    except NotSearchable:
        return None


def _replayed(game: Game[Any], players: tuple[str, str], view: PlayerView) -> Position | None:
    """The position after the moves of both, or None if they do not fit these seats."""
    position = Position(game, game.start(players, NO_CHANCE), players)
    waiting = {view.player_id: list(view.my_moves), view.opponent_id: list(view.opponent_moves)}
    while (mover := position.mover) and waiting[mover]:
        move = waiting[mover].pop(0)
        if move not in position.moves():
            return None
        position = position.after(move)
    fits = position.mover == view.player_id and not any(waiting.values())
    if not fits or _text(position.moves()) != _text(view.legal_moves):
        return None
    return position if _text(game.observe(position.state, view.player_id)) == _text(view.observation) else None


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)

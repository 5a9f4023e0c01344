"""Views of the match loop, whose fields are computed when a strategy reads them."""

from collections.abc import Callable, Mapping
from typing import Any

from league_sdk.clock import HashRng
from league_sdk.game import Game, Move, PlayerView


class GameFailed(BaseException):
    """A game's error while a strategy read its view; not for the strategy to catch."""


class MatchTurn:
    """The state of a turn, and the public moves before it."""

    __slots__ = ("_public", "game", "number", "state")

    def __init__(self, game: Game[Any], state: Any, number: int) -> None:
        self.game, self.state, self.number, self._public = game, state, number, None

    def public_moves(self, player: str) -> tuple[Move, ...]:
        if self._public is None:
            self._public = self.game.public_moves(self.state)
        return tuple(self._public.get(player, ()))


class _OnDemand:
    """A field computed at its first reading, then kept in the view's dictionary."""

    def __init__(self, name: str, read: Callable[[Any], Any]) -> None:
        self._name, self._read = name, read

    def __get__(self, view: Any, owner: object) -> Any:
        try:
            value = view.__dict__[self._name] = self._read(view)
        except Exception as error:
            raise GameFailed from error
        return value


def _of_the_match(name: str) -> Callable[[Any], Any]:
    return lambda view: view.known[name]


_READ: Mapping[str, Callable[[Any], Any]] = {
    **{name: _of_the_match(name) for name in PlayerView.__slots__},
    "legal_moves": lambda view: tuple(view.turn.game.legal_moves(view.turn.state, view.known["player_id"])),
    "observation": lambda view: view.turn.game.observe(view.turn.state, view.known["player_id"]),
    "my_moves": lambda view: view.turn.public_moves(view.known["player_id"]),
    "opponent_moves": lambda view: view.turn.public_moves(view.known["opponent_id"]),
    "opponents_moves": lambda view: {view.opponent_id: view.opponent_moves},
    "rng": lambda view: _rng(view.turn, view.known),
}


def _rng(turn: MatchTurn, known: Mapping[str, Any]) -> HashRng:
    return HashRng(f"{known['seed']}{turn.number}")


def _random_move(view: Any) -> Move:
    fields = view.__dict__
    turn, known = fields["turn"], fields["known"]
    try:
        rng = fields["rng"] if "rng" in fields else fields.setdefault("rng", _rng(turn, known))
        fields["drawn"] = move = turn.game.random_move(turn.state, known["player_id"], rng)
    except Exception as error:
        raise GameFailed from error
    return move


# A class attribute of each name hides the slot of `PlayerView`, which would go before the dictionary.
_LazyView: Any = type(
    "_LazyView",
    (PlayerView,),
    {"drawn": None, "random_move": _random_move, **{name: _OnDemand(name, read) for name, read in _READ.items()}},
)


def lazy_view(turn: MatchTurn, known: Mapping[str, Any]) -> Any:
    """A view of a turn; `known` has the match's fields and the `seed` of chance."""
    view = object.__new__(_LazyView)
    fields = view.__dict__
    fields["turn"], fields["known"] = turn, known
    return view

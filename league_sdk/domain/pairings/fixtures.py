"""Compact matches of a round: a league of a thousand players has half a million."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from sys import intern
from typing import overload

from league_sdk.domain.model import Fixture, Round
from league_sdk.json_value import Json


class Fixtures(Sequence[Fixture]):
    """Matches of two players each, made on access; equal to a tuple or list of them.

    `seats` has the players of the first match, then those of the second, and so on; `game` is their number in a series.
    """

    __slots__ = ("_game", "_round_id", "_seats")

    def __init__(self, round_id: int, seats: Sequence[str], game: int = 0) -> None:
        self._round_id = round_id
        self._seats = tuple(seats)
        self._game = f"G{game}" if game > 1 else ""

    @overload
    def __getitem__(self, index: int) -> Fixture: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Fixture, ...]: ...

    def __getitem__(self, index: int | slice) -> Fixture | tuple[Fixture, ...]:
        places = range(len(self))[index]
        return self._fixture(places) if isinstance(places, int) else tuple(map(self._fixture, places))

    def __iter__(self) -> Iterator[Fixture]:
        return map(self._fixture, range(len(self)))

    def __len__(self) -> int:
        return len(self._seats) // 2

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Fixtures):
            return (self._round_id, self._seats, self._game) == (other._round_id, other._seats, other._game)
        return isinstance(other, tuple | list) and [*self] == [*other]

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def as_json(self) -> list[dict[str, Json]]:
        """The matches as JSON values, without an object each."""
        number, game = self._round_id, self._game
        pairs = zip(self._seats[0::2], self._seats[1::2], strict=True)
        return [
            {"match_id": f"R{number}M{place}{game}", "round_id": number, "players": [first, second]}
            for place, (first, second) in enumerate(pairs, start=1)
        ]

    def _fixture(self, place: int) -> Fixture:
        players = self._seats[2 * place : 2 * place + 2]
        return Fixture(f"R{self._round_id}M{place + 1}{self._game}", self._round_id, players)


def compact(scheduled: Round) -> Round:
    """The same round in less memory, if its matches have usual ids and two players."""
    seats = [fixture.players for fixture in scheduled.fixtures]
    if isinstance(scheduled.fixtures, Fixtures) or any(len(players) != 2 for players in seats):
        return scheduled
    fixtures = Fixtures(scheduled.round_id, tuple(map(intern, chain.from_iterable(seats))), scheduled.game)
    return replace(scheduled, fixtures=fixtures) if fixtures == scheduled.fixtures else scheduled

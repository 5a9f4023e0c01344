"""The ties of a bracket: where the players of each come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

_LOWER = "Lower bracket"
THIRD_PLACE = "Third place"


class PlaceOrigin(StrEnum):
    """The origin of a player of a tie."""

    SEED = "seed"
    WINNER = "winner"
    LOSER = "loser"


@dataclass(frozen=True, slots=True)
class TieSource:
    """The place that gives a tie one of its players."""

    origin: PlaceOrigin
    index: int


@dataclass(frozen=True, slots=True)
class KnockoutTie:
    """Two players, one of which advances.

    Attributes:
        title: The name of its round.
        sources: Its two players' origins.
        stage: Ties of a stage are played at the same time, after all of the stage before.
        lane: The part of the bracket that it is drawn in; empty for the main one.
        rematch: Played only when the second player of the tie before has won it: the second final of a double knockout.
    """

    title: str
    sources: tuple[TieSource, TieSource]
    stage: int
    lane: str = ""
    rematch: bool = False


def _seeding(size: int) -> list[int]:
    """The places of a bracket by seed, from 0: the first two meet in the final only."""
    order = [0]
    while len(order) < size:
        order = [seed for place in order for seed in (place, 2 * len(order) - 1 - place)]
    return order


def _title(ties: int) -> str:
    return {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}.get(ties, f"Round of {2 * ties}")


class _Builder:
    """A bracket as it grows."""

    def __init__(self) -> None:
        self.ties: list[KnockoutTie] = []

    def seeds(self, players: int) -> list[TieSource]:
        """The places of the smallest bracket for so many players."""
        return [TieSource(PlaceOrigin.SEED, seed) for seed in _seeding(1 << (players - 1).bit_length())]

    def add(self, title: str, sources: Sequence[TieSource], lane: str = "", *, rematch: bool = False) -> list[int]:
        """A round of ties between neighbours; their indices."""
        first = len(self.ties)
        for one, other in zip(sources[0::2], sources[1::2], strict=True):
            earlier = [self.ties[each.index].stage for each in (one, other) if each.origin is not PlaceOrigin.SEED]
            self.ties.append(KnockoutTie(title, (one, other), max(earlier, default=-1) + 1, lane, rematch))
        return list(range(first, len(self.ties)))


def _from(origin: PlaceOrigin, ties: Sequence[int]) -> list[TieSource]:
    return [TieSource(origin, tie) for tie in ties]


@cache
def single_bracket(players: int, third_place: bool) -> tuple[KnockoutTie, ...]:
    """The final is the last tie but the one for third place."""
    builder = _Builder()
    sources, previous = builder.seeds(players), list[int]()
    while len(sources) > 1:
        latest = builder.add(_title(len(sources) // 2), sources)
        sources, previous, losers = _from(PlaceOrigin.WINNER, latest), latest, previous
        if len(latest) == 1 and third_place:
            builder.add(THIRD_PLACE, _from(PlaceOrigin.LOSER, losers), THIRD_PLACE)
    return tuple(builder.ties)


@cache
def double_bracket(players: int) -> tuple[KnockoutTie, ...]:
    """An upper bracket, a lower one for its losers, and a final or two."""
    builder = _Builder()
    sources, upper = builder.seeds(players), list[list[int]]()
    while len(sources) > 1:
        upper.append(builder.add(f"Upper {_title(len(sources) // 2).lower()}", sources))
        sources = _from(PlaceOrigin.WINNER, upper[-1])
    lower = builder.add("Lower round 1", _from(PlaceOrigin.LOSER, upper[0]), _LOWER)
    for number, ties in enumerate(upper[1:], start=1):
        # Reversed every second time, so that those who have met do not meet at once again.
        falling = _from(PlaceOrigin.LOSER, ties if number % 2 == 0 else ties[::-1])
        staying = _from(PlaceOrigin.WINNER, lower)
        meeting = [source for pair in zip(staying, falling, strict=True) for source in pair]
        lower = builder.add(f"Lower round {2 * number}", meeting, _LOWER)
        if len(lower) > 1:
            lower = builder.add(f"Lower round {2 * number + 1}", _from(PlaceOrigin.WINNER, lower), _LOWER)
    final = builder.add("Final", [*sources, *_from(PlaceOrigin.WINNER, lower)])
    builder.add(
        "Second final", [TieSource(PlaceOrigin.WINNER, final[0]), TieSource(PlaceOrigin.LOSER, final[0])], rematch=True
    )
    return tuple(builder.ties)

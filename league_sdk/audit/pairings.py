"""Checks the rounds of a league against the rules of its format."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import Any, Protocol, TypeAlias

Json: TypeAlias = Any
"""A JSON value."""

Pair: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """A match as scheduled."""

    match_id: str
    round_id: int
    players: tuple[str, ...]


class Result(Protocol):
    """The part of a result that decides a series."""

    @property
    def winner(self) -> str | None: ...
    @property
    def guilty(self) -> Collection[str]: ...


def ranking_faults(
    ranking: Sequence[Sequence[str]], players: Sequence[str], late: Collection[str] = ()
) -> Iterator[str]:
    """Contradictions between a recorded ranking and the league's players.

    Players who entered `late` may be missing: it was made while they came.
    """
    ranked = [player for group in ranking for player in group]
    if ranking and (len({*ranked}) < len(ranked) or {*ranked} | {*late} != {*players}):
        yield "its ranking has not every player once"


def series_faults(game: int, matches: Sequence[Planned], before: Sequence[Planned]) -> Iterator[tuple[str, str]]:
    """Matches that are not the games of series that their round says, by id."""
    met = {_pair(match.players) for match in before}
    for match in matches:
        if match.match_id.partition("G")[2] != (str(game) if game > 1 else ""):
            yield match.match_id, f"its id is not that of game {game} of a series"
        elif game > 1 and _pair(match.players) not in met:
            yield match.match_id, f"it is game {game} of a series, and its players did not meet in the round before"


def undecided_series(
    block: Sequence[Sequence[tuple[Pair, Result | None]]],
    going_on: Sequence[Pair],
    best_of: int,
    by_series: bool,
    gone: Collection[str],
) -> Iterator[str]:
    """Series that continue when they are over, and others that do not continue.

    `block` has the matches of each round of the series so far with their results, `going_on` the next matches.
    """
    lead: defaultdict[tuple[str, str], float] = defaultdict(float)
    for players, result in chain.from_iterable(block):
        if result is None:
            continue
        for one, other in permutations(players, 2):
            lead[one, other] += (result.winner == one) - (result.winner == other)
            # A player that forfeits a match that nobody wins has no half of it.
            lead[one, other] += (result.winner is None) * ((other in result.guilty) - (one in result.guilty)) / 2
    coming = {_pair(players): players for players in going_on}
    for players, _ in block[-1]:
        one, other = players
        left = best_of - len(block)
        over = left <= 0 or (by_series and abs(lead[one, other]) > left)
        goes_on, staying = _pair(players) in coming, not {*gone} & {*players}
        if over and goes_on:
            yield f"{one} - {other} is decided, and continues"
        elif not over and not goes_on and staying:
            yield f"{one} - {other} is not decided, and does not continue"
        elif goes_on and coming[_pair(players)] != players[::-1]:
            yield f"{one} - {other} continues without swapping the seats"


def _pair(players: Pair) -> Pair:
    return tuple(sorted(players))

"""Checks the rounds of a league against the rules of its format."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations
from typing import Any, Protocol, TypeAlias

from league_sdk.audit.findings import listed

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


def schedule_faults(stage: Mapping[str, Json], players: Sequence[str], met: Sequence[Pair]) -> Iterator[str]:
    """Contradictions between a whole schedule and its format.

    `stage` is the format and its options as recorded, `met` the players of every match.
    """
    if stage["format"] == "round_robin":
        yield from _everybody_meets(players, met, stage["options"].get("cycles", 1))


def round_faults(
    stage: Mapping[str, Json], earlier: Sequence[Pair], met: Sequence[Pair], byes: Mapping[str, int]
) -> Iterator[str]:
    """Contradictions between one more round and its format.

    `earlier` are the pairs of the rounds of its stage so far, `met` those of the round, `byes` its byes with the number
    that each player has had in the stage, this one included.
    """
    check = _ROUND_RULES.get(stage["format"])
    if check is not None:
        yield from check(stage["options"], Counter(map(_pair, earlier)), [_pair(each) for each in met], byes)


def ranking_faults(
    stages: Sequence[Mapping[str, Json]],
    ranking: Sequence[Sequence[str]],
    players: Sequence[str],
    late: Collection[str] = (),
) -> Iterator[str]:
    """Contradictions between a recorded ranking and the league's formats and players.

    Players who entered `late` may be missing: it was made while they came.
    """
    ranked = [player for group in ranking for player in group]
    if ranking and len(stages) == 1 and stages[0]["format"] in _RANKED_BY_POINTS:
        yield f"it has a ranking of its own, and {stages[0]['format']} ranks by points"
    elif ranking and (len({*ranked}) < len(ranked) or {*ranked} | {*late} != {*players}):
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
            # Who forfeits a match that nobody wins has no half of it.
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


def _everybody_meets(players: Sequence[str], met: Sequence[Pair], times: int) -> Iterator[str]:
    count = Counter(map(_pair, met))
    more = sorted(" - ".join(pair) for pair, number in count.items() if number > times)
    fewer = sorted(" - ".join(pair) for pair in combinations(sorted(players), 2) if count[pair] < times)
    wrong: list[str] = []
    if more:
        wrong.append(f"{listed(more)} meet more than {_times(times)}")
    if fewer:
        wrong.append(f"{listed(fewer)} never meet" if times == 1 else f"{listed(fewer)} meet less than {_times(times)}")
    if wrong:
        yield "; ".join(wrong)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _no_rematch(
    _: Mapping[str, Json], earlier: Counter[Pair], met: Sequence[Pair], byes: Mapping[str, int]
) -> Iterator[str]:
    again = sorted(" - ".join(pair) for pair in met if earlier[pair])
    if again:
        yield f"{listed(again)} meet a second time"
    twice = sorted(player for player, number in byes.items() if number > 1)
    if twice:
        yield f"{listed(twice)} have a second bye"


def _once_a_cycle(
    options: Mapping[str, Json], earlier: Counter[Pair], met: Sequence[Pair], _: Mapping[str, int]
) -> Iterator[str]:
    most = options.get("cycles", 1)
    again = sorted(" - ".join(pair) for pair in met if earlier[pair] >= most)
    if again:
        yield f"{listed(again)} meet more than {_times(most)}"


RoundRule: TypeAlias = Callable[[Mapping[str, Json], Counter[Pair], Sequence[Pair], Mapping[str, int]], Iterator[str]]

_RANKED_BY_POINTS = ("round_robin", "swiss", "gauntlet")
_ROUND_RULES: Mapping[str, RoundRule] = {
    "swiss": _no_rematch,
    "round_robin": _once_a_cycle,
    "groups": _once_a_cycle,
    "gauntlet": _once_a_cycle,
}

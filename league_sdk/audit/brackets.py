"""Compares the rounds and the ranking of a knockout with who has lost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from league_sdk.audit.findings import listed
from league_sdk.json_value import Json

Played: TypeAlias = tuple[tuple[str, ...], str | None, bool]
"""A match: its players in seat order, its winner, and True when it is void."""


@dataclass(slots=True)
class _OpenTie:
    """Two players who play until one of them is ahead."""

    seats: tuple[str, ...]
    third_place: bool
    legs: int = 0
    score: dict[str, int] = field(default_factory=dict[str, int])


class Bracket:
    """A knockout as it proceeds.

    A player is out when it has lost a tie, or two in a double knockout.

    Args:
        options: The format's options as recorded.
        players: The players of the stage.
        left_after: The rounds of the stage that a player that was removed had been in.
    """

    def __init__(self, options: Mapping[str, Json], players: Sequence[str], left_after: Mapping[str, int]) -> None:
        self._best_of = int(options.get("best_of", 1))
        self._extra = int(options.get("extra_matches", 4))
        self._third_place = bool(options.get("third_place", False))
        self._double = bool(options.get("double", False))
        playing = [player for player in players if left_after.get(player) != 0]
        self._lives = dict.fromkeys(playing, 2 if self._double else 1)
        self._left_after = left_after
        self._open: dict[frozenset[str], _OpenTie] = {}
        self._lots: set[str] = set()  # players of level ties: lots decided, which are not drawn again here
        self._losers: set[str] = set()  # of the ties that were played at the same time
        self._finals: dict[bool, tuple[str, str]] = {}  # winner and loser of the last tie; True: for third place
        self._complete = 0

    @property
    def _alive(self) -> list[str]:
        return [player for player, lives in self._lives.items() if lives > 0]

    def faults(self, pairings: Sequence[tuple[str, ...]], byes: Sequence[str]) -> Iterator[str]:
        """Contradictions between the next round and the rounds before it."""
        opening = not self._open
        pairs = {frozenset(seats): seats for seats in pairings}
        for pair, tie in self._open.items():
            if pair not in pairs:
                yield f"{_named(pair)} is not decided, and does not continue"
            elif pairs[pair] != (tie.seats[::-1] if tie.legs % 2 else tie.seats):
                yield f"{_named(pair)} continues without swapping the seats"
        new = [pair for pair in pairs if pair not in self._open]
        if new and not opening:
            yield f"{_named(new[0])} begins before {_named(next(iter(self._open)))} is decided"
        alive, losers = self._alive, self._losers
        if opening:
            self._losers = set()
        for pair in new:
            out = sorted(player for player in pair if self._lives.get(player, 0) < 1 and player not in self._lots)
            third = self._third_place and len({*alive} - self._lots) <= 2 and pair <= losers | self._lots
            if out and not third:
                yield f"{listed(out)} plays on after losing"
            self._open[pair] = _OpenTie(pairs[pair], third)
        missing = set(alive) - {player for seats in pairings for player in seats} - set(byes) - self._lots
        if opening and missing and not self._double and not self._left_after:
            yield f"{listed(sorted(missing))} has not lost, and is left out"

    def play(self, matches: Sequence[Played]) -> None:
        """Take the results of a complete round."""
        self._complete += 1
        for players, winner, void in matches:
            tie = self._open.get(frozenset(players))
            if tie is not None:
                tie.legs += 1
                for player in players:
                    won = 0 if void else 2 if winner == player else 1 if winner is None else 0
                    tie.score[player] = tie.score.get(player, 0) + won
        gone = {player for player, left in self._left_after.items() if left <= self._complete}
        for pair in [pair for pair, tie in self._open.items() if self._end(tie, gone)]:
            del self._open[pair]
        if not gone.issuperset(self._alive):
            self._lives.update(dict.fromkeys(gone & self._lives.keys(), 0))

    def _end(self, tie: _OpenTie, gone: set[str]) -> bool:
        """Settle a tie that is over; False while it is not."""
        (one, other), score = tie.seats, tie.score
        lead = one if score[one] > score[other] else other
        level = score[one] == score[other]
        if level or (score[lead] <= self._best_of and tie.legs < self._best_of):
            staying = {one, other} - gone
            if len(staying) == 1:
                (lead,) = staying
            elif tie.legs >= self._best_of + self._extra or not staying:
                self._lots |= {one, other}
                return True
            else:
                return False
        loser = other if lead == one else one
        if not tie.third_place:
            self._lives[loser] = self._lives.get(loser, 0) - 1
        self._losers.add(loser)
        self._finals[tie.third_place] = lead, loser
        return True

    def so_far(self, ranking: Sequence[Sequence[str]]) -> Iterator[str]:
        """Contradictions between the ranking after a round, if any, and who is out."""
        alive = {*self._alive} - self._lots
        ranked = [player for group in ranking for player in group]
        last = max((ranked.index(player) for player in alive if player in ranked), default=0)
        first = {player: ranked.index(group[0]) for group in ranking for player in group}
        out = self._lives.keys() - alive - self._lots - self._left_after.keys()
        wrong = sorted(player for player in out & first.keys() if first[player] < last)
        if wrong:
            yield f"{listed(wrong)} ranks before others, and is out"

    def end(self, ranking: Sequence[Sequence[str]] | None) -> Iterator[str]:
        """Contradictions between a complete bracket and its ranking, if known."""
        alive = sorted({*self._alive} - self._lots)
        if self._open or len(alive) > 1:
            yield f"it is over while {listed(alive)} have not lost"
        elif ranking and alive and not self._lots:
            places = [alive]
            if not self._left_after:
                places = [[player] for _, final in sorted(self._finals.items()) for player in final]
            told = [sorted(group) for group in ranking[: len(places)]]
            if told != places:
                yield f"the ranking begins with {_places(told)}; by the bracket it is {_places(places)}"


def _named(pair: frozenset[str]) -> str:
    return " - ".join(sorted(pair))


def _places(groups: Sequence[Sequence[str]]) -> str:
    return ", ".join(" = ".join(group) for group in groups)

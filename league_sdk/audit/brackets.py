"""A knockout's bracket, filled in from its results, with its lots drawn again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeAlias

from league_sdk.audit.chance import fingerprint
from league_sdk.audit.stage_course import ExpectedRound, Groups, StageCourse, draw_seed
from league_sdk.audit.table import Decided

Feed: TypeAlias = tuple[str, int]
"""The origin of a player: `seed` and a place, or `winner` or `loser` and the number of an earlier tie."""

LOTS, SEED = "lots", "seed"


@dataclass(slots=True)
class _Tie:
    feeds: tuple[Feed, Feed]
    stage: int
    third: bool = False  # for third place
    again: bool = False  # the second final, played only if the first was lost by who came unbeaten
    players: list[str | None] = field(default_factory=list[str | None])  # both, once they are known
    legs: list[Decided | None] = field(default_factory=list[Decided | None])
    over: bool = False
    winner: str | None = None
    by: str = ""  # `lots`, or `seed`; empty for matches and walkovers

    @property
    def loser(self) -> str | None:
        return next((player for player in self.players if player != self.winner), None) if self.over else None

    def end(self, winner: str | None, by: str = "") -> None:
        self.over, self.winner, self.by = True, winner, by


class Bracket:
    """A knockout after so many complete rounds."""

    def __init__(self, course: StageCourse, complete: int) -> None:
        self._course = course
        self._best_of, self._extra = course.option("best_of", 1), course.option("extra_matches", 4)
        self._third = bool(course.options.get("third_place"))
        self._ties = _double(len(course.players)) if course.options.get("double") else _single(len(course.players))
        if self._third:
            final = self._ties[-1]
            semi = [("loser", number) for _, number in final.feeds]
            self._ties.append(_Tie((semi[0], semi[1]), final.stage, third=True))
        for done in range(complete + 1):
            self._settle(done)
            if done < complete:
                self._play(done)

    def next_round(self) -> ExpectedRound | None:
        """The next match of every open tie of the first stage that has one."""
        ready = self._ready()
        if not ready:
            return None
        pairings = [_seats(tie) for tie in ready]
        busy = {player for seats in pairings for player in seats}
        waiting = {
            player for tie in self._ties if not tie.over for player in self._known(tie) if player and player not in busy
        }
        gone = self._course.left.keys()
        return ExpectedRound(pairings, [p for p in self._course.players if p in waiting and p not in gone])

    def ranking(self) -> Groups:
        """Those who are still in, then the losers of each stage, the last one first."""
        lost = [tie.loser for tie in self._ties]
        reached: dict[str, int] = {}
        for tie in self._ties:
            if not tie.over and not tie.third:
                reached.update({player: tie.stage for player in self._places(tie) if player is not None})
        keys = sorted({(lost.count(player), -stage) for player, stage in reached.items()})
        groups = [[p for p, stage in reached.items() if (lost.count(p), -stage) == key] for key in keys]
        last = max(tie.stage for tie in self._ties)
        for stage in range(last, -1, -1):
            ties = [tie for tie in self._ties if tie.stage == stage]
            if stage == last:
                groups += [[player] for tie in ties for player in (tie.winner, tie.loser) if player is not None]
            else:
                groups.append([tie.loser for tie in ties if tie.loser is not None])
        groups.append(list(self._course.players))
        seen, ranking = set[str](), Groups()
        for group in groups:
            rest = [player for player in dict.fromkeys(group) if player not in seen]
            seen.update(rest)
            ranking += [rest] if rest else []
        return ranking

    def advanced(self) -> list[tuple[str, str, str]]:
        """Winner, loser and rule of each tie that neither matches nor a walkover decided."""
        return [(str(tie.winner), str(tie.loser), tie.by) for tie in self._ties if tie.by]

    def _ready(self) -> list[_Tie]:
        left = [tie for tie in self._ties if not tie.over]
        first = min((tie.stage for tie in left), default=0)
        return [tie for tie in left if tie.stage == first]

    def _play(self, number: int) -> None:
        played = self._course.rounds[number]
        results = {frozenset(seats): told for seats, told in zip(played.pairings, played.results, strict=True)}
        for tie in self._ready():
            tie.legs.append(results.get(frozenset(_seats(tie))))

    def _settle(self, complete: int) -> None:
        gone = self._course.gone(complete)
        for number, tie in enumerate(self._ties):
            if tie.over:
                continue
            if not tie.players:
                known = self._known(tie)
                if len(known) < 2:
                    continue
                tie.players = known
            first, second = tie.players
            before = self._ties[tie.feeds[0][1]]
            if tie.again and before.winner == before.players[0]:
                tie.end(first)
            elif first is None or second is None:
                tie.end(first or second)
            else:
                self._decide(tie, number, first, second, gone)

    def _decide(self, tie: _Tie, number: int, first: str, second: str, gone: set[str]) -> None:
        """By more than half of its matches, by walkover, by lots, or as the higher seed."""
        halves = {
            player: sum(
                0 if leg is None else 2 if leg.winner == player else int(leg.winner is None) for leg in tie.legs
            )
            for player in (first, second)
        }
        lead = first if halves[first] > halves[second] else second
        level, played = halves[first] == halves[second], len(tie.legs)
        staying = [player for player in (first, second) if player not in gone]
        if not level and (halves[lead] > self._best_of or played >= self._best_of):
            tie.end(lead)
        elif len(staying) == 1:
            tie.end(staying[0])
        elif played >= self._best_of + self._extra or not staying:
            tie.end(*self._lot(tie, number, first, second))

    def _lot(self, tie: _Tie, number: int, first: str, second: str) -> tuple[str, str]:
        course = self._course
        if not course.lots_from_draws:
            text = f"{course.seed}|{number}|lots|"
            return min((first, second), key=lambda player: sha256(f"{text}{player}".encode()).digest()), LOTS
        draws = [seed for seed in map(draw_seed, tie.legs) if seed]
        if not draws:
            return min((first, second), key=list(course.players).index), SEED
        return min((first, second), key=lambda player: fingerprint("league.v2/lots", *draws, player)), LOTS

    def _known(self, tie: _Tie) -> list[str | None]:
        places = self._places(tie)
        return [
            player
            for player, (origin, number) in zip(places, tie.feeds, strict=True)
            if origin == "seed" or self._ties[number].over
        ]

    def _places(self, tie: _Tie) -> list[str | None]:
        players, found = self._course.players, list[str | None]()
        for origin, number in tie.feeds:
            if origin == "seed":
                found.append(players[number] if number < len(players) else None)
            else:
                found.append(self._ties[number].winner if origin == "winner" else self._ties[number].loser)
        return found


def _seats(tie: _Tie) -> tuple[str, ...]:
    seats = tuple(player for player in tie.players if player is not None)
    return seats[::-1] if len(tie.legs) % 2 else seats


def _feeds(players: int) -> list[Feed]:
    """The seeds in the order of the bracket, from the bits of a place."""
    depth = (players - 1).bit_length()
    order: list[Feed] = []
    for place in range(1 << depth):
        seed, bit = 0, 0
        for step in range(depth):
            bit ^= place >> step & 1
            seed = seed << 1 | bit
        order.append(("seed", seed))
    return order


def _add(ties: list[_Tie], feeds: Sequence[Feed]) -> list[int]:
    """Ties between neighbours; their numbers."""
    first = len(ties)
    for one, other in zip(feeds[::2], feeds[1::2], strict=True):
        before = [ties[number].stage for origin, number in (one, other) if origin != "seed"]
        ties.append(_Tie((one, other), max(before, default=-1) + 1))
    return list(range(first, len(ties)))


def _single(players: int) -> list[_Tie]:
    ties, feeds = list[_Tie](), _feeds(players)
    while len(feeds) > 1:
        feeds = [("winner", number) for number in _add(ties, feeds)]
    return ties


def _double(players: int) -> list[_Tie]:
    ties, feeds, upper = list[_Tie](), _feeds(players), list[list[int]]()
    while len(feeds) > 1:
        upper.append(_add(ties, feeds))
        feeds = [("winner", number) for number in upper[-1]]
    lower = _add(ties, [("loser", number) for number in upper[0]])
    for turn, numbers in enumerate(upper[1:]):
        down = numbers if turn % 2 else numbers[::-1]
        meeting: list[Feed] = []
        for stays, falls in zip(lower, down, strict=True):
            meeting += [("winner", stays), ("loser", falls)]
        lower = _add(ties, meeting)
        if len(lower) > 1:
            lower = _add(ties, [("winner", number) for number in lower])
    (final,) = _add(ties, [("winner", upper[-1][0]), ("winner", lower[0])])
    _add(ties, [("winner", final), ("loser", final)])
    ties[-1].again = True
    return ties


def knockout_rounds(course: StageCourse, players: int) -> int:
    """The stages of the bracket, times the matches of a tie."""
    ties = _double(players) if course.options.get("double") else _single(players)
    return len({tie.stage for tie in ties if not tie.again}) * course.option("best_of", 1)


def next_of_knockout(course: StageCourse, complete: int) -> ExpectedRound | None:
    """The bracket's next round."""
    return Bracket(course, complete).next_round()


def knockout_ranking(course: StageCourse, complete: int) -> Groups:
    """The bracket's ranking."""
    return Bracket(course, complete).ranking()


def knockout_advanced(course: StageCourse, complete: int) -> list[tuple[str, str, str]]:
    """The players that advanced by lots, or as the higher seed."""
    return Bracket(course, complete).advanced()

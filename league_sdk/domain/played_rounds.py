"""The rounds of a league as tournament formats and ranking criteria see them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, overload

from league_sdk.domain.model import LeagueRules, MatchResult, Round
from league_sdk.domain.pairings.unplayed_rounds import NumberedRound
from league_sdk.domain.ranking.standings import pairing_result
from league_sdk.tournament import ByePoints, PairedRound, PairingResult, PlayedRound


def played_rounds(
    rounds: Iterable[Round],
    results: Mapping[str, MatchResult],
    completed: int,
    expunged: frozenset[str] = frozenset(),
    late_byes: Callable[[int], tuple[str, ...]] = lambda _: (),
) -> Iterator[NumberedRound]:
    """The rounds that began, the first `completed` of them complete; no open matches.

    Matches of `expunged` players are void.
    """
    for scheduled in rounds:
        told: list[PairingResult] = []
        for fixture in scheduled.fixtures:
            result = results.get(fixture.match_id)
            if result is not None and expunged.isdisjoint(result.players):
                told.append(pairing_result(result))
            elif result is not None or scheduled.round_id <= completed:
                told.append(PairingResult(fixture.players))
        paired = PairedRound(
            tuple(fixture.players for fixture in scheduled.fixtures),
            scheduled.byes,
            ByePoints(scheduled.bye_points),
            scheduled.title,
            scheduled.stage,
            scheduled.game,
            late_byes=late_byes(scheduled.round_id),
        )
        yield NumberedRound(scheduled.round_id, PlayedRound(paired, tuple(told)), scheduled.round_id <= completed)


class RoundsOnAccess(Sequence[PlayedRound]):
    """Complete rounds, made on access; all of them once, when they are gone through."""

    def __init__(self, rounds: Sequence[Round], make: Callable[[Sequence[Round]], Iterable[NumberedRound]]) -> None:
        self._rounds = rounds
        self._make = make
        self._all: tuple[PlayedRound, ...] | None = None

    def __iter__(self) -> Iterator[PlayedRound]:
        self._all = self[:] if self._all is None else self._all
        return iter(self._all)

    @overload
    def __getitem__(self, index: int) -> PlayedRound: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[PlayedRound, ...]: ...

    def __getitem__(self, index: int | slice) -> PlayedRound | tuple[PlayedRound, ...]:
        if isinstance(index, slice):
            return tuple(each.played for each in self._make(self._rounds[index]))
        return next(iter(self._make((self._rounds[index],)))).played

    def __len__(self) -> int:
        return len(self._rounds)


def ranking_rules(rules: LeagueRules) -> dict[str, Any]:
    """The fields of `RankingData` that follow from a league's rules."""
    return {
        "win": rules.scoring.win,
        "draw": rules.scoring.draw,
        "lots": rules.seed or rules.league_id,
        "equal_meetings": rules.equal_meetings,
        "series_points": rules.series_points,
    }

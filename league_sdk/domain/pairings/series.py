"""Pairings of several matches, one a round, with the seats swapped each time.

FIDE's team competitions count match points (here: of a series) and game points (of a single match). Points by match
play all matches of a series; points by series end it when the rest can change nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from league_sdk.domain.pairings.unplayed_rounds import NumberedRound
from league_sdk.tournament import (
    ByePoints,
    FormatDoesNotFit,
    PairedRound,
    PairingResult,
    PlayedRound,
    Seats,
    SeriesPoints,
    Tournament,
)


def check_best_of(best_of: int) -> None:
    """Refuse a series without a match."""
    if best_of < 1:
        raise FormatDoesNotFit(f"best_of is {best_of}; a series has 1 match or more")


def next_of_series(
    tournament: Tournament, best_of: int, pair: Callable[[Tournament], PairedRound | None]
) -> PairedRound | None:
    """The next match of the series under way, else of a new one.

    `pair` makes the new ones; it sees a tournament in which a series is one match.
    """
    if best_of == 1:
        return pair(tournament)
    worth = tournament.by_series
    blocks = _blocks(tournament.rounds)
    again = _again(tournament, blocks[-1], best_of) if blocks else None
    if again is not None:
        return again
    entrants = tuple(
        replace(each, left_after=_series_before(tournament, each.left_after)) for each in tournament.entrants
    )
    paired = pair(replace(tournament, entrants=entrants, rounds=tuple(_merged(block, worth) for block in blocks)))
    return paired and replace(paired, game=1)


def _series_before(tournament: Tournament, rounds: int | None) -> int | None:
    """The number of series that had begun when so many rounds were paired."""
    return None if rounds is None else sum(played.paired.game < 2 for played in tournament.rounds[:rounds])


def by_series(rounds: Iterable[NumberedRound], worth: SeriesPoints) -> list[NumberedRound]:
    """The rounds with a match for each series; an open one counts as it stands."""
    numbered = list(rounds)
    complete = [each.complete for each in numbered]
    merged: list[NumberedRound] = []
    for block in _blocks([each.played for each in numbered]):
        done, complete = complete[: len(block)], complete[len(block) :]
        merged.append(NumberedRound(len(merged) + 1, _merged(block, worth), all(done)))
    return merged


def _blocks(rounds: Sequence[PlayedRound]) -> list[list[PlayedRound]]:
    """The rounds of each series together."""
    blocks: list[list[PlayedRound]] = []
    for played in rounds:
        if played.paired.game < 2 or not blocks:
            blocks.append([])
        blocks[-1].append(played)
    return blocks


def _again(tournament: Tournament, block: Sequence[PlayedRound], best_of: int) -> PairedRound | None:
    first, last, played = block[0].paired, block[-1].paired, len(block)
    if played >= best_of:
        return None
    matches = _matches(block)
    seats = tuple(
        pair[::-1]
        for pair in last.pairings
        if tournament.left.isdisjoint(pair)
        and not (tournament.by_series and decided(merit(matches[frozenset(pair)]), pair, best_of - played))
    )
    if not seats:
        return None
    busy = {player for pair in seats for player in pair}
    there = {*last.byes, *(player for pair in last.pairings for player in pair)} - busy  # not who has just rejoined
    byes = tuple(entrant.player_id for entrant in tournament.active if entrant.player_id in there)
    worth = ByePoints.NONE if tournament.by_series else first.bye_points
    title = ", ".join(part for part in (first.title, f"match {played + 1}") if part)
    return replace(last, pairings=seats, byes=byes, bye_points=worth, title=title, game=played + 1, late_byes=())


def decided(earned: dict[str, int], pair: Seats, left: int) -> bool:
    """True if `left` more matches change nothing."""
    one, other = (earned.get(player, 0) for player in pair)
    return abs(one - other) > 2 * left


def _merged(block: Sequence[PlayedRound], worth: SeriesPoints | None) -> PlayedRound:
    first, matches = block[0].paired, _matches(block)
    results = [_result(pair, matches[frozenset(pair)], worth) for pair in first.pairings]
    # Points by match pay a bye in each round of the series.
    byes = first.byes if worth else tuple(player for each in block for player in each.paired.byes)
    return PlayedRound(replace(first, byes=byes), tuple(result for result in results if result is not None))


def _matches(block: Sequence[PlayedRound]) -> Mapping[frozenset[str], list[PairingResult]]:
    """Results by pair, void ones included."""
    matches: defaultdict[frozenset[str], list[PairingResult]] = defaultdict(list)
    for result in (result for each in block for result in each.results):
        matches[frozenset(result.seats)].append(result)
    return matches


def merit(matches: Iterable[PairingResult]) -> dict[str, int]:
    """2 for a win, 1 for a draw; nothing for a match that a player forfeited."""
    earned: dict[str, int] = {}
    for result in (each for each in matches if not each.void):
        for player in result.seats:
            own = 2 if result.winner == player else int(result.winner is None and player not in result.forfeits)
            earned[player] = earned.get(player, 0) + own
    return earned


def _result(pair: Seats, matches: Sequence[PairingResult], worth: SeriesPoints | None) -> PairingResult | None:
    counting = [result for result in matches if not result.void]
    if not counting:
        return PairingResult(pair) if matches else None
    earned = merit(counting)
    best = max(earned.values())
    ahead = [player for player in pair if earned[player] == best > 0]
    winner = ahead[0] if len(ahead) == 1 else None
    if worth:
        points = {player: worth.loss if player not in ahead else worth.win if winner else worth.draw for player in pair}
    else:
        points = {player: sum(result.points[player] for result in counting) for player in pair}
    forfeits = frozenset[str]()
    if all(result.forfeits for result in counting):
        forfeits = frozenset(pair).intersection(*(result.forfeits for result in counting))
    not_played = all(result.not_played for result in counting)
    return PairingResult(pair, points, winner, forfeits, not_played=not_played)

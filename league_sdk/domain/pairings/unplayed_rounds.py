"""Rounds from each player's side, by FIDE's rules for unplayed rounds.

Where a bye is worth points, pairings follow the results and FIDE Handbook C.07 (March 2026), article 16, holds: who did
not play met a dummy, and opponents count an adjusted score. Elsewhere everybody's opponents are settled beforehand:
article 15 holds, a forfeit is a match like any other, and a bye is no round. A technical loss is a forfeit.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from league_sdk.tournament import ByePoints, PairingResult, PlayedRound


class NumberedRound(NamedTuple):
    """A round of a league that has begun, with the results of its decided matches."""

    number: int
    played: PlayedRound
    complete: bool = True  # its other matches are void


class PlayerRound(NamedTuple):
    """One round of one player."""

    round_id: int
    points: int
    opponent: str = ""  # empty: it had none
    played: bool = True  # False: a bye, an absence or a forfeit
    voluntary: bool = False  # not played by its own doing: an absence, a requested bye, a forfeit loss


class Contribution(NamedTuple):
    """One round's part of a Buchholz score."""

    score: int  # of the opponent, adjusted, or of the dummy
    points: int  # that the player got in the round
    voluntary: bool


class PlayerRounds:
    """Scores of all players as their opponents count them.

    Args:
        rounds: Each player's rounds, in order.
        draw: League points for a draw.
    """

    def __init__(self, rounds: Mapping[str, Sequence[PlayerRound]], draw: int) -> None:
        self.of = rounds
        self.number = max((one.round_id for played in rounds.values() for one in played), default=0)
        self.scores = {player: sum(one.points for one in played) for player, played in rounds.items()}
        self._most = draw * self.number
        self._contributions: dict[str, list[Contribution]] = {}
        self._adjusted = {player: self.scores[player] + _withdrawn(played, draw) for player, played in rounds.items()}

    def contributions(self, player: str) -> list[Contribution]:
        """Each round's opponent's score, by articles 16.3 and 16.4.

        A round that was not played is one against a dummy with the player's own score, but with no more than the
        scheduled opponent's (16.4.1), or than a draw in every round (16.4.2).
        """
        if player in self._contributions:
            return self._contributions[player]
        own, adjusted = self.scores[player], self._adjusted
        found = self._contributions[player] = list[Contribution]()
        for one in self.of[player]:
            if one.played:
                score = adjusted[one.opponent]
            else:
                score = min(own, adjusted[one.opponent] if one.opponent else self._most)
            found.append(Contribution(score, one.points, one.voluntary))
        return found


def rounds_by_player(
    rounds: Iterable[NumberedRound],
    players: Iterable[str],
    removed: Collection[str],
    worth: Mapping[ByePoints, int],
) -> dict[str, list[PlayerRound]]:
    """Each player's rounds."""
    of: dict[str, list[PlayerRound]] = {player: [] for player in players}
    for number, played, complete in rounds:
        paired = played.paired
        settled = paired.bye_points is ByePoints.NONE
        for result in played.results:
            for player in result.seats:
                one = _scheduled_round(number, result, player) if settled else _paired(number, result, player, removed)
                if one is not None and player in of:
                    of[player].append(one)
        if complete and not settled:
            for player, one in _without_match(number, played, of, worth):
                of[player].append(one)
    return of


def _scheduled_round(number: int, result: PairingResult, player: str) -> PlayerRound | None:
    """A match by article 15; None for one that is void or was not played."""
    if result.void or result.not_played:
        return None
    return PlayerRound(number, result.points[player], _opponent(result, player))


def _paired(number: int, result: PairingResult, player: str, removed: Collection[str]) -> PlayerRound:
    """A match by article 16; a void one is an absence if removed, else a bye."""
    if result.void:
        return PlayerRound(number, 0, "", False, player in removed)
    return PlayerRound(
        number, result.points[player], _opponent(result, player), not result.forfeits, player in result.forfeits
    )


def _opponent(result: PairingResult, player: str) -> str:
    """The opponent; of several, the first."""
    return next(other for other in result.seats if other != player)


def _without_match(
    number: int, played: PlayedRound, players: Iterable[str], worth: Mapping[ByePoints, int]
) -> Iterator[tuple[str, PlayerRound]]:
    """Byes of a complete round, and those who were not there."""
    paired = played.paired
    for player in paired.byes:
        yield player, PlayerRound(number, worth[paired.bye_points], "", False)
    for player in paired.late_byes:
        yield player, PlayerRound(number, worth[ByePoints.DRAW], "", False, True)
    there = {*paired.byes, *paired.late_byes, *(player for seats in paired.pairings for player in seats)}
    for player in players:
        if player not in there:
            yield player, PlayerRound(number, 0, "", False, True)


def _withdrawn(played: Sequence[PlayerRound], draw: int) -> int:
    """Points that opponents add: last absences count as draws (16.2.5, 16.3.2)."""
    more = 0
    for one in reversed(played):
        if not one.voluntary:
            break
        if not one.opponent:
            more += draw - one.points
    return more

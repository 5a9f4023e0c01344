"""Matches as a rating model sees them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.domain.ranking.standings import at_fault


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """The outcome of one match.

    Attributes:
        players: Player ids in seat order, the first seat first; two or more, all different.
        places: Their places in the same order, from 1; players who share a place have drawn.
    """

    players: tuple[str, ...]
    places: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.players) < 2 or not len(set(self.players)) == len(self.players) == len(self.places):
            raise ValueError(f"a match needs two or more different players and a place each, got {self}")


def rated_matches(results: Iterable[MatchResult], *, technical_losses: bool = True) -> Iterator[RatedMatch]:
    """The matches of a league that say something about strength.

    Args:
        results: The league's results; void matches are not among them.
        technical_losses: Count matches that ended by a technical loss. A match that all players lost is left out, and
            so is every one that was not played because a player sat out.
    """
    for result in results:
        if result.not_played:
            continue
        technical = result.status is ResultStatus.TECHNICAL_LOSS
        if technical and (not technical_losses or at_fault(result) >= {*result.players}):
            continue
        placed = result.places or {player: 1 if result.winner in (None, player) else 2 for player in result.players}
        yield RatedMatch(result.players, tuple(placed[player] for player in result.players))

"""Places in a match of three or more: 1 is best, and equals share (1, 1, 3)."""

import math
from collections.abc import Collection, Mapping, Sequence

from league_sdk.game import Outcome


def places_by(worth: Mapping[str, float]) -> dict[str, int]:
    """Each player's place: 1 and the number of players that are worth more."""
    return {player: 1 + sum(other > own for other in worth.values()) for player, own in worth.items()}


def sole_first(places: Mapping[str, int]) -> str | None:
    """The player that is first alone; None if several share the first place."""
    first = [player for player, place in places.items() if place == 1]
    return first[0] if len(first) == 1 else None


def places_of(outcome: Outcome, players: Sequence[str], failed: Collection[str] = ()) -> dict[str, int]:
    """Places by a game's scores, the highest first; those that failed share the last.

    Raises ValueError if the outcome names another winner than the player with the highest score alone.
    """
    places = places_by({player: outcome.scores[player] for player in players})
    if outcome.winner != sole_first(places):
        raise ValueError(f"the winner is {outcome.winner!r}, and the scores are {dict(outcome.scores)!r}")
    return places_by({player: -math.inf if player in failed else outcome.scores[player] for player in players})

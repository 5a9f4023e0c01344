"""Ratings of a league's players with their errors, beside the standings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from league_sdk.domain.league import League
from league_sdk.domain.model import MatchResult
from league_sdk.game import Game
from league_sdk.json_value import Json
from league_sdk.ratings.matches import RatedMatch, rated_matches
from servers.read_model.text import count

EXTRA = "pip install 'mcp-agent-league[analysis]'"
MOST_RATED = 200
"""Players up to which ratings stand beside the standings; 0.5 s of computing."""
FEWEST = 3
"""Matches of some player from which on there is an interval, and so a rating to be shown."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating on the Elo scale."""

    rating: int  # in points; the mean of all players is 1500
    margin: int | None  # half the width of the 95 % interval; None after too few matches
    # ids of players for whom the interval of the difference contains zero
    not_distinguishable_from: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.rating} ± {'?' if self.margin is None else self.margin}"

    def to_json(self) -> dict[str, Json]:
        """As fields of a row of the standings."""
        others = list(self.not_distinguishable_from)
        return {"rating": self.rating, "rating_margin": self.margin, "not_distinguishable_from": others}


@dataclass(frozen=True, slots=True)
class LeagueRatings:
    """Ratings of a league."""

    players: Mapping[str, Rating] = field(default_factory=dict[str, Rating])  # by player id; empty where there are none
    # a sentence on what they tell apart, or on why there are none; empty before there is anything to rate
    remark: str = ""

    @property
    def some_apart(self) -> bool:
        """True if some two players are distinguishable."""
        return any(len(each.not_distinguishable_from) < len(self.players) - 1 for each in self.players.values())

    def json_of(self, player_id: str) -> dict[str, Json]:
        """Fields of a player's row; none without a rating."""
        return self.players[player_id].to_json() if player_id in self.players else {}


def league_ratings(league: League, game: Game[Any] | None = None) -> LeagueRatings:
    """Rate the players of a league, technical losses included."""
    return rate(tuple(league.results.values()), chance=game is not None and game.pure_chance)


def rate(results: Sequence[MatchResult], *, chance: bool = False) -> LeagueRatings:
    """Rate players by results; `chance` says that no choice in the game is better."""
    matches = list(rated_matches(results))
    played: dict[str, int] = {}
    for player in (player for match in matches for player in match.players):
        played[player] = played.get(player, 0) + 1
    if max(played.values(), default=0) < FEWEST:
        return LeagueRatings()
    if len(played) > MOST_RATED:
        return LeagueRatings(remark=f"Ratings of more than {MOST_RATED} players: 'league ratings'.")
    needed = ["numpy", "scipy", *(["openskill"] if any(len(match.players) > 2 for match in matches) else [])]
    if any(find_spec(name) is None for name in needed):
        return LeagueRatings(remark=f"Ratings with their errors need {' and '.join(needed)}: {EXTRA}")
    return _rated(matches, chance)


def _rated(matches: Sequence[RatedMatch], chance: bool) -> LeagueRatings:
    from league_sdk.ratings.bradley_terry import bradley_terry
    from league_sdk.ratings.openskill import openskill

    estimate = (openskill if any(len(match.players) > 2 for match in matches) else bradley_terry)(matches)
    players = {
        row["name"]: Rating(row["rating"], row["margin"], tuple(row["not_distinguishable_from"]))
        for row in estimate.rows()
    }
    groups = len(estimate.parts)
    apart = f" {groups} groups of players never met; their ratings cannot be compared." if groups > 1 else ""
    return LeagueRatings(players, f"Ratings: {verdict(players, chance)}{apart}")


def verdict(players: Mapping[str, Rating], chance: bool) -> str:
    """A sentence on the pairs of players that ratings tell apart."""
    pairs = len(players) * (len(players) - 1) // 2
    alike = sum(len(each.not_distinguishable_from) for each in players.values()) // 2
    if alike < pairs:
        by = " No choice in this game is better than another; what differs is luck or faults." if chance else ""
        return f"{alike} of {count(pairs, 'pair')} of players are not distinguishable.{by}"
    why = (
        "no choice in this game is better than another, so that no number of matches tells them apart."
        if chance
        else "there are too few matches for that, or they are equally strong."
    )
    return f"no two players are distinguishable: {why}"

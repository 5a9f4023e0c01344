"""Matches of a league that were played again or are void, by player."""

from league_sdk.domain.league_state import League
from league_sdk.rematch_shares import Share, shares


def shares_of(league: League) -> dict[str, Share]:
    """Each player's share of replayed or void matches; only players with any."""
    voids = league.unplayed
    if not league.replays and not voids:
        return {}
    sides = {match_id: league.fixture(match_id).players for match_id in (*league.replays, *voids)}
    begun = {player: league.tally.row(player).played for player in league.players}
    for result in league.results.values() if league.expunged else ():
        for player in () if league.counts(result.players) else result.players:
            begun[player] += 1
    undecided = {match_id: pair for match_id, pair in sides.items() if match_id not in league.results}
    for pair in undecided.values():
        for player in pair:
            begun[player] += 1
    return shares(begun, len(league.results) + len(undecided), league.replays, voids, sides)

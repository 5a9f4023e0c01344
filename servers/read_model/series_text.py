"""The text of a match's series."""

from collections.abc import Sequence

from league_sdk.domain.league import League
from league_sdk.domain.model import MatchResult
from league_sdk.domain.pairings.series import decided, merit
from league_sdk.domain.ranking.standings import pairing_result
from servers.read_model.text import count


def series_text(league: League, result: MatchResult, ordered: Sequence[str]) -> list[str]:
    """The score of a match's series and its state; empty for a single match."""
    known = league.fixture(result.match_id)
    scheduled = league.round(known.round_id)
    if not scheduled.game:
        return []
    played = [pairing_result(result)]
    for before in league.rounds[known.round_id - scheduled.game : known.round_id - 1]:
        fixture = next((each for each in before.fixtures if {*each.players} == {*ordered}), None)
        earlier = league.results.get(fixture.match_id) if fixture else None
        played += [pairing_result(earlier)] if earlier else []
    earned = merit(played)
    score = ":".join(_points(earned.get(player, 0)) for player in ordered)
    best_of = int(league.rules.stages[scheduled.stage].options.get("best_of", 1))
    left = max(0, best_of - scheduled.game)
    if decided(earned, (ordered[0], ordered[1]), left):
        return [f", series {score}, decided" + (f" with {count(left, 'match')} to play" if left else "")]
    return [f", series {score}" + (f", {left} to play" if left else ", level")]


def _points(halves: int) -> str:
    return f"{halves // 2 or ''}½" if halves % 2 else str(halves // 2)

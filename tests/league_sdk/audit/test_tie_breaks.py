"""The audit's tie-breaks are the league's, though neither knows of the other."""

from hypothesis import given

from league_sdk.audit.pairings import Planned
from league_sdk.audit.tie_breaks import MEASURES, DecidedPoints, StartedRound, course_of
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.tie_breaks import TIE_BREAKS, RankingData
from league_sdk.tournament import ByePoints
from tests.league_sdk.domain.ranking.test_tie_breaks import tournaments

RULES = {"league_id": "cup", "seed": "42", "scoring": {"win": 3, "draw": 1, "loss": 0, "technical_loss": 0}}
WORTH = {ByePoints.NONE: 0, ByePoints.DRAW: 1, ByePoints.WIN: 3}


@given(tournaments())
def test_every_tie_break_that_needs_rounds_has_the_leagues_values(tournament):
    players, rounds = tournament
    decided, started = {}, []
    for number, played, complete in rounds:
        planned = []
        for place, result in enumerate(played.results, start=1):
            match_id = f"R{number}M{place}"
            planned.append(Planned(match_id, number, result.seats))
            if not result.void:
                decided[match_id] = DecidedPoints(match_id, result.points, result.forfeits, {})
        byes = dict.fromkeys(played.paired.byes, WORTH[played.paired.bye_points])
        started.append(StartedRound(number, planned, byes, played.paired.bye_points is ByePoints.NONE, complete))
    course = course_of(RULES, players, started, decided, players[:1])
    rows = {player: Standing(1, player, player) for player in players}
    data = RankingData(rows, {}, {}, lambda: rounds, lots="42", withdrawn=frozenset(players[:1]))
    for name, measure in MEASURES.items():
        sign = -1 if TIE_BREAKS[name].best_low else 1
        expected = TIE_BREAKS[name].values(data, players)
        assert {player: sign * measure(course, player) for player in players} == expected, name

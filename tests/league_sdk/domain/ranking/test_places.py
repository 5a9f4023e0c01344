"""Results of matches of three or more: places, points and refusals."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game_rules.lowest_unique_number import LowestUniqueNumber
from league_sdk.audit.pairings import Planned
from league_sdk.audit.table import decided_by
from league_sdk.domain.checks import check_result, points
from league_sdk.domain.events import MatchRecorded, event_to_json
from league_sdk.domain.matches.match import new_match, step
from league_sdk.domain.matches.match_io import Begin, Failure, Joined, JoinFailed, MoveMade, SendReport
from league_sdk.domain.model import Cause, Fixture, MatchResult, ResultStatus, Scoring
from league_sdk.domain.ranking.places import places_by, places_of, sole_first
from league_sdk.domain.ranking.standings import table, verdict
from league_sdk.errors import InvalidField
from league_sdk.game import Outcome
from league_sdk.ratings.matches import rated_matches

PLAYERS = ("P01", "P02", "P03")
AT = "2025-01-15T10:00:00.000Z"
FIXTURE = Fixture("R1M1", 1, PLAYERS)
SCORES = st.lists(st.integers(0, 3), min_size=3, max_size=6)


def played(scores, scoring=None):
    players = tuple(f"P{seat:02d}" for seat in range(1, len(scores) + 1))
    places = places_by(dict(zip(players, scores, strict=True)))
    winner = sole_first(places)
    status = ResultStatus.WIN if winner else ResultStatus.DRAW
    details = {"places": places, "scores": dict(zip(players, scores, strict=True))}
    result = MatchResult("R1M1", 1, players, status, winner, {}, "REF01", details=details)
    return replace(result, score=points(result, scoring or Scoring()))


def begun():
    game = LowestUniqueNumber(rounds=1)
    match = new_match(game, match_id="R1M1", round_id=1, players=PLAYERS, referee_id="REF01", seed="s", max_retries=0)
    return step(match, Begin(AT))[0]


def reported(match, inputs):
    commands = ()
    for each in inputs:
        match, commands = step(match, each)
    return next(command.result for command in commands if isinstance(command, SendReport))


def refusing(cause, player):
    return JoinFailed(player, Failure(cause, "E001", retryable=True, description="silent"), AT)


def test_a_match_of_three_ends_with_places():
    moves = [MoveMade(player, number, AT) for player, number in zip(PLAYERS, (2, 1, 2), strict=True)]
    result = reported(begun(), [*(Joined(player, AT) for player in PLAYERS), *moves])
    assert result.places == {"P01": 2, "P02": 1, "P03": 2}
    assert (result.winner, result.score) == ("P02", {"P01": 1, "P02": 6, "P03": 1})
    check_result(result, FIXTURE, Scoring())


@pytest.mark.parametrize(
    ("silent", "winner", "places", "score"),
    [
        (("P02", "P03"), "P01", (1, 2, 2), (6, 0, 0)),
        (PLAYERS, None, (1, 1, 1), (0, 0, 0)),
    ],
)
def test_where_all_but_one_fail_the_match_is_decided_at_once(silent, winner, places, score):
    answers = [refusing(Cause.NO_JOIN, player) if player in silent else Joined(player, AT) for player in PLAYERS]
    result = reported(begun(), answers)
    assert (result.status, result.winner) == (ResultStatus.TECHNICAL_LOSS, winner)
    assert tuple(result.places[player] for player in PLAYERS) == places
    assert tuple(result.score[player] for player in PLAYERS) == score
    assert all(str(verdict(result, player)) == "LOSS" for player in silent)
    check_result(result, FIXTURE, Scoring())


@given(SCORES)
def test_the_points_of_a_match_are_those_of_a_match_against_each_opponent(scores):
    result = played(scores)
    for player, own in zip(result.players, scores, strict=True):
        others = [*scores]
        others.remove(own)
        assert result.score[player] == sum(3 * (own > other) + (own == other) for other in others)


@given(SCORES)
def test_the_audit_recomputes_the_same_points_and_sides(scores):
    result = played(scores)
    told = event_to_json(MatchRecorded(result))["result"]
    match = decided_by(Planned("R1M1", 1, result.players), told, 1, AT)
    assert match.points({"win": 3, "draw": 1, "loss": 0, "technical_loss": 0}) == result.score
    assert all(match.verdict(player) == str(verdict(result, player)) for player in result.players)


def test_the_first_alone_wins_and_several_first_draw():
    rows = {row.player_id: row for row in table(dict.fromkeys(PLAYERS, ""), [played([2, 2, 1]), played([2, 1, 1])])}
    assert [(rows[each].wins, rows[each].draws, rows[each].losses) for each in PLAYERS] == [
        (1, 1, 0),
        (0, 1, 1),
        (0, 0, 2),
    ]


def test_ratings_see_the_places():
    assert [match.places for match in rated_matches([played([2, 2, 1])])] == [(1, 1, 3)]


@pytest.mark.parametrize(
    "places",
    [
        None,
        {"P01": 1, "P02": 2},
        {"P01": 1, "P02": 2, "P03": "3"},
        {"P01": 1, "P02": 2, "P03": True},
        {"P01": 1, "P02": 1, "P03": 2},
        {"P01": 2, "P02": 1, "P03": 3},
    ],
)
def test_a_report_whose_places_do_not_fit_is_refused(places):
    result = played([3, 2, 1])
    with pytest.raises(InvalidField):
        check_result(replace(result, details={"places": places}), FIXTURE, Scoring())


def test_a_game_whose_winner_has_not_the_highest_score_breaks_its_contract():
    with pytest.raises(ValueError, match="the winner is 'P01'"):
        places_of(Outcome("P01", {"P01": 0.0, "P02": 1.0, "P03": 0.0}, "so"), PLAYERS)

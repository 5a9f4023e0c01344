"""The table against an oracle that counts everything anew, pair by pair."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.decisions.result_summary import summary
from league_sdk.domain.model import DEFAULT_TIEBREAKERS, Cause, Fault, MatchResult, ResultStatus
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import Tally, Verdict, at_fault, table, verdict
from league_sdk.domain.ranking.tie_breaks import TIE_BREAKS, criteria
from tests.requirements.marker import requirement

WIN, DRAW, TECHNICAL = ResultStatus


def result(players, winner=None, status=None, faults=(), match_id="R1M1"):
    status = status or (WIN if winner else DRAW)
    score = {player: 1 if status is DRAW else 3 * (player == winner) for player in players}
    blamed = tuple(Fault(player, Cause.NO_MOVE, "move", "E001", 4, "silent") for player in faults)
    return MatchResult(match_id, 1, tuple(players), status, winner, score, "REF01", faults=blamed)


def names(count):
    return {f"P{number:02d}": f"Agent {number}" for number in range(1, count + 1)}


@st.composite
def leagues(draw):
    """Players, and results of any part of their meetings, some more than once."""
    players = names(draw(st.integers(1, 7)))
    results = []
    for pair in draw(st.lists(st.sampled_from([*combinations(players, 2)]), max_size=25)) if len(players) > 1 else []:
        winner = draw(st.sampled_from([*pair, None]))
        status = draw(st.sampled_from([WIN, TECHNICAL] if winner else [DRAW, TECHNICAL]))
        results.append(result(pair, winner, status))
    return players, results


def oracle_row(player, results):
    mine = [one for one in results if player in one.players]
    lost = [one for one in mine if one.winner != player and one.status is not DRAW]
    return {
        "played": len(mine),
        "wins": sum(one.winner == player for one in mine),
        "draws": sum(one.status is DRAW for one in mine),
        "losses": len(lost),
        "points": sum(one.score[player] for one in mine),
        "technical_losses": sum(one.status is TECHNICAL for one in lost),
    }


def oracle_value(criterion, player, tied, results):
    if criterion == "head_to_head":
        pairs = Counter(frozenset(one.players) for one in results if set(one.players) <= tied)
        if len({pairs[frozenset(pair)] for pair in combinations(tied, 2)}) > 1:
            return 0
        return oracle_row(player, [one for one in results if set(one.players) <= tied])["points"]
    if criterion.startswith("fewest_"):
        return -oracle_row(player, results)[criterion.removeprefix("fewest_")]
    return oracle_row(player, results)[criterion]


def oracle_better(a, b, criteria_left, tied, results):
    """True if a stands before b, where `tied` are all who are equal to both in every criterion before these."""
    if not criteria_left:
        return False
    values = {player: oracle_value(criteria_left[0], player, tied, results) for player in tied}
    if values[a] != values[b]:
        return values[a] > values[b]
    return oracle_better(a, b, criteria_left[1:], {p for p in tied if values[p] == values[a]}, results)


COUNTED = [name for name, each in TIE_BREAKS.items() if each.column or name == "head_to_head"]
ORDERS = st.one_of(st.just(list(DEFAULT_TIEBREAKERS)), st.lists(st.sampled_from(COUNTED), unique=True))


@requirement(
    "000-LM-STAND-02",
    "000-LM-LCOMP-02",
    "003-FORMAT-04",
    "003-SCORE-04",
    "003-LM-07",
    "004-TEST-04",
    "004-APP-04",
    "project-END-06",
)
@given(leagues(), ORDERS)
def test_the_table_agrees_with_the_oracle(league, order):
    players, results = league
    rows = table(players, results, order)
    assert sorted(row.player_id for row in rows) == sorted(players)
    for row in rows:
        assert row.display_name == players[row.player_id]
        assert oracle_row(row.player_id, results) == {
            name: getattr(row, name) for name in oracle_row(row.player_id, results)
        }
        better = [p for p in players if oracle_better(p, row.player_id, order, set(players), results)]
        assert row.rank == len(better) + 1
    assert [(row.rank, row.player_id) for row in rows] == sorted((row.rank, row.player_id) for row in rows)


@given(leagues(), ORDERS)
def test_the_leaders_are_those_with_rank_one(league, order):
    players, results = league
    tally = Tally()
    for result in results:
        tally = tally.add(result)
    ranked = tally.ranked(players, order)
    assert tally.leaders(players, order) == tuple(row.player_id for row in ranked if row.rank == 1)


@given(leagues(), st.randoms())
def test_the_order_of_results_does_not_matter(league, random):
    players, results = league
    shuffled = random.sample(results, len(results))
    assert table(players, shuffled) == table(players, results)


@given(leagues())
def test_adding_a_result_leaves_the_tally_before_it_as_it_was(league):
    players, results = league
    tally = Tally()
    for index, one in enumerate(results):
        before = tally.ranked(players)
        after = tally.add(one)
        assert tally.ranked(players) == before == table(players, results[:index])
        tally = after


@requirement("000-LM-STAND-03", "000-LM-LCOMP-02")
def test_players_who_are_equal_in_everything_share_a_rank():
    rows = table(names(4), [result(("P02", "P04"), "P02"), result(("P03", "P01"), "P03")])
    assert [(row.rank, row.player_id) for row in rows] == [(1, "P02"), (1, "P03"), (3, "P01"), (3, "P04")]


@requirement(
    "000-LM-STAND-02", "000-LM-LCOMP-02", "003-FORMAT-04", "003-SCORE-04", "003-LM-07", "004-TEST-04", "004-APP-04"
)
def test_head_to_head_decides_among_the_tied_only():
    # P01, P02, P03 each win twice. P04's matches decide nothing, though P03 beat P04 and P01 lost to P04.
    results = [
        result(("P01", "P02"), "P01"),
        result(("P01", "P03"), "P01"),
        result(("P02", "P03"), "P02"),
        result(("P04", "P01"), "P04"),
        result(("P02", "P04"), "P02"),
        result(("P03", "P04"), "P03"),
        result(("P03", "P04"), "P03"),
    ]
    assert [row.player_id for row in table(names(4), results)] == ["P01", "P02", "P03", "P04"]
    without = table(names(4), results, ["points", "wins", "draws"])
    assert [row.rank for row in without] == [1, 1, 1, 4]


@requirement(
    "000-LM-STAND-02", "000-LM-LCOMP-02", "003-FORMAT-04", "003-SCORE-04", "003-LM-07", "004-TEST-04", "004-APP-04"
)
def test_more_wins_stand_above_as_many_points_from_draws():
    results = [result(("P01", "P03")), result(("P01", "P04")), result(("P01", "P03")), result(("P02", "P04"), "P02")]
    assert [row.player_id for row in table(names(4), results)][:2] == ["P02", "P01"]


def test_the_leaders_are_found_without_a_table():
    tally = Tally()
    for one in (result(("P01", "P02"), "P02"), result(("P03", "P04"), "P03")):
        tally = tally.add(one)
    assert tally.leaders(names(4)) == ("P02", "P03")
    assert tally.add(result(("P02", "P03"), "P03")).leaders(names(4)) == ("P03",)
    assert tally.leaders(names(5), ["fewest_losses"]) == ("P02", "P03", "P05")
    assert Tally().leaders({"P100": "b", "P99": "a"}) == ("P99", "P100")
    assert Tally().leaders({}) == ()


@requirement("000-LM-QUERY-04")
def test_nobody_has_played_yet():
    rows = table(names(2), [])
    assert rows == (Standing(1, "P01", "Agent 1"), Standing(1, "P02", "Agent 2"))


def test_there_is_no_row_without_players():
    assert table({}, []) == ()


def test_the_hundredth_player_comes_after_the_ninety_ninth():
    assert [row.player_id for row in table({"P100": "b", "P99": "a"}, [])] == ["P99", "P100"]


def test_an_unknown_criterion_is_refused_and_the_known_ones_are_named():
    with pytest.raises(ValueError, match=r"unknown tie-breaker 'luck'; known: points, wins, draws, head_to_head"):
        criteria(["points", "luck"])
    with pytest.raises(ValueError, match="luck"):
        table(names(2), [], ["luck"])


@requirement("000-LM-RESULT-04")
@pytest.mark.parametrize(
    ("status", "winner", "faults", "expected"),
    [
        (WIN, "P01", (), {"P01": Verdict.WIN, "P02": Verdict.LOSS}),
        (DRAW, None, (), {"P01": Verdict.DRAW, "P02": Verdict.DRAW}),
        (TECHNICAL, "P02", ("P01",), {"P01": Verdict.LOSS, "P02": Verdict.WIN}),
        (TECHNICAL, "P02", (), {"P01": Verdict.LOSS, "P02": Verdict.WIN}),
        (TECHNICAL, None, ("P01", "P02"), {"P01": Verdict.LOSS, "P02": Verdict.LOSS}),
        (TECHNICAL, None, (), {"P01": Verdict.LOSS, "P02": Verdict.LOSS}),
    ],
)
def test_a_match_looks_different_from_each_side(status, winner, faults, expected):
    one = result(("P01", "P02"), winner, status, faults)
    assert {player: verdict(one, player) for player in one.players} == expected


def test_in_a_match_of_three_only_who_is_at_fault_loses_technically():
    one = result(("P01", "P02", "P03"), None, TECHNICAL, ("P02",))
    assert at_fault(one) == {"P02"}
    assert [verdict(one, player) for player in one.players] == [Verdict.WIN, Verdict.LOSS, Verdict.WIN]


def test_nobody_is_at_fault_in_a_match_that_was_played():
    assert at_fault(result(("P01", "P02"), "P01")) == frozenset()


@pytest.mark.parametrize(
    ("substituted", "moves", "said"),
    [
        ({}, 5, ""),
        ({"raised": 5}, 5, "5 of 5 moves were substituted"),
        ({"raised": 1, "late": 2}, 7, "3 of 7 moves were substituted"),
        ({"late": 1}, 5, "1 of 5 moves was substituted"),
        ({"late": 1}, 0, "1 move was substituted"),
        ({"late": 2}, 0, "2 moves were substituted"),
    ],
)
def test_substituted_moves_are_told_in_words(substituted, moves, said):
    assert Standing(1, "P01", "Ada", substituted=substituted, moves=moves).substitution == said


def test_a_row_counts_the_moves_that_transcripts_tell_also_of_summaries():
    talk = ({"from": "P01", "choice": "even"}, {"from": "P01", "choice": "odd"}, {"from": "P02", "accept": True})
    whole = replace(result(("P01", "P02"), "P01"), transcript=talk)
    for told in (whole, summary(whole)):
        assert [Tally().add(told).row(player).moves for player in told.players] == [2, 0]

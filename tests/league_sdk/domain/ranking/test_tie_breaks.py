"""Tie-breaks against published values, and laws that hold for all of them.

The published values are those of the FIDE Technical Commission's paper "Exercises in tie-breaking" (M. Held, March
2024), exercises 1 to 16: a Swiss tournament of 16 players with every kind of unplayed round, and a round-robin of six
with a forfeit. Scores here are 2, 1 and 0, twice those of chess, so that a Buchholz score is twice as high and a
Sonneborn-Berger score four times.
"""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.domain.pairings.unplayed_rounds import NumberedRound, PlayerRound, PlayerRounds
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import Tally, table
from league_sdk.domain.ranking.tie_breaks import TIE_BREAKS, RankingData, criteria, lot
from league_sdk.tournament import ByePoints, PairedRound, PairingResult, PlayedRound

SWISS = {
    1: "+9 =13 =2 +15 =4",
    2: "+10 +7 =1 +16 =3",
    3: "=11 +6 +8 =4 =2",
    4: "+12 h +13 =3 =1",
    5: "-13 -15 +11 =7 +10",
    6: "-14 -3 b +10 +8",
    7: "+15 -2 -16 =5 -11",
    8: "=16 +14 -3 +13 -6",
    9: "-1 -10 h f11 b",
    10: "-2 +9 -15 -6 -5",
    11: "=3 -16 -5 w9 +7",
    12: "-4 b w14 z z",
    13: "+5 =1 -4 -8 -14",
    14: "+6 -8 f12 z +13",
    15: "-7 +5 +10 -1 -16",
    16: "=8 +11 +7 -2 +15",
}
"""By player and round: won, drawn or lost against; byes that were paired, of half a point, of none; won and lost by
forfeit."""

POINTS = [3.5, 4, 3.5, 3.5, 2.5, 3, 1.5, 2.5, 1.5, 1, 2.5, 2, 1.5, 2, 2, 3.5]
BUCHHOLZ = [12.5, 13, 15.5, 15, 8.5, 12, 14.5, 13.5, 9, 13, 13.5, 11.5, 14, 11, 12, 12.5]
CUT_1 = [11, 12, 13, 11.5, 7.5, 11, 12.5, 12, 7.5, 11.5, 12, 9.5, 12, 9, 11, 11]
SONNEBORN = [8, 9.5, 10.5, 9.75, 4.25, 6.5, 3.25, 5.25, 2.25, 1.5, 5.75, 4, 4.25, 4.5, 3.5, 7.25]

CAPPED = {4: 2.5, 6: 2.5, 11: 1.5}
"""The dummy's score where the rules of March 2026 limit it and those of the paper did not: by article 16.4.2 at half a
point in each of five rounds, by 16.4.1 at the 1.5 points of the scheduled opponent. Players 4, 6 and 11 have 3.5, 3 and
2.5 points of their own."""


def slot(number, text):
    how, opponent = text[0], text[1:]
    points = {"+": 2, "=": 1, "h": 1, "b": 2, "w": 2}.get(how, 0)
    return PlayerRound(number, points, opponent, how in "+=-", how in "hzf")


def data(cross, win=2, draw=1):
    rounds = {
        str(player): [slot(number, text) for number, text in enumerate(course.split(), start=1)]
        for player, course in cross.items()
    }
    rows = {player: Standing(1, player, player) for player in rounds}
    made = RankingData(rows, {}, {}, win=win, draw=draw)
    made.played = PlayerRounds(rounds, draw)
    return made


def values(name, made):
    found = TIE_BREAKS[name].values(made, list(made.rows)) or {}
    return [found[player] for player in made.rows]


def published(numbers, factor, change=lambda _player, _less: 0):
    return [
        factor * (value - (change(player, POINTS[player - 1] - CAPPED[player]) if player in CAPPED else 0))
        for player, value in enumerate(numbers, start=1)
    ]


def test_the_scores_are_those_of_the_paper():
    assert list(data(SWISS).played.scores.values()) == [2 * points for points in POINTS]


def test_buchholz_is_that_of_exercises_1_to_5_with_the_limits_of_2026():
    assert values("buchholz", data(SWISS)) == published(BUCHHOLZ, 2, lambda _, less: less)


def test_buchholz_cut_1_is_that_of_exercises_6_to_8_with_the_limits_of_2026():
    # Player 4's bye of half a point was its own wish, and is what is cut: no limit shows.
    assert values("buchholz_cut_1", data(SWISS)) == published(CUT_1, 2, lambda player, less: less if player != 4 else 0)


def test_sonneborn_berger_is_that_of_exercise_12_with_the_limits_of_2026():
    worth = {4: 0.5, 6: 1, 11: 1}
    expected = published(SONNEBORN, 4, lambda player, less: less * worth[player])
    assert values("sonneborn_berger", data(SWISS)) == expected


ROUND_ROBIN = {
    1: "=5 +2 +3 -4 +6",
    2: "+6 -1 +5 =3 +4",
    3: "+4 +6 -1 =2 +5",
    4: "-3 -5 =6 +1 -2",
    5: "=1 +4 -2 -6 -3",
    6: "-2 -3 =4 +5 -1",
}


def test_koya_is_that_of_exercise_16():
    assert values("koya", data(ROUND_ROBIN)) == [2 * value for value in (2, 0.5, 0.5, 1, 0.5, 0)]


def test_sonneborn_berger_in_a_round_robin_is_that_of_exercise_14():
    # The sixth player's forfeit is a match like others by article 15: 1 times 1.5, and half of 1.5. (The paper's own
    # value for it follows from no reading of its table, and is left out.)
    assert values("sonneborn_berger", data(ROUND_ROBIN)) == [4 * v for v in (9.25, 6.25, 6.25, 4.25, 3.25, 2.25)]


def test_a_bye_in_the_last_round_counts_as_a_draw_for_opponents():
    # Article 16.2.5, in a tournament of four: the third player wished for its bye of half a point.
    made = data({1: "+2 =3 +4", 2: "-1 -4 b", 3: "=4 =1 h", 4: "=3 +2 -1"})
    assert values("buchholz", made) == [8, 10, 11, 10]
    assert values("buchholz_cut_1", made) == [6, 8, 8, 8]
    assert values("sonneborn_berger", made) == [13, 4, 11, 7]


def test_cuts_and_the_median_leave_scores_out():
    # Its opponents have 6, 4, 2 and 2 points.
    made = data({1: "-2 +3 +4 +5", 2: "+1 +3 +4 -5", 3: "+4 -1 -2 +5", 4: "+5 -3 -1 -2", 5: "-4 +2 -1 -3"})
    assert [values(name, made)[0] for name in ("buchholz", "buchholz_cut_1", "buchholz_cut_2", "median_buchholz")] == [
        14,
        12,
        10,
        6,
    ]


def test_the_progressive_score_counts_early_wins_more_often():
    assert values("progressive", data({1: "+2 +2 -2", 2: "-1 -1 +1"})) == [2 + 4 + 4, 0 + 0 + 2]


def match(number, seats, winner, status=ResultStatus.WIN, scores=None):
    score = {player: 3 * (player == winner) for player in seats}
    details = {} if scores is None else {"scores": dict(zip(seats, scores, strict=True))}
    return MatchResult(f"R{number}M1", number, tuple(seats), status, winner, score, "REF01", details=details)


def test_goal_difference_adds_the_games_own_scores():
    results = [
        match(1, ("P01", "P02"), "P01", scores=(5, 1)),
        match(2, ("P03", "P04"), "P03", scores=(3, 2)),
        match(3, ("P01", "P03"), "P03", scores=(0.5, 2)),
    ]
    rows = table({f"P0{number}": "" for number in range(1, 5)}, results, ("goal_difference",))
    assert {row.player_id: row.tie_breaks["goal_difference"] for row in rows} == {
        "P01": 2.5,
        "P02": -4,
        "P03": 2.5,
        "P04": -1,
    }
    assert [row.rank for row in rows] == [1, 1, 3, 4]


@pytest.mark.parametrize("scores", ["none", {"P01": "4"}, {"P01": 10**400, "P02": 0}, {"P01": float("nan"), "P02": 1}])
def test_scores_that_are_no_numbers_count_nothing(scores):
    one = match(1, ("P01", "P02"), "P01", scores=(1, 0))
    told = MatchResult("R1M1", 1, one.players, one.status, "P01", one.score, "REF01", details={"scores": scores})
    rows = table({"P01": "", "P02": ""}, [told], ("goal_difference",))
    assert {row.tie_breaks["goal_difference"] for row in rows} == {0}


def test_a_technical_loss_has_no_goals():
    lost = match(1, ("P01", "P02"), "P01", ResultStatus.TECHNICAL_LOSS, scores=(9, 0))
    rows = table({"P01": "", "P02": ""}, [lost], ("goal_difference",))
    assert {row.tie_breaks["goal_difference"] for row in rows} == {0}


def test_lots_can_be_drawn_again_by_anybody():
    # printf '42|lots|P01' | sha256sum | cut -c1-12
    assert f"{lot('42', 'P01'):012x}" == "1341b5158680"
    rows = table(dict.fromkeys(("P01", "P02", "P03"), ""), [], ("points", "drawing_of_lots"), lots="42")
    assert [row.rank for row in rows] == [1, 2, 3]
    lots = [row.tie_breaks["drawing_of_lots"] for row in rows]
    assert lots == sorted(lot("42", player) for player in ("P01", "P02", "P03"))
    assert [row.decided_by for row in rows] == ["", "drawing_of_lots", "drawing_of_lots"]


def test_the_player_id_decides_at_last_and_p99_comes_before_p100():
    rows = table(dict.fromkeys(("P100", "P99", "P02"), ""), [], ("points", "player_id"))
    assert [(row.rank, row.player_id) for row in rows] == [(1, "P02"), (2, "P99"), (3, "P100")]
    assert [row.decided_by for row in rows] == ["", "player_id", "player_id"]


def test_head_to_head_is_skipped_unless_the_tied_have_met_equally_often():
    # All three have three points; the third met nobody of the others.
    results = [match(1, ("P01", "P02"), "P01"), match(2, ("P02", "P04"), "P02"), match(3, ("P03", "P04"), "P03")]
    names = {f"P0{number}": "" for number in range(1, 5)}
    assert [row.rank for row in table(names, results)] == [1, 1, 1, 4]
    before = table(names, results, equal_meetings=False)
    assert [(row.rank, row.player_id) for row in before] == [(1, "P01"), (2, "P02"), (2, "P03"), (4, "P04")]
    again = [match(1, ("P01", "P02"), "P01"), match(2, ("P02", "P01"), "P02"), match(3, ("P01", "P02"), "P02")]
    rows = table({"P01": "", "P02": ""}, again, ("head_to_head",))
    assert [(row.player_id, row.tie_breaks["head_to_head"]) for row in rows] == [("P02", 6), ("P01", 3)]


def test_each_row_says_what_puts_it_behind_the_one_before():
    results = [match(1, ("P01", "P02"), "P01"), match(2, ("P01", "P03"), "P03")]
    rows = table({f"P0{number}": "" for number in range(1, 5)}, results, ("points", "head_to_head"))
    assert [(row.rank, row.player_id, row.decided_by) for row in rows] == [
        (1, "P03", ""),
        (2, "P01", "head_to_head"),
        (3, "P02", "points"),
        (3, "P04", ""),
    ]
    assert [row.tie_breaks for row in rows] == [{"head_to_head": 3}, {"head_to_head": 0}, {}, {}]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("bucholz", "did you mean buchholz"),
        ("play_off", "a play-off is a stage of its own"),
        ("luck", "known: points, wins"),
    ],
)
def test_a_name_that_is_none_is_refused_with_what_is_meant(name, told):
    with pytest.raises(ValueError, match=told):
        criteria(["points", name])


@st.composite
def tournaments(draw):
    """Players, and rounds in which some meet, some have a bye and some are absent."""
    players = [f"P{number:02d}" for number in range(1, draw(st.integers(2, 7)) + 1)]
    kind = draw(st.sampled_from(ByePoints))
    rounds = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        order = draw(st.permutations(players))
        matches = draw(st.integers(0, len(players) // 2))
        seats = [(order[2 * place], order[2 * place + 1]) for place in range(matches)]
        results = []
        for one, other in seats:
            how = draw(st.sampled_from(["first", "second", "draw", "forfeit", "void"]))
            points = {"first": (3, 0), "second": (0, 3), "draw": (1, 1), "forfeit": (0, 3)}.get(how)
            told = {} if points is None else dict(zip((one, other), points, strict=True))
            results.append(PairingResult((one, other), told, None, frozenset([one] if how == "forfeit" else [])))
        byes = tuple(order[2 * matches : 2 * matches + draw(st.integers(0, 1))])
        rounds.append(NumberedRound(number, PlayedRound(PairedRound(tuple(seats), byes, kind), tuple(results))))
    return players, rounds


OF_ROUNDS = [name for name, each in TIE_BREAKS.items() if each.of_rounds]


def ranked(players, rounds, names):
    return Tally().ranked(dict.fromkeys(players, ""), names, rounds=lambda: rounds)


@given(tournaments(), st.permutations(OF_ROUNDS), st.randoms())
def test_neither_the_order_of_results_nor_the_names_of_players_matter(tournament, names, random):
    players, rounds = tournament
    other = dict(zip(players, random.sample([f"P{number}" for number in range(100, 900)], len(players)), strict=True))
    renamed = [
        NumberedRound(
            number,
            PlayedRound(
                PairedRound(
                    tuple(tuple(other[player] for player in seats) for seats in played.paired.pairings),
                    tuple(other[player] for player in played.paired.byes),
                    played.paired.bye_points,
                ),
                tuple(
                    PairingResult(
                        tuple(other[player] for player in result.seats),
                        {other[player]: points for player, points in result.points.items()},
                        None,
                        frozenset(other[player] for player in result.forfeits),
                    )
                    for result in random.sample(played.results, len(played.results))
                ),
            ),
        )
        for number, played, _ in rounds
    ]
    before = {row.player_id: (row.rank, row.tie_breaks) for row in ranked(players, rounds, names)}
    after = {row.player_id: (row.rank, row.tie_breaks) for row in ranked(other.values(), renamed, names)}
    assert {other[player]: told for player, told in before.items()} == after


@given(tournaments(), st.permutations(OF_ROUNDS))
def test_equal_ranks_are_equal_in_every_criterion_and_only_they(tournament, names):
    players, rounds = tournament
    rows = ranked(players, rounds, names)
    for above, below in pairwise(rows):
        assert (above.rank == below.rank) == (above.tie_breaks == below.tie_breaks) == (below.decided_by == "")
        if below.decided_by:
            assert above.tie_breaks[below.decided_by] > below.tie_breaks[below.decided_by]


@given(tournaments())
def test_a_cut_never_raises_a_buchholz_score(tournament):
    players, rounds = tournament
    for row in ranked(players, rounds, OF_ROUNDS):
        told = row.tie_breaks
        assert told["buchholz"] >= told["buchholz_cut_1"] >= told["buchholz_cut_2"] >= 0
        assert told["buchholz_cut_1"] >= told["median_buchholz"]


def test_without_a_round_everybody_is_equal():
    rows = ranked(["P01", "P02"], [], OF_ROUNDS)
    assert [row.rank for row in rows] == [1, 1]


@pytest.mark.parametrize("players", [2, 5, 8])
def test_where_everybody_met_everybody_buchholz_follows_from_the_points(players):
    names = [f"P{number:02d}" for number in range(1, players + 1)]
    results = [match(1, pair, min(pair)) for pair in combinations(names, 2)]
    rows = table(dict.fromkeys(names, ""), results, ("points", "buchholz"))
    assert {row.points + row.tie_breaks["buchholz"] for row in rows} == {3 * len(results)}

"""The schedule's laws, for every size from 2 to 60."""

from collections import Counter
from functools import cache
from itertools import accumulate, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.pairings.schedule import matches_before, round_robin, spread
from tests.requirements.marker import requirement


def names(count):
    return [f"P{number:02d}" for number in range(1, count + 1)]


def fixtures(rounds):
    return [fixture for scheduled in rounds for fixture in scheduled.fixtures]


@cache
def schedules():
    """The rounds by the number of players."""
    return {count: round_robin(names(count)) for count in range(2, 61)}


@requirement(
    "000-LM-SCHED-05",
    "003-FORMAT-01",
    "003-ROBIN-01",
    "003-ROBIN-02",
    "003-ROBIN-03",
    "003-ROBIN-04",
    "003-LM-04",
    "003-RES-06",
    "004-TEST-03",
    "004-APP-02",
)
def test_four_players_give_the_protocols_table():
    table = {fixture.match_id: fixture.players for fixture in fixtures(round_robin(names(4)))}
    assert table == {
        "R1M1": ("P01", "P02"),
        "R1M2": ("P03", "P04"),
        "R2M1": ("P03", "P01"),
        "R2M2": ("P04", "P02"),
        "R3M1": ("P04", "P01"),
        "R3M2": ("P03", "P02"),
    }


@requirement("000-LM-SCHED-01", "003-ROBIN-04", "003-LM-04", "004-TEST-03", "004-PERF-05", "project-END-05")
def test_everybody_meets_everybody_else_once():
    for count, rounds in schedules().items():
        met = Counter(frozenset(fixture.players) for fixture in fixtures(rounds))
        assert met == Counter(frozenset(pair) for pair in combinations(names(count), 2)), count


@requirement("000-LM-SCHED-02", "004-TEST-03", "004-PERF-01", "project-END-05")
def test_everybody_has_one_match_or_a_bye_in_every_round():
    for count, rounds in schedules().items():
        for scheduled in rounds:
            busy = [player for fixture in scheduled.fixtures for player in fixture.players]
            assert sorted([*busy, *scheduled.byes]) == names(count), (count, scheduled.round_id)


@requirement("000-LM-SCHED-02", "003-ROBIN-02", "004-TEST-03", "004-PERF-01", "project-END-05")
def test_there_are_as_few_rounds_as_can_be():
    for count, rounds in schedules().items():
        assert len(rounds) == (count - 1 if count % 2 == 0 else count), count


@requirement("project-END-05")
def test_byes_are_even():
    for count, rounds in schedules().items():
        byes = Counter(player for scheduled in rounds for player in scheduled.byes)
        assert byes == (Counter(names(count)) if count % 2 else Counter()), count


@requirement("project-END-05")
def test_sides_are_even_within_one():
    for count, rounds in schedules().items():
        first = Counter(fixture.players[0] for fixture in fixtures(rounds))
        matches = count - 1
        uneven = {player: first[player] for player in names(count) if abs(2 * first[player] - matches) > 1}
        # A league of four is the exception: its table is fixed, and gives P03 the first seat in all of its matches.
        assert uneven == ({"P02": 0, "P03": 3} if count == 4 else {}), count


@requirement("000-LM-SCHED-04", "003-PROTO-05")
def test_ids_say_round_and_place():
    for count, rounds in schedules().items():
        for round_id, scheduled in enumerate(rounds, start=1):
            assert scheduled.round_id == round_id, count
            expected = [f"R{round_id}M{place}" for place in range(1, len(scheduled.fixtures) + 1)]
            assert [fixture.match_id for fixture in scheduled.fixtures] == expected, (count, round_id)
            assert {fixture.round_id for fixture in scheduled.fixtures} == {round_id}, (count, round_id)


@requirement("000-LM-SCHED-07")
@pytest.mark.parametrize("players", [[], ["P01"]])
def test_fewer_than_two_players_are_refused(players):
    with pytest.raises(ValueError, match="at least 2 players"):
        round_robin(players)


def test_a_player_named_twice_is_refused():
    with pytest.raises(ValueError, match="named twice"):
        round_robin(["P01", "P02", "P01"])


@requirement("000-LM-SCHED-03", "004-PERF-01", "project-END-05")
@given(st.integers(2, 30), st.integers(1, 12))
def test_matches_spread_evenly_over_referees(players, referees):
    rounds = round_robin(names(players))
    pool = [f"REF{number:02d}" for number in range(1, referees + 1)]
    assigned = spread(rounds, pool)
    assert set(assigned) == {fixture.match_id for fixture in fixtures(rounds)}
    for matches in [list(assigned), *[[f.match_id for f in scheduled.fixtures] for scheduled in rounds]]:
        load = Counter(dict.fromkeys(pool, 0))
        load.update(assigned[match_id] for match_id in matches)
        assert max(load.values()) - min(load.values()) <= 1
    sizes = list(accumulate((len(scheduled.fixtures) for scheduled in rounds), initial=0))
    by_round = [spread([scheduled], pool, before) for scheduled, before in zip(rounds, sizes, strict=False)]
    assert {match_id: referee for part in by_round for match_id, referee in part.items()} == assigned
    assert [len(part) for part in by_round] == [len(scheduled.fixtures) for scheduled in rounds]


@requirement("000-LM-SCHED-05")
def test_four_players_and_two_referees_give_the_documented_assignment():
    assigned = spread(round_robin(names(4)), ["REF01", "REF02"])
    assert list(assigned.values()) == ["REF01", "REF02"] * 3


@requirement("000-LM-SCHED-08")
def test_a_schedule_without_referees_is_refused():
    with pytest.raises(ValueError, match="at least 1 referee"):
        spread(round_robin(names(2)), [])


@requirement("004-OBJ-09")
def test_a_thousand_players_have_499500_matches():
    rounds = round_robin(names(1000))
    assert len(rounds) == 999
    assert {len(scheduled.fixtures) for scheduled in rounds} == {500}


def test_a_match_comes_after_the_last_matches_of_its_players():
    before = matches_before(round_robin(names(5)))
    assert before["R1M1"] == before["R1M2"] == ()
    rounds = {match.match_id: match for match in fixtures(round_robin(names(5)))}
    for match_id, earlier in before.items():
        own = {*rounds[match_id].players}
        for player in own:
            past = [name for name, match in rounds.items() if player in match.players and name < match_id]
            assert past == [] or past[-1] in earlier

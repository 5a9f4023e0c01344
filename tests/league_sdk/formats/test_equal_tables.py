"""Tables: matches of three or more."""

from collections import Counter
from itertools import combinations

import pytest

from league_sdk.formats.equal_tables import Tables
from league_sdk.tournament import FormatDoesNotFit
from tests.league_sdk.formats.simulation import pairings, played


@pytest.mark.parametrize(("seats", "count", "spread"), [(3, 6, 2), (3, 7, 2), (3, 9, 0), (4, 10, 3)])
def test_everybody_meets_everybody_about_equally_often(seats, count, spread):
    tables = pairings(played(Tables(seats), count))
    met = Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))
    players = [f"P{number:02d}" for number in range(1, count + 1)]
    meetings = [met[frozenset(pair)] for pair in combinations(players, 2)]
    assert {len(table) for table in tables} == {seats}
    assert max(meetings) - min(meetings) <= spread


@pytest.mark.parametrize("count", [4, 5, 7, 8, 11])
def test_everybody_sits_out_equally_often(count):
    tournament = played(Tables(3), count)
    byes = Counter(player for each in tournament.rounds for player in each.paired.byes)
    assert len(byes) == count
    assert len(set(byes.values())) == 1


def test_the_number_of_rounds_can_be_chosen():
    assert len(played(Tables(3, rounds=2), 9).rounds) == 2


def test_too_few_players_are_refused():
    with pytest.raises(FormatDoesNotFit, match="tables of 4 take 4 to 2,000 players, got 3"):
        Tables(4).check(3)


def test_an_impossible_option_is_refused():
    with pytest.raises(FormatDoesNotFit, match="seats is 1; tables take 2 or more"):
        Tables(seats=1)

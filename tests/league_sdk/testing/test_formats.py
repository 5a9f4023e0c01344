"""The contract of formats: all of ours keep it, and a format that breaks a promise is told which one."""

from dataclasses import replace
from importlib.util import find_spec
from typing import ClassVar

import pytest

from league_sdk.domain.pairings.stages import FormatStage, Stages
from league_sdk.formats.gauntlet import Gauntlet
from league_sdk.formats.groups import Groups
from league_sdk.formats.knockout import Knockout
from league_sdk.formats.round_robin import RoundRobin
from league_sdk.formats.swiss import Swiss
from league_sdk.testing.contract import ContractBroken
from league_sdk.testing.formats import check_format
from league_sdk.tournament import Format

FORMATS = [
    RoundRobin(),
    RoundRobin(2),
    Groups(),
    Groups(3, 2),
    Gauntlet(),
    Gauntlet(3, 2),
    Knockout(),
    Knockout(best_of=3, third_place=True),
    Knockout(double=True),
    Knockout(best_of=2, double=True, extra_matches=0),
    Swiss(),
    Swiss(3, accelerated=True),
    Swiss(best_of=2),
    RoundRobin(best_of=3),
    Stages((FormatStage(Groups(2), 4), FormatStage(Knockout(third_place=True)))),
    Stages((FormatStage(Swiss(3), 6), FormatStage(RoundRobin(2), 2), FormatStage(Knockout(5)))),
]


@pytest.mark.parametrize("tournament_format", FORMATS, ids=repr)
def test_our_formats_keep_the_contract(tournament_format):
    check_format(tournament_format)


@pytest.mark.skipif(not find_spec("py4swiss"), reason="needs the extra swiss")
def test_the_dutch_pairing_keeps_the_contract():
    check_format(Swiss(pairing="dutch"), sizes=(2, 5, 8, 13))


class Unannounced(RoundRobin):
    """A round-robin that announces nothing."""

    schedule = Format.schedule


class Twice(Unannounced):
    """Pairs the first match of every round twice."""

    def next_round(self, tournament):
        paired = super().next_round(tournament)
        return paired and replace(paired, pairings=(*paired.pairings, paired.pairings[0]))


class Endless(Unannounced):
    """Begins again and again."""

    def next_round(self, tournament):
        return super().next_round(replace(tournament, rounds=tournament.rounds[:1]))


class Moody(Unannounced):
    """Pairs otherwise each time it is asked."""

    asked: ClassVar[list[int]] = [0]

    def next_round(self, tournament):
        self.asked[0] += 1
        paired = super().next_round(tournament)
        return paired and replace(paired, title=str(self.asked[0]))


class Loyal(RoundRobin):
    """Pairs players who have left."""

    def next_round(self, tournament):
        here = tuple(replace(entrant, left_after=None) for entrant in tournament.entrants)
        return super().next_round(replace(tournament, entrants=here))


class Unaware(Swiss):
    """Pairs players that sit out."""

    def next_round(self, tournament):
        here = tuple(replace(entrant, sitting_out=False) for entrant in tournament.entrants)
        return super().next_round(replace(tournament, entrants=here))


class Forgetful(Swiss):
    """Leaves out whoever sat out once."""

    def next_round(self, tournament):
        paired = super().next_round(tournament)
        before = tournament.rounds[-1].paired if tournament.rounds else None
        there = {*before.byes, *(each for pair in before.pairings for each in pair)} if before else set()
        gone = tuple(replace(each, left_after=0) for each in tournament.entrants if each.player_id not in there)
        known = {each.player_id: each for each in gone} if before else {}
        entrants = tuple(known.get(each.player_id, each) for each in tournament.entrants)
        return paired and super().next_round(replace(tournament, entrants=entrants))


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (Twice(), "is twice in round 1"),
        (Endless(), "has not ended after"),
        (Moody(), "paired round 1 otherwise"),
        (Unaware(4), "has a player that sits out"),
        (Forgetful(4), "leaves out a player that does not sit out"),
        (Loyal(), "is not in the tournament any more|a bye to a player that has left"),
    ],
    ids=repr,
)
def test_a_broken_promise_is_named(broken, told):
    with pytest.raises(ContractBroken, match=told):
        check_format(broken)


def test_a_format_that_takes_no_field_is_told_so():
    with pytest.raises(ContractBroken, match="takes none of the numbers"):
        check_format(Groups(100))

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.commands import WithdrawAgent
from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.launcher.referee_scaling import RefereeRange, RefereeScaling, may_leave
from servers.launcher.requirements import PlanError
from tests.requirements.marker import requirement
from tests.servers.league_history import under_way

COUNTS = st.integers(0, 1000)


def referee(name: str, port: int) -> AgentSpec:
    return may_leave(AgentSpec(Role.REFEREE, name, Path("/nowhere"), port=port))


@pytest.mark.parametrize(("text", "limits"), [("2", (2, 2)), ("2:6", (2, 6)), (" 1 : 1 ", (1, 1))])
def test_a_number_or_the_fewest_and_the_most_are_read(text: str, limits: tuple[int, int]):
    assert RefereeRange.parse(text) == limits


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("6:2", "the fewest come first; say --referees 2:6"),
        ("0:3", "a league needs at least 1 referee"),
        ("0", "a league needs at least 1 referee"),
        ("two", "expected a number, such as 2, or the fewest and the most at a time, such as 2:6"),
        ("-1", "expected a number"),
        ("1:2:3", "expected a number"),
        ("2:", "expected a number"),
        ("", "expected a number"),
        ("1.5", "expected a number"),
        ("9" * 5000, "expected a number"),
    ],
)
def test_what_is_no_range_is_refused_with_what_is(text: str, told: str):
    with pytest.raises(PlanError, match=f"--referees '{text}': {told}"):
        RefereeRange.parse(text)


@requirement("project-LEAVE-06")
@pytest.mark.parametrize(
    ("running", "matches", "before", "change"),
    [
        (2, 40, 0, +2),  # a referee takes ten
        (2, 41, 0, +3),
        (2, 400, 0, +4),  # six are the most
        (6, 40, 400, 0),  # a single smaller round sends nobody away
        (6, 40, 40, -2),
        (4, 1, 1, -2),  # two are the fewest
        (1, 5, 5, +1),  # one was lost
        (3, 5, 25, 0),
    ],
)
def test_as_many_are_there_as_the_open_matches_need(running: int, matches: int, before: int, change: int):
    assert RefereeRange(2, 6).change(running, 10, matches, before) == change


@given(st.integers(1, 20), st.integers(0, 20), COUNTS, st.integers(1, 50), COUNTS, COUNTS)
def test_their_number_stays_between_the_fewest_and_the_most_and_settles(
    fewest: int, more: int, running: int, at_once: int, matches: int, before: int
):
    limits = RefereeRange(fewest, fewest + more)
    after = running + limits.change(running, at_once, matches, before)
    assert fewest <= after <= limits.most
    assert after * at_once >= min(matches, limits.most * at_once)
    assert limits.change(after, at_once, matches, before) == 0


def test_newcomers_have_ports_and_names_that_nobody_has_or_had():
    league = under_way(6, expected_players=6)  # three matches, of which a referee takes one
    league.do(WithdrawAgent("REF02", "fewer matches are open"))
    places = [referee(f"Referee {number}", number) for number in range(1, 5)]
    running = places[:1]
    joining, leaving, matches = RefereeScaling(RefereeRange(1, 4), places).change(league.league, running)
    assert [(spec.name, spec.port) for spec in joining] == [("Referee 3", 2), ("Referee 4", 3)]
    assert (leaving, matches) == ([], 3)


def test_a_newcomer_does_not_bear_the_name_of_a_player():
    league = under_way(6, expected_players=6)
    player = league.league.player("P01").display_name
    places = [referee("Referee 1", 1), referee(player, 2)]
    joining, _, _ = RefereeScaling(RefereeRange(1, 2), places).change(league.league, places[:1])
    assert [spec.name for spec in joining] != [player]
    assert len(joining) == 1


def test_the_last_to_come_are_the_first_to_go_and_none_is_asked_twice():
    league, limits = under_way(4).league, RefereeRange(1, 4)
    running = [replace(referee(f"Referee {number}", number)) for number in range(1, 5)]
    scaling = RefereeScaling(limits, running)
    assert scaling.change(league, running)[1] == running[2:]
    for spec in running[2:]:
        assert spec.leave is not None
        spec.leave.set()
    assert scaling.change(league, running)[:2] == ([], [])

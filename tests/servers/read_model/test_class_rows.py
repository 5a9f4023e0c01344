"""The students of a class beside a league."""

from dataclasses import replace
from datetime import timedelta

import pytest

from league_sdk.clock import ManualClock, to_record_time
from league_sdk.domain.commands import RemovePlayer, SitOut, StartRound
from league_sdk.domain.participants.sitting_out import SittingOutReason
from servers.read_model.class_rows import ago, check_words, class_rows, entry_of, strangers, summary
from tests.servers.class_season import a_class, registered_class, started

NOW = ManualClock().now()


def states(students, league) -> list[str]:
    return [row.words for row in class_rows(students, league, NOW)]


def test_before_a_league_students_are_invited_unless_their_card_was_revoked():
    ada, bob, cy = a_class()
    rows = class_rows((ada, replace(bob, secret=""), cy), None, NOW)
    assert [row.words for row in rows] == ["invited", "revoked", "invited"]
    assert summary(rows) == "2 invited, 1 without a card"


def test_each_state_of_a_league_is_told_for_each_student():
    ada, bob, _ = students = a_class()
    season = registered_class(ada, bob, others=2)
    assert states(students, season.league) == ["joined", "joined", "missing"]
    started(season).do(StartRound(1))
    assert states(students, season.league) == ["plays", "plays", "missing"]
    season.do(SitOut("P01", SittingOutReason.OPERATOR, "its laptop is broken"))
    season.do(RemovePlayer("P02"))
    assert states(students, season.league) == ["sits out: its laptop is broken", "left: removed", "missing"]
    assert [other.display_name for other in strangers(students, season.league)] == ["Other 0", "Other 1"]


def test_a_league_that_is_over_names_ranks_and_who_never_came():
    students = a_class()
    season = started(registered_class(*students[:2])).play()
    assert states(students, season.league) == ["played: rank 1, 3 points", "played: rank 2, 0 points", "never came"]


def test_a_student_is_found_by_its_reference_whatever_its_name_and_by_name_in_older_leagues():
    ada, bob, cy = a_class()
    league = registered_class(ada, replace(bob, reference="")).league
    renamed = replace(ada, player="Countess")
    assert [entry_of(each, league).agent_id for each in (renamed, bob)] == ["P01", "P02"]  # type: ignore[union-attr]
    assert entry_of(replace(cy, player="Ada"), league) is None


def test_the_last_check_is_told_with_its_age():
    ada = a_class()[0]
    checked = replace(ada, verdict="would play", complies=True, advised=2, checked=to_record_time(NOW))
    assert check_words(ada, NOW) == "not checked"
    assert check_words(checked, NOW + timedelta(minutes=10)) == "passed, 2 advised, 10 minutes ago"
    failed = replace(checked, complies=False, advised=0, checked="")
    assert check_words(failed, NOW) == "failed"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "just now"), (59, "just now"), (61, "1 minute ago"), (7300, "2 hours ago"), (90000, "1 day ago")],
)
def test_an_age_is_told_in_its_largest_unit(seconds, words):
    assert ago(seconds) == words

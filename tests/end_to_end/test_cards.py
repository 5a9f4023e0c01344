"""A class whose league is started by mistake: students join by their cards' links, and again with the same cards."""

import json

import pytest

from tests.end_to_end.program_harness import QUICK, ProgramHarness
from tests.requirements.marker import requirement

pytestmark = pytest.mark.slow
ROSTER = "student_id,name,email\n4711,Ada,ada@example.org\n4712,Bob,bob@example.org\n"


@requirement("project-CLI-16")
def test_a_league_that_was_started_by_mistake_is_cancelled_and_the_cards_are_good_for_the_next(
    programs: ProgramHarness,
):
    roster = programs.folder / "roster.csv"
    roster.write_text(ROSTER, encoding="utf-8")
    assert programs.run("class", "create", roster).end() == 0
    printed = programs.run("class", "cards", "--json", "--manager", programs.manager)
    assert printed.end() == 0
    files = []
    for card in json.loads(printed.out)["cards"]:
        path = programs.folder / f"{card['student_id']}.txt"
        path.write_text(card["join_link"], encoding="utf-8")
        path.chmod(0o600)
        files.append(path)
    start = ("run", "--class", "--seats", "--league-id", "spring", "--port-base", programs.base, *QUICK)
    wrong = programs.start(*start, "--title", "Sprung Cup")
    wrong.says("Watch it at")
    ada = programs.start("player", "--join-link-file", files[0])
    ada.says("Ada is P01 in league spring")
    ada.interrupt()
    ada.end()
    ada = programs.start("player", "--join-link-file", files[0])
    ada.says("Ada is P01 in league spring")  # by the token in its folder: the secret was used
    assert programs.run("control", "cancel", "--reason", "wrong title").end() == 0
    assert ada.end() == 0
    assert "the league is over; no champion: the league was cancelled by the operator: wrong title" in ada.err
    assert wrong.end() == 1
    assert "spring ended for good" in wrong.err
    right = programs.start(*start, "--title", "Spring Cup")
    right.says("spring was cancelled; this one is spring-2")
    right.says("Watch it at")
    players = [programs.start("player", "--join-link-file", path) for path in files]
    assert [player.end() for player in players] == [0, 0]
    assert right.end() == 0, right.err
    assert programs.run("audit", "spring").end() == 0
    graded = programs.run("class", "grades", "spring-2")
    assert graded.end() == 0
    assert [line.split(",")[0] for line in graded.out.splitlines()] == ["student_id", "4711", "4712"]

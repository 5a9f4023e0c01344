"""A class's event is rehearsed before the day, and nothing of the rehearsal is left."""

import json
import socket
from pathlib import Path

import pytest

from tests.end_to_end.program_harness import ProgramHarness
from tests.requirements.marker import requirement

pytestmark = pytest.mark.slow
ROSTER = "".join(
    ["student_id,name,email,player\n", *(f"{n},Student {n},s{n}@example.org,Player-{n}\n" for n in range(1, 6))]
)
SWISS = ("--format", "swiss", "--rounds", 2)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(name="town")
def with_a_class(programs: ProgramHarness) -> ProgramHarness:
    (programs.folder / "roster.csv").write_text(ROSTER, encoding="utf-8")
    assert programs.run("class", "create", programs.folder / "roster.csv").end() == 0
    (programs.folder / "tmp").mkdir()
    programs.variables["TMPDIR"] = str(programs.folder / "tmp")
    return programs


@requirement("project-CLI-18")
def test_the_whole_event_is_played_by_stand_ins_and_leaves_nothing(town: ProgramHarness):
    before = files(town.data)
    rehearsal = town.run("class", "rehearse", "--seats", "--port-base", town.base, *SWISS, "--json")
    verdict = json.loads(rehearsal.out)
    assert (rehearsal.end(), verdict["passed"], verdict["students"]) == (0, True, 5), verdict
    assert "no card is used" in rehearsal.err
    assert files(town.data) == before
    assert list((town.folder / "tmp").iterdir()) == []


def test_players_without_seats_are_called_at_their_own_ports(town: ProgramHarness):
    rehearsal = town.run("class", "rehearse", "--port-base", town.base, "--format", "swiss", "--rounds", 1)
    assert rehearsal.end() == 0, rehearsal.out
    assert "The rehearsal passed: 5 stand-ins" in rehearsal.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--format", "swiss", "--rounds", 9), "9 rounds are too many for a Swiss tournament of 5 players"),
        (("--guests", 3), "stand-ins could join; Player-"),
        (
            ("--set", "league.schedule.registration_deadline=2020-01-01T00:00:00Z"),
            "registration would close at 2020-01-01",
        ),
        (("--league-id", "spring"), "there is a league 'spring' already"),
    ],
)
def test_what_would_fail_is_told_with_exit_code_1(town: ProgramHarness, words, sentence):
    (town.data / "data" / "leagues" / "spring").mkdir(parents=True)
    rehearsal = town.run("class", "rehearse", "--seats", "--port-base", town.base, *words)
    assert (rehearsal.end(), sentence in rehearsal.out) == (1, True), rehearsal.out
    assert list((town.folder / "tmp").iterdir()) == []


def test_a_port_that_is_in_use_is_told(town: ProgramHarness):
    with socket.create_server(("127.0.0.1", town.base)):
        rehearsal = town.run("class", "rehearse", "--seats", "--port-base", town.base)
    assert (rehearsal.end(), f"port {town.base} on 127.0.0.1 is in use" in rehearsal.out) == (1, True), rehearsal.out


def test_one_that_is_interrupted_leaves_nothing(town: ProgramHarness):
    before = files(town.data)
    rehearsal = town.start("class", "rehearse", "--seats", "--port-base", town.base, "--cycles", 20)
    rehearsal.says("All 5 stand-ins have joined")
    rehearsal.interrupt()
    assert rehearsal.end() == 130
    assert files(town.data) == before
    assert list((town.folder / "tmp").iterdir()) == []


def test_a_student_who_waits_with_the_real_card_goes_on_waiting(town: ProgramHarness):
    secret = town.json("class", "cards", "--json")["cards"][0]["join_secret"]
    town.variables["LEAGUE_JOIN_SECRET"] = secret
    student = town.start("player", "--name", "Player-1", "--manager", town.manager, "--outbound")
    student.says("waiting for the league manager")
    rehearsal = town.start("class", "rehearse", "--seats", "--port-base", town.base, "--cycles", 20)
    student.says("a rehearsal is going on")
    rehearsal.interrupt()
    assert rehearsal.end() == 130
    assert not student.over
    student.interrupt()

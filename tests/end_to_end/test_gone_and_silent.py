"""One player that crashes, hangs or is late halts no league: times of whole leagues over the wire, printed with `-s`.

`make slow-test` runs them, `make class` shows the times and the grades.
"""

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from league_sdk.domain.league import League, fold
from league_sdk.domain.model import Cause
from league_sdk.settings import Workspace
from servers.cli import common
from tests.end_to_end.program_harness import ProgramHarness, program_harness

pytestmark = [pytest.mark.slow, pytest.mark.end_to_end]

ROOT = Path(__file__).parents[2]
GRACE = 15.0
"""Seconds beyond twice its time that a league may take for a crash, and for each match with a silent player."""
SILENT = (Cause.NO_JOIN, Cause.NO_MOVE)


class Played:
    """A league that is over: its records, and how long its rounds took."""

    def __init__(self, place: ProgramHarness, league_id: str) -> None:
        records = common.read_records(Workspace(place.data), league_id, None, None)
        self.league: League = fold(record.event for record in records)
        begun = next(record.at for record in records if record.type == "RoundStarted")
        self.seconds = (_time(records[-1].at) - _time(begun)).total_seconds()

    @property
    def faults(self) -> dict[str, list[tuple[str, Cause, int]]]:
        """Technical losses by name of the player: match, cause, tries."""
        found: dict[str, list[tuple[str, Cause, int]]] = {}
        for result in self.league.results.values():
            for fault in result.faults:
                name = self.league.player(fault.player_id).display_name
                found.setdefault(name, []).append((result.match_id, fault.cause, fault.tries))
        return found


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


@contextmanager
def students(place: ProgramHarness, groups: Mapping[str, Sequence[Mapping[str, str]]]) -> Generator[None]:
    """Programs that play for students, one for each group: its conduct, and its students."""
    programs: list[subprocess.Popen[bytes]] = []
    for number, (conduct, group) in enumerate(groups.items()):
        file = place.folder / f"students {number}.json"
        told: dict[str, Any] = {"manager": place.manager, "data": str(place.folder / "students"), "students": [*group]}
        file.write_text(json.dumps(told), encoding="utf-8")
        command = [sys.executable, "-m", "tests.end_to_end.students", conduct.partition(" ")[0], str(file)]
        with (place.folder / f"students {number}.txt").open("wb") as out:
            programs.append(subprocess.Popen(command, cwd=ROOT, env=place.environment, stdout=out, stderr=out))
    try:
        yield
    finally:
        for program in programs:
            program.send_signal(signal.SIGCONT)
            program.kill()
            program.wait()


def played(folder: Path, conduct: str, *options: object) -> Played:
    """A league with two guests that connect out, one of which behaves as it is told."""
    folder.mkdir()
    with program_harness(folder) as place:
        given = ("--guests", 2, "--seats", "--port-base", place.base, "--league-id", "cup", *options)
        league = place.start("run", *given)
        with students(place, {conduct: [{"name": "TeX"}], "honest 2": [{"name": "Ada"}]}):
            assert league.end() == 0, league.err
        assert place.run("audit", "cup").end() == 0
        return Played(place, "cup")


@pytest.mark.parametrize(
    "options",
    [("--players", 6), ("--players", 14, "--format", "swiss", "--rounds", 5)],
    ids=["six", "fourteen over five rounds of Swiss"],
)
def test_a_guest_that_connects_out_and_crashes_costs_its_league_seconds(tmp_path: Path, options: Sequence[object]):
    healthy = played(tmp_path / "healthy", "honest", *options)
    crashed = played(tmp_path / "crashed", "crashes", *options)
    print(f"\n{options}: {healthy.seconds:.1f} s, with a crash {crashed.seconds:.1f} s; {crashed.faults}")
    assert healthy.faults == {}
    assert set(crashed.faults) == {"TeX"}
    assert crashed.seconds < 2 * healthy.seconds + GRACE


FAULTY = ("crashes", "hangs", "nonsense", "raises", "late", "cut_off")


def a_class(folder: Path, faulty: Sequence[str]) -> tuple[Played, list[dict[str, str]]]:
    """A class of 24 by its guide: roster, cards, league, grades."""
    folder.mkdir()
    with program_harness(folder) as place:
        roster = folder / "roster.csv"
        names = [f"Student {number:02d}" for number in range(1, 25)]
        rows = [f"{4700 + number},{name},s{number}@example.org,{name}" for number, name in enumerate(names, 1)]
        roster.write_text("student_id,name,email,player\n" + "\n".join(rows) + "\n", encoding="utf-8")
        assert place.run("class", "create", roster).end() == 0
        cards = {card["player"]: card["join_secret"] for card in place.json("class", "cards", "--json")["cards"]}
        given = ("--class", "--seats", "--league-id", "spring", "--format", "swiss", "--rounds", 5)
        league = place.start("run", *given, "--port-base", place.base, "--set", "registration_timeout_sec=0")
        everybody = [{"name": name, "secret": cards[name]} for name in names]
        groups = {conduct: [student] for conduct, student in zip(faulty, everybody, strict=False)}
        rest = everybody[len(faulty) :]
        groups |= {f"honest {number}": rest[number::3] for number in range(3)}
        with students(place, groups):
            assert league.end() == 0, league.err
        assert place.run("audit", "spring").end() == 0
        grades = folder / "grades.csv"
        assert place.run("class", "grades", "spring", "-o", grades).end() == 0
        with grades.open(encoding="utf-8", newline="") as file:
            return Played(place, "spring"), [*csv.DictReader(file)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="students are processes that can be stopped")
def test_six_students_that_fail_cost_a_class_of_24_their_own_points_and_little_time(tmp_path: Path):
    healthy, _ = a_class(tmp_path / "healthy", ())
    troubled, grades = a_class(tmp_path / "troubled", FAULTY)
    silent = {match for told in troubled.faults.values() for match, cause, _ in told if cause in SILENT}
    bound = 2 * healthy.seconds + GRACE * len(silent)
    print(f"\n24 students: {healthy.seconds:.1f} s, with six that fail {troubled.seconds:.1f} s, at most {bound:.1f}")
    for name, told in sorted(troubled.faults.items()):
        print(f"  {name} {FAULTY[int(name[-2:]) - 1]}: {', '.join(f'{m} {c} ({t})' for m, c, t in told)}")
    print("".join(f"{','.join(row.values())}\n" for row in [dict.fromkeys(grades[0], ""), *grades]))
    assert healthy.faults == {}
    assert set(troubled.faults) == {f"Student {number:02d}" for number in range(1, len(FAULTY) + 1)}
    assert troubled.seconds < bound
    by_name = {row["player"]: row for row in grades}
    assert len(grades) == 24
    assert "could not be reached" in by_name["Student 01"]["remarks"]
    assert "made a move that the game does not allow" in by_name["Student 03"]["remarks"]
    assert "had a strategy that raised an error" in by_name["Student 04"]["remarks"]
    assert "did not answer the call for a move in time" in by_name["Student 05"]["remarks"]
    assert all(by_name[f"Student {n:02d}"]["technical_losses"] == "0" for n in range(len(FAULTY) + 1, 25))

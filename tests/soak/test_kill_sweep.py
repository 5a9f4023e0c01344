"""A league whose processes are killed loses nothing, counts nothing twice and blames nobody wrongly.

`make soak` does the same at length.
"""

from pathlib import Path

import pytest

from tests.ports import free_base
from tests.requirements.marker import requirement
from tests.soak import points
from tests.soak.sweep import Sweep, Verdict

pytestmark = [pytest.mark.end_to_end, pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")]


def check(sweep: Sweep, verdict: Verdict) -> None:
    assert sweep.unreached() == []
    assert verdict.faults == []
    assert verdict.acknowledged


@pytest.mark.slow
@requirement("project-LATER-02")
def test_a_manager_that_is_killed_around_every_kind_of_event_loses_nothing(tmp_path: Path):
    dooms = points.by_turns(points.of_the_manager())
    sweep = Sweep(tmp_path, free_base(), players=3, referees=1, dooms=dooms)
    check(sweep, sweep.play())


@pytest.mark.slow
@requirement("project-LATER-02")
def test_referees_and_players_that_are_killed_around_their_messages_lose_nothing(tmp_path: Path):
    dooms = points.of_the_others()[::3]
    sweep = Sweep(tmp_path, free_base(), players=3, dooms=dooms)
    check(sweep, sweep.play())


@pytest.mark.slow
@requirement("project-CLI-10", "project-LATER-02")
def test_a_run_that_is_killed_goes_on_with_league_resume(tmp_path: Path):
    dooms = points.of_the_run()[1:3]
    sweep = Sweep(tmp_path, free_base(), players=3, referees=1, dooms=dooms)
    check(sweep, sweep.play())
    assert sweep.starts == 1 + len(dooms)


@pytest.mark.slow
def test_processes_that_are_killed_at_random_lose_nothing(tmp_path: Path):
    sweep = Sweep(tmp_path, free_base(), players=16, seed=7)
    verdict = sweep.play(random_kills=20)
    check(sweep, verdict)
    assert verdict.kills >= 20

"""`make run`: what a fresh clone does first."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.program_harness import ProgramHarness
from tests.requirements.marker import requirement

ROOT = Path(__file__).parents[2]
MAKE = shutil.which("make")
pytestmark = pytest.mark.skipif(MAKE is None, reason="needs make")


def make(*arguments: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    assert MAKE is not None
    clean = {name: value for name, value in environment.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        [MAKE, "--no-print-directory", *arguments],
        cwd=folder,
        env=clean,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@requirement("project-RUN-01")
def test_it_sets_up_an_environment_from_pinned_requirements_and_then_plays(tmp_path: Path):
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    shown = make("--dry-run", "run", f"PYTHON={sys.executable}", folder=tmp_path, environment=dict(os.environ))
    assert shown.returncode == 0, shown.stderr
    steps = ("-m venv .venv", "-r requirements/run.txt", "-e .", ".venv/bin/league run")
    places = [shown.stdout.index(step) for step in steps]
    assert places == sorted(places)


@requirement("project-RUN-01")
@pytest.mark.slow
def test_with_the_environment_there_it_plays_four_players_to_a_champion_and_ends_with_0(programs: ProgramHarness):
    environment = Path(sys.prefix)
    played = make(
        *("--old-file", f"{environment}/.run", "run", f"VENV={environment}"),
        f"ARGS=--port-base {programs.base} --data {programs.data}",
        folder=ROOT,
        environment=programs.environment,
    )
    assert played.returncode == 0, played.stderr
    assert "4 of 4 players" in played.stdout
    assert "6 matches, 3 rounds, " in played.stdout
    assert "\nChampion" in played.stdout
    programs.empty()

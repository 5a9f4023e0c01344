"""A fork server that is killed while `league run` or `league resume` starts agents costs the league nothing."""

import os
import re
from pathlib import Path

import pytest

from tests.forked_program import ROOT, ForkedProgram
from tests.ports import free_base
from tests.requirements.marker import requirement

pytestmark = pytest.mark.end_to_end

PATIENT = ("--set", "registration_timeout_sec=0")
"""Registration stays open however long a new fork server takes to load on a busy machine."""


def league(folder: Path, times: str, *command: str) -> tuple[int, str]:
    """Run a command while the fork server is killed; its exit code and what it said."""
    with (folder / "said.txt").open("w") as said:
        environment = {**os.environ, "LEAGUE_DATA": str(folder / "data")}
        arguments = [times, *command]
        program = ForkedProgram(
            "tests.end_to_end.fork_server_killer", arguments, cwd=ROOT, env=environment, stdout=said, stderr=said
        )
        code = program.wait(120)
    return code, (folder / "said.txt").read_text()


@requirement("project-TRUST-12")
@pytest.mark.slow
def test_a_run_goes_on_when_it_is_killed_while_it_starts_the_manager_and_a_player(tmp_path: Path):
    code, said = league(tmp_path, "1,4", "run", "--players", "3", "--port-base", str(free_base()), *PATIENT)
    assert code == 0, said
    assert "Champion" in said
    assert "Traceback" not in said


@requirement("project-TRUST-12")
@pytest.mark.slow
def test_a_run_that_can_start_nobody_says_why_and_how_to_go_on_and_resume_does(tmp_path: Path):
    code, said = league(tmp_path, "always", "run", "--players", "3", "--port-base", str(free_base()), *PATIENT)
    assert code == 1, said
    assert "its process cannot be started" in said
    assert re.search(r"To start again:\n  league resume \S+", said), said
    assert "Traceback" not in said
    assert "ExceptionGroup" not in said
    code, said = league(tmp_path, "1,2,5", "resume")
    assert code == 0, said
    assert "Champion" in said

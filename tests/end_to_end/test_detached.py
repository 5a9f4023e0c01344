"""Leagues that continue without their terminal: left, found again, stopped, resumed."""

import os
import re
import shlex
import signal

import pytest

from tests.end_to_end.program_harness import QUICK, Program, ProgramHarness, until
from tests.end_to_end.test_interruptions import RESULT, assert_complete, recorded

pytestmark = pytest.mark.slow


def detach(programs: ProgramHarness) -> Program:
    """A league in the background that waits in round 2, and what the command said."""
    players = programs.gated("Ada", "Bob", "Cyd", "Dan")
    started = programs.run("run", "--detach", "--port-base", programs.base, *players, *QUICK)
    assert started.end() == 0, started.err
    return started


def printed(program: Program, command: str) -> list[str]:
    """The arguments of a printed command, without those that the harness adds."""
    told = rf"^  league ({command} .*?)(?: --data \S+)?(?:   .*)?$"
    (line,) = re.findall(told, program.out + program.err, re.MULTILINE)
    return shlex.split(line)


def test_a_detached_league_is_followed_left_stopped_and_resumed_by_the_commands_that_are_printed(programs):
    started = detach(programs)
    assert f"Watch it at http://localhost:{programs.base}/" in started.out
    view = programs.start(*printed(started, "attach"))
    view.says(RESULT)
    view.interrupt()
    assert view.end() == 130
    assert "Traceback" not in view.err
    before = recorded(programs)

    stopped = programs.run(*printed(view, "stop"))
    assert stopped.end() == 0, stopped.err
    assert "has been stopped" in stopped.err
    programs.empty()
    assert recorded(programs).items() >= before.items()

    after = programs.run("attach")
    assert after.end() == 1
    assert "does not run" in after.err
    programs.open_gate()
    resumed = programs.run(*printed(stopped, "resume"), "--detach")
    assert resumed.end() == 0, resumed.err
    view = programs.run("attach")
    assert view.end() == 0, view.err
    assert "\nChampion" in view.out
    assert_complete(programs, before)
    programs.empty()


def test_a_league_whose_launcher_was_killed_does_not_run_whatever_its_file_says(programs):
    started = detach(programs)
    lock = programs.data / "data" / "leagues" / "league_even_odd" / "launcher.lock"
    pid = int(re.findall(r'"pid": (\d+)', lock.read_text())[0])
    until(lambda: recorded(programs), "a result")
    view = programs.start("attach")
    view.says(RESULT)
    os.kill(pid, signal.SIGKILL)
    assert view.end() == 1
    assert "has ended" in view.err
    assert f'"pid": {pid}' in lock.read_text()
    stopped = programs.run("stop")
    assert stopped.end() == 0
    assert "does not run" in stopped.err
    assert printed(stopped, "resume") == ["resume", "league_even_odd"]
    assert started.end() == 0
    programs.empty()

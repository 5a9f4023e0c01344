"""Ctrl-C, SIGKILL and what comes after: nothing is left running, and nothing that was recorded is lost."""

import os
import re
import signal

import pytest

from tests.end_to_end.program_harness import QUICK, Program, ProgramHarness, until
from tests.requirements.marker import requirement

RESULT = r"R1M1: .*(beat|drew)"


def begin(programs: ProgramHarness) -> Program:
    """A league that stops in round 2, after its first result."""
    players = programs.gated("Ada", "Bob", "Cyd", "Dan")
    program = programs.start("run", "--port-base", programs.base, *players, *QUICK)
    program.says(RESULT)
    return program


def recorded(programs: ProgramHarness) -> dict[str, object]:
    """Every result that is stored."""
    matches = programs.look("matches", "--json")["matches"]
    return {match["match_id"]: match for match in matches if match["status"] in ("WIN", "DRAW", "TECHNICAL_LOSS")}


def assert_complete(programs: ProgramHarness, before: dict[str, object]) -> None:
    """Every match has its one result, and those of before are the same."""
    after = recorded(programs)
    assert len(after) == 6
    assert {match_id: after[match_id] for match_id in before} == before
    rows = programs.look("standings", "--json")["standings"]
    assert all(row["played"] == 3 for row in rows)
    assert sum(row["points"] for row in rows) <= 18


@requirement("project-CLI-01", "project-CLI-10")
@pytest.mark.parametrize("how", ["Ctrl-C", "killed"])
def test_an_interrupted_league_leaves_nobody_behind_and_goes_on_with_the_command_that_is_printed(programs, how):
    program = begin(programs)
    if how == "Ctrl-C":
        program.interrupt()
        assert program.end() == 130
        programs.empty()
        assert "Traceback" not in program.err
        told = re.search(r"(\d) of 6 matches are decided and kept\. To continue:\n  (league resume .*)\n", program.err)
        assert told is not None, program.err
        before = recorded(programs)
        assert len(before) == int(told[1]) >= 1
        programs.open_gate()
        resumed = programs.shell(told[2])
        code, out, err = resumed.returncode, resumed.stdout, resumed.stderr
    else:
        program.kill()
        programs.empty()
        before = recorded(programs)
        assert before
        programs.open_gate()
        again = programs.run("resume")
        code, out, err = again.end(), again.out, again.err
    assert code == 0, err
    assert "the league resumed" in out
    assert "\nChampion" in out
    assert_complete(programs, before)
    programs.empty()


INTERRUPTING = """
import os, signal, sys

def at_import(event, details):
    if event == "import" and details[0] == {module!r} and "-c" not in sys.orig_argv:
        os.killpg(0, signal.SIGINT)

sys.addaudithook(at_import)
"""
"""Python runs it before the program: Ctrl-C arrives when the program, not a helper of it, begins to load a module."""


def assert_interrupted(programs: ProgramHarness, program: Program) -> None:
    """Ctrl-C has ended a program, quickly and in silence."""
    assert program.end() == 130, program.err
    assert "Traceback" not in program.err + program.out
    programs.empty()


@pytest.mark.parametrize("module", ["servers.cli.app", "servers.launcher.supervisor"])
def test_ctrl_c_is_no_fault_while_the_program_loads(programs, module, monkeypatch):
    programs.plug_in("sitecustomize", INTERRUPTING.format(module=module))
    monkeypatch.setenv("PYTHONPATH", str(programs.folder / "mine"))
    assert_interrupted(programs, programs.start("run", "--port-base", programs.base, "--guests", 1, fresh=True))


@requirement("project-CLI-01")
@pytest.mark.parametrize("helpers", [2, 3])
def test_ctrl_c_is_no_fault_as_soon_as_there_are_other_processes(programs, helpers):
    # Two have the imports ready, the third is the first agent. Without its guest the league can't end by itself.
    program = programs.start("run", "--port-base", programs.base, "--guests", 1)
    until(lambda: len(programs.people()) > helpers, f"{helpers} processes that it has started")
    program.interrupt()
    assert_interrupted(programs, program)


def test_ctrl_c_is_no_fault_while_agents_register(programs):
    program = programs.start("run", "--port-base", programs.base, "--guests", 1)
    program.says("registered as player")
    program.interrupt()
    assert_interrupted(programs, program)
    assert "nothing was played" in program.err


@requirement("project-CLI-15")
def test_sigterm_is_not_told_as_if_somebody_had_pressed_ctrl_c(programs):
    agents = [
        programs.start("player", "--name", "Solo", "--standalone", "--port", 0),
        programs.start("manager", "--port", programs.base, "--players", 5),
    ]
    for agent, sentence in zip(agents, ("Solo: ended by SIGTERM", "ended by SIGTERM; to continue:"), strict=True):
        agent.says("listens at http://localhost:")
        os.kill(agent.pid, signal.SIGTERM)
        assert agent.end() == 130
        assert sentence in agent.err
    programs.empty()


def test_ctrl_c_ends_an_agent_that_was_started_alone(programs):
    agents = [
        programs.start("player", "--name", "Ada", "--manager", programs.manager, "--port", 0),
        programs.start("referee", "--name", "Rex", "--manager", programs.manager, "--port", 0),
        programs.start("manager", "--port", programs.base, "--players", 5),
        programs.start("player", "--name", "Solo", "--standalone", "--port", 0),
    ]
    agents[2].says("registered as player")
    agents[2].says("registered as referee")
    agents[3].says("Solo listens at http://localhost:")
    for agent in agents:
        agent.interrupt()
    assert [agent.end() for agent in agents] == [130] * 4
    assert [agent.err.rstrip().splitlines()[-1] for agent in agents if agent is not agents[2]] == [
        "Ada: ended by you",
        "Rex: ended by you",
        "Solo: ended by you",
    ]
    line = agents[2].err.rstrip().splitlines()[-1].strip()
    assert line == f"league manager --resume league_even_odd --port {programs.base} --data {programs.data}"
    again = programs.start(*line.split()[1 : line.split().index("--data")])
    again.says("the league resumed")
    again.interrupt()
    assert again.end() == 130
    assert all("Traceback" not in agent.err + agent.out for agent in [*agents, again])
    programs.empty()

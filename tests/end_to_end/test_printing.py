"""Players print as much as they like, to anybody or to nobody, and play as if they did not."""

import json
import os
import subprocess
import sys

import pytest

from tests.end_to_end.program_harness import PATIENCE, QUICK, ProgramHarness
from tests.requirements.marker import requirement

CHATTY = '''
import logging
import os

from league_sdk import strategy

logging.basicConfig(level="INFO")


@strategy("chatty")
def chatty(view):
    """Prints a lot, then takes the first move."""
    for _ in range(1000):
        print("thinking about", view.match_id, "x" * 60)
        logging.info("still thinking")
    os.write(1, b"raw " * 40_000)
    return view.legal_moves[0]
'''
LOUD = '''
import os

from league_sdk import strategy

print("printed while it is imported")


@strategy("loud")
def loud(view):
    """Prints, and takes the first move."""
    print("printed by", view.match_id, flush=True)
    os.write(1, b"written by " + view.match_id.encode() + b"\\n")
    return view.legal_moves[0]
'''
ADA = f"""
from league_sdk import Player

{CHATTY}

player = Player("Ada")
player.strategy(chatty.make(""))
player.run()
"""


@pytest.mark.slow
@requirement("project-TRUST-16")
def test_nothing_that_is_printed_decides_a_match(programs: ProgramHarness):
    """Ada's output is a pipe that nobody reads, that of the rest one whose reader has left."""
    folder = programs.plug_in("chatty", CHATTY)
    (programs.folder / "ada.py").write_text(ADA, encoding="utf-8")
    read, write = os.pipe()
    unread, full = os.pipe()
    os.close(read)
    players = [f"--player=name={name},strategy=chatty" for name in ("Bob", "Cyd")]
    given = ["--guests", "1", "--port-base", str(programs.base), "--plugins", str(folder), "--data", str(programs.data)]
    league = subprocess.Popen(
        ["league", "run", *players, *given, *QUICK],
        stdout=write,
        stderr=write,
        env=programs.environment,
        cwd=programs.folder,
    )
    environment = {
        **programs.environment,
        "LEAGUE_MANAGER": programs.manager,
        "LEAGUE_DATA": str(programs.folder / "hers"),
    }
    ada = subprocess.Popen([sys.executable, "ada.py"], stdout=full, stderr=full, env=environment, cwd=programs.folder)
    try:
        assert (league.wait(2 * PATIENCE), ada.wait(PATIENCE)) == (0, 0)
    finally:
        for process in (league, ada):
            process.kill()
            process.wait()
        for descriptor in (write, unread, full):
            os.close(descriptor)
    assert [row["technical_losses"] for row in programs.look("standings", "--json")["standings"]] == [0, 0, 0]
    logs = [*(programs.data / "logs" / "agents").glob("P*"), *(programs.folder / "hers" / "logs" / "agents").glob("P*")]
    assert len(logs) == 3
    for log in logs:
        entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        assert not [entry for entry in entries if "trouble" in entry.get("details", {})], log
        told = [entry["details"]["reason"] for entry in entries if entry.get("event_type") == "OUTPUT_LOST"]
        lost = [reason.partition(":")[0] for reason in told]
        assert sorted(lost) == sorted(set(lost)), log
        assert lost or "hers" in log.parts, log  # what she prints is held, since somebody may still read it


@requirement("project-TRUST-16")
@pytest.mark.parametrize("where", [(), ("--agents-per-process", "2"), ("--in-process",)])
def test_what_strategies_print_is_no_part_of_a_commands_json(programs: ProgramHarness, where: tuple[str, ...]):
    folder = programs.plug_in("loud", LOUD)
    players = [f"--player=name={name},strategy=loud" for name in ("Ada", "Bob")]
    ran = programs.run("run", *players, "--json", "--port-base", programs.base, "--plugins", folder, *where, *QUICK)
    assert ran.end() == 0, ran.err
    assert json.loads(ran.out)["total_matches"] == 1
    assert {"printed while it is imported", "printed by R1M1", "written by R1M1"} <= set(ran.err.splitlines())


def test_what_a_plug_in_prints_is_no_part_of_a_wire(programs: ProgramHarness):
    """A host that speaks MCP over the standard streams gets nothing else on them."""
    folder = programs.plug_in("loud", LOUD)
    program = programs.start(
        "player", "--stdio", "--standalone", "--port", 0, "--strategy", "loud", "--plugins", folder
    )
    assert program.end() == 0  # there is no host: its input has ended
    assert program.out == ""
    assert "printed while it is imported" in program.err

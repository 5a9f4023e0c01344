"""The commands of docs/how_to/many_machines.md for four machines, typed on four addresses of this one."""

import random
import re
import shlex
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, blocks
from tests.end_to_end.program_harness import program_harness
from tests.requirements.marker import requirement

PAGE = (ROOT / "docs/how_to/many_machines.md").read_text(encoding="utf-8")
MACHINES = "192.168.1."


def typed() -> list[list[str]]:
    """The command lines that name a machine by its address, in the page's order, without `league`."""
    lines = "\n".join(blocks(PAGE, "sh")).replace("\\\n", " ").splitlines()
    by_hand = [shlex.split(line) for line in lines if f"--public-host {MACHINES}" in line]
    return [words for command, *words in by_hand if command == "league"]


@pytest.mark.slow
@requirement("004-TEST-01", "001-DEP-05")
def test_agents_with_addresses_of_their_own_play_by_the_commands_of_the_page(tmp_path: Path):
    # Every address of 127.0.0.0/8 is this machine's, so that the ports of the page are free on these.
    network = f"127.{random.SystemRandom().randrange(1, 255)}.{random.SystemRandom().randrange(1, 255)}."
    with program_harness(tmp_path) as place:
        programs = {}
        for words in reversed(typed()):  # the manager last: agents wait for it
            machine = words[words.index("--public-host") + 1].replace(MACHINES, network)
            moved = [word.replace(MACHINES, network).replace("0.0.0.0", machine) for word in words]
            programs[words[0], machine] = place.start(*moved)
        manager = next(program for (role, _), program in programs.items() if role == "manager")
        manager.says("the league is complete")
        for (role, machine), program in programs.items():
            assert program.end() == 0, program.err
            assert re.search(rf"http://{re.escape(machine)}:\d+/mcp", program.out + program.err), role
    assert sorted(role for role, _ in programs) == ["manager", "player", "player", "referee"]

"""Leagues of other formats than a round-robin: killed in the middle, resumed, and audited."""

import pytest

from tests.end_to_end.program_harness import QUICK


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (5, ("--format", "swiss", "--rounds", "3")),
        (4, ("--format", "knockout", "--best-of", "3")),
        (6, ("--format", "groups")),
    ],
    ids=["swiss", "knockout", "groups"],
)
def test_a_league_of_a_format_survives_a_kill_and_passes_the_audit(programs, players, options):
    named = programs.gated(*(f"Player {number}" for number in range(1, players + 1)))
    program = programs.start("run", "--port-base", programs.base, *named, *options, *QUICK)
    program.says(r"round 2 of \d+.* started")
    program.kill()
    programs.empty()
    programs.open_gate()
    again = programs.run("resume")
    assert again.end() == 0, again.err
    assert "\nChampion" in again.out
    audit = programs.run("audit", "--strict")
    assert audit.end() == 0, audit.out
    programs.empty()

"""A league of matches of three over real processes: killed, resumed, audited and written down."""

import pytest

from tests.end_to_end.program_harness import QUICK
from tests.requirements.marker import requirement


@requirement("project-GAMES-06", "project-CLI-10")
@pytest.mark.slow
def test_a_league_of_matches_of_three_survives_a_kill_and_passes_the_audit(programs):
    pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")
    game = "openspiel:kuhn_poker(players=3)"
    named = programs.gated(*(f"Player {number}" for number in range(1, 7)))
    tables = ("--game", game, "--format", "tables", "--format-option", "seats=3")
    program = programs.start("run", "--port-base", programs.base, *named, *tables, "--referees", 1, *QUICK)
    program.says(r"round 2 of \d+.* started")
    program.kill()
    programs.empty()
    before = {match["match_id"]: match for match in programs.look("matches", "--json")["matches"] if match["score"]}
    assert before
    programs.open_gate()
    again = programs.run("resume")
    assert again.end() == 0, again.err
    assert "\nChampion" in again.out
    after = {match["match_id"]: match for match in programs.look("matches", "--json")["matches"]}
    assert {match_id: after[match_id] for match_id in before} == before
    assert all(len(match["score"]) == 3 and sum(match["score"].values()) in (6, 7, 8, 9) for match in after.values())
    audit = programs.run("audit", "--strict")
    assert audit.end() == 0, audit.out
    assert len(programs.look("ratings", "--json")["players"]) == 6
    assert programs.run("report").end() == 0
    programs.empty()

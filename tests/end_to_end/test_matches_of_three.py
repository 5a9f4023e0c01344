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


CRASHER = '''
import os

from league_sdk import strategy


@strategy("crasher")
def choose(view):
    """Ends its process in the third turn."""
    if len(view.my_moves) == 2:
        os._exit(3)
    return view.legal_moves[0]
'''


@requirement("project-TRUST-09")
@pytest.mark.slow
def test_a_third_player_whose_process_ends_in_each_match_is_played_on_by_a_stand_in(programs, tmp_path):
    (tmp_path / "crasher.py").write_text(CRASHER)
    players = [flag for name in ("Ada", "Ben", "Mal,strategy=crasher") for flag in ("--player", f"name={name}")]
    tables = ("--game", "lowest_unique_number", "--format", "tables", "--format-option", "seats=3", "--rounds", 2)
    run = programs.run(
        *("run", "--port-base", programs.base, "--plugins", tmp_path, *players, *tables, "--restarts", 0, *QUICK)
    )
    assert run.end() == 0, run.err
    assert "\nChampion" in run.out
    audit = programs.run("audit")
    assert audit.end() == 0, audit.out
    for match in ("R1M1", "R2M1"):
        replay = programs.run("replay", match)
        assert replay.end() == 0, replay.out
        assert "✓ The replay ends in the recorded result." in replay.out
        shown = programs.look("show", match, "--json")
        assert shown["status"] == "TECHNICAL_LOSS"
        assert shown["details"]["places"]["P03"] == 3
        assert "P03" in shown["details"]["stand_ins"]
    programs.empty()

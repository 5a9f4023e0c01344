"""The table of reasons is what is documented and what is tested."""

from pathlib import Path

import pytest

from servers.league_manager.setbacks import Reason, Setback, cause_of_void

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.name.lower())
def test_every_reason_is_documented_with_who_could_cause_it_and_what_follows(reason: Reason):
    said = reason.text.format(referee="REF01")
    row = f"| `{said}` | {reason.caused_by} | {'again' if reason.again else 'void'} |"
    assert row in (ROOT / "docs" / "faults.md").read_text()


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.name.lower())
def test_every_reason_has_a_test_of_what_follows(reason: Reason):
    said = reason.text.format(referee="REF01")
    tests = "".join(
        (Path(__file__).parent / f"test_{name}.py").read_text()
        for name in ("league_runner", "lost_nodes", "operator_controls")
    )
    assert said in tests or said.removeprefix("REF01 ") in tests


def test_no_reason_in_the_players_reach_gives_another_try():
    assert {reason.name for reason in Reason if not reason.again} == {"ABORTED", "GAME_FAILED", "UNREPORTED"}
    assert "player" not in "".join(
        reason.caused_by for reason in Reason if reason.again and reason is not Reason.STALLED
    )


def test_a_setback_names_its_referee():
    assert str(Setback(Reason.SILENT, "REF02")) == "REF02 stopped answering"
    assert str(Setback(Reason.NOT_TAKEN, "REF02", "busy")) == "REF02 did not take it: busy"


def test_the_cause_of_a_void_match_counts_the_parts_that_failed_the_last_one_first():
    seats, silent = Setback(Reason.NO_SEATS, "REF01"), Setback(Reason.SILENT, "REF02")
    told = cause_of_void([silent, seats, seats])
    assert told == (
        "the seats process failed 2 times and the referee failed once: REF01 waited for the seats process in vain"
    )
    assert cause_of_void([Setback(Reason.ABORTED, "REF01")]) == "REF01 had to abort it", "it may be the game's fault"
    assert cause_of_void([]) == ""

"""Backups of leagues that run, restored on a bare folder and led in a new epoch, beside the older manager."""

import os
import re
import shutil
import signal
from pathlib import Path

import pytest

from tests.end_to_end.program_harness import QUICK, Program, ProgramHarness, program_harness, until
from tests.end_to_end.test_two_managers import two_machines

SECRETS = {"LEAGUE_BACKUP_PASSPHRASE": "correct horse battery staple"}


def begun(programs: ProgramHarness, *more: object) -> Program:
    """A league that stops in round 2, after its first results."""
    programs.variables.update(SECRETS)
    players = programs.gated("Ada", "Bob", "Cyd", "Dan")
    program = programs.start("run", "--port-base", programs.base, "--league-id", "cup", *players, *QUICK, *more)
    program.says("round 2 of 3 started")
    return program


@pytest.mark.postgres
def test_a_league_goes_to_postgresql_on_a_bare_folder_while_it_runs_and_is_played_to_its_end(
    programs: ProgramHarness, postgres_url: str
):
    league = begun(programs)
    file = programs.folder / "cup.backup"
    backup = programs.run("backup", "cup", file)
    assert backup.end() == 0, backup.err
    refused = programs.run("delete", "cup", "--yes")
    assert (refused.end(), "stop it first" in refused.err) == (2, True)
    league.kill()
    programs.empty()
    shutil.rmtree(programs.data)
    restored = programs.run("restore", file, "--store", postgres_url, "--lead", "--yes")
    assert restored.end() == 0, restored.err
    programs.open_gate()
    resumed = programs.run("resume", "cup")
    assert resumed.end() == 0, resumed.err
    audit = programs.json("audit", "cup", "--json")
    assert (audit["findings"], audit["complete"]) == ([], True)
    assert [match["status"] for match in programs.json("matches", "cup", "--json")["matches"]].count("VOID") == 0


def test_a_copy_is_not_led_while_the_older_manager_answers(programs: ProgramHarness, tmp_path: Path):
    league = begun(programs)
    file = programs.folder / "cup.backup"
    assert programs.run("backup", "cup", file).end() == 0
    (tmp_path / "second").mkdir()
    with program_harness(tmp_path / "second") as second:
        second.variables.update(SECRETS)
        lead = second.run("restore", file, "--lead", "--yes")
        assert lead.end() == 2
        assert re.search(r"the league manager at http://\S+/mcp still leads cup: stop it first", lead.err)
        resumed = second.run("resume", "cup")
        assert (resumed.end(), "are read-only" in resumed.err) == (2, True)
    programs.open_gate()
    assert league.end() == 0, league.err


def test_an_older_manager_that_wakes_up_ends_with_a_sentence_once_its_agents_were_called_from_the_new_epoch(
    tmp_path: Path,
):
    """Each manager has a store of its own, so nothing but the agents can tell the older one."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with two_machines(tmp_path, f"sqlite:///{tmp_path}/first.db") as league:
        for place in (league.first, league.second):
            place.variables.update(SECRETS)
        older = league.manager(league.first, 0, "--league-id", "cup", "--players", "4", "--referees", "1")
        league.agents()
        older.says("round 2 of 3")
        file = tmp_path / "cup.backup"
        assert league.first.run("backup", "cup", file).end() == 0
        os.kill(older.pid, signal.SIGSTOP)
        league.store = f"sqlite:///{tmp_path}/second.db"
        lead = league.second.run("restore", file, "--store", league.store, "--lead", "--yes")
        assert lead.end() == 0, lead.err
        newer = league.manager(league.second, 1, "--resume", "cup")
        (kept,) = (league.first.data / "data" / "secrets" / "cup").glob("referee-*.json")
        until(lambda: '"epoch_number": 1' in kept.read_text(), "the referee follows the new epoch")
        os.kill(older.pid, signal.SIGCONT)
        assert older.end() == 3, older.err
        assert "follow another league manager, of epoch 1" in older.err + older.out
        league.first.open_gate()
        assert newer.end() == 0, newer.err
        audit = league.second.run("audit", "cup", "--store", league.store)
        assert audit.end() == 0, audit.out + audit.err
        assert "6 of 6" in audit.out

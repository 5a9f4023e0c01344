"""Two managers of one league, one of them frozen; and a league whose database is restarted, or fails over."""

import os
import re
import signal
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.program_harness import QUICK, Program, ProgramHarness, program_harness
from tests.league_sdk.stores.conftest import private_postgres
from tests.ports import free_base
from tests.requirements.marker import requirement
from tests.tcp_forwarder import Forwarder, forwarder

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("PostgreSQL")]
TOKEN = "the-operators-token-of-both"
OFTEN = ("--set", "heartbeat_interval_sec=0.5")
SHARED = {"LEAGUE_SECURITY__REFEREE_SECRET": "what-referees-have"}
"""Managers in folders of their own, behind an address that is neither's."""


class TwoMachines:
    """Two folders and two ports, with one store and one address for both managers."""

    def __init__(self, first: ProgramHarness, second: ProgramHarness, address: Forwarder, store: str) -> None:
        self.first, self.second, self.address, self.store = first, second, address, store
        self._base = free_base()

    def manager(self, place: ProgramHarness, offset: int, *more: str) -> Program:
        """A manager of the league that all agents find at the shared address."""
        port = self._base + offset
        command = (
            "manager",
            "--port",
            port,
            "--store",
            self.store,
            "--operator-token",
            TOKEN,
            *more,
            *QUICK,
            *OFTEN,
        )
        program = place.start(*command)
        program.says("listens at")
        self.address.lead_to(port)
        return program

    def agents(self) -> None:
        """A referee, and four players who stop in round 2."""
        where = ("--manager", f"http://127.0.0.1:{self.address.port}/mcp", "--port", 0)
        self.first.start("referee", "--name", "Rhea", *where, *QUICK, *OFTEN)
        plugins = ("--plugins", self.first.gated()[1])
        for name in ("Ada", "Bob", "Cyd", "Dan"):
            self.first.start("player", "--name", name, "--strategy", "gated", *plugins, *where, *QUICK, *OFTEN)


@contextmanager
def two_machines(folder: Path, store: str) -> Generator[TwoMachines]:
    with ExitStack() as stack:
        places = [stack.enter_context(program_harness(folder / name)) for name in ("first", "second")]
        for place in places:
            place.variables.update(SHARED)
        yield TwoMachines(places[0], places[1], stack.enter_context(forwarder()), store)


@pytest.fixture(params=["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "SQLite":
        return f"sqlite:///{tmp_path}/events.db"
    return request.getfixturevalue("postgres_url")


@requirement("project-LATER-09")
def test_a_manager_that_wakes_up_behind_another_one_records_nothing_and_says_so(tmp_path: Path, store: str):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with two_machines(tmp_path, store) as league:
        frozen = league.manager(league.first, 0, "--league-id", "cup", "--players", "4", "--referees", "1")
        league.agents()
        frozen.says("round 2 of 3")
        os.kill(frozen.pid, signal.SIGSTOP)
        leading = league.manager(league.second, 1, "--resume", "cup")
        leading.says("the league resumed")
        said_before = frozen.out + frozen.err
        os.kill(frozen.pid, signal.SIGCONT)
        assert frozen.end() == 3, frozen.err
        said = (frozen.out + frozen.err).removeprefix(said_before)
        assert "another league manager leads cup now" in said
        assert "Do not restart it" in said
        assert re.search(r"beat|drew|round \d", said) is None, said
        league.first.open_gate()
        assert leading.end() == 0, leading.err
        audit = league.second.run("audit", "cup", "--store", store)
        assert audit.end() == 0, audit.out + audit.err
        assert "6 of 6" in audit.out


@requirement("project-LATER-09")
def test_a_frozen_manager_of_the_same_machine_keeps_its_lock(programs: ProgramHarness):
    frozen = programs.start("manager", "--port", programs.base, "--league-id", "cup", "--players", 4)
    frozen.says("listens at")
    os.kill(frozen.pid, signal.SIGSTOP)
    second = programs.run("manager", "--resume", "cup", "--port", programs.base + 1)
    assert second.end() == 2
    assert "stop that manager first" in second.err
    os.kill(frozen.pid, signal.SIGCONT)


@pytest.mark.postgres
@requirement("project-LATER-09")
def test_a_league_outlasts_a_restart_of_its_database(programs: ProgramHarness, postgres_url: str, postgres_server: Any):
    league = programs.start(
        "run",
        "--port-base",
        programs.base,
        "--store",
        postgres_url,
        *programs.gated("Ada", "Bob", "Cyd", "Dan"),
        *QUICK,
    )
    league.says(r"R1M1: .*(beat|drew)")
    postgres_server.stop()
    programs.open_gate()
    postgres_server.start()
    assert league.end() == 0, league.err
    assert "6 matches, 3 rounds" in league.out
    audit = programs.run("audit", "--store", postgres_url)
    assert audit.end() == 0, audit.out + audit.err


@pytest.mark.postgres
@requirement("project-LATER-09")
def test_a_league_outlasts_a_fail_over_of_its_database(programs: ProgramHarness):
    with private_postgres() as primary:
        primary.start()
        address = primary.folder / "address"
        address.symlink_to(primary.folder)
        store = primary.new_database().replace(str(primary.folder), str(address))
        with private_postgres(primary) as standby:
            standby.start()
            primary.wait_for_standby()
            where = ("--port-base", programs.base, "--store", store)
            league = programs.start("run", *where, *programs.gated("Ada", "Bob", "Cyd", "Dan"), *QUICK)
            league.says(r"R1M1: .*(beat|drew)")
            primary.stop()
            programs.open_gate()
            standby.promote()
            address.unlink()
            address.symlink_to(standby.folder)
            assert league.end() == 0, league.err
            assert "6 matches, 3 rounds" in league.out
            audit = programs.run("audit", "--store", store)
            assert audit.end() == 0, audit.out + audit.err
            standby.stop()

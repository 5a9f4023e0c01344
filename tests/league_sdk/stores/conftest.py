"""A PostgreSQL of our own, and leagues to fill stores and files with."""

import asyncio
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    Command,
    CompleteLeague,
    CompleteRound,
    CreateLeague,
    ForfeitMatch,
    RecordResult,
    RegisterPlayer,
    RegisterReferee,
    StartLeague,
    StartRound,
    VoidMatch,
)
from league_sdk.domain.events import GENESIS, Record, seal
from league_sdk.domain.league import League, decide, evolve
from league_sdk.domain.model import (
    Agent,
    Cause,
    Fault,
    Fixture,
    LeagueRules,
    MatchResult,
    ResultStatus,
    Role,
)


class PostgresServer:
    """A private cluster in a folder of its own, reached through a Unix socket, so that it needs no port.

    With a primary it is that one's standby.
    """

    def __init__(self, programs: Path, folder: Path, user: int | None, primary: "PostgresServer | None" = None) -> None:
        self._programs = programs
        self.folder = folder
        self._user = user
        self._databases = itertools.count(1)
        data = ("-D", str(folder / "data"), "-U", "league", "--no-sync")
        if primary is None:
            self._run("initdb", *data, "--auth=trust")
        else:
            self._run("pg_basebackup", *data, "-h", str(primary.folder), "--write-recovery-conf", "--checkpoint=fast")

    def admit(self, subnet: str) -> None:
        """Let machines of a network in, without a password."""
        with (self.folder / "data" / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {subnet} trust\n")

    def start(self, address: str = "") -> None:
        """Start it; with an address it can be reached by other machines, too."""
        # fsync is off since nobody cuts the power in a test; a killed server still has what it committed.
        options = f"-k {self.folder} -c listen_addresses={address} -c fsync=off -c max_connections=40"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-t", "60", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", "immediate", "stop")

    def wait_for_standby(self) -> None:
        """From now on acknowledge what the standby has, too."""
        asyncio.run(self._do("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"))

    def promote(self) -> None:
        """Take over from the primary."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-t", "60", "promote")

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"league_{next(self._databases)}"
        asyncio.run(self._do(f"CREATE DATABASE {name}"))
        return f"postgresql://league@/{name}?host={self.folder}"

    async def ask(self, database: str, query: str) -> Any:
        """One value by SQL; None if the query's table is yet to be made."""
        import asyncpg

        connection = await asyncpg.connect(user="league", host=str(self.folder), database=database)
        try:
            return await connection.fetchval(query)
        except asyncpg.UndefinedTableError:
            return None
        finally:
            await connection.close()

    async def _do(self, *statements: str) -> None:
        import asyncpg

        connection = await asyncpg.connect(user="league", host=str(self.folder), database="postgres")
        for statement in statements:
            await connection.execute(statement)
        await connection.close()

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            user=self._user,
            group=None if self._user is None else pwd.getpwuid(self._user).pw_gid,
            extra_groups=None if self._user is None else [],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # not a pipe: the server would inherit it and keep it open
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program} ended with {done.returncode}")


def _programs() -> Path | None:
    on_path = shutil.which("initdb")
    candidates = [Path(on_path).resolve().parent] if on_path else []
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    needed = ("initdb", "pg_ctl", "postgres")
    return next((found for found in candidates if all((found / name).exists() for name in needed)), None)


def _unprivileged_user() -> int | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    return names.get("postgres", names.get("nobody", 65534))


@contextmanager
def private_postgres(primary: PostgresServer | None = None) -> Generator[PostgresServer]:
    """A server, or the standby of one, that is yet to be started; skips where there are no programs for it."""
    pytest.importorskip("asyncpg", reason="PostgreSQL's driver asyncpg is not installed")
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL's server programs (initdb, pg_ctl, postgres) are not installed")
    user = _unprivileged_user()
    folder = Path(tempfile.mkdtemp(prefix="league-pg-", dir="/tmp"))  # short: a socket's path has 107 bytes at most
    if user is not None:
        os.chown(folder, user, -1)
    try:
        yield PostgresServer(programs, folder, user, primary)
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with private_postgres() as server:
        server.start()
        yield server
        server.stop()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    return postgres_server.new_database()


class ScriptedLeague:
    """A league that is led from command to command, with a record for every event."""

    def __init__(self, league_id: str = "league_2025") -> None:
        self.league: League | None = None
        self.records: list[Record] = []
        self._league_id = league_id

    def do(self, command: Command) -> list[Record]:
        added: list[Record] = []
        for event in decide(self.league, command):
            self.league = evolve(self.league, event)
            number = len(self.records) + 1
            at = f"2025-01-15T{10 + number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z"
            previous = self.records[-1].digest if self.records else GENESIS
            added.append(seal(self._league_id, number, at, event, previous))
            self.records += added[-1:]
        return added

    def commands(self, outcomes: Iterator[str], players: int = 4) -> Iterator[Command]:
        """A whole league; every match ends as the next of `outcomes` says: A, B, draw, fault, both, void."""
        yield CreateLeague(LeagueRules(self._league_id, "guess", display_name="Test", expected_players=players))
        for number in range(1, 3):
            yield RegisterReferee(_agent(Role.REFEREE, f"Referee {number}"), "secret")
        for number in range(1, players + 1):
            yield RegisterPlayer(_agent(Role.PLAYER, f"Agent {number}"))
        yield CloseRegistration("quorum")
        yield StartLeague()
        assert self.league is not None
        for scheduled in self.league.rounds:
            yield StartRound(scheduled.round_id)
            for fixture in scheduled.fixtures:
                if self.league.sits_out(fixture):
                    yield ForfeitMatch(fixture.match_id)
                    continue
                yield AssignMatch(fixture.match_id, "REF01")
                outcome = next(outcomes)
                if outcome == "void":
                    yield VoidMatch(fixture.match_id, "no referee left")
                else:
                    yield RecordResult(_result(fixture, outcome))
            yield CompleteRound(scheduled.round_id)
        yield CompleteLeague()


def _agent(role: Role, name: str) -> Agent:
    return Agent("", role, name, "http://localhost:8101/mcp", "0" * 64, game_types=("guess",))


def _result(fixture: Fixture, outcome: str) -> MatchResult:
    one, two = fixture.players
    winner = {"A": one, "B": two, "fault": two}.get(outcome)
    faulty = {"fault": (one,), "both": (one, two)}.get(outcome, ())
    status = ResultStatus.TECHNICAL_LOSS if faulty else ResultStatus.DRAW if winner is None else ResultStatus.WIN
    points = {one: 1, two: 1} if outcome == "draw" else {player: 3 * (player == winner) for player in (one, two)}
    at = "2025-01-15T10:00:{:02d}.000Z".format
    return MatchResult(
        match_id=fixture.match_id,
        round_id=fixture.round_id,
        players=fixture.players,
        status=status,
        winner=winner,
        score=points,
        referee_id="REF01",
        reason=outcome,
        details={"choices": {one: "left", two: "right"}, "drawn": 8},
        faults=tuple(Fault(player, Cause.NO_MOVE, "move", "E001", 3, "silent", {"waited": 30.0}) for player in faulty),
        lifecycle={
            "CREATED": at(0),
            "WAITING_FOR_PLAYERS": at(1),
            "COLLECTING_CHOICES": at(5),
            "FINISHED": at(12),
        },
        transcript=(
            {"message_type": "GAME_INVITATION", "timestamp": at(1), "to": [one, two]},
            {"message_type": "GAME_JOIN_ACK", "timestamp": at(2), "from": one},
            {"message_type": "GAME_JOIN_ACK", "timestamp": at(3), "from": two},
        ),
    )


@pytest.fixture
def scripted_league() -> Callable[..., ScriptedLeague]:
    return ScriptedLeague

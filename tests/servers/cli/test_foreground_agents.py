"""One agent in the foreground; the others of its league run on an event loop of their own, in a thread."""

import asyncio
import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

import anyio
import pytest

from league_sdk.domain.model import Role
from league_sdk.settings import ConfigLoader, Workspace, read_secret
from servers.agent.agent_spec import AgentSpec
from servers.agent.manager_lock import manager_lock
from servers.agent.startup_status import Report
from servers.cli import common
from servers.launcher.agents import run_agent
from tests.ports import free_base
from tests.requirements.marker import requirement
from tests.servers.league_history import finished, under_way

PATIENCE = 240.0


class Beside:
    """Agents in a thread.

    Args:
        specs: The agents.
    """

    def __init__(self, specs: list[AgentSpec]) -> None:
        self.heard: list[tuple[str, Report]] = []
        self._specs = specs
        self._news = threading.Condition()
        self._ready = threading.Event()
        self._end: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=lambda: anyio.run(self._live))

    def wait_for(self, found: Callable[[list[tuple[str, Report]]], bool]) -> None:
        """Wait until this has been reported."""
        with self._news:
            assert self._news.wait_for(lambda: found(self.heard), PATIENCE), self.heard

    @contextmanager
    def running(self) -> Generator["Beside"]:
        """Start, and end, all of them."""
        self._thread.start()
        try:
            yield self
        finally:
            self._ready.wait(PATIENCE)
            self._end()
            self._thread.join(PATIENCE)

    async def _live(self) -> None:
        loop, over = asyncio.get_running_loop(), anyio.Event()
        self._end = lambda: loop.call_soon_threadsafe(over.set)
        self._ready.set()
        async with anyio.create_task_group() as agents:
            for spec in self._specs:
                agents.start_soon(self._one, spec)
            await over.wait()
            agents.cancel_scope.cancel()

    async def _one(self, spec: AgentSpec) -> None:
        def hear(report: Report) -> None:
            with self._news:
                self.heard.append((spec.name, report))
                self._news.notify_all()

        await run_agent(spec, hear)


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch) -> int:
    """A port base of a league whose agents have folders of their own, and its referee secret."""
    monkeypatch.setenv("LEAGUE_SECURITY__REFEREE_SECRET", "what referees show")
    return free_base()


@pytest.fixture
def member(tmp_path, base) -> Callable[..., AgentSpec]:
    """A referee or player of the league whose manager is at the base port."""

    def spec(role: Role, name: str, **changes: Any) -> AgentSpec:
        url = f"http://localhost:{base}/mcp"
        return AgentSpec(role, name, tmp_path / "others", manager_url=url, game_types=("even_odd",), **changes)

    return spec


@pytest.fixture
def manager(tmp_path, base) -> Callable[..., AgentSpec]:
    """A league manager at the base port."""

    def spec(players: int, **changes: Any) -> AgentSpec:
        rules = ConfigLoader().league_rules(
            "league_even_odd",
            as_id="summer",
            expected_players=players,
            expected_referees=1,
            registration_timeout_sec=0,
        )
        workspace = Workspace(tmp_path / "league-data")
        workspace.prepare()
        workspace.league_dir("summer").mkdir(parents=True)
        return AgentSpec(
            Role.LEAGUE_MANAGER,
            "Manager",
            workspace.root,
            port=base,
            league_id="summer",
            game_types=("even_odd",),
            operator_token="the operator's",
            rules=rules,
            **changes,
        )

    return spec


def contents(workspace: Workspace) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(path): path.read_bytes() for path in sorted(workspace.root.rglob("*")) if path.is_file()}


def registered(name: str) -> Callable[[list[tuple[str, Report]]], bool]:
    return lambda heard: any(who == name and report["kind"] == "registered" for who, report in heard)


def interrupt_when(text: str, monkeypatch: pytest.MonkeyPatch, which: int = signal.SIGINT) -> None:
    """Ctrl-C, once this has been shown."""
    plain = common.print_err

    def tell(line: str) -> None:
        plain(line)
        if text in line:
            os.kill(os.getpid(), which)

    monkeypatch.setattr(common, "print_err", tell)


class TestManager:
    def test_it_leads_a_league_from_registration_to_champion(self, league, base, member, workspace):
        others = [member(Role.PLAYER, "Ada"), member(Role.PLAYER, "Bob"), member(Role.REFEREE, "Rex")]
        with Beside(others).running():
            ran = league("manager", "--port", base, "--players", 2, "--referees", 1, "--league-id", "summer")
        assert (ran.code, ran.out) == (0, "")
        lines = ran.err.splitlines()
        assert lines[0] == f"the operator's token is in {workspace.operator_token_file('summer')}"
        assert "league summer is open for registration: even_odd, waiting for 2 players and 1 referee" in lines
        assert f"listens at http://localhost:{base}/mcp; watch the league at http://localhost:{base}/\n" in ran.err
        assert any(line.startswith("the league is complete; champion") for line in lines)

    def test_for_programs_it_prints_an_object_a_line(self, league, base, member):
        others = [member(Role.PLAYER, "Ada"), member(Role.PLAYER, "Bob"), member(Role.REFEREE, "Rex")]
        with Beside(others).running():
            ran = league("manager", "--port", base, "--players", 2, "--referees", 1, "--json")
        assert (ran.code, ran.err) == (0, "")
        kinds = [json.loads(line)["kind"] for line in ran.out.splitlines()]
        assert set(kinds) == {"listening", "record"}

    @requirement("project-GAMES-07")
    def test_a_game_that_the_leagues_format_does_not_seat_is_refused(self, league, base, workspace):
        ran = league("manager", "--port", base, "--game", "lowest_unique_number")
        assert (ran.code, ran.out) == (2, "")
        assert "lowest_unique_number is for 3 to 8 players, and the league's format plays matches of 2" in ran.err
        assert '"schedule": {"algorithm": "tables", "options": {"seats": 3}}' in ran.err
        assert not workspace.data.exists()

    @pytest.mark.parametrize("players", [("--players", 4), ("--set", "league.participants.max_players=4")], ids=str)
    def test_a_format_that_its_players_cannot_play_is_refused_before_any_registers(
        self, league, base, workspace, players
    ):
        ran = league(
            "manager", "--port", base, "--set", "league.format=swiss", "--set", "league.total_rounds=9", *players
        )
        assert (ran.code, ran.out) == (2, "")
        assert "rounds are too many for a Swiss tournament of 4 players" in ran.err
        assert not workspace.data.exists()

    def test_an_id_that_is_taken_is_refused(self, league, base, workspace):
        finished(2).write(workspace)
        ran = league("manager", "--port", base, "--league-id", "summer")
        assert ran.code == 2
        assert "league 'summer' already exists; continue it with --resume summer" in ran.err

    def test_or_resume_needs_to_know_which_league_and_goes_on_with_it(self, league, base, workspace, monkeypatch):
        ran = league("manager", "--port", base, "--or-resume")
        assert ran.code == 2
        assert "--or-resume needs --league-id" in ran.err
        finished(2).write(workspace)
        made = list[AgentSpec]()
        monkeypatch.setattr("servers.cli.manager.serve", lambda spec, *_: made.append(spec))
        for league_id in ("summer", "autumn"):
            assert league("manager", "--port", base, "--league-id", league_id, "--or-resume").code == 0
        assert [(spec.league_id, spec.resume, spec.rules is None) for spec in made] == [
            ("summer", True, True),
            ("autumn", False, False),
        ]

    @pytest.mark.parametrize("flags", [("--resume", "summer"), ("--league-id", "summer", "--or-resume")], ids=str)
    def test_a_league_that_another_manager_leads_is_left_alone_at_once(self, league, base, workspace, flags):
        under_way(2).write(workspace)
        with manager_lock(workspace, "summer") as at:
            at(f"http://localhost:{base}/mcp")
            before = contents(workspace)
            ran = league("manager", "--port", base + 1, *flags)
            assert contents(workspace) == before
        assert (ran.code, ran.out) == (2, "")
        assert f"the league manager at http://localhost:{base}/mcp is running summer, so it cannot be" in ran.err
        assert "\n  league control resume --league summer\n" in ran.err
        assert "To resume it here instead, stop that manager first." in ran.err

    def test_a_league_that_is_complete_may_be_shown_by_several_managers(self, league, base, workspace, monkeypatch):
        finished(2).write(workspace)
        made = list[AgentSpec]()
        monkeypatch.setattr("servers.cli.manager.serve", lambda spec, *_: made.append(spec))
        with manager_lock(workspace, "summer"):
            assert league("manager", "--port", base, "--resume", "summer", "--stay").code == 0
        assert [spec.league_id for spec in made] == ["summer"]

    @pytest.mark.parametrize("players", [2, 60])
    def test_the_number_of_players_makes_its_own_room(self, league, base, players, monkeypatch):
        interrupt_when("listens at", monkeypatch)
        ran = league("manager", "--port", base, "--players", players)
        assert ran.code == 130
        assert f"waiting for {players} players" in ran.err


@pytest.mark.parametrize("role", ["manager", "referee", "player"])
def test_of_an_agent_whose_port_is_taken_nothing_is_left(league, base, workspace, role):
    with closing(socket.create_server(("127.0.0.1", base))):
        ran = league(role, "--port", base)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"league: port {base} on 127.0.0.1 is in use; stop the program that has it, or choose ")
    assert ran.err.endswith("another with --port\n")
    assert not workspace.root.exists()


class TestInterruption:
    def test_a_manager_says_how_it_goes_on_and_does(self, league, base, member, workspace, monkeypatch):
        with monkeypatch.context() as patch, Beside([member(Role.PLAYER, "Ada")]).running():
            interrupt_when("registered as player", patch)
            ran = league("manager", "--port", base, "--game", "even_odd", "--players", 2, "--league-id", "summer")
        assert ran.code == 130
        assert "Traceback" not in ran.err
        command = ran.err.splitlines()[-1].strip()
        assert command == f"league manager --resume summer --port {base}"
        token = read_secret(workspace.operator_token_file("summer"))
        later = [
            member(Role.PLAYER, "Ada"),
            member(Role.PLAYER, "Bob"),
            member(Role.REFEREE, "R"),
            member(Role.REFEREE, "S"),
        ]
        later[0] = replace(later[0], league_id="summer")
        with Beside(later).running():
            again = league(*command.split()[1:])
        assert again.code == 0, again.err
        assert "the league resumed" in again.err
        assert "Ada (P05) is back" in again.err
        assert read_secret(workspace.operator_token_file("summer")) == token

    def test_a_host_for_others_is_part_of_how_it_goes_on(self, league, base, monkeypatch):
        interrupt_when("listens at", monkeypatch, signal.SIGTERM)
        ran = league("manager", "--port", base, "--host", "0.0.0.0", "--public-host", "far.example")
        assert ran.code == 130
        assert ran.err.rstrip().endswith("--host 0.0.0.0 --public-host far.example")


class TestMembers:
    def test_a_player_waits_for_its_league_plays_and_tells_how_it_went(self, league, base, manager, member):
        others = [manager(2), member(Role.PLAYER, "Bob"), member(Role.REFEREE, "Rex")]
        with Beside(others).running():
            ran = league("player", "--name", "Ada", "--manager", f"http://localhost:{base}/mcp", "--port", 0)
        assert ran.code == 0, ran.err
        assert "Ada listens at http://localhost:" in ran.err
        assert "Ada is P0" in ran.err
        assert " in league summer" in ran.err
        assert "Ada: R1M1 against " in ran.err
        assert "champion" in ran.err

    def test_a_referee_plays_the_matches_of_its_league(self, league, base, manager, member):
        others = [manager(2), member(Role.PLAYER, "Bob"), member(Role.PLAYER, "Cyd")]
        with Beside(others).running():
            ran = league(
                "referee", "--manager", f"http://localhost:{base}/mcp", "--game", "even_odd", "--max-matches", 3
            )
        assert ran.code == 0, ran.err
        assert f"Referee {os.getpid()} is REF0" in ran.err

    def test_an_id_from_the_registry_brings_name_port_and_strategy(self, league, base, manager, member, monkeypatch):
        monkeypatch.setenv("LEAGUE_NETWORK__LEAGUE_MANAGER_PORT", str(base))
        monkeypatch.setenv("LEAGUE_NETWORK__REFEREE_PORT_RANGE", f"[{base + 1}, {base + 10}]")
        monkeypatch.setenv("LEAGUE_NETWORK__PLAYER_PORT_RANGE", f"[{base + 101}, {base + 110}]")
        others = [manager(2), member(Role.PLAYER, "Bob"), member(Role.REFEREE, "Rex")]
        with Beside(others).running():
            ran = league("player", "--id", "P03")
        assert ran.code == 0, ran.err
        assert f"Agent Gamma listens at http://localhost:{base + 103}/mcp" in ran.err
        assert "Agent Gamma is P03 in league summer" in ran.err

    @pytest.mark.parametrize(
        ("flags", "registers"), [((), False), (("--register",), True), (("--standalone",), False)], ids=str
    )
    def test_a_player_that_is_configured_not_to_register_waits_to_be_called(
        self, league, base, monkeypatch, flags, registers
    ):
        specs: list[AgentSpec] = []
        monkeypatch.setattr("servers.cli.foreground_agents.serve", lambda spec, as_json: specs.append(spec))
        monkeypatch.setenv("LEAGUE_PLAYER__DEFAULT_SETTINGS__AUTO_REGISTER", "false")
        league("player", "--name", "Ada", "--manager", f"http://localhost:{base}/mcp", *flags)
        assert [bool(spec.manager_url) for spec in specs] == [registers]

    @pytest.mark.parametrize("role", ["player", "referee"])
    def test_how_it_and_the_manager_speak_can_be_said(self, league, monkeypatch, role):
        specs: list[AgentSpec] = []
        monkeypatch.setattr("servers.cli.foreground_agents.serve", lambda spec, as_json: specs.append(spec))
        league(role, "--name", "Ada", "--dialect", "jsonrpc/league.v1")
        league(role, "--name", "Ada")
        assert [spec.dialect for spec in specs] == ["jsonrpc/league.v1", ""]
        wrong = league(role, "--dialect", "smtp")
        assert wrong.code == 2
        assert "use mcp or jsonrpc" in wrong.err

    def test_a_player_that_nobody_answers_gives_up_in_time(self, league, base):
        ran = league("player", "--name", "Ada", "--wait", 0.2, "--manager", f"http://localhost:{base}/mcp")
        assert ran.code == 1
        assert f"waiting for the league manager at http://localhost:{base}/mcp" in ran.err
        assert "within 0.2 s" in ran.err


class TestOperator:
    def test_a_league_is_started_by_hand_and_asked_about(self, league, base, manager, member):
        url = f"http://localhost:{base}/mcp"
        others = [
            manager(5, stay=True),
            member(Role.PLAYER, "Ada"),
            member(Role.PLAYER, "Bob"),
            member(Role.REFEREE, "R"),
        ]
        with Beside(others).running() as beside:
            for name in ("Ada", "Bob", "R"):
                beside.wait_for(registered(name))
            status = league("query", "status", "--manager", url).json
            assert status["status"]["state"] == "WAITING_FOR_REGISTRATIONS"
            wrong = league("start", "--manager", url, "--operator-token", "wrong")
            assert wrong.code == 1
            assert "(E012)" in wrong.err
            started = league("start", "--manager", url)
            assert started.code == 0, started.err
            assert "is RUNNING: 2 players, 1 referee, 1 round, 1 match." in started.out
            beside.wait_for(lambda heard: any("LeagueCompleted" in str(report) for _, report in heard))
            again = league("start", "--manager", url, "--json")
            assert (again.code, again.out) == (1, "")
            assert "(E031)" in again.err
            row = league("query", "GET_STANDINGS", "--manager", url).json["standings"][0]
            assert row["points"] in (1, 3)
            unknown = league("query", "player_stats", "--player", "P99", "--manager", url)
            assert unknown.code == 1
            assert "P99" in unknown.err

    def test_what_is_no_league_manager_is_called_that(self, league, base, member):
        player = replace(member(Role.PLAYER, "Solo", port=base), manager_url="")
        with Beside([player]).running() as beside:
            beside.wait_for(lambda heard: bool(heard))
            ran = league("start", "--manager", f"http://localhost:{base}/mcp", "--operator-token", "x")
        assert ran.code == 2
        assert f"http://localhost:{base}/mcp is no league manager" in ran.err

    def test_the_manager_of_a_league_that_was_run_is_looked_for_where_it_was(self, league, base):
        small = ("-n", 2, "--referees", 1, "-q", "--in-process")
        assert league("run", "--port-base", base, *small).code == 0
        ran = league("query", "status")
        assert ran.code == 1
        assert f"no league manager answers at http://localhost:{base}/mcp" in ran.err

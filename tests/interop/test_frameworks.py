"""Other people's frameworks: players of thirty lines, and client libraries that play; none of them loses anything."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
import pytest

from league_sdk.domain.model import Role
from servers.host.options import Ask
from tests.docs.markdown import ROOT
from tests.faults.league_harness import faults_of, league_harness, patient_client
from tests.hosts.node import node
from tests.interop.environments import node_modules, python
from tests.mcp_player import McpPlayer
from tests.ports import free_base
from tests.servers.host.seat_league import seat_league
from tests.servers.host.test_http import seat, spec_of

pytestmark = pytest.mark.anyio
HERE: Final = Path(__file__).parent
CALM: Final[dict[str, float]] = dict.fromkeys(
    ("timeouts.game_join_timeout_sec", "timeouts.move_timeout_sec", "timeouts.generic_response_timeout_sec"), 20.0
)
OWN: Final = "ours"
"""The environment of the tests themselves."""


@dataclass(frozen=True)
class Framework:
    """A framework, its player among `players`, the environment of that, and the wire that the league finds."""

    name: str
    program: str
    environment: str
    wire: str = "mcp"


FRAMEWORKS: Final = (
    Framework("mcp 1.8", "mcp_1.py", "mcp 1.8"),
    Framework("mcp 1", "mcp_1.py", "mcp 1"),
    Framework("mcp 2", "mcp_2.py", OWN),
    Framework("fastmcp 2.14", "fastmcp_any.py", "fastmcp 2"),
    Framework("fastmcp 3", "fastmcp_any.py", "fastmcp 3"),
    Framework("fastmcp 4", "fastmcp_any.py", "fastmcp 4"),
    Framework("fastapi-mcp", "fastapi_mcp_routes.py", "mcp 1"),
    Framework("Starlette", "starlette_route.py", "mcp 1", "jsonrpc"),
    Framework("FastAPI", "fastapi_route.py", "mcp 1", "jsonrpc"),
    Framework("TypeScript SDK 1", "sdk_1.mjs", "node"),
    Framework("TypeScript SDK 2", "sdk_2.mjs", "node"),
    # Its first handshake takes longer than the look at a player that registers: the first match finds out.
    Framework("fastmcp of npm", "fastmcp_npm.mjs", "node", "jsonrpc"),
)
CLIENTS: Final = {
    "langchain-mcp-adapters": "langchain_client.py",
    "openai-agents": "openai_agents.py",
    "pydantic-ai": "pydantic_ai_client.py",
    "mcp-use": "mcp_use_client.py",
}


def command(framework: Framework, folder: Path) -> tuple[str, ...]:
    """The command that starts a framework's player; the test is skipped where that cannot be."""
    if framework.environment != "node":
        program = sys.executable if framework.environment == OWN else str(python(framework.environment))
        return program, str(HERE / "players" / framework.program)
    programs = folder / "players"
    shutil.copytree(HERE / "players", programs)
    (programs / "node_modules").symlink_to(node_modules())  # Node.js looks for packages beside the program
    return str(node()), str(programs / framework.program)


@asynccontextmanager
async def started(words: tuple[str, ...]) -> AsyncGenerator[str]:
    """Run a player as a process until the context ends; its endpoint, once something listens there."""
    port = free_base()
    environment = {**os.environ, "PORT": str(port), "PYTHONWARNINGS": "ignore", "NO_COLOR": "1"}
    process = await asyncio.create_subprocess_exec(
        *words, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        while not await _listens(port):
            assert process.returncode is None, (await process.communicate())[0].decode()[-2000:]
            await anyio.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def _listens(port: int) -> bool:
    try:
        async with await anyio.connect_tcp("127.0.0.1", port):
            return True
    except OSError:
        return False


def test_the_documentation_names_each_framework_and_library():
    page = (ROOT / "docs" / "write_an_agent.md").read_text(encoding="utf-8")
    table = page.partition("## Frameworks that were tried")[2].partition("\n## ")[0]
    assert [name for name in (*(framework.name for framework in FRAMEWORKS), *CLIENTS) if name not in table] == []


@pytest.mark.slow
@pytest.mark.end_to_end
@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda framework: framework.name)
async def test_a_player_of_thirty_lines_loses_nothing(tmp_path: Path, framework: Framework):
    words = command(framework, tmp_path)
    player = McpPlayer("Mia")  # of which only the registration is used
    with anyio.fail_after(120):
        async with (
            patient_client() as client,
            started(words) as endpoint,
            league_harness(tmp_path / "league", players=4, settings=CALM) as held,
        ):
            answer = await player.register(held.manager, endpoint, client)
            assert answer["status"] == "ACCEPTED", answer
            held.start(Role.REFEREE, "Whistle")
            for name in ("Ada", "Ben", "Cyd"):
                held.start(Role.PLAYER, name, strategy="random")
            await held.over()
    league = held.league
    assert league.players[player.player_id].dialect.removesuffix("?") == f"{framework.wire}/league.v2"
    played = [result for result in league.results.values() if player.player_id in result.players]
    assert len(played) == 3
    assert faults_of(league, player.player_id) == []


@pytest.mark.slow
@pytest.mark.end_to_end
@pytest.mark.parametrize("library", CLIENTS)
async def test_a_client_library_lists_calls_and_plays_three_matches(tmp_path: Path, library: str):
    program = [str(python("clients")), str(HERE / "clients" / CLIENTS[library])]
    others = {"Ada": "random", "Ben": "always-odd", "Cyd": "alternating"}
    async with seat_league(tmp_path, others, limit=100) as made, seat(spec_of(made), Ask.OFF) as url:
        done = await anyio.run_process([*program, url], check=False)
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        told = json.loads(done.stdout.decode().splitlines()[-1])
        assert {"join_league", "wait_for_my_turn", "choose_move", "standings"} <= set(told["tools"])
        assert (len(told["played"]), told["history"]) == (3, 3)
        for match_id in told["played"]:
            assert made.result(match_id)["status"] in ("WIN", "DRAW")

"""An agent that finds no league manager says why, with the setting that helps."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk.domain.model import Role
from league_sdk.net import reachability
from league_sdk.net.reachability import unreachable_because
from league_sdk.net.tls import TlsFiles
from league_sdk.testing import EchoHost
from league_sdk.transports import serve
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent
from tests.ports import free_base
from tests.requirements.marker import requirement
from tests.security.authority import Authority
from tests.security.leagues import SmallLeague

pytestmark = pytest.mark.anyio

NOT_TRUSTED = "its certificate is not trusted"


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(60):
        yield


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@asynccontextmanager
async def manager(authority: Authority, kind: str) -> AsyncGenerator[tuple[str, Path | None]]:
    """Something that is taken for a league manager: its endpoint, and whom the agent trusts."""
    async with AsyncExitStack() as stack:
        trusted: Path | None = authority.file

        async def served(host: str = "", days: int = 1) -> str:
            tls = TlsFiles(*authority.issue(host, days=days)) if host else None
            listener = serve(EchoHost(), public_host="localhost", tls=tls, grace=0)
            return (await stack.enter_async_context(listener)).endpoint

        match kind:
            case "refused":
                url, trusted = f"http://localhost:{free_base()}/mcp", None
            case "unknown name":
                url = "http://nowhere.invalid:8000/mcp"
            case "not trusted":
                url, trusted = await served("localhost"), None
            case "another host":
                url = await served("elsewhere.example")
            case "expired":
                url = await served("localhost", -1)
            case "https called by http":
                url = (await served("localhost")).replace("https", "http")
            case _:
                url = (await served()).replace("http", "https")
        yield url, trusted


REASONS = {
    "refused": "nothing listens there yet (connection refused)",
    "unknown name": "the name nowhere.invalid cannot be looked up",
    "not trusted": "name the file of its authority with --tls-ca or LEAGUE_SECURITY__TLS_CA",
    "another host": "call it by the name that its certificate is for, not localhost",
    "expired": "it needs a new one, or the clock of this machine is wrong",
    "https called by http": "it speaks https, not http: name it https://localhost:",
    "http called by https": "it speaks http, not https: name it http://localhost:",
}


async def first_reason(spec: AgentSpec) -> str:
    """An agent's first message when it begins to wait."""
    told: list[str] = []
    async with anyio.create_task_group() as tasks:

        def report(said: Mapping[str, Any]) -> None:
            if said["kind"] == "waiting":
                told.append(said["text"])
                tasks.cancel_scope.cancel()

        await run_agent(spec, report)
    return told[0]


@requirement("project-WIRE-09")
@pytest.mark.parametrize(("kind", "reason"), REASONS.items())
async def test_a_player_that_waits_says_why(kind: str, reason: str, authority: Authority, tmp_path: Path):
    async with manager(authority, kind) as (url, trusted):
        settings = {} if trusted is None else {"security.tls_ca": str(trusted)}
        spec = AgentSpec(Role.PLAYER, "Ada", tmp_path, overrides=settings, manager_url=url)
        waiting = await first_reason(spec)
    assert waiting.startswith(f"waiting for the league manager at {url}: ")
    assert reason in waiting
    assert (NOT_TRUSTED in waiting) == (kind in ("not trusted", "another host", "expired"))


async def test_what_can_be_reached_has_no_reason(authority: Authority):
    async with serve(EchoHost(), grace=0) as plain, serve(EchoHost(), public_host="localhost", grace=0) as named:
        assert await unreachable_because(plain.endpoint) == await unreachable_because(named.endpoint) == ""


async def test_an_address_that_is_silent_is_told_apart_from_one_that_refuses(monkeypatch: pytest.MonkeyPatch):
    async def silent(*_args: object, **_options: object) -> None:
        await anyio.sleep_forever()

    monkeypatch.setattr(reachability.asyncio, "open_connection", silent)
    assert await unreachable_because("http://192.0.2.1/mcp", seconds=0.01) == (
        "192.0.2.1 does not answer within 0.01 s (another address, or a firewall)"
    )


async def test_a_web_server_is_no_league_manager(tmp_path: Path):
    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 501 no\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(page, "127.0.0.1")
    url = f"http://localhost:{server.sockets[0].getsockname()[1]}/mcp"
    told: list[Any] = []
    async with server:
        assert await run_agent(AgentSpec(Role.PLAYER, "Ada", tmp_path, manager_url=url, patience=5), told.append) == 1
    assert "no league manager" in told[-1]["text"]
    assert url in told[-1]["text"]


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        ({}, "this league asks for its join secret (E013); give it in LEAGUE_JOIN_SECRET"),
        ({"security.join_secret": "not this one"}, "this league has another join secret (E013); give it in"),
    ],
)
async def test_a_wrong_join_secret_is_told(theirs: dict[str, Any], reason: str, tmp_path: Path):
    league, told = SmallLeague(tmp_path, {"security.join_secret": "the right one"}), list[Any]()
    async with anyio.create_task_group() as tasks:
        url = await league.open(tasks, by_hand=True)
        overrides = {"security.join_secret": None, **theirs}
        assert await run_agent(
            AgentSpec(Role.PLAYER, "Ada", tmp_path, overrides=overrides, manager_url=url), told.append
        )
        tasks.cancel_scope.cancel()
    assert reason in told[-1]["text"]

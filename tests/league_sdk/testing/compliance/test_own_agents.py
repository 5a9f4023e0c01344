"""Our own player, referee and league manager comply, over every dialect."""

import re
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk.domain.model import Role
from league_sdk.errors import PeerUnreachable
from league_sdk.settings import ConfigLoader
from league_sdk.testing.compliance import DIALECTS, ComplianceReport, NotToBeChecked, check, check_agent
from league_sdk.transports import AddressUnusable
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent

pytestmark = pytest.mark.anyio

PAGE = Path(__file__).parents[4] / "docs" / "protocol_spec.md"
HEADINGS = set(re.findall(r"^#+ `?(.+?)`?$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
SECRET = {"security.referee_secret": "what referees show"}
QUICK = {"retry_policy.backoff_base_sec": 0.01, "retry_policy.backoff_max_sec": 0.02}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def started(spec: AgentSpec) -> AsyncGenerator[str]:
    """Run an agent; gives its endpoint once it listens."""
    listening, where = anyio.Event(), list[str]()

    def hear(report: Any) -> None:
        if report["kind"] == "listening":
            where.append(report["endpoint"])
            listening.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run_agent, spec, hear)
        with anyio.fail_after(30):
            await listening.wait()
        yield where[0]
        tasks.cancel_scope.cancel()


def assert_complies(report: ComplianceReport) -> None:
    assert [(check.title, check.detail) for check in (*report.failed, *report.advised)] == []
    assert report.complies
    assert report.dialects == DIALECTS
    assert {check.section for check in report.checks} <= HEADINGS


def skipped(report: ComplianceReport) -> set[str]:
    return {check.detail.partition(";")[0] for check in report.checks if check.status == "skipped"}


async def test_our_player_complies_while_it_is_registered_nowhere(tmp_path: Path):
    async with started(AgentSpec(Role.PLAYER, "Ada", tmp_path)) as url:
        report = await check_agent(url)
    assert_complies(report)
    assert skipped(report) == {
        "it did not register with the check, whose token it would need",
        "it is in no league, and says so",
    }


async def test_our_player_complies_with_a_token(tmp_path: Path):
    port = free_port()
    spec = AgentSpec(Role.PLAYER, "Ada", tmp_path, manager_url=f"http://127.0.0.1:{port}/mcp", stay=True)
    async with started(spec) as url:
        report = await check_agent(url, manager_port=port, wait=10, dialects=("jsonrpc", "mcp/2026-07-28"))
    assert [(check.title, check.detail) for check in (*report.failed, *report.advised)] == []
    assert report.complies
    assert {"LEAGUE_REGISTER_REQUEST: player_meta"} <= {check.name for check in report.checks}
    assert not skipped(report) & {"it did not register with the check, whose token it would need"}


async def test_our_player_complies_in_a_game_of_many_turns(tmp_path: Path):
    async with started(AgentSpec(Role.PLAYER, "Ada", tmp_path)) as url:
        report = await check_agent(url, game="tic_tac_toe", dialects=("jsonrpc",))
    assert [(check.title, check.detail) for check in report.failed] == []
    assert "MOVE_CALL in a later turn is answered" in {check.name for check in report.checks}


async def test_our_referee_complies(tmp_path: Path):
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    spec = AgentSpec(Role.REFEREE, "Ruth", tmp_path, manager_url=url, overrides=QUICK, stay=True)
    async with started(spec) as where:
        report = await check_agent(where, "referee", manager_port=port, wait=10)
    assert_complies(report)
    passed = {check.name for check in report.checks if check.status == "passed"}
    assert {"an illegal move is told to the player", "a match that one player declines is a technical loss"} <= passed


async def test_our_manager_complies(tmp_path: Path):
    loader = ConfigLoader()
    rules = loader.league_rules(loader.load_league(), as_id="league_checked")
    spec = AgentSpec(
        Role.LEAGUE_MANAGER,
        "Manager",
        tmp_path,
        league_id="league_checked",
        game_types=("even_odd",),
        rules=rules,
        overrides=SECRET,
    )
    async with started(spec) as url:
        report = await check_agent(url, "manager", referee_secret=SECRET["security.referee_secret"], wait=10)
    assert_complies(report)
    passed = {check.name for check in report.checks if check.status == "passed"}
    assert {"START_MATCH: every match is given out", "LEAGUE_COMPLETED: the standings fit the results"} <= passed


async def test_a_league_that_waits_is_started_with_the_operators_token(tmp_path: Path):
    loader = ConfigLoader()
    rules = loader.league_rules(
        loader.load_league(), as_id="waiting", expected_players=6, expected_referees=1, registration_timeout_sec=0
    )
    spec = AgentSpec(
        Role.LEAGUE_MANAGER,
        "Manager",
        tmp_path,
        league_id="waiting",
        game_types=("even_odd",),
        rules=rules,
        operator_token="the operator",
        overrides=SECRET,
    )
    async with started(spec) as url:
        report = await check_agent(
            url,
            "manager",
            operator_token="the operator",
            referee_secret=SECRET["security.referee_secret"],
            wait=10,
            dialects=("jsonrpc",),
        )
    assert [(check.title, check.detail) for check in report.failed] == []
    assert "START_LEAGUE_RESPONSE: state" in {check.name for check in report.checks}


async def test_a_player_that_looks_for_a_league_where_players_do_is_registered(tmp_path: Path, monkeypatch):
    port = free_port()
    monkeypatch.setattr(check, "AGENTS_MANAGER", port)
    spec = AgentSpec(Role.PLAYER, "Ada", tmp_path, manager_url=f"http://127.0.0.1:{port}/mcp")
    async with started(spec) as url:
        report = await check_agent(url, offer_sec=20, dialects=("mcp/2026-07-28",))
    assert report.complies
    assert "LEAGUE_REGISTER_REQUEST: sender" in {told.name for told in report.checks}
    assert all("did not register with the check" not in told.detail for told in report.checks)


async def test_a_player_that_does_not_come_or_whose_league_runs_there_is_checked_alone(tmp_path: Path, monkeypatch):
    async with started(AgentSpec(Role.PLAYER, "Ada", tmp_path)) as url:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            for port in (0, taken.getsockname()[1]):
                monkeypatch.setattr(check, "AGENTS_MANAGER", port)
                report = await check_agent(url, offer_sec=0.2, dialects=("mcp/2026-07-28",))
                assert report.complies
                assert any("did not register with the check" in told.detail for told in report.checks)


async def test_a_player_that_waits_for_another_league_is_not_checked_without_it(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(check, "AGENTS_MANAGER", 0)
    async with started(AgentSpec(Role.PLAYER, "Ada", tmp_path, manager_url="http://127.0.0.1:9/mcp")) as url:
        with pytest.raises(NotToBeChecked, match="waits for its league manager"):
            await check_agent(url, offer_sec=0.2)


async def test_a_port_for_the_manager_that_is_in_use_is_told(tmp_path: Path):
    async with started(AgentSpec(Role.PLAYER, "Ada", tmp_path)) as url:
        with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(AddressUnusable):
            await check_agent(url, manager_port=taken.getsockname()[1])


async def test_nobody_at_the_url_is_told():
    with pytest.raises(PeerUnreachable, match="nobody listens there"):
        await check_agent("http://127.0.0.1:9/mcp", "referee", manager_port=0)


async def test_a_referee_that_does_not_register_fails(tmp_path: Path):
    spec = AgentSpec(Role.REFEREE, "Ruth", tmp_path, manager_url="http://127.0.0.1:9/mcp")
    async with started(spec) as where:
        report = await check_agent(where, "referee", manager_port=0, wait=0.2, dialects=("jsonrpc",))
    assert "REFEREE_REGISTER_REQUEST: is sent" in {check.name for check in report.failed}

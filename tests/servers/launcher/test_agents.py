"""Reports of started agents that cannot continue."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from league_sdk.domain.model import Role
from league_sdk.errors import UnsupportedGameType
from league_sdk.ports import StoreFailed
from servers.agent.agent_spec import AgentSpec
from servers.agent.registration import RegistrationRefused
from servers.launcher import agents
from servers.launcher.agents import run_agent
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


async def run(folder: Path, monkeypatch: pytest.MonkeyPatch, raised: BaseException | None) -> tuple[int, list[str]]:
    """Exit code and last words of a player that ends like this."""

    async def runner(tools: Any, report: Any) -> int:
        if raised is not None:
            raise raised
        return 0

    told: list[Any] = []
    monkeypatch.setattr(agents, "runner_of", {Role.PLAYER: runner}.__getitem__)
    code = await run_agent(AgentSpec(Role.PLAYER, "Ada", folder, game_types=("even_odd",)), told.append)
    return code, [report["text"] for report in told if report["kind"] == "failed"]


def system_log(folder: Path) -> list[Any]:
    """The system log's lines about agents, without times."""
    lines = (folder / "logs" / "system" / "startup.log.jsonl").read_text().splitlines()
    about = {"component": "startup", "role": "player", "name": "Ada", "league_id": "", "port": 0}
    entries = [json.loads(line) for line in lines]
    assert all(entry.items() >= about.items() for entry in entries)
    told = ("level", "event_type", "exit_code", "reasons")
    return [tuple(entry[name] for name in told if name in entry) for entry in entries]


@requirement("001-DIR-05", "003-TREE-04", "project-TRUST-17")
@pytest.mark.parametrize(
    ("raised", "end"),
    [
        (None, [("INFO", "AGENT_ENDED", 0)]),
        (
            StoreFailed("the disk is full"),
            [("INFO", "AGENT_ENDED", None), ("ERROR", "AGENT_FAILED", ["the disk is full"])],
        ),
        (
            ZeroDivisionError("ours"),
            [("INFO", "AGENT_ENDED", None), ("ERROR", "AGENT_FAILED", ["ZeroDivisionError('ours')"])],
        ),
    ],
)
async def test_the_systems_log_has_the_start_and_the_end_of_each_agent_and_why_it_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: Exception | None, end: list[Any]
):
    with suppress(ZeroDivisionError):
        await run(tmp_path, monkeypatch, raised)
    assert system_log(tmp_path) == [("INFO", "AGENT_STARTED"), *end]


async def test_an_agent_that_cannot_even_be_put_together_is_in_the_systems_log(tmp_path: Path):
    spec = AgentSpec(Role.PLAYER, "Ada", tmp_path, game_types=("chess",))
    assert await run_agent(spec, lambda _: None) == 1
    [(level, event_type, reasons)] = system_log(tmp_path)
    assert (level, event_type) == ("ERROR", "AGENT_FAILED")
    assert "chess" in reasons[0]


async def test_when_all_is_well_it_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert await run(tmp_path, monkeypatch, None) == (0, [])


@pytest.mark.parametrize(
    "error", [StoreFailed("the disk is full"), RegistrationRefused("no"), UnsupportedGameType("no chess here")]
)
async def test_what_may_go_wrong_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
):
    assert await run(tmp_path, monkeypatch, error) == (1, [str(error)])


async def test_a_group_of_such_is_told_one_by_one_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    inner = ExceptionGroup("inner", [StoreFailed("the disk is full"), StoreFailed("the disk is full")])
    group = ExceptionGroup("outer", [inner, RegistrationRefused("no")])
    assert await run(tmp_path, monkeypatch, group) == (1, ["the disk is full", "no"])


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("ours"), ExceptionGroup("both", [StoreFailed("full"), ZeroDivisionError("ours")])]
)
async def test_a_fault_in_the_program_is_not_made_pretty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
):
    with pytest.raises(type(error)) as caught:
        await run(tmp_path, monkeypatch, error)
    assert caught.value is error

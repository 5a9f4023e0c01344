"""A manager as a whole: what it does at its start and at its end."""

import json
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from league_sdk.domain.model import Role
from league_sdk.settings import Workspace
from league_sdk.stores import json_files
from servers.agent.agent_spec import AgentSpec
from servers.agent.waits_file import WAITS_FILE
from servers.launcher.agents import run_agent
from servers.league_manager import main
from servers.league_manager.league_runner import LeagueRunner
from tests.servers.fakes import LEAGUE, OPERATOR, rules

pytestmark = pytest.mark.anyio


def spec(folder: Path, **more: Any) -> AgentSpec:
    plain: dict[str, Any] = {
        "operator_token": OPERATOR,
        "league_id": LEAGUE,
        "game_types": ("even_odd",),
        "rules": rules(registration_timeout_sec=0.05),
    }
    return AgentSpec(Role.LEAGUE_MANAGER, "manager", folder, **{**plain, **more})


def recorded(told: list[Any]) -> list[str]:
    """The types of all events that were reported."""
    return [report["record"]["type"] for report in told if report["kind"] == "record"]


async def run(agent: AgentSpec) -> tuple[int, list[Any]]:
    """Run a manager that nobody joins, to its end."""
    told: list[Any] = []
    with anyio.fail_after(20):
        return await run_agent(agent, told.append), told


async def test_a_new_league_is_recorded_and_its_end_as_well(tmp_path: Path):
    code, told = await run(spec(tmp_path))
    assert code == 1
    assert recorded(told) == ["LeagueCreated", "LeagueStopped"]
    assert told[1]["kind"] == "listening"


async def test_players_that_run_elsewhere_are_seated_at_once(tmp_path: Path):
    invited = (("Ada", "http://localhost:9001/mcp"), ("Bea", "http://localhost:9002/mcp"))
    _, told = await run(spec(tmp_path, invited=invited))
    seated = [report["record"]["payload"]["player"] for report in told if "Player" in str(report.get("record"))]
    assert [(player["agent_id"], player["display_name"], player["endpoint"]) for player in seated] == [
        ("P01", *invited[0]),
        ("P02", *invited[1]),
    ]


async def test_an_invited_player_needs_an_address(tmp_path: Path):
    code, told = await run(spec(tmp_path, invited=(("Ada", "nowhere"),)))
    assert code == 1
    assert "the endpoint cannot be called" in told[-1]["text"]
    assert recorded(told) == []


async def test_a_new_league_that_nobody_can_come_to_is_stopped_and_says_why(tmp_path: Path):
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        code, told = await run(spec(tmp_path, port=taken.getsockname()[1]))
    assert code == 1
    assert recorded(told) == ["LeagueCreated", "LeagueStopped"]
    *_, stopped, failed = told
    assert stopped["record"]["payload"] == {"reason": failed["text"]}
    assert "is in use" in failed["text"]


async def test_a_new_league_whose_manager_is_ended_before_it_listens_is_stopped_too(tmp_path: Path):
    told: list[Any] = []
    with anyio.fail_after(20), anyio.CancelScope() as scope:

        def hear(report: Any) -> None:
            told.append(report)
            scope.cancel()

        await run_agent(spec(tmp_path), hear)
    assert recorded(told) == ["LeagueCreated", "LeagueStopped"]
    assert [report["kind"] for report in told] == ["record", "record"]


async def test_a_league_that_has_begun_is_not_stopped_by_a_manager_that_cannot_listen(tmp_path: Path):
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:

            def hear(report: Any) -> None:
                if report["kind"] == "listening":
                    tasks.cancel_scope.cancel()

            tasks.start_soon(run_agent, spec(tmp_path, rules=rules()), hear)
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        code, told = await run(spec(tmp_path, port=taken.getsockname()[1], rules=None, resume=True))
    assert code == 1
    assert [report["kind"] for report in told if not report.get("replayed")] == ["failed"]


async def test_files_that_cannot_be_written_do_not_stop_the_league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: Any, **__: Any) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(json_files.JsonFiles, "update", full)
    _, told = await run(spec(tmp_path))
    assert [report["kind"] for report in told].count("record") == 2
    log = Workspace(tmp_path).logs / "league" / LEAGUE / "league.log.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (first, _) = [line for line in lines if line["event_type"] == "PROJECTION_FAILED"]
    assert (first["level"], first["details"]["reason"]) == ("ERROR", "no space left on device")


async def test_what_is_tidied_up_is_the_manager_s_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def give_back() -> None: ...

    handed = list[Any]()

    class Kept(LeagueRunner):
        def __init__(self, context: Any, controls: Any, between_rounds: Callable[[], None]) -> None:
            handed.append(between_rounds)
            super().__init__(context, controls, between_rounds)

    monkeypatch.setattr(main, "now_and_then", lambda clock: give_back)
    monkeypatch.setattr(main, "LeagueRunner", Kept)
    await run(spec(tmp_path))
    assert handed == [give_back]


async def test_a_manager_that_is_to_stay_serves_on(tmp_path: Path):
    told: list[Any] = []
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run_agent, spec(tmp_path, stay=True), told.append)
            while not any(report.get("record", {}).get("type") == "LeagueStopped" for report in told):
                await anyio.lowlevel.checkpoint()
            assert not any(report["kind"] == "failed" for report in told)
            tasks.cancel_scope.cancel()


async def test_the_operators_token_lies_where_only_its_owner_can_read_it(tmp_path: Path):
    await run(spec(tmp_path, operator_token=None))
    path = Workspace(tmp_path).operator_token_file(LEAGUE)
    assert path.stat().st_mode & 0o077 == 0
    assert len(path.read_text().strip()) > 40


async def test_a_log_that_was_changed_is_not_built_upon(tmp_path: Path):
    store = f"sqlite:///{tmp_path / 'events.sqlite'}"
    await run(spec(tmp_path, store_url=store))

    with sqlite3.connect(tmp_path / "events.sqlite") as database:
        (table,) = [
            row[0]
            for row in database.execute("select name from sqlite_master where type = 'table'")
            if "sequence" in str(database.execute(f"select sql from sqlite_master where name = '{row[0]}'").fetchall())
        ]
        database.execute(f"delete from {table} where sequence = 1")
    database.close()
    code, told = await run(spec(tmp_path, store_url=store))
    assert code == 1
    assert "was changed" in told[-1]["text"] or "does not fit" in told[-1]["text"]


async def test_a_manager_that_goes_on_with_a_league_shows_the_time_limits_of_that_league(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shown: list[main.Live] = []

    class Kept(main.Live):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            shown.append(self)

    monkeypatch.setattr(main, "Live", Kept)
    limits = {"move_timeout_sec": 7.0, "game_join_timeout_sec": 3.0}
    await run(spec(tmp_path, rules=rules(registration_timeout_sec=0.05, timeouts=limits)))
    await run(spec(tmp_path, rules=None, resume=True))
    assert [(live.limits.move, live.limits.join) for live in shown] == [(7.0, 3.0), (7.0, 3.0)]


async def test_a_manager_without_the_operator_s_token_of_its_league_records_nothing(tmp_path: Path):
    """Its agents would refuse it, and every match would be void for good."""
    await run(spec(tmp_path))
    secrets = Workspace(tmp_path).operator_token_file(LEAGUE)
    secrets.unlink()
    for mine in (None, "another"):
        code, told = await run(spec(tmp_path, rules=None, resume=True, operator_token=mine))
        assert recorded([report for report in told if not report.get("replayed")]) == []
        assert code == 2
        assert "--new-token" in told[-1]["text"]
        assert not secrets.exists()
    code, told = await run(spec(tmp_path, rules=None, resume=True))
    assert recorded([report for report in told if not report.get("replayed")])[0] == "LeagueResumed"


async def test_what_a_killed_manager_said_of_its_matches_is_gone_when_another_leads(tmp_path: Path):
    file = Workspace(tmp_path).league_dir(LEAGUE) / WAITS_FILE
    file.parent.mkdir(parents=True)
    file.write_text('{"waits": [["R1M1 waits for Ada", ""]]}')
    await run(spec(tmp_path))
    assert not file.exists()

"""A player is removed from a league whose agents all are behind sockets; its manager dies and comes back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from league_sdk import plugins
from league_sdk.audit import audit, rows_from_sqlite
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import LeagueRules, Role
from league_sdk.game import PlayerView
from league_sdk.settings import ConfigLoader, Workspace
from servers.launcher.agents import run_agent
from tests.servers.fakes import OPERATOR
from tests.servers.test_leagues import QUICK, Stage, stage

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("leagues")]
NAMES = ("Ada", "Bea", "Cid", "Dot")
CAUSE = "P02 was removed by the operator: two agents of one author"


def rules() -> LeagueRules:
    config = ConfigLoader(overrides=QUICK)
    return config.league_rules(
        config.league_for_game("even_odd"),
        as_id="summer",
        expected_players=4,
        expected_referees=1,
        seed="7",
        roster={name: f"P{number:02d}" for number, name in enumerate(NAMES, start=1)},
    )


class Thinker:
    """A player that thinks for as long as it is let, from the second round on."""

    def __init__(self) -> None:
        self.asked = anyio.Event()
        self.answer = anyio.Event()

    async def choose(self, view: PlayerView) -> Any:
        if view.round_id > 1:
            self.asked.set()
            await self.answer.wait()
        return view.legal_moves[0]


async def act(port: int, path: str, **more: Any) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False) as client:
        headers = {"authorization": f"Bearer {OPERATOR}"}
        return await client.post(f"http://localhost:{port}/admin/{path}", headers=headers, timeout=10, **more)


async def lead_first(on: Stage, port: int, first: anyio.CancelScope, dead: anyio.Event) -> None:
    """Start a manager that can be ended by its scope."""
    on.played.reports["first"] = []

    async def lead() -> None:
        with first:
            spec = on.spec(Role.LEAGUE_MANAGER, "manager", rules=rules(), port=port)
            await run_agent(spec, on.listener("first"))
        dead.set()

    on._tasks.start_soon(lead)
    await on.until("first", "listening")


async def until_over(on: Stage, port: int, thinker: Thinker) -> None:
    """From the first manager's start to the end of the league under the second one."""
    first, dead = anyio.CancelScope(), anyio.Event()
    await lead_first(on, port, first, dead)
    url = f"http://localhost:{port}/mcp"
    for name in NAMES:
        function: Callable[[PlayerView], Any] | None = thinker.choose if name == "Bea" else None
        on.begin(on.spec(Role.PLAYER, name, strategy="random", function=function, manager_url=url))
    on.begin(on.spec(Role.REFEREE, "Whistle", manager_url=url))
    await thinker.asked.wait()
    answer = await act(port, "players/P02/remove", json={"reason": "two agents of one author"})
    assert answer.json()["status"] == "done"
    first.cancel()
    await dead.wait()
    on.begin(on.spec(Role.LEAGUE_MANAGER, "manager", rules=None, resume=True, port=port))
    await on.until("manager", "listening")
    thinker.answer.set()


async def test_the_others_play_the_league_to_its_end(tmp_path: Path, free_tcp_port: int):
    thinker = Thinker()
    async with stage(tmp_path, "even_odd") as on:
        await until_over(on, free_tcp_port, thinker)
    league: League = on.played.league
    assert league.state is LeagueState.COMPLETED
    assert set(on.played.codes.values()) == {0}
    assert league.removed == {"P02": CAUSE}
    assert dict(league.voided) == {"R2M2": CAUSE, "R3M2": CAUSE}
    assert len(league.results) == 4
    assert "P02" in league.results["R1M1"].players
    rows = {row.player_id: row for row in league.standings()}
    assert (rows["P02"].played, rows["P02"].removed) == (1, True)
    staying = [row for row in league.standings() if not row.removed]
    assert league.champions == tuple(row.player_id for row in staying if row.rank == staying[0].rank)

    workspace = Workspace(tmp_path)
    report = audit(
        rows_from_sqlite(workspace.league_dir("summer") / "events.db", "summer"),
        lambda name, options: plugins.game(name, (), options),
        data_root=workspace.data,
    )
    assert report.findings == []
    assert (report.complete, report.decided, report.void) == (True, 4, 2)
    assert report.champions == list(league.champions)
    assert any(CAUSE in note for note in report.notes)

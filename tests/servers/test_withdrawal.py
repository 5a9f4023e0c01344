"""A player of the public API withdraws from a league behind sockets; its manager dies and comes back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk import Player, plugins
from league_sdk.audit import audit, rows_from_sqlite
from league_sdk.domain.decisions.departures import lost_by_default
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.game import PlayerView
from league_sdk.settings import Workspace
from tests.requirements.marker import requirement
from tests.servers.test_leagues import QUICK, stage
from tests.servers.test_removal import NAMES, Thinker, lead_first, rules

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("leagues")]
CAUSE = "P02 withdrew: out of budget"


def leaves_in_round_two(tmp_path: Path, manager: str) -> Player:
    player = Player("Bea", game="even_odd", manager=manager, data=tmp_path / "bea")

    @player.strategy
    def choose(view: PlayerView) -> Any:
        if view.round_id == 2:
            player.withdraw("out of budget")
        return view.legal_moves[0]

    assert choose is not None
    return player


@requirement("project-LEAVE-01")
async def test_the_others_play_the_league_to_its_end(tmp_path: Path, free_tcp_port: int):
    lines: list[str] = []
    url = f"http://localhost:{free_tcp_port}/mcp"
    async with stage(tmp_path, "even_odd") as on:
        first, dead, code = anyio.CancelScope(), anyio.Event(), list[int]()
        await lead_first(on, free_tcp_port, first, dead)
        for name in NAMES[0], *NAMES[2:]:
            on.begin(on.spec(Role.PLAYER, name, strategy="random", manager_url=url))
        on.begin(on.spec(Role.REFEREE, "Whistle", manager_url=url))
        code.append(await leaves_in_round_two(tmp_path, url).play(lines.append))
        first.cancel()
        await dead.wait()
        on.begin(on.spec(Role.LEAGUE_MANAGER, "manager", rules=None, resume=True, port=free_tcp_port))
    league = on.played.league
    assert (code, set(on.played.codes.values())) == ([0], {0})
    assert any("withdrew from summer" in line for line in lines)
    assert league.state is LeagueState.COMPLETED
    assert (dict(league.voided), len(league.results)) == ({}, 6)
    lost = lost_by_default(league, "P02")
    assert {league.results[match_id].reason for match_id in lost} == {CAUSE}
    assert "P02" not in league.champions

    workspace = Workspace(tmp_path)
    report = audit(
        rows_from_sqlite(workspace.league_dir("summer") / "events.db", "summer"),
        lambda name, options: plugins.game(name, (), options),
        data_root=workspace.data,
    )
    assert report.findings == []
    assert any(CAUSE in note for note in report.notes)


@requirement("project-LEAVE-06")
async def test_a_referee_that_is_asked_to_leave_brings_its_matches_to_their_end(tmp_path: Path, free_tcp_port: int):
    url, thinker, leave = f"http://localhost:{free_tcp_port}/mcp", Thinker(), anyio.Event()
    async with stage(tmp_path, "even_odd") as on:
        both = replace(rules(), expected_referees=2)
        on.begin(on.spec(Role.LEAGUE_MANAGER, "manager", rules=both, port=free_tcp_port))
        for name in NAMES:
            function = thinker.choose if name == "Bea" else None
            on.begin(on.spec(Role.PLAYER, name, strategy="random", function=function, manager_url=url))
        on.begin(on.spec(Role.REFEREE, "Whistle", manager_url=url))
        short = {**QUICK, "timeouts.generic_response_timeout_sec": 0.5}
        on.begin(on.spec(Role.REFEREE, "Flag", manager_url=url, leave=leave, overrides=short))
        await thinker.asked.wait()
        leave.set()
        await on.until("Flag", "note", text="withdrew from summer")
        thinker.answer.set()
    league = on.played.league
    (gone,) = league.withdrew
    assert league.referee(gone).display_name == "Flag"
    assert set(on.played.codes.values()) == {0}
    assert (league.state, dict(league.voided), len(league.results)) == (LeagueState.COMPLETED, {}, 6)
    assert {league.assignments[match_id].referee_id for match_id in ("R3M1", "R3M2")} == {*league.active_referees}

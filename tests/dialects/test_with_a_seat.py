"""A league of four: a player of ours, one of bare JSON-RPC, one of `league.v1`, and a seat that an MCP host plays."""

from pathlib import Path

import anyio
import pytest
from mcp.client import Client

from league_sdk.domain.model import ResultStatus, Role
from servers.agent.agent_spec import AgentSpec
from servers.host.options import Ask
from tests.dialects.bare import BarePlayer, V1Player
from tests.dialects.test_a_mixed_league import CALM, answers_of, audited, dialects, serving
from tests.faults.league_harness import league_harness
from tests.requirements.marker import requirement
from tests.servers.host.seat_league import call
from tests.servers.host.test_http import seat

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@requirement("project-LATER-03")
async def test_all_matches_are_played_and_the_log_shows_who_spoke_what(tmp_path: Path):
    bare, old = BarePlayer("Ben"), V1Player("Cyd")
    with anyio.fail_after(30):
        async with serving(bare, old), league_harness(tmp_path, settings=CALM) as held:
            held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
            held.start(Role.PLAYER, "Ada", strategy="random")
            await held.until(lambda league: bool(league.players and league.referees))
            for agent in (bare, old):
                await agent.register(held.manager)
            behind = AgentSpec(Role.PLAYER, "Mal", tmp_path / "seat", manager_url=held.manager, patience=5.0)
            async with seat(behind, Ask.OFF) as url, Client(url, mode="2026-07-28") as host:
                assert (await call(host, "join_league"))["player_id"] == "P04"
                while not (turn := await call(host, "wait_for_my_turn", seconds=20))["league_over"]:
                    await call(host, "choose_move", move=turn["legal_moves"][-1])
                await held.over()
                standings = (await call(host, "standings"))["rows"]
    league = held.league
    assert len(league.results) == 6
    assert {result.status for result in league.results.values()} <= {ResultStatus.WIN, ResultStatus.DRAW}
    assert dialects(league) == {
        "Ada": "mcp/league.v2",
        "Ben": "jsonrpc/league.v2",
        "Cyd": "jsonrpc/league.v1",
        "Mal": "mcp/league.v2",
        "Whistle": "mcp/league.v2",
    }
    for player, choice in {"P02": "even", "P03": "odd", "P04": "odd"}.items():
        assert {answer["choice"] for answer in answers_of(league, player) if "choice" in answer} == {choice}
    assert audited(held).findings == []
    assert [row["points"] for row in standings] == [row.points for row in league.standings()]

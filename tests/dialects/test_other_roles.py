"""A referee and a league manager over bare JSON-RPC, beside agents of ours that speak MCP."""

import anyio
import pytest

from league_sdk.domain.model import ResultStatus, Role
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent
from tests.dialects.bare import BareManager, BarePlayer, BareReferee
from tests.dialects.test_a_mixed_league import CALM, dialects, serving
from tests.faults.league_harness import SETTINGS, league_harness

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


async def test_a_bare_referee_leads_the_matches_of_mcp_and_bare_players(tmp_path):
    referee, player = BareReferee("Rex"), BarePlayer("Ben")
    with anyio.fail_after(30):
        expected = {"Rex": referee.endpoint}  # it can show neither secret nor invitation
        async with (
            serving(referee, player),
            league_harness(tmp_path, players=3, settings=CALM, referees_expected=expected) as held,
        ):
            await referee.register(held.manager)
            await player.register(held.manager)
            held.start(Role.PLAYER, "Ada", strategy="always-even")
            held.start(Role.PLAYER, "Cyd", strategy="always-odd")
            await held.over()
    league = held.league
    assert (held.failures(), referee.troubles) == ([], [])
    notes = [report["text"] for name, report in held.said if (name, report["kind"]) == ("Manager", "note")]
    assert f"Rex is admitted as a referee by its address, {expected['Rex']}, not by a secret" in notes
    assert {result.referee_id for result in league.results.values()} == {"REF01"}
    assert {result.status for result in league.results.values()} <= {ResultStatus.WIN, ResultStatus.DRAW}
    assert [ack["message_type"] for ack in referee.acks] == ["MATCH_RESULT_ACK"] * 3
    assert dialects(league) == {
        "Ada": "mcp/league.v2",
        "Ben": "jsonrpc/league.v2",
        "Cyd": "mcp/league.v2",
        "Rex": "jsonrpc/league.v2",
    }
    # An even number each time: whoever says odd loses against both of the others.
    assert {row.display_name: row.wins for row in league.standings()} == {"Ada": 1, "Ben": 1, "Cyd": 0}


@pytest.mark.parametrize("dialect", ["", "jsonrpc"])
async def test_our_agents_play_under_a_bare_manager(tmp_path, dialect):
    manager = BareManager("League")
    ended: list[int] = []

    def spec(role: Role, name: str) -> AgentSpec:
        return AgentSpec(
            role,
            name,
            tmp_path,
            overrides={**SETTINGS, **CALM},
            public_host="127.0.0.1",
            manager_url=manager.endpoint,
            game_types=("even_odd",),
            dialect=dialect,
        )

    async def run(role: Role, name: str) -> None:
        ended.append(await run_agent(spec(role, name), lambda report: None))

    with anyio.fail_after(30):
        async with serving(manager), anyio.create_task_group() as tasks:
            for role, name in ((Role.REFEREE, "Whistle"), (Role.PLAYER, "Ada"), (Role.PLAYER, "Ben")):
                tasks.start_soon(run, role, name)
    assert manager.troubles == []
    (report,) = manager.reports
    assert report["result"]["details"]["status"] in ("WIN", "DRAW")
    assert report["result"].get("faults") is None
    assert ended == [0, 0, 0]
    metas = {meta["display_name"]: meta.get("dialect") for meta in manager.seats.values()}
    assert metas == dict.fromkeys(("Whistle", "Ada", "Ben"), dialect or None)


async def test_an_agent_of_ours_may_speak_the_older_dialect_on_request(tmp_path):
    with anyio.fail_after(30):
        async with league_harness(tmp_path, players=2, settings=CALM) as held:
            held.start(Role.REFEREE, "Whistle", dialect="jsonrpc/league.v1")
            held.start(Role.PLAYER, "Ada", strategy="always-even", dialect="jsonrpc/league.v1")
            held.start(Role.PLAYER, "Ben", strategy="always-odd", dialect="mcp/league.v1")
            await held.over()
    assert held.failures() == []
    assert {result.status for result in held.league.results.values()} == {ResultStatus.WIN}
    assert dialects(held.league) == {
        "Ada": "jsonrpc/league.v1",
        "Ben": "mcp/league.v1",
        "Whistle": "jsonrpc/league.v1",
    }

"""Players as frameworks serve them, in real leagues: behind a redirect, or refusing arguments that they do not know."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Route

from league_sdk.domain.league import League
from league_sdk.domain.model import Cause, Fault, Role
from tests.faults.league_harness import faults_of, league_harness, patient_client
from tests.mcp_player import McpPlayer, listening
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio
CALM: dict[str, float] = dict.fromkeys(
    ("timeouts.game_join_timeout_sec", "timeouts.move_timeout_sec", "timeouts.generic_response_timeout_sec"), 10.0
)


async def league_with(folder: Path, player: McpPlayer, routes: Callable[[McpPlayer], list[BaseRoute]]) -> League:
    """A league of two of ours and this player, to its end."""
    with anyio.fail_after(90):
        async with (
            patient_client() as client,
            listening(player, routes(player)) as endpoint,
            league_harness(folder, players=3, settings=CALM) as held,
        ):
            answer = await player.register(held.manager, endpoint, client)
            assert answer["status"] == "ACCEPTED", answer
            held.start(Role.REFEREE, "Whistle")
            held.start(Role.PLAYER, "Ada", strategy="alternating")
            held.start(Role.PLAYER, "Ben", strategy="random")
            await held.over()
            return held.league


def faults(league: League, player: McpPlayer) -> list[Fault]:
    assert len(league.results) == 3
    return faults_of(league, player.player_id)


@requirement("project-WIRE-10")
async def test_a_player_behind_a_redirecting_mount_loses_nothing(tmp_path):
    player = McpPlayer("Moe")
    league = await league_with(tmp_path, player, lambda player: player.mounted())
    assert faults(league, player) == []
    assert league.players[player.player_id].dialect == "mcp/league.v2"


@requirement("project-WIRE-10")
async def test_a_player_that_redirects_elsewhere_gets_no_seat_and_is_told_what_to_use(tmp_path):
    player = McpPlayer("Moe")

    async def elsewhere(_: object) -> RedirectResponse:
        return RedirectResponse("http://127.0.0.2:9/mcp", 307)

    routes: list[BaseRoute] = [Route("/mcp", elsewhere, methods=["POST"])]
    with anyio.fail_after(30):
        async with (
            patient_client() as client,
            listening(player, routes) as endpoint,
            league_harness(tmp_path, players=2, settings=CALM) as held,
        ):
            answer = await player.register(held.manager, endpoint, client)
    assert (answer["status"], answer["error_code"]) == ("REJECTED", "E019")
    assert "another origin" in answer["reason"]
    assert answer["reason"].endswith("use the endpoint http://127.0.0.2:9/mcp")


@requirement("project-WIRE-04")
async def test_a_player_whose_schemas_say_that_it_refuses_other_fields_loses_nothing(tmp_path):
    player = McpPlayer("Stu", forbids=True)
    league = await league_with(tmp_path, player, lambda player: player.routes())
    assert faults(league, player) == []


@requirement("project-WIRE-04")
async def test_a_player_that_refuses_other_fields_unsaid_is_not_sent_them_again(tmp_path):
    player = McpPlayer("Stu", forbids=True, says_so=False, takes_token=True)
    league = await league_with(tmp_path, player, lambda player: player.routes())
    assert faults(league, player) == []


@requirement("project-WIRE-04")
async def test_a_player_that_refuses_its_ticket_has_not_crashed(tmp_path):
    player = McpPlayer("Stu", forbids=True, says_so=False)
    league = await league_with(tmp_path, player, lambda player: player.routes())
    found = faults(league, player)
    assert [fault.cause for fault in found] == [Cause.MALFORMED_REPLY] * 2
    for fault in found:
        assert fault.description.startswith("refuses fields it does not know: ")
        assert "protocol" in fault.description

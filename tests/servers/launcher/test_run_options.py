"""Names of players that are invited by URL: how their servers introduce themselves."""

import anyio
import pytest
from starlette.responses import RedirectResponse
from starlette.routing import Route

from league_sdk.names import unused_name
from league_sdk.settings import Workspace
from servers.launcher.plan import make_plan
from servers.launcher.run_options import PlanError, PlayerSpec, RunOptions, introduced
from tests.faults.league_harness import free_port
from tests.mcp_player import McpPlayer, listening
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(30):
        yield


@requirement("project-WIRE-12")
@pytest.mark.parametrize("mounted", [False, True])
async def test_an_agent_that_is_invited_by_url_is_known_as_its_server_says(mounted):
    player = McpPlayer(" Moe ")
    async with listening(player, player.mounted() if mounted else player.routes()) as endpoint:
        (seated,) = await introduced([PlayerSpec.parse(endpoint)])
    assert (seated.name, seated.introduced, seated.url) == ("", "Moe", endpoint)


@pytest.mark.parametrize("name", ["a\u202eb", "x" * 65, " "])
async def test_a_name_that_could_not_be_shown_is_not_taken(name):
    player = McpPlayer(name)
    async with listening(player, player.routes()) as endpoint:
        (seated,) = await introduced([PlayerSpec.parse(endpoint)])
    assert seated.introduced == ""


async def test_one_that_is_not_there_yet_has_no_name():
    (seated,) = await introduced([PlayerSpec.parse(f"http://127.0.0.1:{free_port()}/mcp")])
    assert seated.introduced == ""


async def test_one_that_redirects_elsewhere_is_refused_with_the_endpoint_to_use():
    async def elsewhere(_: object) -> RedirectResponse:
        return RedirectResponse("http://127.0.0.2:9/mcp", 307)

    async with listening(McpPlayer("Moe"), [Route("/mcp", elsewhere, methods=["POST"])]) as endpoint:
        with pytest.raises(PlanError, match=r"another origin.*use the endpoint http://127\.0\.0\.2:9/mcp"):
            await introduced([PlayerSpec.parse(endpoint)])


@requirement("project-WIRE-12")
def test_names_are_unique_and_never_those_that_the_roster_reserves(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = ("Ada", "agent alpha", "Moe", "Moe", "")
    asked = [
        PlayerSpec(url=f"http://127.0.0.1:{9001 + number}/mcp", introduced=name) for number, name in enumerate(said)
    ]
    made = make_plan(RunOptions(Workspace(tmp_path / "data"), players=(*asked, PlayerSpec("Ada")), count=7), "token")
    names = [name for name, _ in made.manager.invited]
    assert names == ["Ada 2", "agent alpha 2", "Moe", "Moe 2", "127.0.0.1:9005"]
    assert [spec.name for spec in made.players] == ["Ada", "Agent Alpha"]


def test_a_number_behind_a_long_name_keeps_it_a_name():
    assert len(unused_name("x" * 64, ["x" * 64])) <= 64


def test_how_a_server_introduces_itself_cannot_be_set_by_hand():
    with pytest.raises(PlanError):
        PlayerSpec.parse("name=Ada,introduced=Bob")

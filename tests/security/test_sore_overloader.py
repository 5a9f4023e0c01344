"""A hosted player that is losing overloads the seats process, to have its match played again."""

from pathlib import Path

import anyio
import pytest

from league_sdk.domain.model import ResultStatus
from league_sdk.settings import Workspace
from servers.agent.identity import CredentialsFile
from tests.faults.league_harness import LEAGUE
from tests.faults.test_own_parts import SeatsProcess, hosted_league
from tests.security.hosted import RawClient

pytestmark = [
    pytest.mark.anyio,
    # What is killed in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
WAITS = 400
FEW = {"limits.request_burst": 200, "limits.requests_per_sec": 20}


async def overload(seats: SeatsProcess, name: str) -> None:
    """Open far more waits than a player may, with its own token."""
    file = Workspace(seats.held.spec.workspace).credentials_file(LEAGUE, "player", name)
    credentials = CredentialsFile(file).load()
    assert credentials is not None
    waiting = {"seat_token": credentials.seat_token, "seconds": 1, "listener": "mal"}
    crowd = [await RawClient.connect(f"http://127.0.0.1:{seats.behind}/mcp") for _ in range(WAITS)]
    for client in crowd:
        await client.call("wait_for_message", waiting)
    for client in crowd:
        await client.answered()
    for client in crowd:
        client.close()


async def outcome(folder: Path, name: str, *, fails: bool) -> tuple[str, str, list[str]]:
    """The status of the only match, the winner's name and the names of those at fault."""

    async def act(seats: SeatsProcess) -> None:
        seats.freeze()  # or the match would be over before the overload is
        await overload(seats, name)
        if fails:
            seats.kill()
            await anyio.sleep(3)  # until the referee has noticed
            seats.start()
        seats.thawed.set()

    async with hosted_league(folder, act, **FEW) as held:
        league = held.league
    assert not league.voided
    (result,) = league.results.values()
    names = {player_id: player.display_name for player_id, player in league.players.items()}
    return result.status, names.get(result.winner or "", ""), [names[fault.player_id] for fault in result.faults]


@pytest.mark.parametrize(
    ("name", "fails"),
    [
        pytest.param("Ben", True, id="whose seats process fails"),
        pytest.param("Ada", True, id="that began, whose seats process fails", marks=pytest.mark.slow),
        pytest.param("Ben", False, id="whose seats process holds", marks=pytest.mark.slow),
        pytest.param("Ada", False, id="that began, whose seats process holds", marks=pytest.mark.slow),
    ],
)
async def test_a_losing_player_that_overloads_seats_never_improves_its_result(name: str, fails: bool, tmp_path: Path):
    (other,) = {"Ada", "Ben"} - {name}
    status, winner, at_fault = await outcome(tmp_path, name, fails=fails)
    assert (status, winner) == (ResultStatus.TECHNICAL_LOSS, other)
    assert set(at_fault) == {name}

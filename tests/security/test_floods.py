"""One player floods the manager with 4,500 of something, and the others play their league as if nothing were."""

import logging
from pathlib import Path

import anyio
import pytest

from league_sdk.settings import Workspace
from servers.agent.identity import CredentialsFile
from tests.security.floods import FLOOD, FLOODS, OF_SEATS, flood
from tests.security.hosted import RawClient
from tests.security.leagues import SmallLeague

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.mark.parametrize("what", [what for what in FLOODS if what not in OF_SEATS])
async def test_a_player_that_floods_the_manager_costs_the_others_nothing(
    what: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    closed = {"security.join_secret": "for those who are invited"}
    league = SmallLeague(tmp_path, closed, names=("Ada", "Bea", "Mal"))
    crowd: list[RawClient] = []
    with anyio.fail_after(180):
        async with anyio.create_task_group() as everything:
            manager = await league.open(everything, by_hand=True)
            await league.join(everything)
            for name in league.names:
                await league.heard(name, "registered", "agent_id")
            credentials = CredentialsFile(Workspace(tmp_path).credentials_file("small", "player", "Mal")).load()
            assert credentials is not None
            crowd += await flood(manager, what, credentials.auth_token, FLOOD // 2)
            await league.start()
            crowd += await flood(manager, what, credentials.auth_token, FLOOD // 2)
            await league.ended()
            for client in crowd:
                client.close()
    assert set(league.codes.values()) == {0}
    assert [(result["match_id"], result["status"]) for result in league.results if result["faults"]] == []
    assert len(league.results) == 3
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []

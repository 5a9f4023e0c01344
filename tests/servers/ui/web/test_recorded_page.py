"""The page of a league whose manager has ended."""

import anyio
import anyio.lowlevel
import httpx2
import pytest

from servers.ui.web.recorded_page import show
from tests.ports import free_base
from tests.servers.league_history import finished

pytestmark = pytest.mark.anyio


async def test_it_stands_where_it_stood():
    history, port = finished(2), free_base()
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks, httpx2.AsyncClient(trust_env=False) as client:
            tasks.start_soon(show, history.records(), port)
            answer = None
            while answer is None:
                try:
                    answer = await client.get(f"http://localhost:{port}/")
                except httpx2.TransportError:
                    await anyio.lowlevel.checkpoint()
            assert answer.status_code == 200
            assert "Champion" in answer.text
            assert (await client.get(f"http://localhost:{port}/matches/R1M1")).status_code == 200
            tasks.cancel_scope.cancel()

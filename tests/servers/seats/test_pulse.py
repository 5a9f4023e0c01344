"""The pulse of a seat over sockets: a wait counts for as long as its connection."""

from functools import partial
from typing import Any

import anyio
import httpx2
import pytest

from league_sdk import tokens
from league_sdk.ports import NO_PULSE
from servers.seats.service import HostedSeats
from tests.security.hosted import KEY, RawClient, seats_process

pytestmark = pytest.mark.anyio


async def test_a_wait_whose_connection_ends_is_a_pulse_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr("servers.seats.main.HostedSeats", partial(HostedSeats, pulse=0.3))
    answers, answered = list[dict[str, Any]](), anyio.Event()
    with anyio.fail_after(15):
        async with seats_process(tmp_path, {}) as process, httpx2.AsyncClient(trust_env=False, timeout=20) as http:
            owner = await RawClient.connect(process.endpoint)
            asked = {"seat_token": tokens.seat_token(KEY, "ada"), "after": 2**60, "seconds": 30, "listener": "ada"}
            await owner.call("wait_for_message", asked)

            async def referee() -> None:
                answers.append(await process.ask(http, "ada"))
                answered.set()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(referee)
                with anyio.move_on_after(1.0):  # longer than a pulse
                    await answered.wait()
                assert answers == [], "its owner waits"
                owner.close()
    assert answers[0]["error"]["data"][NO_PULSE] is True

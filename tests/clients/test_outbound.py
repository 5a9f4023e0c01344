"""The order of the layers that an outgoing call passes: each swap of two neighbours would be a hole."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from clients.circuit import CircuitOpen, CircuitState
from clients.layers import compose
from clients.message_queue import Overloaded
from league_sdk.errors import LeagueError, PeerUnreachable, ResponseTimeout
from league_sdk.ports import Priority
from tests.clients.test_peer import World, reply

pytestmark = pytest.mark.anyio

ORDER = ("retry", "measure", "queue", "read", "circuit", "session", "transport")
RESET_SEC = 1000.0


def swap(world: World, one: str, other: str) -> None:
    """Let calls pass two layers in each other's place."""
    layers = {layer.__name__: layer for layer in world.client.layers.order}
    names = [{one: other, other: one}.get(name, name) for name in ORDER]
    world.client.layers.send = compose([layers[name] for name in names])


async def failing(world: World) -> type[Exception]:
    """The error of one try."""
    with pytest.raises(LeagueError) as caught:
        await world.ask(retry=False, priority=Priority.BROADCAST)
    return type(caught.value)


async def a_backoff_holds_a_turn(world: World) -> bool:
    held: list[int] = []
    sleep = world.clock.sleep

    async def watched(seconds: float) -> None:
        held.append(world.queue.under_way)
        await sleep(seconds)

    world.clock.sleep = watched
    world.answers(ResponseTimeout("slow"), reply())
    await world.ask(priority=Priority.MATCH)
    return 1 in held


async def a_try_is_not_counted(world: World) -> bool:
    world.answers(ResponseTimeout("slow"), reply())
    await world.ask(priority=Priority.MATCH)
    return [outcome for _, _, outcome in world.tally.tries] != ["E001", "ok"]


async def a_full_queue_is_not_counted(world: World) -> bool:
    async with world.queue.turn(Priority.MATCH):
        assert await failing(world) is Overloaded
    return world.tally.tries == []


async def our_own_queue_closes_a_circuit(world: World) -> bool:
    world.answers(PeerUnreachable("gone"))
    await failing(world)
    world.clock.advance(RESET_SEC)  # the circuit lets one call through
    async with world.queue.turn(Priority.MATCH):
        await failing(world)
    return world.outbound.breakers.states()[CircuitState.CLOSED] == 1


async def a_peers_word_opens_its_circuit(world: World) -> bool:
    world.answers({"message_type": "LEAGUE_ERROR", "error_code": "E009", "error_description": "I am gone"}, reply())
    await failing(world)
    try:
        await world.ask(retry=False, priority=Priority.BROADCAST)
    except CircuitOpen:
        return True
    return False


async def a_connection_that_fails_opens_no_circuit(world: World) -> bool:
    world.connector.refuse = PeerUnreachable("nobody listens")
    await failing(world)
    return await failing(world) is not CircuitOpen


async def a_call_goes_out_without_a_connection(world: World) -> bool:
    world.answers(reply())
    try:
        await world.ask(retry=False)
    except LeagueError:
        return True
    return False


HOLES: dict[tuple[str, str], Callable[[World], Awaitable[bool]]] = {
    ("retry", "queue"): a_backoff_holds_a_turn,
    ("retry", "measure"): a_try_is_not_counted,
    ("measure", "queue"): a_full_queue_is_not_counted,
    ("queue", "circuit"): our_own_queue_closes_a_circuit,
    ("read", "circuit"): a_peers_word_opens_its_circuit,
    ("circuit", "session"): a_connection_that_fails_opens_no_circuit,
    ("session", "transport"): a_call_goes_out_without_a_connection,
}


@pytest.fixture
async def world(connector: Any):
    made = World(connector, threshold=1, reset_timeout=RESET_SEC)
    async with made.sessions:
        with anyio.fail_after(30):
            yield made


def test_the_list_says_the_order(connector: Any):
    assert tuple(layer.__name__ for layer in World(connector).client.layers.order) == ORDER


@pytest.mark.parametrize(("one", "other"), HOLES)
async def test_the_order_leaves_no_hole(world: World, one: str, other: str):
    assert not await HOLES[one, other](world)


@pytest.mark.parametrize(("one", "other"), HOLES)
async def test_the_other_way_round_would(world: World, one: str, other: str):
    swap(world, one, other)
    assert await HOLES[one, other](world)

"""The order of the layers that an incoming call passes: each swap of these would be a hole."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from clients.layers import compose
from league_sdk.clock import ManualClock
from league_sdk.dialect import V1
from league_sdk.domain.model import Role
from league_sdk.errors import AuthTokenInvalid, LeagueError
from league_sdk.ports import CallContext, CallRefused
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.v1 import V1Codec
from servers.agent.access import Access, Caller
from servers.agent.inbound_queue import InboundQueue
from servers.agent.rate_limit import Rate, Throttle
from servers.agent.server import AgentServer
from tests.servers.agent.test_server import acknowledge, hosting, round_over
from tests.servers.fakes import CODEC, LEAGUE, SPECS, FakeJournal, context, settle

pytestmark = pytest.mark.anyio

ORDER = ("account", "ready", "dialect", "codec", "identity", "limits", "record", "queue", "dispatch")

Change = Callable[[AgentServer], None]


def swap(one: str, other: str) -> Change:
    """Let the calls to an agent pass two layers in each other's place."""

    def change(host: AgentServer) -> None:
        layers = {layer.__name__: layer for layer in host.layers.order}
        names = [{one: other, other: one}.get(name, name) for name in ORDER]
        host.layers.receive = compose([layers[name] for name in names])

    return change


def proven(access: Access, message: Message, token: str | None, context: CallContext) -> Caller:
    """A player that shows its token."""
    if token != "secret":
        raise AuthTokenInvalid("the auth_token is not the one this call needs")
    return Caller(Role.PLAYER, "P01", address=context.address)


async def code_of(host: AgentServer, message: Any) -> str:
    """The error code of a call; empty for one that is answered."""
    try:
        await host.call("notify_round_completed", message, context())
    except CallRefused as refused:
        return str((refused.data or {})["error_code"])
    except LeagueError:
        return "none: it was let out as it is"
    return ""


async def a_fault_is_no_refusal(change: Change) -> bool:
    async def broken() -> None:
        raise AuthTokenInvalid("not yet")

    host = hosting(acknowledge, ready=broken)
    change(host)
    return await code_of(host, round_over()) != "E012"


async def a_caller_is_refused_before_its_manager_is_known(change: Change) -> bool:
    ready = anyio.Event()

    def identify(access: Access, message: Message, token: str | None, context: CallContext) -> Caller:
        if not ready.is_set():
            raise AuthTokenInvalid("nobody is known")
        return Caller(Role.LEAGUE_MANAGER)

    host, codes = hosting(acknowledge, identify=identify, ready=ready.wait), list[str]()
    change(host)

    async def call() -> None:
        codes.append(await code_of(host, round_over()))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        await settle()
        ready.set()
    return codes != [""]


async def another_protocol_is_not_understood(change: Change) -> bool:
    host = hosting(acknowledge, dialects={V1: V1Codec(CODEC, SPECS, leagues=[LEAGUE])})
    change(host)
    message = {**round_over(), "protocol": V1}
    return await code_of(host, message) != ""


async def nonsense_is_asked_for_its_token(change: Change) -> bool:
    seen: list[Message] = []

    def identify(access: Access, message: Message, token: str | None, context: CallContext) -> Caller:
        seen.append(message)
        return Caller(Role.LEAGUE_MANAGER)

    host = hosting(acknowledge, identify=identify)
    change(host)
    await code_of(host, {"message_type": "ROUND_COMPLETED"})
    return seen != []


async def an_agent_pays_for_whoever_shares_its_address(change: Change) -> bool:
    clock = ManualClock()
    throttle = Throttle(clock, agents=Rate(1, 10), strangers=Rate(1, 1))
    host = hosting(acknowledge, identify=proven, throttle=throttle, clock=clock)
    change(host)
    codes = [await code_of(host, {**round_over(), "auth_token": "forged"}) for _ in range(3)]
    codes += [await code_of(host, {**round_over(), "auth_token": "secret"}) for _ in range(3)]
    return codes != ["E012", "E023", "E023", "", "", ""]


async def calls_that_are_too_many_wait_in_the_queue(change: Change) -> bool:
    clock, gate, waiting = ManualClock(), anyio.Event(), list[int]()

    async def slow(message: Any, caller: Caller) -> Any:
        await gate.wait()
        return await acknowledge(message, caller)

    queue = InboundQueue(capacity=800, concurrency=8, patience=60)
    throttle = Throttle(clock, agents=Rate(1, 1), strangers=Rate(1, 1))
    host = hosting(slow, identify=proven, queue=queue, throttle=throttle, clock=clock)
    change(host)
    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(code_of, host, {**round_over(), "auth_token": "secret"})
        await settle()
        waiting.append(queue.waiting)
        gate.set()
    return waiting != [0]


async def refused_calls_fill_the_log(change: Change) -> bool:
    clock, journal = ManualClock(), FakeJournal()
    throttle = Throttle(clock, agents=Rate(1, 1), strangers=Rate(1, 1))
    host = hosting(acknowledge, identify=proven, journal=journal, throttle=throttle, clock=clock)
    change(host)
    for _ in range(5):
        await code_of(host, {**round_over(), "auth_token": "secret"})
    return len([line for line in journal.messages if line[0] == "RECEIVED"]) != 1


async def more_are_handled_at_once_than_there_are_turns(change: Change) -> bool:
    gate, running, most = anyio.Event(), list[int](), list[int]()

    async def slow(message: Any, caller: Caller) -> Any:
        running.append(1)
        await gate.wait()
        return await acknowledge(message, caller)

    host = hosting(slow, queue=InboundQueue(capacity=800, concurrency=2, patience=60))
    change(host)
    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(code_of, host, round_over())
        await settle()
        most.append(len(running))
        gate.set()
    return most != [2]


HOLES: dict[tuple[str, str], Callable[[Change], Awaitable[bool]]] = {
    ("account", "ready"): a_fault_is_no_refusal,
    ("ready", "identity"): a_caller_is_refused_before_its_manager_is_known,
    ("dialect", "codec"): another_protocol_is_not_understood,
    ("codec", "identity"): nonsense_is_asked_for_its_token,
    ("identity", "limits"): an_agent_pays_for_whoever_shares_its_address,
    ("limits", "record"): refused_calls_fill_the_log,
    ("limits", "queue"): calls_that_are_too_many_wait_in_the_queue,
    ("queue", "dispatch"): more_are_handled_at_once_than_there_are_turns,
}


def test_the_list_says_the_order():
    assert tuple(layer.__name__ for layer in hosting(acknowledge).layers.order) == ORDER


@pytest.mark.parametrize(("one", "other"), HOLES)
async def test_the_order_leaves_no_hole(one: str, other: str):
    with anyio.fail_after(30):
        assert not await HOLES[one, other](lambda _: None)


@pytest.mark.parametrize(("one", "other"), HOLES)
async def test_the_other_way_round_would(one: str, other: str):
    with anyio.fail_after(30):
        assert await HOLES[one, other](swap(one, other))

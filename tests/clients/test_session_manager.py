import asyncio
import logging

import anyio
import pytest

from clients import session_manager
from clients.session_manager import SessionManager, SessionSettings
from league_sdk.clock import ManualClock
from league_sdk.errors import InvalidEndpoint, PeerUnreachable, ResponseTimeout
from league_sdk.ports import NotThisDialect, UnforeseenError
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

HERE = "fake:here"


class StoppedClock(ManualClock):
    """Sleeping takes for ever: the heartbeat beats only when a test calls it."""

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await anyio.sleep_forever()


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def make_connector(connector):
    return type(connector)


@pytest.fixture
async def sessions(connector, clock):
    with anyio.fail_after(30):
        async with SessionManager([connector], clock, SessionSettings(open_timeout=5)) as manager:
            yield manager


async def open_and_leave(sessions, endpoint=HERE):
    async with sessions.lease(endpoint) as connection:
        return connection


@requirement("001-PERF-05", "003-CLIENT-02")
async def test_a_session_is_opened_on_first_use_and_then_shared(sessions, connector):
    assert sessions.open_endpoints == ()
    async with sessions.lease(HERE) as first, sessions.lease(HERE) as second:
        assert first is second
    assert await open_and_leave(sessions) is first
    assert len(connector.opened) == 1
    assert sessions.open_endpoints == (HERE,)


async def test_callers_who_come_while_it_is_being_opened_share_it(sessions, connector):
    gate = anyio.Event()
    connector.gate = gate.wait
    got = []

    async def use():
        got.append(await open_and_leave(sessions))

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(use)
        await anyio.wait_all_tasks_blocked()
        gate.set()
    assert len(connector.opened) == 1
    assert got == connector.opened * 5


async def test_every_endpoint_has_a_session_of_its_own(sessions, connector):
    assert await open_and_leave(sessions, "fake:one") is not await open_and_leave(sessions, "fake:two")


@requirement("000-CL-SEND-02")
async def test_everybody_waiting_hears_that_nobody_is_there_and_the_next_call_tries_again(sessions, connector):
    connector.refuse = PeerUnreachable("nobody there")
    errors = []

    async def use():
        with pytest.raises(PeerUnreachable, match="nobody there") as caught:
            await open_and_leave(sessions)
        errors.append(caught.value)

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(use)
    assert len(set(map(id, errors))) == 3
    connector.refuse = None
    await open_and_leave(sessions)


@requirement("000-CL-SEND-02")
async def test_a_handshake_that_takes_too_long_is_unreachable(connector, clock):
    connector.gate = anyio.sleep_forever
    async with SessionManager([connector], clock, SessionSettings(open_timeout=0)) as sessions:
        with anyio.fail_after(30), pytest.raises(PeerUnreachable, match="handshake within 0 s") as raised:
            await open_and_leave(sessions)
    assert raised.value.context["silent"] is True


async def test_a_caller_who_is_cancelled_while_it_opens_leaves_it_to_the_others(sessions, connector):
    gate = anyio.Event()
    connector.gate = gate.wait
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(open_and_leave, sessions)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    gate.set()
    assert await open_and_leave(sessions) is connector.opened[0]
    assert len(connector.opened) == 1


@requirement("003-CLIENT-02", "003-CAP-05", "004-TEST-13")
async def test_a_broken_connection_is_closed_and_made_again(sessions, connector):
    first = await open_and_leave(sessions)
    with pytest.raises(PeerUnreachable):
        async with sessions.lease(HERE):
            raise PeerUnreachable("broke")
    assert sessions.open_endpoints == ()
    second = await open_and_leave(sessions)
    assert second is not first
    await anyio.wait_all_tasks_blocked()
    assert connector.closed == [first]


async def test_another_error_leaves_the_connection_alone(sessions, connector):
    with pytest.raises(ResponseTimeout):
        async with sessions.lease(HERE):
            raise ResponseTimeout
    await open_and_leave(sessions)
    assert len(connector.opened) == 1


async def test_a_connection_whose_owner_is_cancelled_from_within_harms_nobody_else(sessions, connector):
    """An MCP client does that to the task that holds it, when its server dies."""
    async with sessions.lease("fake:one") as connection:
        async with sessions.lease("fake:two") as doomed:
            connector.owner.cancel()
            await anyio.wait_all_tasks_blocked()
            assert connector.closed == [doomed]
        assert sessions.open_endpoints == ("fake:one",)
        assert await connection.call("x", {"still": "alive"}, timeout=1) == {"still": "alive"}
    assert await open_and_leave(sessions, "fake:two") is not doomed


@requirement("000-CL-RESP-02")
async def test_an_unforeseen_error_of_a_transport_is_logged_and_is_our_fault(sessions, connector, caplog):
    connector.refuse = ZeroDivisionError("a bug")
    with caplog.at_level(logging.ERROR), pytest.raises(UnforeseenError, match="ZeroDivisionError"):
        await open_and_leave(sessions)
    assert "unforeseen" in caplog.text
    assert "a bug" in caplog.text
    assert await sessions.wire(HERE, timeout=5) == ""
    connector.refuse = None
    await open_and_leave(sessions)


async def test_a_connection_with_an_unforeseen_error_is_made_again(sessions, connector):
    first = await open_and_leave(sessions)
    for error in (KeyError("x"), asyncio.CancelledError()):
        with pytest.raises((UnforeseenError, PeerUnreachable)):
            async with sessions.lease(HERE):
                raise error
    assert await open_and_leave(sessions) is not first
    assert len(connector.opened) == 3


@pytest.mark.parametrize("error", [KeyError("x"), asyncio.CancelledError()], ids=repr)
async def test_a_heartbeat_with_an_unforeseen_error_ends_that_session_alone(sessions, connector, clock, error):
    await open_and_leave(sessions, "fake:one")
    await open_and_leave(sessions, "fake:two")
    connector.opened[0].broken = error
    clock.advance(40)
    await sessions.beat()
    assert sessions.open_endpoints == ("fake:two",)


@requirement("003-CLIENT-02")
async def test_the_first_dialect_that_the_peer_understands_is_used_and_remembered(clock, make_connector):
    first = make_connector(name="first", refuse=NotThisDialect("what?"))
    second = make_connector(name="second")
    with anyio.fail_after(30):
        async with SessionManager([first, second], clock) as sessions:
            assert await open_and_leave(sessions) is second.opened[0]
            await sessions.close(HERE)
            first.refuse = None
            await open_and_leave(sessions)
    assert len(second.opened) == 2
    assert first.opened == []


async def test_a_failure_makes_it_forget_what_the_peer_spoke(clock, make_connector):
    first = make_connector(name="first", refuse=NotThisDialect("what?"))
    second = make_connector(name="second")
    with anyio.fail_after(30):
        async with SessionManager([first, second], clock) as sessions:
            with pytest.raises(PeerUnreachable):
                async with sessions.lease(HERE):
                    raise PeerUnreachable("the peer was restarted")
            first.refuse = None
            await open_and_leave(sessions)
    assert len(first.opened) == 1


async def test_a_peer_that_speaks_none_of_our_dialects_is_unreachable_and_says_why(clock, make_connector):
    strangers = [make_connector(name=name, refuse=NotThisDialect(f"no {name}")) for name in ("first", "second")]
    with anyio.fail_after(30):
        async with SessionManager(strangers, clock) as sessions:
            with pytest.raises(PeerUnreachable, match="first: no first; second: no second"):
                await open_and_leave(sessions)


async def test_an_unreachable_peer_is_not_asked_in_other_dialects(clock, make_connector):
    first = make_connector(name="first", refuse=PeerUnreachable("nobody"))
    second = make_connector(name="second")
    with anyio.fail_after(30):
        async with SessionManager([first, second], clock) as sessions:
            with pytest.raises(PeerUnreachable):
                await open_and_leave(sessions)
    assert second.opened == []


@requirement("003-CAP-08")
async def test_an_endpoint_that_no_transport_takes_is_invalid(sessions):
    with pytest.raises(InvalidEndpoint, match="'ftp://x'; there are: fake"):
        await open_and_leave(sessions, "ftp://x")


@requirement("003-CLIENT-02")
async def test_the_heartbeat_pings_what_was_not_used_of_late_and_drops_what_does_not_answer(sessions, clock):
    one = await open_and_leave(sessions, "fake:one")
    clock.advance(20)
    two = await open_and_leave(sessions, "fake:two")
    clock.advance(10)
    await sessions.beat()
    assert (one.pings, two.pings) == (1, 0)
    two.broken = ResponseTimeout()
    clock.advance(20)
    await sessions.beat()
    assert (one.pings, two.pings) == (2, 1)
    assert sessions.open_endpoints == ("fake:one",)


async def test_many_idle_sessions_are_pinged_some_at_a_time_and_not_after_a_call(sessions, clock, monkeypatch):
    monkeypatch.setattr(session_manager, "PINGS_AT_ONCE", 2)
    answered, pinged = anyio.Event(), list[str]()
    for name in "abcde":
        connection = await open_and_leave(sessions, f"fake:{name}")

        async def ping(*, timeout: float, name: str = name) -> None:
            pinged.append(name)
            await answered.wait()

        monkeypatch.setattr(connection, "ping", ping)
    clock.advance(30)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sessions.beat)
        await anyio.wait_all_tasks_blocked()
        assert len(pinged) == 2
        for name in {*"abcde"} - {*pinged}:
            await open_and_leave(sessions, f"fake:{name}")
        answered.set()
    assert len(pinged) == 2


async def test_a_connection_in_use_is_neither_pinged_nor_closed_for_idleness(sessions, clock):
    async with sessions.lease(HERE) as connection:
        clock.advance(1000)
        await sessions.beat()
        assert connection.pings == 0
        assert sessions.open_endpoints == (HERE,)


async def test_an_idle_session_is_closed(sessions, clock, connector):
    connection = await open_and_leave(sessions)
    clock.advance(300)
    await sessions.beat()
    await anyio.wait_all_tasks_blocked()
    assert connector.closed == [connection]
    assert connection.pings == 0


async def test_the_heart_beats_by_itself(connector):
    ticks, ticking = anyio.create_memory_object_stream[None](9)

    class TickingClock(ManualClock):
        """Sleeps until a tick comes."""

        async def sleep(self, seconds: float) -> None:
            await ticking.receive()
            self.advance(seconds)

    with anyio.fail_after(30), ticks, ticking:
        async with SessionManager([connector], TickingClock()) as sessions:
            connection = await open_and_leave(sessions)
            ticks.send_nowait(None)
            await anyio.wait_all_tasks_blocked()
            assert connection.pings == 1


async def test_leaving_the_manager_closes_every_session(connector, clock):
    with anyio.fail_after(30):
        async with SessionManager([connector], clock) as sessions:
            await open_and_leave(sessions, "fake:one")
            await open_and_leave(sessions, "fake:two")
    assert len(connector.closed) == 2


async def test_what_is_raised_in_it_comes_out_as_it_is(connector, clock):
    connector.refuse = PeerUnreachable("nobody")
    with anyio.fail_after(30), pytest.raises(PeerUnreachable, match="nobody"):
        async with SessionManager([connector], clock) as sessions:
            await open_and_leave(sessions)


async def test_a_manager_that_is_cancelled_closes_every_session(connector, clock):
    async def run(*, task_status):
        async with SessionManager([connector], clock) as sessions:
            await open_and_leave(sessions)
            task_status.started()
            await anyio.sleep_forever()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            await tasks.start(run)
            tasks.cancel_scope.cancel()
    assert len(connector.closed) == 1


async def test_a_closed_endpoint_is_opened_anew_and_closing_an_unknown_one_is_nothing(sessions, connector):
    await open_and_leave(sessions)
    await sessions.close(HERE)
    await sessions.close("fake:unknown")
    await open_and_leave(sessions)
    assert len(connector.opened) == 2


async def test_a_session_closed_while_somebody_waits_for_it_is_unreachable(sessions, connector):
    gate = anyio.Event()
    connector.gate = gate.wait
    failed = anyio.Event()

    async def use():
        with pytest.raises(PeerUnreachable, match="closed while it was being opened"):
            await open_and_leave(sessions)
        failed.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(use)
        await anyio.wait_all_tasks_blocked()
        await sessions.close(HERE)
        gate.set()
        await failed.wait()


async def test_it_has_to_be_entered_first(connector, clock):
    manager = SessionManager([connector], clock)
    with pytest.raises(RuntimeError, match="async context manager"):
        await open_and_leave(manager)
    with pytest.raises(RuntimeError, match="not entered"):
        await manager.__aexit__(None, None, None)


class TestWires:
    """A peer's wire may be known beforehand, or be detected."""

    @pytest.fixture
    def other(self, make_connector):
        return make_connector(name="jsonrpc")

    @pytest.fixture
    async def both(self, connector, other, clock):
        with anyio.fail_after(30):
            async with SessionManager([connector, other], clock, SessionSettings(open_timeout=5)) as manager:
                yield manager

    async def test_only_what_is_known_to_be_spoken_is_tried(self, both, connector, other):
        async with both.lease(HERE, "jsonrpc"):
            pass
        assert (connector.opened, len(other.opened)) == ([], 1)
        connector.refuse = NotThisDialect("not this one")
        with pytest.raises(PeerUnreachable, match="speaks none of our dialects"):
            async with both.lease("fake:there", "mcp"):
                pass
        assert len(other.opened) == 1

    async def test_an_open_session_is_used_when_it_is_of_that_wire(self, both, connector, other):
        async with both.lease(HERE):
            connector.opened[0].dialect = "mcp/2025-06-18"
        other_wire = await both.wire(HERE, timeout=1)
        assert other_wire == "mcp"
        assert len(connector.opened) == 1

    async def test_a_session_of_another_wire_is_made_anew(self, both, connector, other):
        async with both.lease(HERE):
            pass
        async with both.lease(HERE, "jsonrpc"):
            pass
        assert (len(connector.opened), len(other.opened)) == (1, 1)
        assert connector.closed == connector.opened

    async def test_nobody_there_and_nobody_in_time_are_both_no_wire(self, both, connector, other):
        connector.refuse = PeerUnreachable("nobody there")
        assert await both.wire(HERE, timeout=1) == ""
        connector.refuse, connector.gate = None, anyio.sleep_forever
        assert await both.wire(HERE, timeout=0.01) == ""

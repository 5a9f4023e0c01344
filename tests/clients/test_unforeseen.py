"""The exceptions and cancellations that a call to a peer lets out."""

import asyncio

import anyio
import pytest

from clients.unforeseen import unforeseen_as_error
from league_sdk.errors import InternalError, PeerUnreachable, ResponseTimeout
from league_sdk.ports import CallRefused, MalformedReply, NotThisDialect, UnforeseenError

pytestmark = pytest.mark.anyio

FORESEEN = [
    ResponseTimeout("slow"),
    InternalError("theirs"),
    MalformedReply("?"),
    CallRefused(1, "no"),
    NotThisDialect(),
]


@pytest.mark.parametrize("error", FORESEEN, ids=lambda error: type(error).__name__)
async def test_what_a_call_may_raise_passes_as_it_is(error: Exception):
    with pytest.raises(type(error)) as caught, unforeseen_as_error("P01"):
        raise error
    assert caught.value is error


UNFORESEEN = [
    KeyError("x"),
    UnicodeEncodeError("idna", "x", 0, 1, "?"),
    TimeoutError("of something else"),
    ExceptionGroup("several", [ValueError()]),
    BaseExceptionGroup("a cancellation among them", [asyncio.CancelledError(), ValueError()]),
]


@pytest.mark.parametrize("error", UNFORESEEN, ids=lambda error: type(error).__name__)
async def test_anything_else_is_a_fault_of_ours_and_keeps_its_text_to_itself(error: BaseException):
    with pytest.raises(UnforeseenError, match=type(error).__name__) as caught, unforeseen_as_error("P01"):
        raise error
    assert caught.value.__cause__ is error
    assert (caught.value.code, caught.value.retryable) == ("E099", True)
    assert "several" not in caught.value.message


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BaseExceptionGroup("", [SystemExit(1)])], ids=repr)
async def test_the_end_of_the_program_passes(error: BaseException):
    with pytest.raises(type(error)), unforeseen_as_error("P01"):
        raise error


async def test_a_cancellation_that_no_one_asked_for_is_a_dead_connection():
    with pytest.raises(PeerUnreachable, match="P01: the connection was cut off") as caught, unforeseen_as_error("P01"):
        raise asyncio.CancelledError
    assert caught.value.context["dropped"] is True


async def test_so_is_the_cancellation_of_what_the_call_waits_for():
    inner = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(inner.cancel)
    with pytest.raises(PeerUnreachable), unforeseen_as_error("P01"):
        await inner


async def test_even_in_a_task_that_was_cancelled_before_and_goes_on():
    dead = asyncio.get_running_loop().create_future()
    dead.cancel()
    with anyio.CancelScope() as scope:
        scope.cancel()
        with anyio.CancelScope(shield=True), pytest.raises(PeerUnreachable), unforeseen_as_error("P01"):
            await dead
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.sleep(0)
    with pytest.raises(PeerUnreachable), unforeseen_as_error("P01"):
        raise asyncio.CancelledError
    task.uncancel()


async def test_the_cancellation_of_the_task_itself_passes():
    ended: list[str] = []

    async def call() -> None:
        try:
            with unforeseen_as_error("P01"):
                await anyio.sleep_forever()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    task = asyncio.create_task(call())
    await anyio.wait_all_tasks_blocked()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(TimeoutError), anyio.fail_after(0.01):
        await call()
    with anyio.move_on_after(0.01):
        await call()
    assert ended == ["cancelled"] * 4

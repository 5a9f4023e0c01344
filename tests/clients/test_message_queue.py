import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients.message_queue import MessageQueue
from league_sdk.errors import RateLimited
from league_sdk.ports import Priority
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


class Caller:
    """Takes a turn, says so, and holds it until told to give it back."""

    def __init__(self, queue: MessageQueue, priority: Priority, log: list["Caller"]) -> None:
        self.queue = queue
        self.priority = priority
        self.log = log
        self.done = anyio.Event()
        self.error: Exception | None = None
        self.scope = anyio.CancelScope()

    async def run(self) -> None:
        with self.scope:
            try:
                async with self.queue.turn(self.priority):
                    self.log.append(self)
                    await self.done.wait()
            except RateLimited as error:
                self.error = error


@pytest.fixture
def log() -> list[Caller]:
    return []


async def settle() -> None:
    await anyio.wait_all_tasks_blocked()


async def test_calls_go_at_once_while_there_is_room():
    queue = MessageQueue(concurrency=2, capacity=0)
    with anyio.fail_after(30):
        async with queue.turn(Priority.BROADCAST), queue.turn(Priority.MATCH):
            assert queue.waiting == 0


@requirement("003-CLIENT-04")
async def test_the_most_urgent_goes_first_and_among_equals_the_first_come(log):
    queue = MessageQueue(concurrency=1)
    callers: list[Caller] = []
    order = [Priority.BROADCAST, Priority.CONTROL, Priority.MATCH, Priority.CONTROL, Priority.RESULT, Priority.MATCH]
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            holder = Caller(queue, Priority.BROADCAST, log)
            callers.extend(Caller(queue, priority, log) for priority in order)
            for caller in callers:
                caller.done.set()
            for caller in (holder, *callers):
                tasks.start_soon(caller.run)
                await settle()
            assert queue.waiting == len(order)
            holder.done.set()
    assert [callers.index(caller) for caller in log[1:]] == [2, 5, 4, 1, 3, 0]


@requirement("003-CLIENT-04")
async def test_one_call_too_many_is_refused_at_once(log):
    queue = MessageQueue(concurrency=1, capacity=1)
    callers = [Caller(queue, Priority.MATCH, log) for _ in range(3)]
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for caller in callers:
                tasks.start_soon(caller.run)
                await settle()
            assert isinstance(callers[2].error, RateLimited)
            assert callers[2].error.retryable
            for caller in callers:
                caller.done.set()
    assert log == callers[:2]


async def test_a_call_that_waits_too_long_is_refused_and_leaves_its_place(log):
    queue = MessageQueue(concurrency=1, capacity=1, patience=0)
    with anyio.fail_after(30):
        async with queue.turn(Priority.MATCH):
            with pytest.raises(RateLimited, match="no turn within 0 s"):
                async with queue.turn(Priority.MATCH):
                    pytest.fail("there was no turn to have")
            assert queue.waiting == 0
        async with queue.turn(Priority.MATCH):
            pass


async def test_a_turn_handed_to_a_call_that_is_cancelled_in_the_same_moment_goes_on_to_the_next(log):
    queue = MessageQueue(concurrency=1)
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            holder, unlucky, lucky = (Caller(queue, Priority.MATCH, log) for _ in range(3))
            for caller in (holder, unlucky, lucky):
                tasks.start_soon(caller.run)
                await settle()
            lucky.done.set()
            holder.done.set()  # the holder will hand his turn to the unlucky one ...
            unlucky.scope.cancel()  # ... who is cancelled already, and does not know it yet
            await settle()
            assert log == [holder, lucky]
            assert queue.waiting == 0
        async with queue.turn(Priority.MATCH):
            pass


async def test_a_turn_comes_back_when_its_holder_fails():
    queue = MessageQueue(concurrency=1, capacity=0)
    with anyio.fail_after(30):
        for _ in range(3):
            with pytest.raises(KeyError):
                async with queue.turn(Priority.MATCH):
                    raise KeyError


async def test_those_who_left_do_not_pile_up(log):
    queue = MessageQueue(concurrency=1, patience=60)
    with anyio.fail_after(30):
        async with queue.turn(Priority.MATCH), anyio.create_task_group() as tasks:
            for _ in range(100):
                tasks.start_soon(Caller(queue, Priority.BROADCAST, log).run)
            await settle()
            tasks.cancel_scope.cancel()
        assert queue.waiting == 0
        assert len(queue._heap) <= 16


@pytest.mark.parametrize("wrong", [{"capacity": -1}, {"concurrency": 0}, {"patience": -1.0}])
def test_a_queue_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="cannot have"):
        MessageQueue(**wrong)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("arrive"), st.sampled_from(Priority)),
        st.tuples(st.just("finish"), st.integers(0, 20)),
        st.tuples(st.just("cancel"), st.integers(0, 20)),
        st.tuples(st.just("settle"), st.just(0)),
    ),
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(concurrency=st.integers(1, 3), capacity=st.integers(0, 4), steps=STEPS)
def test_whatever_comes_and_goes_no_turn_is_lost_and_none_is_made_up(concurrency, capacity, steps):
    async def play() -> None:
        queue = MessageQueue(concurrency=concurrency, capacity=capacity)
        callers: list[Caller] = []
        log: list[Caller] = []
        holding = 0

        class Counting(Caller):
            async def run(self) -> None:
                nonlocal holding
                with self.scope:
                    try:
                        async with self.queue.turn(self.priority):
                            holding += 1
                            assert holding <= concurrency
                            try:
                                await self.done.wait()
                            finally:
                                holding -= 1
                    except RateLimited as error:
                        self.error = error

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                for step, value in steps:
                    if step == "arrive":
                        callers.append(Counting(queue, Priority(value), log))
                        tasks.start_soon(callers[-1].run)
                    elif step == "settle":
                        await settle()
                        assert queue.waiting == 0 or holding == concurrency
                    elif callers:
                        caller = callers[value % len(callers)]
                        caller.done.set() if step == "finish" else caller.scope.cancel()
                await settle()
                assert queue.waiting == 0 or holding == concurrency
                for caller in callers:
                    caller.done.set()
        assert queue.waiting == 0
        assert queue._free == concurrency

    anyio.run(play)

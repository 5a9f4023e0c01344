"""Memory that a process gives back."""

import gc
import weakref

from servers.agent.gc_tuning import EVERY_SEC, give_back_memory, now_and_then
from tests.servers.fakes import SteppingClock


class Circle:
    def __init__(self) -> None:
        self.me = self


def test_garbage_that_refers_to_itself_is_found():
    gc.disable()
    try:
        gone = weakref.ref(Circle())
        assert gone() is not None
        give_back_memory()
        assert gone() is None
    finally:
        gc.enable()


def test_it_is_looked_for_now_and_then_only():
    clock, times = SteppingClock(), list[float]()
    tidy = now_and_then(clock, lambda: times.append(clock.monotonic()))
    start = clock.monotonic()
    for more in (0.5, 0.5, 0.5, 0.75):
        clock.advance(more * EVERY_SEC)
        tidy()
    assert [time - start for time in times] == [EVERY_SEC, 2.25 * EVERY_SEC]

"""Garbage-collector and malloc tuning."""

import contextlib
import ctypes
import gc
from collections.abc import Callable
from typing import Final

from league_sdk.clock import Clock

EVERY_SEC: Final = 10.0
"""Interval between two collections of a process's garbage."""
_NEW_OBJECTS = 10_000
"""New objects that trigger a collection of the youngest generation."""
_MMAP_THRESHOLD = -3
_LARGE_BLOCK = 1_048_576
"""Blocks of so many bytes go back to the system as soon as they are freed."""


def settle_memory() -> None:
    """Call gc.freeze() in child processes.

    Imports alone are some hundred thousand objects. Looking through all of them again and again holds up every match,
    and turns pages that all children share into copies.
    """
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
    gc.enable()
    # glibc would keep blocks of up to 32 MB that were freed, such as the text of a large league's schedule.
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE_BLOCK)


def give_back_memory() -> None:
    """Collect garbage and return free pages to the system (glibc's malloc_trim)."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def now_and_then(clock: Clock, give_back: Callable[[], None] = give_back_memory) -> Callable[[], None]:
    """Give memory back if the last time was a while ago.

    A round of a thousand players leaves tens of megabytes of messages and of garbage behind.
    """
    last = clock.monotonic()

    def tidy() -> None:
        nonlocal last
        if clock.monotonic() - last >= EVERY_SEC:
            give_back()
            last = clock.monotonic()

    return tidy

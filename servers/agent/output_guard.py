"""Output guard: a gone or slow reader of standard output blocks no agent.

A program that prints to a pipe fails once the pipe is closed (`| head -1`), and stands still once it is full and not
read. Neither may decide a match. So as long as agents run, the descriptors 1 and 2 lead into pipes of our own, which
are always read; what comes out is written to where they led before by a thread that may fail and wait. It is done to
the descriptors, since loggers and consoles keep the stream that they were made with, and programs that a strategy
starts inherit the descriptor. A terminal has to stay one for whoever asks: there the streams of Python are replaced.
"""

import contextlib
import io
import os
import select
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final, TypeAlias

from league_sdk.ports import Journal

HELD_BYTES: Final = 4_194_304
"""Bytes that wait for a slow reader; what is printed beyond them is lost."""
DRAIN_SEC: Final = 2.0
"""Seconds that a slow reader has for the rest when the last agent ends."""
CHUNK: Final = 65_536
NAMES: Final = {1: "standard output", 2: "standard error"}

OnLost: TypeAlias = Callable[[str], None]
"""Told once for each stream, in a sentence, that something printed was lost; from any thread."""


class _Relay:
    """Writes to a descriptor in its own thread; accepting data never blocks."""

    def __init__(self, target: int, on_lost: OnLost) -> None:
        self._target, self._on_lost = target, on_lost
        self._held: deque[bytes] = deque()
        self._size = 0
        self._changed = threading.Condition()
        self._ending = self._broken = self._torn = self._told = False
        self._thread = threading.Thread(target=self._write, name="output", daemon=True)
        self._thread.start()

    def take(self, data: bytes) -> None:
        """Hold some bytes until they are written, or lose them."""
        with self._changed:
            if self._torn and not self._broken:
                data = data[data.find(b"\n") + 1 :] if b"\n" in data else b""  # continue with a whole line
            fits = not self._broken and self._size + len(data) <= HELD_BYTES
            if fits and data:
                self._held.append(b"\n" + data if self._torn else data)
                self._size += len(self._held[-1])
                self._torn = False
                self._changed.notify()
            self._torn = self._torn or not fits
        if not fits:
            self._lose("its reader is gone" if self._broken else "it is not read fast enough")

    def end(self, seconds: float | None) -> None:
        """Wait until everything is written; give up after so many seconds."""
        with self._changed:
            self._ending = True
            self._changed.notify()
        self._thread.join(seconds)

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._held or self._ending)
                if not self._held:
                    return
                data = self._held.popleft()
            try:
                _write_all(self._target, data)
            except OSError as error:
                with self._changed:
                    self._broken = True
                    self._held.clear()
                self._lose(f"its reader is gone ({error.strerror})")
                return
            with self._changed:
                self._size -= len(data)

    def _lose(self, why: str) -> None:
        if not self._told:
            self._told = True
            self._on_lost(why)


def _write_all(target: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(target, rest) :]
        except BlockingIOError:  # whoever shares it with us has made it so
            select.select([], [target], [])


class _Raw(io.RawIOBase):
    """A terminal as Python's streams see it, written to by a relay."""

    def __init__(self, relay: _Relay, descriptor: int) -> None:
        self._relay, self._descriptor = relay, descriptor

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        taken = bytes(data)
        self._relay.take(taken)
        return len(taken)

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return True


@contextmanager
def _guarded_descriptor(descriptor: int, on_lost: OnLost, patience: float | None) -> Generator[None]:
    """Lead a descriptor through a relay."""
    private = os.dup(descriptor)
    relay = _Relay(private, on_lost)
    inner, outer = os.pipe()
    told, tell = os.pipe()
    os.dup2(outer, descriptor)
    os.close(outer)

    def pump() -> None:
        while True:
            ready, _, _ = select.select([inner, told], [], [])
            if inner in ready and (data := os.read(inner, CHUNK)):
                relay.take(data)
            elif told in ready or inner in ready:
                return

    pumping = threading.Thread(target=pump, name="output", daemon=True)
    pumping.start()
    try:
        yield
    finally:
        _flush()
        os.dup2(private, descriptor)
        os.close(tell)  # programs that inherited the other end may keep it open
        pumping.join()
        relay.end(patience)
        os.close(inner)
        os.close(told)


@contextmanager
def _guarded_terminal(name: str, descriptor: int, on_lost: OnLost, patience: float | None) -> Generator[None]:
    """Lead one of Python's streams through a relay; the descriptor stays the same."""
    stream = getattr(sys, name)
    if stream is not getattr(sys, f"__{name}__") or not isinstance(stream, io.TextIOWrapper):
        yield  # somebody has replaced it, to draw around what is printed
        return
    relay = _Relay(descriptor, on_lost)
    _flush()
    raw = io.BufferedWriter(_Raw(relay, descriptor))
    ours = io.TextIOWrapper(raw, stream.encoding, stream.errors, line_buffering=True)
    setattr(sys, name, ours)
    try:
        yield
    finally:
        ours.flush()
        if getattr(sys, name) is ours:
            setattr(sys, name, stream)
        relay.end(patience)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or none at all
            stream.flush()


class _Process:
    """The guard of this process, shared by its agents as the descriptors are."""

    def __init__(self) -> None:
        self._users: list[OnLost] = []
        self._lost: dict[str, str] = {}
        self._guards = ExitStack()
        self._lock = threading.Lock()

    @contextmanager
    def use(self, on_lost: OnLost, descriptors: Sequence[int], patience: float | None) -> Generator[None]:
        with self._lock:
            if not self._users:
                self._lost.clear()
                for descriptor in descriptors:
                    self._guards.enter_context(self._guard(descriptor, patience))
            self._users.append(on_lost)
            earlier = list(self._lost.values())
        for sentence in earlier:
            on_lost(sentence)
        try:
            yield
        finally:
            with self._lock:
                self._users.remove(on_lost)
                if not self._users:
                    self._guards.close()

    def _guard(self, descriptor: int, patience: float | None) -> contextlib.AbstractContextManager[None]:
        name = "stdout" if descriptor == 1 else "stderr"

        def lost(why: str) -> None:
            sentence = self._lost[name] = f"{NAMES[descriptor]}: {why}; what is printed there is lost"
            for user in list(self._users):
                user(sentence)

        try:
            os.fstat(descriptor)
            if getattr(sys, f"__{name}__") is None:
                return contextlib.nullcontext()  # closed from the beginning: the number stands for something else
            if os.isatty(descriptor):
                return _guarded_terminal(name, descriptor, lost, patience)
        except OSError:
            # Closed, so that the next file or connection would get its number, and be printed to.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, descriptor)
            if nowhere != descriptor:
                os.close(nowhere)
            os.set_inheritable(descriptor, True)
            return contextlib.nullcontext()
        return _guarded_descriptor(descriptor, lost, patience)


_PROCESS = _Process()


def print_to_stderr() -> None:
    """Send this process's output to standard error."""
    _flush()
    with contextlib.suppress(OSError):  # one of them is closed
        os.dup2(2, 1)


@contextmanager
def printing_to_stderr() -> Generator[None]:
    """Send agents' output to standard error; standard output is for the result."""
    try:
        kept = os.dup(1)
    except OSError:
        yield  # it is closed
        return
    try:
        print_to_stderr()
        yield
    finally:
        _flush()
        os.dup2(kept, 1)
        os.close(kept)


class LostOutput:
    """Logs that printed output was lost, as soon as there is a log."""

    def __init__(self) -> None:
        self._journal: Journal | None = None
        self._sentences: list[str] = []

    def __call__(self, sentence: str) -> None:
        """Something was lost."""
        if self._journal is None:
            self._sentences.append(sentence)
        else:
            self._journal.event("OUTPUT_LOST", "WARNING", reason=sentence)

    def log_to(self, journal: Journal) -> None:
        """Write to this journal from now on, earlier output first."""
        self._journal = journal
        for sentence in self._sentences:
            self(sentence)
        self._sentences.clear()


@contextmanager
def guarded_output(
    on_lost: OnLost, *, descriptors: Sequence[int] = (1, 2), patience: float | None = DRAIN_SEC
) -> Generator[None]:
    """Let nothing that is printed in this process fail, or wait for its reader.

    Guards may be nested: the outermost one counts for what is guarded, and for how long.
    """
    with _PROCESS.use(on_lost, descriptors, patience):
        yield

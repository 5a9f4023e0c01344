"""The log files of one process, all written by one thread.

A caller pays for making the line and putting it on a queue; it never waits for a disk. The thread writes the gathered
lines `FLUSH_SEC` after the first line of a batch. So:

* `close` (and the end of the interpreter) loses nothing, and `flush` returns when all earlier lines are in the files;
* a process that is killed may lose the lines of its last `FLUSH_SEC`;
* when the disk falls behind by `MAX_WAITING` lines, further ones are dropped and counted, and the count is logged.

Lines are whole, one JSON object each, in ASCII: no name or message of an agent can forge a second line or send control
codes to the reader's terminal. Files rotate by size.
"""

import atexit
import logging
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from league_sdk.clock import Clock, SystemClock, to_record_time
from league_sdk.json_value import Json
from league_sdk.logs.redaction import encode_line

FLUSH_SEC = 0.1  # longest time that a line waits to be written
MAX_WAITING = 100_000  # limit of lines that wait to be written
MAX_OPEN = 64  # limit of files kept open

_CHUNK = 256
_IDLE_ROUNDS = 20
_log = logging.getLogger(__name__)


class LogFiles:
    """Every log file of one process, under one folder.

    Files rotate beyond `max_bytes` (0 never) to `name.1` (the youngest) up to `name.<backups>`. `on_trouble` is called
    with event type and level of every WARNING or ERROR; `trace_id` gives the current trace, if any.
    """

    def __init__(
        self,
        root: Path,
        *,
        clock: Clock | None = None,
        level: str = "DEBUG",
        max_bytes: int = 10_000_000,
        backups: int = 5,
        on_trouble: Callable[[str, str], None] | None = None,
        trace_id: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.root = root
        self._trace_id = trace_id
        self._on_trouble = on_trouble
        self._clock = clock or SystemClock()
        self._level = _rank(level)
        self._max_bytes = max_bytes
        self._backups = backups
        self._waiting: deque[tuple[str, str]] = deque()
        self._dropped = 0
        self._handlers: OrderedDict[str, _Handler] = OrderedDict()
        self._files = threading.Lock()  # held while files are written, renamed or closed
        self._due = False
        self._closed = False

    def __enter__(self) -> "LogFiles":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def timestamp(self) -> str:
        return to_record_time(self._clock.now())

    def wants(self, level: str) -> bool:
        """True if lines of this level are written; ValueError for an unknown level."""
        return _rank(level) >= self._level

    def write(self, file: str, entry: Mapping[str, Json]) -> None:
        """Queue one line, without its secrets; `entry` may be changed afterwards."""
        if self._closed:
            raise ValueError(f"the logs under {self.root} are closed")
        if len(self._waiting) >= MAX_WAITING:
            self._dropped += 1
            return
        if (trace_id := self._trace_id()) is not None:
            entry = {**entry, "trace_id": trace_id}
        self._waiting.append((file, encode_line(entry)))
        if self._on_trouble is not None and (level := entry.get("level")) in _TROUBLES:
            self._on_trouble(str(entry.get("event_type", "MESSAGE")), level)
        if not self._due:
            self._due = True
            _WRITER.wants(self)

    def write_due(self) -> None:
        """Write the gathered lines; called by the writing thread."""
        self._due = False  # first: a line that comes meanwhile is due again
        with self._files:
            self._drain()

    def flush(self) -> None:
        """Return when every line so far is in its file."""
        with self._files:
            self._drain()

    def close(self) -> None:
        """Write waiting lines, and close the files; may be called twice."""
        self._closed = True
        _WRITER.forget(self)
        with self._files:
            self._drain()
            while self._handlers:
                self._handlers.popitem()[1].close()

    def rename(self, old: str, new: str) -> None:
        """Append the lines of `old` to `new`, and remove `old`."""
        with self._files:
            self._drain()
            for name in (old, new):
                if (handler := self._handlers.pop(name, None)) is not None:
                    handler.close()
            source, target = self.root / old, self.root / new
            if not source.exists():
                return
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():
                with source.open("rb") as lines, target.open("ab") as file:
                    file.writelines(lines)
                source.unlink()
            else:
                source.rename(target)

    def _drain(self) -> None:
        """Write in pieces, so that a file grows little beyond its size before rotation."""
        while self._waiting:
            lines: dict[str, list[str]] = {}
            for _ in range(min(len(self._waiting), _CHUNK)):
                file, line = self._waiting.popleft()
                lines.setdefault(file, []).append(line)
            for file, piece in lines.items():
                self._handler(file).write("\n".join(piece))
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            _log.error("%d log lines were dropped: the disk of %s is too slow", dropped, self.root)

    def _handler(self, file: str) -> "_Handler":
        handler = self._handlers.pop(file, None) or _Handler(self.root / file, self._max_bytes, self._backups)
        self._handlers[file] = handler
        if len(self._handlers) > MAX_OPEN:
            self._handlers.popitem(last=False)[1].close()
        return handler


class _Writer:
    """The writing thread: one for all log files of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._due: list[LogFiles] = []
        self._open: set[LogFiles] = set()
        self._thread: threading.Thread | None = None

    def wants(self, files: "LogFiles") -> None:
        with self._lock:
            self._due.append(files)
            self._open.add(files)
            if not self._wake.is_set():
                self._wake.set()
            if self._thread is None or not self._thread.is_alive():  # not alive: this process was forked
                self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
                self._thread.start()

    def forget(self, files: "LogFiles") -> None:
        with self._lock:
            self._open.discard(files)

    def close(self) -> None:
        """Close all open files when the interpreter ends."""
        for files in tuple(self._open):
            files.close()

    def _run(self) -> None:
        idle = 0
        while True:
            time.sleep(FLUSH_SEC)
            with self._lock:
                due, self._due = self._due, []
                idle = 0 if due else idle + 1
                if idle == _IDLE_ROUNDS:
                    self._wake.clear()
            for files in due:
                try:
                    files.write_due()
                except Exception:
                    # The lines of other files must not be lost with it.
                    _log.exception("the logs under %s cannot be written", files.root)
            if (
                idle == _IDLE_ROUNDS
            ):  # waking a thread costs its caller more than a line does, so a busy one stays awake
                self._wake.wait()
                idle = 0


_WRITER = _Writer()
atexit.register(_WRITER.close)


class _Handler:
    """One file. A failure is reported once, and writing is tried again later."""

    def __init__(self, path: Path, max_bytes: int, backups: int) -> None:
        self._path = path
        self._failed = False
        self._rotating = _Rotating(path, max_bytes, backups, self._fail)

    def write(self, text: str) -> None:
        self._rotating.emit(logging.LogRecord("", logging.INFO, "", 0, text, None, None))

    def close(self) -> None:
        try:
            self._rotating.close()
        except OSError:
            self._fail()  # a full disk must not hide the reason why the agent ends

    def _fail(self) -> None:
        if not self._failed:
            self._failed = True
            _log.error(
                "cannot write the log %s (%s); its lines are lost until this is mended", self._path, sys.exc_info()[1]
            )


class _Rotating(RotatingFileHandler):
    def __init__(self, path: Path, max_bytes: int, backups: int, fail: Callable[[], None]) -> None:
        super().__init__(path, maxBytes=max_bytes, backupCount=backups, encoding="ascii", delay=True)
        self._fail = fail

    def _open(self) -> Any:
        Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        del record
        self._fail()


def _rank(level: str) -> int:
    if level not in _LEVELS:
        raise ValueError(f"log level {level!r} is not one of {', '.join(_LEVELS)}")
    return _LEVELS[level]


_TROUBLES = ("WARNING", "ERROR")
_LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40}

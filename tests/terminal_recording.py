"""Recordings of a terminal: a command in a terminal of its own, and the screens that a person saw."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Sequence
from pathlib import Path

_CODES = re.compile(r"\x1b\[(\?25[lh]|[0-9;]*[AKm])|\r\n|[\r\n]")


class Terminal:
    """A command in a terminal of its own, all output of which is kept with its time.

    Args:
        command: The whole command line.
        environment: Its environment.
        folder: The folder in which it runs.
        size: Columns and lines.
    """

    def __init__(
        self, command: Sequence[str], environment: dict[str, str], folder: Path, size: tuple[int, int]
    ) -> None:
        ours, theirs = pty.openpty()
        columns, self._lines = size
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", self._lines, columns, 0, 0))
        kind = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        plain = {name: text for name, text in environment.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        self._began = time.monotonic()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=plain | kind,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._output: list[tuple[float, bytes]] = []
        self._reading = threading.Thread(target=self._read, args=(ours,))
        self._reading.start()

    @property
    def seconds(self) -> float:
        """The time since it was started."""
        return time.monotonic() - self._began

    @property
    def over(self) -> bool:
        """True if it has ended."""
        return self._process.poll() is not None

    def end(self, seconds: float) -> int:
        """Wait for its end; its exit code."""
        code = self._process.wait(seconds)
        self._reading.join(10)
        return code

    def kill(self) -> None:
        """End it in any case."""
        self._process.kill()
        self.end(60)

    def _read(self, terminal: int) -> None:
        with open(terminal, "rb", buffering=0) as output:
            try:
                while data := output.read(65_536):
                    self._output.append((self.seconds, data))
            except OSError:
                return  # the terminal's other side is closed

    def screen(self, seconds: float) -> list[str]:
        """The lines that were seen at that time, with their colours as escape codes."""
        seen = b"".join(data for at, data in self._output if at <= seconds)
        # A picture is drawn again from its first line on: what was cut off in the middle is none.
        lines, row = [""], 0
        for part in _parts(seen.decode("utf-8", "ignore")):
            if part in ("\n", "\r\n"):
                row += 1
                lines += [""] * (row + 1 - len(lines))
            elif part.endswith("A") and part.startswith("\x1b["):
                row = max(0, row - int(part[2:-1] or 1))
            elif part.endswith("K") and part.startswith("\x1b["):
                lines[row] = ""
            elif part != "\r" and not part.startswith("\x1b[?"):
                lines[row] += part
        while lines and not lines[-1].strip():
            lines.pop()
        return lines[-self._lines :]


def _parts(text: str) -> list[str]:
    """Text and control codes, apart from one another."""
    found: list[str] = []
    end = 0
    for code in _CODES.finditer(text):
        found += [text[end : code.start()], code.group()]
        end = code.end()
    return [part for part in (*found, text[end:]) if part]

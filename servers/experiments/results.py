"""An experiment's folder: its description, and an append-only table of results."""

import csv
import fcntl
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from servers.experiments.batches import batches, columns_of
from servers.experiments.spec import ExperimentSpec
from servers.launcher.run_options import PlanError

SPEC_FILE = "experiment.json"
TABLE_FILE = "matches.csv"


class ResultsFolder:
    """A folder with an experiment."""

    def __init__(self, path: Path, spec: ExperimentSpec) -> None:
        self.path = path
        self.spec = spec
        self.table = path / TABLE_FILE

    @classmethod
    def create(cls, path: Path, spec: ExperimentSpec) -> "ResultsFolder":
        """A new folder; PlanError if an experiment is there, or it cannot be written."""
        if (path / SPEC_FILE).exists():
            raise PlanError(
                f"{path} holds an experiment: go on with it by 'league experiment resume {path}', or name another "
                "folder with --out"
            )
        try:
            path.mkdir(parents=True, exist_ok=True)
            part = path / f".{SPEC_FILE}.tmp"
            part.write_text(spec.to_json(), "utf-8")
            part.replace(path / SPEC_FILE)
        except OSError as error:
            raise PlanError(f"{path} cannot be written: {error.strerror or error}") from error
        return cls(path, spec)

    @classmethod
    def open(cls, path: Path) -> "ResultsFolder":
        """A folder with an experiment; PlanError if there is none."""
        try:
            return cls(path, ExperimentSpec.from_json((path / SPEC_FILE).read_text("utf-8")))
        except FileNotFoundError:
            raise PlanError(f"there is no experiment in {path}; begin one with 'league experiment run'") from None
        except (OSError, ValueError, TypeError) as error:
            raise PlanError(f"{path / SPEC_FILE} cannot be read: {error}") from error

    @contextmanager
    def appending(self) -> Generator["Appender"]:
        """The table, cut to its last whole batch, locked against a second run."""
        try:
            with self.table.open("a+b", buffering=0) as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise PlanError(f"{self.path} is being played by another process") from None
                yield Appender(self.spec, file)
        except OSError as error:
            raise PlanError(f"{self.table} cannot be written: {error.strerror or error}") from error

    def rows(self) -> Iterator[list[str]]:
        """The rows of all whole lines."""
        if not self.table.exists():
            return
        with self.table.open(encoding="utf-8", newline="") as file:
            next(file, None)
            yield from csv.reader(line for line in file if line.endswith("\n"))


class Appender:
    """Adds batches to a table.

    Attributes:
        batches: The number of whole batches in it.
        matches: The number of their matches.
    """

    def __init__(self, spec: ExperimentSpec, file: BinaryIO) -> None:
        self._file = file
        file.seek(0)
        header = (",".join(columns_of(spec)) + "\n").encode()
        self.batches, self.matches, end = 0, 0, len(header)
        if file.read(end) != header:
            os.truncate(file.fileno(), 0)
            self.append(header.decode())
            return
        for batch in batches(spec):
            lines = [line for line in islice(file, batch.matches) if line.endswith(b"\n")]
            if len(lines) < batch.matches:
                break
            self.batches, self.matches, end = self.batches + 1, self.matches + batch.matches, end + sum(map(len, lines))
        os.truncate(file.fileno(), end)

    def append(self, text: str) -> None:
        """Add the rows of the next batch."""
        data = text.encode()
        while data:
            data = data[self._file.write(data) :]

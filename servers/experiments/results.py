"""An experiment's folder: its description, and an append-only table of results."""

import csv
import fcntl
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from servers.experiments.batches import Batch, batches, columns_of
from servers.experiments.spec import ExperimentSpec
from servers.experiments.stop_rule import StopRule
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
                f"{path} holds an experiment: continue it with 'league experiment resume {path}', or name another "
                "folder with --output"
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
        except (FileNotFoundError, NotADirectoryError):
            swept = min(path.glob(f"*/{SPEC_FILE}"), default=None)
            hint = (
                f"there are some in its folders, such as {swept.parent}"
                if swept
                else "begin one with 'league experiment run'"
            )
            raise PlanError(f"there is no experiment in {path}; {hint}") from None
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
                yield Appender(self.spec, file, StopRule(self.spec))
        except OSError as error:
            raise PlanError(f"{self.table} cannot be written: {error.strerror or error}") from error

    def rule(self) -> StopRule:
        """The stop rule after all whole batches."""
        rule, rows = StopRule(self.spec), self.rows()
        for batch in batches(self.spec) if rule.tests else ():
            if rule.wants(batch) and len(read := list(islice(rows, batch.matches))) == batch.matches:
                rule.read(batch, read)
        return rule

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
        rule: The stop rule, which has read the table.
        left: The batches that are not in the table, those that the rule may not want among them.
        matches: The number of matches in the table.
    """

    def __init__(self, spec: ExperimentSpec, file: BinaryIO, rule: StopRule) -> None:
        self._file = file
        self.rule = rule
        file.seek(0)
        header = (",".join(columns_of(spec)) + "\n").encode()
        self.left, self.matches, end = batches(spec), 0, len(header)
        if file.read(end) != header:
            os.truncate(file.fileno(), 0)
            self._write(header)
            return
        for batch in self.left:
            if not rule.wants(batch):
                continue
            lines = [line for line in islice(file, batch.matches) if line.endswith(b"\n")]
            if len(lines) < batch.matches:
                self.left = chain([batch], self.left)
                break
            rule.read(batch, csv.reader(line.decode() for line in lines))
            self.matches, end = self.matches + batch.matches, end + sum(map(len, lines))
        os.truncate(file.fileno(), end)

    def append(self, batch: Batch, text: str) -> None:
        """Add the rows of the next batch, and tell them to the stop rule."""
        self._write(text.encode())
        self.rule.read(batch, csv.reader(text.splitlines()))
        self.matches += batch.matches

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self._file.write(data) :]

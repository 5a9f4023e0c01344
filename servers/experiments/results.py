"""An experiment's folder: its description, and an append-only table of results."""

import csv
import fcntl
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from servers.experiments.batch_digests import BatchDigests, DigestMismatch
from servers.experiments.batches import ID_COLUMN, Batch, batches
from servers.experiments.match_table import Header, TableDamaged, ids_of, whole_batches
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
                yield Appender(self.spec, file, StopRule(self.spec), self.digests())
        except (TableDamaged, DigestMismatch) as error:
            raise TableDamaged(f"{self.table}: {error}") from None
        except OSError as error:
            raise PlanError(f"{self.table} cannot be written: {error.strerror or error}") from error

    def digests(self) -> BatchDigests:
        """The digests of its batches, before the first."""
        # As it stands in the file: a later version may write more fields.
        return BatchDigests(self.path, (self.path / SPEC_FILE).read_text("utf-8"))

    def head(self) -> str:
        """The last digest that was kept; that of the description where there is none."""
        digests = self.digests()
        return digests.last or digests.head

    def rule(self) -> StopRule:
        """The stop rule after all whole batches."""
        rule, rows = StopRule(self.spec), self.rows()
        for batch in batches(self.spec) if rule.tests else ():
            if rule.wants(batch) and len(read := list(islice(rows, batch.matches))) == batch.matches:
                rule.read(batch, read)
        return rule

    def rows(self) -> Iterator[list[str]]:
        """The rows of all whole lines, without their ids."""
        if not self.table.exists():
            return
        with self.table.open(encoding="utf-8", newline="") as file:
            identified = next(file, "").startswith(f"{ID_COLUMN},")
            for row in csv.reader(line for line in file if line.endswith("\n")):
                yield row[1:] if identified else row


class Appender:
    """Adds batches to a table.

    Attributes:
        rule: The stop rule, which has read the table.
        left: The batches that are not in the table, those that the rule may not want among them.
        matches: The number of matches in the table.

    Raises:
        TableDamaged: The table has gaps or doubles.
        DigestMismatch: Its rows are not those that were played.
    """

    def __init__(self, spec: ExperimentSpec, file: BinaryIO, rule: StopRule, digests: BatchDigests) -> None:
        self._file = file
        self._digests = digests
        self.rule = rule
        reading = open(file.fileno(), "rb", closefd=False)  # noqa: SIM115 (buffered; the file stays open)
        reading.seek(0)
        header = Header.read(spec, reading.readline())
        self.left, self.matches = batches(spec), 0
        if header is None:
            self._header = Header.of(spec)
            os.truncate(file.fileno(), 0)
            self._write(self._header.text)
            return
        self._header, end, last = header, len(header.text), -1
        place = {batch: number for number, batch in enumerate(batches(spec))}
        for batch, rows in whole_batches(spec, header, rule, reading):
            self._keep(batch, rows)
            self.matches, end, last = self.matches + batch.matches, end + len(rows), place[batch]
        self.left = islice(batches(spec), last + 1, None)
        os.truncate(file.fileno(), end)

    def append(self, batch: Batch, text: str) -> None:
        """Add the rows of the next batch, and tell them to the stop rule."""
        rows = list(csv.reader(text.splitlines()))
        if not self._header.identified:
            text = "".join(f"{line.partition(',')[2]}\n" for line in text.splitlines())
        self._write(text.encode())
        self._keep(batch, text.encode())
        self.rule.read(batch, [row[1:] for row in rows])
        self.matches += batch.matches

    def _keep(self, batch: Batch, rows: bytes) -> None:
        ids = ids_of(batch)
        self._digests.keep(ids[0], ids[-1], rows)

    @property
    def head(self) -> str:
        """The digest of the last batch."""
        return self._digests.head

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self._file.write(data) :]

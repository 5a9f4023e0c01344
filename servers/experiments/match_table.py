"""The table of an experiment: header, ids of rows, gaps and doubles."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from league_sdk.names import listed
from servers.experiments.batches import Batch, batches, columns_of, pairing_of
from servers.experiments.spec import ExperimentSpec
from servers.experiments.stop_rule import StopRule

"""Rows that a sentence names."""


class TableDamaged(Exception):
    """The table is not what was played; the message says where."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a table.

    Attributes:
        text: The line as it is written.
        identified: True if its rows begin with their ids; tables from before have none.
    """

    text: bytes
    identified: bool

    @classmethod
    def of(cls, spec: ExperimentSpec) -> "Header":
        """The header of a table that begins now."""
        return cls((",".join(columns_of(spec)) + "\n").encode(), identified=True)

    @classmethod
    def read(cls, spec: ExperimentSpec, line: bytes) -> "Header | None":
        """The header of a table that is there; None for one that was cut off within it.

        Raises:
            TableDamaged: The line is another one.
        """
        now = cls.of(spec)
        before = cls(now.text.partition(b",")[2], identified=False)
        for header in (now, before):
            if line == header.text:
                return header
        if line.endswith(b"\n") or not any(header.text.startswith(line) for header in (now, before)):
            raise TableDamaged("its first line is not that of an experiment's table")
        return None


class RowIds:
    """Reads the identity of a row: pairing, repetition and match."""

    def __init__(self, spec: ExperimentSpec, header: Header) -> None:
        self._places = {name: place for place, name in enumerate(spec.players, start=1)}
        self._width = len(columns_of(spec)) - (not header.identified)
        self._identified = header.identified

    def of(self, row: Sequence[str]) -> str | None:
        """The id of a row, such as `R1P1-2M3`; None if it is no row of this experiment."""
        cells = row[1:] if self._identified else row
        if len(row) != self._width or not {cells[2], cells[3]} <= self._places.keys():
            return None
        one, other = sorted((self._places[cells[2]], self._places[cells[3]]))
        found = f"R{cells[0]}P{one}-{other}M{cells[1]}"
        return found if not self._identified or row[0] == found else None


def ids_of(batch: Batch) -> list[str]:
    """The ids of a batch's rows."""
    return [f"{pairing_of(batch)}M{match}" for match in range(batch.first_match, batch.first_match + batch.matches)]


def whole_batches(
    spec: ExperimentSpec, header: Header, rule: StopRule, file: BinaryIO
) -> Iterator[tuple[Batch, bytes]]:
    """The batches that are whole, and their rows; the file stands behind the header.

    Raises:
        TableDamaged: A row is missing, stands twice or is none; the message has their numbers.
    """
    ids, start = RowIds(spec, header), file.tell()
    for batch in batches(spec):
        if not rule.wants(batch):
            continue
        lines = list(islice(file, batch.matches))
        whole = [line for line in lines if line.endswith(b"\n")]
        rows = list(csv.reader(line.decode("utf-8", "replace") for line in whole))
        if [ids.of(row) for row in rows] != ids_of(batch)[: len(rows)]:
            file.seek(start)
            raise TableDamaged(_damage(spec, ids, rule, file))
        if len(whole) < batch.matches:
            return
        rule.read(batch, content(rows, header))
        yield batch, b"".join(whole)
    if file.read(1):
        file.seek(start)
        raise TableDamaged(_damage(spec, ids, rule, file))


def content(rows: Iterable[list[str]], header: Header) -> list[list[str]]:
    """Rows without their ids."""
    return [row[1:] for row in rows] if header.identified else list(rows)


def _damage(spec: ExperimentSpec, ids: RowIds, rule: StopRule, file: BinaryIO) -> str:
    """A sentence on the rows that are missing, stand twice, or are none."""
    found, strange = Counter[str](), list[int]()
    text = (line.decode("utf-8", "replace") for line in file if line.endswith(b"\n"))
    for number, row in enumerate(csv.reader(text), start=2):
        name = ids.of(row)
        found.update([name] if name else [])
        strange += [] if name else [number]
    missing = _missing(spec, rule, found)
    twice = [name for name, times in found.items() if times > 1]
    known = {name for batch in batches(spec) for name in ids_of(batch)}
    strange_ids = [name for name in found if name not in known]
    told = [
        f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} missing" if missing else "",
        f"{listed(twice)} {'stands' if len(twice) == 1 else 'stand'} twice" if twice else "",
        f"{listed(strange_ids)} {'is' if len(strange_ids) == 1 else 'are'} not of it" if strange_ids else "",
        f"line {listed([str(number) for number in strange])} is no row of it" if strange else "",
    ]
    return "; ".join(part for part in told if part) or "its rows do not stand in the order in which they are played"


def _missing(spec: ExperimentSpec, rule: StopRule, found: Counter[str]) -> list[str]:
    """The rows before the last one; of each pairing where those may stop early."""
    order = [(batch.pairing if rule.tests else (), name) for batch in batches(spec) for name in ids_of(batch)]
    last = {pairing: place for place, (pairing, name) in enumerate(order) if name in found}
    return [name for place, (pairing, name) in enumerate(order) if name not in found and place < last.get(pairing, -1)]

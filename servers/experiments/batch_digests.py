"""A chain of digests over the batches of an experiment's rows."""

import os
from hashlib import sha256
from pathlib import Path

from league_sdk.fairness import digest

DIGESTS_FILE = "digests.csv"
_HEADER = "first,last,digest\n"


class DigestMismatch(Exception):
    """Rows are not those that were played; the message has their ids."""


class BatchDigests:
    """The chain of digests, from the experiment's description to its last batch.

    Attributes:
        head: The digest of the last batch so far: whoever keeps it can tell whether any row before was changed.
    """

    def __init__(self, folder: Path, description: str) -> None:
        self._path = folder / DIGESTS_FILE
        self.head = digest("league.v2/experiment", description)
        self._number = 0
        try:
            text = self._path.read_text("utf-8")
        except FileNotFoundError:
            text = ""
        whole = [line for line in text.splitlines(keepends=True) if line.endswith("\n")]
        self._known = [line.rstrip("\n").split(",") for line in whole[1:]]
        self._complete = len("".join(whole).encode())

    @property
    def kept(self) -> int:
        """The number of batches whose digest was kept."""
        return len(self._known)

    @property
    def last(self) -> str:
        """The last digest that was kept; empty without one."""
        return self._known[-1][-1] if self._known else ""

    def check(self, first: str, last: str, rows: bytes) -> bool:
        """Take in the next batch; False if no digest of it was kept.

        Raises:
            DigestMismatch: The kept one is another.
        """
        self.head = digest("league.v2/experiment/batch", self.head, sha256(rows).hexdigest())
        self._number += 1
        if self._number > len(self._known):
            return False
        if self._known[self._number - 1] != [first, last, self.head]:
            raise DigestMismatch(f"the rows {first} to {last} are not those that were played")
        return True

    def keep(self, first: str, last: str, rows: bytes) -> None:
        """Take in the next batch, and write its digest unless it is kept already."""
        if self.check(first, last, rows):
            return
        with self._path.open("ab") as file:
            if self._number == 1:
                self._complete = 0
            os.truncate(file.fileno(), self._complete)
            line = f"{_HEADER if not self._complete else ''}{first},{last},{self.head}\n".encode()
            file.write(line)
        self._complete += len(line)
        self._known.append([first, last, self.head])

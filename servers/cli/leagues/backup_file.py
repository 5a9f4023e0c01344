"""A league's backup: one zip with its records, sealed secrets, and a manifest.

`records.jsonl` has a record a line, as `league audit --export` writes them. The manifest comes last, with the digests
of all that stands before it. Nothing is held in memory but a page of records.
"""

import hashlib
import json
import zipfile
from collections.abc import AsyncIterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Final

from league_sdk.domain.decisions.result_summary import summarised
from league_sdk.domain.events import EVENT_TYPES, GENESIS, Record, first_broken_link
from league_sdk.domain.league import League, evolve
from league_sdk.domain.records.format_version import NewerRecords, check_readable
from league_sdk.errors import LeagueError
from league_sdk.release import release

FORMAT: Final = "mcp-agent-league backup"
VERSION: Final = 1
RECORDS, PLAN, SECRETS, MANIFEST = "records.jsonl", "run.json", "secrets.sealed", "manifest.json"
PARTS: Final = frozenset((RECORDS, PLAN, SECRETS, MANIFEST))
PAGE: Final = 500
LONGEST_LINE: Final = 64 * 2**20
LONGEST_PART: Final = 64 * 2**20
"""Limit of what is read whole: a plan, secrets, a manifest."""
_FIELDS = ("league_id", "sequence", "at", "type", "payload", "previous", "digest")


class NotABackup(Exception):
    """A file is no backup that can be restored; the message says why."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a backup.

    Attributes:
        league_id: The league.
        records: Number of its records.
        head: Digest of the last of them.
        made_at: The time of the backup.
        manager: Endpoint of the manager that led it; empty without one.
        release: The release that made it.
        digests: SHA-256 of each other file in it.
    """

    league_id: str
    records: int
    head: str
    made_at: str
    manager: str = ""
    release: str = field(default_factory=release)
    digests: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def bound_to(self) -> bytes:
        """All that its sealed secrets vouch for: everything but their own digest."""
        others = {name: digest for name, digest in self.digests.items() if name != SECRETS}
        return json.dumps([FORMAT, VERSION, {**asdict(self), "digests": others}], sort_keys=True).encode()


class BackupWriter:
    """Writes a backup into an open file, part by part."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False)
        self._digests: dict[str, str] = {}

    async def add_records(self, pages: AsyncIterable[Sequence[Record]]) -> None:
        found = hashlib.sha256()
        with self._zip.open(RECORDS, "w", force_zip64=True) as part:
            async for page in pages:
                text = "".join(f"{_line(record)}\n" for record in page).encode()
                found.update(text)
                part.write(text)
        self._digests[RECORDS] = found.hexdigest()

    def add(self, name: str, content: bytes) -> None:
        self._digests[name] = hashlib.sha256(content).hexdigest()
        self._zip.writestr(name, content)

    def described(self, manifest: Manifest) -> Manifest:
        """The manifest with the digests of what was added."""
        return replace(manifest, digests=dict(self._digests))

    def end(self, manifest: Manifest) -> None:
        document = {"format": FORMAT, "version": VERSION, **asdict(self.described(manifest))}
        self._zip.writestr(MANIFEST, json.dumps(document, indent=2) + "\n")
        self._zip.close()


class BackupReader:
    """A backup that was read to its end once, and holds together.

    Attributes:
        manifest: Its content.
        league: The league after its last record.
    """

    def __init__(self, path: Path) -> None:
        """Check a backup as a whole.

        Raises:
            NotABackup: It is none, truncated or changed.
            NewerRecords: A newer release wrote its records.
        """
        self._path = path
        try:
            self._zip = zipfile.ZipFile(path)
            self.manifest = self._read_manifest()
            self._check_parts()
            self.league = self._fold()
            self._check_digests()
        except NewerRecords:
            raise
        except OSError as error:
            raise NotABackup(f"cannot read {path}: {error.strerror or error}") from error
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
            raise NotABackup(f"{path} is no backup of a league, or was cut off: {error}") from error
        except (AttributeError, KeyError, TypeError, ValueError, LeagueError) as error:
            raise NotABackup(f"{path} is no backup of a league: {error}") from error

    def pages(self) -> Iterator[list[Record]]:
        """Its records, page by page."""
        page: list[Record] = []
        with self._zip.open(RECORDS) as part:
            while line := part.readline(LONGEST_LINE):
                values = json.loads(line)
                page.append(Record(**{name: values[name] for name in _FIELDS}))
                if len(page) == PAGE:
                    yield page
                    page = []
        if page:
            yield page

    def part(self, name: str) -> bytes | None:
        """One of its other files; None without it."""
        if name not in self.manifest.digests:
            return None
        with self._zip.open(name) as part:
            content = part.read(LONGEST_PART + 1)
        if len(content) > LONGEST_PART:
            raise ValueError(f"{name} is larger than that of any backup")
        return content

    def _read_manifest(self) -> Manifest:
        if MANIFEST not in self._zip.namelist():
            raise NotABackup(f"{self._path} is no backup of a league: it has no {MANIFEST}")
        with self._zip.open(MANIFEST) as part:
            values: dict[str, Any] = json.loads(part.read(LONGEST_PART))
        if values["format"] != FORMAT:
            raise NotABackup(f"{self._path} is no backup of a league, but {values['format']!r}")
        if not isinstance(values["version"], int) or values["version"] < 1:
            raise NotABackup(f"{self._path} is no backup of a league: it has no version")
        if values["version"] > VERSION:
            theirs = f"version {values['version']}, made by release {values['release']}"
            raise NotABackup(f"{self._path} is a backup of {theirs}; release {release()} reads up to {VERSION}")
        names = [each for each in Manifest.__dataclass_fields__ if each in values]
        return Manifest(**{name: values[name] for name in names})

    def _check_parts(self) -> None:
        """Refuse parts that no backup has, before any of them is read."""
        parts = self._zip.infolist()
        names = sorted(part.filename for part in parts)
        if names != sorted({MANIFEST, RECORDS, *self.manifest.digests}) or not {*names} <= PARTS:
            raise NotABackup(f"{self._path} is no backup of a league: it has other parts than its manifest or than any")
        if any(part.file_size > LONGEST_PART for part in parts if part.filename != RECORDS):
            raise NotABackup(f"{self._path} is no backup of a league: a part is larger than that of any backup")

    def _check_digests(self) -> None:
        for name, digest in self.manifest.digests.items():
            found = hashlib.sha256()
            with self._zip.open(name) as part:
                while block := part.read(2**20):
                    found.update(block)
            if found.hexdigest() != digest:
                raise NotABackup(f"{self._path} was changed: its {name} is another than its manifest has")

    def _fold(self) -> League:
        league: League | None = None
        count, head, version = 0, GENESIS, 0
        for page in self.pages():
            broken = first_broken_link(page, after=count, previous=head)
            if broken is not None or any(record.league_id != self.manifest.league_id for record in page):
                raise NotABackup(f"{self._path} was changed: its record {broken or count + 1} does not fit the chain")
            check_readable(page, EVENT_TYPES, version)
            for record in page:
                league = evolve(league, summarised(record.event, league))
            count, head = count + len(page), page[-1].digest
            version = 0 if league is None else league.format_version
        if league is None or (count, head) != (self.manifest.records, self.manifest.head):
            raise NotABackup(f"{self._path} was changed: its manifest has {self.manifest.records} records")
        return league


def _line(record: Record) -> str:
    values = {name: getattr(record, name) for name in _FIELDS}
    return json.dumps(values, separators=(",", ":"), ensure_ascii=True, allow_nan=False)

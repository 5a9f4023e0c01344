"""Audit of an experiment: rows, digests, and a sample played again."""

import csv
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from league_sdk import plugins
from servers.experiments.batch_digests import DigestMismatch
from servers.experiments.batches import COLUMNS, Batch, MatchFailed, pairing_of, play_batch
from servers.experiments.match_table import Header, TableDamaged, content, ids_of, whole_batches
from servers.experiments.results import ResultsFolder
from servers.experiments.spec import LEAGUE, ExperimentSpec
from servers.experiments.stop_rule import StopRule
from servers.player.positions import seconds_in

SAMPLE = 200
"""Matches that are played again unless a number is given: seconds for quick games."""
SHOWN = 20
"""Findings that are kept; more of them say nothing new."""


@dataclass(slots=True)
class ExperimentAudit:
    """The outcome of an audit."""

    folder: str
    head: str = ""
    matches: int = 0  # rows of whole batches
    total: int = 0  # matches that the experiment may have
    batches: int = 0
    digests: int = 0  # batches whose digest was kept
    replayed: int = 0  # matches played again
    unchecked: dict[str, int] = field(default_factory=dict[str, int])  # matches by cause
    notes: list[str] = field(default_factory=list[str])  # other things that were not checked
    findings: list[str] = field(default_factory=list[str])

    @property
    def ok(self) -> bool:
        """True if everything that could be checked holds."""
        return not self.findings

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return {**asdict(self), "ok": self.ok}


def audit_experiment(folder: ResultsFolder, sample: int | None = SAMPLE, head: str | None = None) -> ExperimentAudit:
    """Check an experiment's table, and play a sample of its matches again.

    `sample` is a number of matches, None for all; `head` a digest kept elsewhere, which one of the batches must have.
    """
    audit = ExperimentAudit(str(folder.path), total=folder.spec.total)
    rows = _table(folder, audit, head)
    causes = {pairing: _cause(folder.spec, pairing) for pairing in {batch.pairing for batch, _ in rows}}
    left = Counter[str]()
    units: list[tuple[Batch, Sequence[Sequence[str]]]] = []
    for batch, told in rows:
        if cause := causes[batch.pairing]:
            left[cause] += batch.matches
        else:
            units += _units(folder.spec, batch, told)
    chosen = units if sample is None else _some(units, sample)
    sampled = sum(batch.matches for batch, _ in chosen)
    if rest := sum(batch.matches for batch, _ in units) - sampled:
        left["not in the sample; --all plays them too"] = rest
    for batch, told in chosen:
        if len(audit.findings) < SHOWN:
            audit.findings += _replay(folder.spec, batch, told)
            audit.replayed += batch.matches
    if skipped := sampled - audit.replayed:
        left[f"left out after {SHOWN} findings"] = skipped
    audit.unchecked = dict(left)
    return audit


def _table(folder: ResultsFolder, audit: ExperimentAudit, head: str | None) -> list[tuple[Batch, list[list[str]]]]:
    """The rows of the whole batches, compared with ids and digests."""
    found: list[tuple[Batch, list[list[str]]]] = []
    digests = folder.digests()
    audit.head, heads, last = digests.head, {digests.head}, ""
    try:
        with folder.table.open("rb") as file:
            header = Header.read(folder.spec, file.readline()) or Header.of(folder.spec)
            for batch, text in whole_batches(folder.spec, header, StopRule(folder.spec), file):
                ids = ids_of(batch)
                audit.digests += digests.check(ids[0], ids[-1], text)
                heads.add(digests.head)
                found.append((batch, content(csv.reader(text.decode("utf-8", "replace").splitlines()), header)))
                audit.batches, audit.matches, last = audit.batches + 1, audit.matches + batch.matches, ids[-1]
            if not header.identified:
                audit.notes.append("ids of rows: not written then")
    except FileNotFoundError:
        audit.findings.append(f"{folder.table} is not there")
    except (TableDamaged, DigestMismatch) as error:
        audit.findings.append(f"{folder.table}: {error}")
        audit.notes.append(f"all rows after {last or 'the first line'}: nothing is counted or played from there on")
    audit.head = digests.head
    if digests.kept > audit.batches and not audit.findings:
        audit.findings.append(f"{folder.table}: rows are missing after {last or 'its first line'}")
    if not digests.kept and audit.batches:
        audit.notes.append("digests of batches: not written then")
    elif audit.digests < audit.batches and not audit.findings:
        audit.notes.append(f"digests of the last {audit.batches - audit.digests} batches: not written")
    if head is None:
        audit.notes.append(
            "whether all of it was written anew: with --head and the head that a run printed, that shows"
        )
    elif head not in heads:
        audit.findings.append(f"no batch has the head {head}: rows before it were changed, or cut off")
    return found


def _cause(spec: ExperimentSpec, pairing: tuple[int, int]) -> str:
    """The reason for which matches of two cannot be played again, if any."""
    if spec.engine != LEAGUE:
        return ""
    pair = [spec.entrants[place] for place in pairing]
    if any(entrant.url for entrant in pair):
        return "played by an agent over the wire"
    named = [plugins.named_strategy(entrant.strategy or "", spec.plugins) for entrant in pair]
    if any(found.make_with_model is not None for found, _ in named):
        return "played by a language model"
    if any(found.argument and seconds_in(argument) for found, argument in named):
        return "played by a search that stops by the clock"
    return "played in leagues, whose own records 'league audit' checks"


def _units(
    spec: ExperimentSpec, batch: Batch, rows: Sequence[Sequence[str]]
) -> Iterator[tuple[Batch, Sequence[Sequence[str]]]]:
    """The parts of a batch that can be played by themselves."""
    size = batch.matches if spec.memory else 2
    for start in range(0, batch.matches, size):
        part = Batch(batch.repetition, batch.pairing, batch.first_match + start, size)
        yield part, rows[start : start + size]


def _some(
    units: Sequence[tuple[Batch, Sequence[Sequence[str]]]], matches: int
) -> list[tuple[Batch, Sequence[Sequence[str]]]]:
    """Units by chance, of so many matches or a few more, in their order."""
    # From the system: whoever could compute the sample could change the rest.
    order = random.SystemRandom().sample(range(len(units)), len(units))
    chosen: list[int] = []
    for place in order:
        if matches <= 0:
            break
        chosen.append(place)
        matches -= units[place][0].matches
    return [units[place] for place in sorted(chosen)]


def _replay(spec: ExperimentSpec, batch: Batch, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Contradictions between rows and the same matches, played again."""
    try:
        again = [row[1:] for row in csv.reader(play_batch(spec, batch).splitlines())]
    except MatchFailed as error:
        yield f"{pairing_of(batch)}M{batch.first_match} cannot be played again: {error}"
        return
    for name, told, now in zip(ids_of(batch), rows, again, strict=True):
        differ = {column: (old, new) for column, old, new in zip(COLUMNS, told, now, strict=True) if old != new}
        if differ:
            yield f"{name}: {_told(differ)}"


def _told(differ: Mapping[str, tuple[str, str]]) -> str:
    return "; ".join(f"its {name} is {old!r}, and {new!r} when played again" for name, (old, new) in differ.items())

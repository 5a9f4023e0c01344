"""Findings of an audit, and its report."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from league_sdk.shares import Share

Json: TypeAlias = Any
"""A JSON value."""

CHANGED, DOUBTFUL = "changed", "doubtful"
"""Severities of a finding."""
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)
"""Exceptions that reading a malformed record can raise."""

CHAIN = "chain"
"""The kind of findings about digests and order; every other kind is about content."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction in the records.

    Attributes:
        kind: The sort of check: `chain`, `draw`, `outcome`, `score`, `schedule`, `course`, `standings`, `file`, …
        message: A sentence for a person.
        record: The record's number, from 1; None if it is about no one record.
        match: The match, if it is about one.
        severity: `changed`, or `doubtful` if there is an honest explanation that the records cannot rule out.
    """

    kind: str
    message: str
    record: int | None = None
    match: str | None = None
    severity: str = CHANGED

    @property
    def sentence(self) -> str:
        """The message with its place in front."""
        place = [] if self.record is None else [f"record {self.record}"]
        place += [] if self.match is None else [f"match {self.match}"]
        return f"{', '.join(place)}: {self.message}" if place else self.message

    def as_json(self) -> dict[str, Json]:
        place = {"record": self.record, "match": self.match}
        return {"kind": self.kind, "severity": self.severity, **place, "message": self.message}


@dataclass(slots=True)
class Report:
    """The outcome of an audit.

    Attributes:
        league_id: The league, as its records say.
        records: Number of records.
        head: Digest of the last record; a copy kept elsewhere reveals later whether records were cut off.
        complete: True if the league is over.
        scheduled: Matches in the schedule.
        decided: Matches with a result.
        void: Matches that do not count.
        substituted: Moves that their players called substituted: by player, the number by reason. No fault.
        verified_draws: Matches whose commitment and seed were recomputed.
        replayed: Matches replayed to the same end.
        files: Files under the data folder that were compared.
        kept: Digests kept outside the store that match records.
        unchecked: Sentences about parts that this audit could not see, and the means to check them.
        unverified: Sentences about parts that could not be recomputed, because a referee published too little.
        shares: By player id: the share of its matches that was replayed or is void; only players with any.
        notes: Other sentences for the reader that are no fault.
        standings: The standings as the audit computes them.
        champions: Ids of the best players who were not removed, once the league is complete.
        findings: Contradictions, the chain first, then in the order of the records.
    """

    league_id: str = ""
    records: int = 0
    head: str = ""
    complete: bool = False
    scheduled: int = 0
    decided: int = 0
    void: int = 0
    substituted: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    verified_draws: int = 0
    replayed: int = 0
    files: int = 0
    kept: int = 0
    unchecked: list[str] = field(default_factory=list[str])
    unverified: list[str] = field(default_factory=list[str])
    shares: dict[str, Share] = field(default_factory=dict[str, Share])
    notes: list[str] = field(default_factory=list[str])
    standings: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])
    champions: list[str] = field(default_factory=list[str])
    findings: list[Finding] = field(default_factory=list[Finding])

    @property
    def all_clear(self) -> str:
        """The verdict if nothing was found changed, no stronger than the audit's checks."""
        if self.findings:
            return "Nothing is known to have been changed."
        return "Nothing was changed." if self.kept else "Nothing that could be checked was changed."

    @property
    def ok(self) -> bool:
        """True if everything that could be recomputed holds, perhaps with doubts."""
        return not any(found.severity == CHANGED for found in self.findings)

    @property
    def first_changed(self) -> int | None:
        """The number of the first record with a contradiction; None if there is none."""
        changed = [found for found in self.findings if found.severity == CHANGED]
        chain = [found.record for found in changed if found.kind == CHAIN and found.record is not None]
        others = [found.record for found in changed if found.record is not None]
        return chain[0] if chain else min(others, default=None)

    def sort(self) -> None:
        self.findings.sort(key=lambda found: (found.kind != CHAIN, found.record is None, found.record or 0))

    def as_json(self) -> dict[str, Json]:
        return {
            "league_id": self.league_id,
            "ok": self.ok,
            "complete": self.complete,
            "records": self.records,
            "head": self.head,
            "first_changed_record": self.first_changed,
            "matches": {
                "scheduled": self.scheduled,
                "decided": self.decided,
                "void": self.void,
                "draws_verified": self.verified_draws,
                "replayed": self.replayed,
            },
            "substituted_moves": self.substituted,
            "played_again_or_void": [dataclasses.asdict(share) for share in self.shares.values()],
            "files_compared": self.files,
            "champions": self.champions,
            "standings": self.standings,
            "findings": [found.as_json() for found in self.findings],
            "kept_heads": self.kept,
            "unchecked": self.unchecked,
            "unverified": self.unverified,
            "notes": self.notes,
        }


def listed(items: Sequence[str], most: int = 5) -> str:
    """Some of `items`, and the number of the rest."""
    shown = ", ".join(items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"

"""Findings of an audit, and its report."""

import dataclasses
from dataclasses import dataclass, field

from league_sdk.json_value import Json
from league_sdk.rematch_shares import Share

CHANGED, DOUBTFUL = "changed", "doubtful"  # severities of a finding
MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)
"""Exceptions that reading a malformed record can raise."""

CHAIN = "chain"  # the kind of findings about digests and order; every other kind is about content


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction in the records."""

    kind: str  # the check: `chain`, `draw`, `outcome`, `score`, `schedule`, `course`, `standings`, `file`, …
    message: str
    record: int | None = None  # its number, from 1
    match: str | None = None
    severity: str = CHANGED  # doubtful, if there is an honest explanation that the records cannot rule out

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
    """The outcome of an audit."""

    league_id: str = ""
    records: int = 0
    head: str = ""  # digest of the last record; a copy kept elsewhere reveals later whether records were cut off
    complete: bool = False
    scheduled: int = 0
    decided: int = 0
    void: int = 0  # matches that do not count
    # By player and reason; no fault.
    substituted: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    verified_draws: int = 0  # commitment and seed were recomputed
    replayed: int = 0
    files: int = 0  # compared files under the data folder
    kept: int = 0  # digests kept outside the store that match records
    unchecked: list[str] = field(default_factory=list[str])  # not visible to this audit
    unverified: list[str] = field(default_factory=list[str])  # too little was published
    shares: dict[str, Share] = field(default_factory=dict[str, Share])  # only players with any
    notes: list[str] = field(default_factory=list[str])
    standings: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])
    champions: list[str] = field(default_factory=list[str])  # once complete
    findings: list[Finding] = field(default_factory=list[Finding])
    strict: bool = False  # doubtful findings count as changed

    @property
    def all_clear(self) -> str:
        """The verdict if nothing was found changed, no stronger than the audit's checks."""
        if self.findings:
            return "Nothing is known to have been changed."
        return "Nothing was changed." if self.kept else "Nothing that could be checked was changed."

    @property
    def ok(self) -> bool:
        """True if everything that could be recomputed holds, perhaps with doubts."""
        return not self._changed

    @property
    def _changed(self) -> list[Finding]:
        return [found for found in self.findings if self.strict or found.severity == CHANGED]

    @property
    def doubtful(self) -> list[Finding]:
        """The findings with an honest explanation that the records cannot rule out."""
        return [found for found in self.findings if found.severity == DOUBTFUL]

    @property
    def first_changed(self) -> int | None:
        """The number of the first record with a contradiction; None if there is none."""
        changed = self._changed
        chain = [found.record for found in changed if found.kind == CHAIN and found.record is not None]
        others = [found.record for found in changed if found.record is not None]
        return chain[0] if chain else min(others, default=None)

    def sort(self) -> None:
        self.findings.sort(key=lambda found: (found.kind != CHAIN, found.record is None, found.record or 0))

    def as_json(self) -> dict[str, Json]:
        return {
            "league_id": self.league_id,
            "ok": self.ok,
            "doubtful": [found.sentence for found in self.doubtful],
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

"""Digests kept outside the store: the only proof against a rewritten or cut log."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from league_sdk.audit.findings import CHAIN, CHANGED, DOUBTFUL, Finding, Report
from league_sdk.audit.rows import Row, parsed
from league_sdk.json_value import Json
from league_sdk.names import listed

BY_HAND = "--head"


@dataclass(frozen=True, slots=True)
class Head:
    """A digest that was kept outside the store, of the last record at that time."""

    digest: str
    kept_by: str  # a file, or `--head`


def kept_heads(data_root: Path, league_id: str) -> list[Head]:
    """Heads in the histories of players beside a league; unreadable ones are skipped."""
    return [
        Head(digest, str(path))
        for path in sorted((data_root / "players").glob("*/history.json"))
        for digest in _digests(path, league_id)
    ]


def _digests(path: Path, league_id: str) -> Iterator[str]:
    try:
        content = parsed(path.read_bytes())
    except (OSError, ValueError):
        return
    digest = _mapping(_mapping(_mapping(content).get("record_heads")).get(league_id)).get("digest")
    if isinstance(digest, str):
        yield digest


def check_heads(rows: Sequence[Row], heads: Sequence[Head], report: Report) -> int:
    """Find the records of kept heads; return the number of the last one, or 0."""
    places = {row.digest: row.place for row in rows if isinstance(row.digest, str)}
    vouched = 0
    for digest in dict.fromkeys(head.digest for head in heads):
        keepers = [head.kept_by for head in heads if head.digest == digest]
        place = places.get(digest)
        if place is None:
            by_hand = BY_HAND in keepers
            lost = "the log was cut off before it, or written anew"
            # No participant makes the audit of an honest league fail.
            lost += "" if by_hand else "; or that file, which is its player's own, is wrong"
            message = f"no record has the digest {digest!r} that was kept: {lost} (kept by {listed(keepers, 2)})"
            report.findings.append(Finding(CHAIN, message, severity=CHANGED if by_hand else DOUBTFUL))
            continue
        vouched = max(vouched, place)
        report.kept += 1
    if 0 < vouched < len(rows):
        report.notes.append(
            f"the digest that was kept is that of record {vouched}; {len(rows) - vouched} records follow it"
        )
    return vouched


def unchecked(rows: Sequence[Row], vouched: int, report: Report, *, files: bool) -> Iterator[str]:
    """Describe parts that this audit could not see, and the means to check them."""
    lost = any(found.kind == CHAIN for found in report.findings)
    if not vouched and not lost:
        yield (
            "whether records were removed at the end, or the whole log was written anew (with another name, say, or "
            "two referees swapped): no digest was kept outside the store. With --head and the digest that 'league run' "
            "printed, or with the history.json of a player beside the league, that would show"
        )
    elif vouched and vouched < len(rows):
        yield (
            f"whether records {vouched + 1} to {len(rows)} were written anew, or others removed after them: they came "
            "after the digest that was kept. With --head and a later digest that would show"
        )
    if not files:
        yield "the files that people read: they were not there. With --data and their folder they are compared"
    yield (
        "what referees and players say to one another outside of the league's messages. No record can show that: see "
        "docs/verifiable_draws.md"
    )


def _mapping(value: Json) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", value) if isinstance(value, Mapping) else {}

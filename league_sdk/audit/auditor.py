"""The audit: chain, course, matches, standings, files, in this order."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from league_sdk.audit.chain import first_break
from league_sdk.audit.course import follow
from league_sdk.audit.data_files import compare_files
from league_sdk.audit.evidence import evidence_findings
from league_sdk.audit.findings import CHAIN, MALFORMED, Finding, Report
from league_sdk.audit.format_checks import format_faults, unchecked_formats
from league_sdk.audit.heads import BY_HAND, Head, check_heads, kept_heads, unchecked
from league_sdk.audit.match_audit import judge
from league_sdk.audit.recorded_league import RecordedLeague
from league_sdk.audit.rows import Row
from league_sdk.audit.times import backwards
from league_sdk.game import Game
from league_sdk.json_value import Json
from league_sdk.names import listed
from league_sdk.rematch_shares import Share, shares

_NOT_WRITTEN = (
    "by what referees were admitted, their commitments before the invitation, and the evidence of technical losses: "
    "not written then, in records of format 1"
)

Games: TypeAlias = Callable[[str, Mapping[str, Json]], Game[Any]]
"""Finds a game by name and sets it up with options; may raise any exception."""


def audit(
    rows: Sequence[Row],
    games: Games,
    *,
    league_id: str | None = None,
    head: str | None = None,
    data_root: Path | None = None,
    strict: bool = False,
) -> Report:
    """Recompute a league from its records; never raises, whatever they contain.

    `head` is a digest kept outside the store, which one of the records must have. `data_root` has the files that people
    read, and the digests that players have kept; None checks no files. `strict` counts doubtful and unverified parts as
    changed.
    """
    first = rows[0].league_id if rows else None
    report = Report(league_id=league_id or str(first), records=len(rows), strict=strict)
    if not rows:
        report.findings.append(Finding(CHAIN, "there is no record at all: all of them were removed"))
        return report
    report.head = str(rows[-1].digest)
    broken = first_break(rows, report.league_id)
    if broken is not None:
        report.findings.append(broken)
    heads = [Head(head, BY_HAND)] if head is not None else []
    if data_root is not None:
        heads += kept_heads(data_root, report.league_id)
    vouched = check_heads(rows, heads, report)
    report.findings += backwards(rows)
    recorded = RecordedLeague()
    for row in rows:
        follow(recorded, row)
    report.findings += recorded.findings
    if recorded.rules:
        _summarise(recorded, report, headed=bool(heads))
        _judge_all(recorded, games, report)
        report.findings += format_faults(recorded)
        report.unchecked += unchecked_formats(recorded)
        report.unchecked += [_NOT_WRITTEN] if recorded.format_version < 2 else []
        if data_root is not None:
            compare_files(recorded, report, data_root)
    report.unchecked += unchecked(rows, vouched, report, files=report.files > 0)
    if strict:
        report.findings += [Finding("unverified", text) for text in report.unverified]
    report.sort()
    return report


def _summarise(recorded: RecordedLeague, report: Report, *, headed: bool) -> None:
    report.complete = recorded.over
    report.scheduled, report.decided, report.void = len(recorded.planned), len(recorded.decided), len(recorded.void)
    report.standings = recorded.table()
    report.substituted = {row["player_id"]: row["substituted"] for row in report.standings if "substituted" in row}
    report.champions = recorded.champions if recorded.over else []
    report.notes += [f"record {record}: {cause}" for record, cause in recorded.departures.removed.values()]
    report.notes += recorded.notes
    report.shares = _shares(recorded)
    report.notes += [share.sentence for share in report.shares.values()]
    if not recorded.over:
        done = f"{report.decided} of {report.scheduled} matches are decided, {report.void} void"
        unsure = "" if headed else ". Whether records are missing at the end can only be told with --head"
        report.notes.append(f"the league is not complete: {done}{unsure}")


def _shares(recorded: RecordedLeague) -> dict[str, Share]:
    """Each player's share of matches that were replayed or are void."""
    removals = {cause for _, cause in recorded.departures.removed.values()}
    voids = {match_id for match_id, cause in recorded.void.items() if cause not in removals}
    replays = {match_id: attempt - 1 for match_id, (_, attempt) in recorded.assigned.items() if attempt > 1}
    started = (replays.keys() | recorded.decided.keys() | voids) & recorded.planned.keys()
    begun = dict.fromkeys(recorded.names, 0)
    for match_id in started:
        for player in recorded.planned[match_id].players:
            begun[player] = begun.get(player, 0) + 1
    sides = {match_id: recorded.planned[match_id].players for match_id in started & (replays.keys() | voids)}
    return shares(begun, len(started), replays, voids, sides)


def _judge_all(recorded: RecordedLeague, games: Games, report: Report) -> None:
    try:
        game = games(recorded.rules["game_type"], recorded.rules["game_options"])
    except Exception as error:
        # Games are the caller's code, and the record may name any game with any options.
        message = f"no match can be recomputed: {type(error).__name__}: {error}"
        report.findings.append(Finding("game", message, record=1))
        return
    silent: dict[str, list[str]] = {}
    for match in recorded.decided.values():
        if match.match_id in recorded.departures.defaults | recorded.sitting.defaults:
            continue  # nobody played it; the course of the league has decided it
        try:
            verdict = judge(match, game, recorded.rules, recorded.format_version)
        except MALFORMED as error:
            message = f"its content cannot be judged: {type(error).__name__}: {error}"
            report.findings.append(Finding("record", message, match.record, match.match_id))
            continue
        report.findings += [Finding(kind, text, match.record, match.match_id) for kind, text in verdict.faults]
        report.findings += evidence_findings(recorded, match)
        report.verified_draws += verdict.draw_verified
        report.replayed += verdict.replayed and not verdict.faults
        if verdict.unverified:
            silent.setdefault(verdict.unverified, []).append(match.match_id)
    report.unverified += [f"{listed(matches)}: {why}" for why, matches in silent.items()]

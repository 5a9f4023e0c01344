"""Comparison of the files under `data/` with the records they were made from."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, cast

from league_sdk.audit.findings import MALFORMED, Finding, Report
from league_sdk.audit.match_audit import same, short
from league_sdk.audit.recorded_league import RecordedLeague
from league_sdk.audit.replay import JOINED
from league_sdk.audit.rows import parsed
from league_sdk.audit.table import Decided
from league_sdk.json_value import Json
from league_sdk.names import listed

EARLIER = "rounds"
"""The folder of a long league's earlier rounds."""
PAGES = "pages of earlier rounds"
Difference: TypeAlias = tuple[str, str | None]  # a sentence, and the match that it is about


def compare_files(recorded: RecordedLeague, report: Report, data_root: Path) -> None:
    """Compare standings, rounds and match files with the records, if they exist.

    A file may be older than the records while the league runs, but not after its end. Findings go to `report`.
    """
    league_id = str(recorded.rules["league_id"])
    if league_id in ("", ".", "..") or "/" in league_id or "\\" in league_id or "\0" in league_id:
        return
    folder = data_root / "leagues" / league_id
    for name, check in (("standings.json", _standings), ("rounds.json", _rounds)):
        content = _read(folder / name, report, None)
        if content is not None:
            pages = [_read(page, report, None) or {} for page in sorted((folder / EARLIER).glob("*.json"))]
            _add(report, folder / name, check(recorded, {**content, PAGES: pages}, report))
    for path in sorted((data_root / "matches" / league_id).glob("*.json")):
        content = _read(path, report, path.stem)
        if content is not None:
            _add(report, path, _match(recorded, path.stem, content))
    _missing(recorded, report, data_root / "matches" / league_id)
    report.unchecked += _uncompared(data_root, folder, planned=bool(recorded.plan))


def _uncompared(data_root: Path, folder: Path, *, planned: bool) -> Iterator[str]:
    """Name the files beside a league that are compared with nothing."""
    if not planned and (folder / "run.json").is_file():
        yield "run.json, the plan that 'league resume' starts agents by: no record tells how a league was started"
    if any((data_root / "players").glob("*/history.json")):
        yield (
            "the matches in the history.json of players: a player writes them for itself, as it likes, and one that is "
            "wrong must not make the audit fail. Of these files only the digests that players have kept are compared"
        )


def _missing(recorded: RecordedLeague, report: Report, folder: Path) -> None:
    """Report missing match files; they may come late while the league still runs."""
    if not recorded.over or not report.files:
        return
    ended = [*recorded.decided, *recorded.void]
    missing = sorted(match_id for match_id in ended if not (folder / f"{match_id}.json").is_file())
    if missing:
        report.findings.append(
            _finding(f"{folder}: the files of {listed(missing)} are missing: they were deleted", None)
        )


def _add(report: Report, path: Path, differences: Iterator[Difference]) -> None:
    report.files += 1
    try:
        for message, match in differences:
            report.findings.append(_finding(f"{path}: {message}", match))
    except MALFORMED as error:
        report.findings.append(_finding(f"{path}: it does not have its form: {type(error).__name__}: {error}", None))


def _finding(message: str, match: str | None) -> Finding:
    return Finding("file", message, match=match)


def _read(path: Path, report: Report, match: str | None) -> Mapping[str, Json] | None:
    try:
        content = parsed(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        report.findings.append(_finding(f"{path}: it cannot be read: {error}", match))
        return None
    if not isinstance(content, Mapping):
        report.findings.append(_finding(f"{path}: it is not a JSON object", match))
        return None
    return cast(Mapping[str, Json], content)


def _standings(recorded: RecordedLeague, content: Mapping[str, Json], report: Report) -> Iterator[Difference]:
    version = content["version"]
    known = dict(recorded.standings_by)
    if version > report.records:
        yield f"it was made from {version} records, and there are {report.records}: the last ones were cut off", None
        return
    if version not in known:
        yield f"record {version}, from which it was made, does not change the standings", None
        return
    if version != recorded.standings_by[-1][0]:
        message = f"it is of record {version}, older than the records"
        if recorded.over:
            yield message, None
        report.notes.append(f"standings.json: {message}; it was compared with the standings of that time")
    scheduled = 0 < recorded.planned_by <= version
    rows = [{**row, "games_played": row["played"]} for row in recorded.table(version)] if scheduled else []
    expected = {
        "league_id": recorded.rules["league_id"],
        "last_updated": known[version],
        "rounds_completed": sum(number <= version for number, _ in recorded.completed.values()),
        "standings": rows,
    }
    yield from _differences(expected, content, None)


def _rounds(recorded: RecordedLeague, content: Mapping[str, Json], report: Report) -> Iterator[Difference]:
    earlier = [entry for page in content[PAGES] for entry in page["rounds"]] if "earlier" in content else []
    told = cast(Sequence[Mapping[str, Json]], [*earlier, *content["rounds"]])
    if len(told) > len(recorded.started):
        yield f"it has {len(told)} rounds, and {len(recorded.started)} have begun: the last records were cut off", None
        return
    behind = len(told) < len(recorded.started)
    for number, entry in enumerate(told, start=1):
        if entry["status"] == "COMPLETED" and number not in recorded.completed:
            yield f"round {number} is complete in it, and not by the records: the last ones were cut off", None
            return
        behind = behind or (entry["status"] != "COMPLETED" and number in recorded.completed)
        yield from _differences(_round(recorded, number, complete=entry["status"] == "COMPLETED"), entry, None)
    if behind and recorded.over:
        yield "it is older than the records", None
    elif behind:
        report.notes.append("rounds.json is older than the records")
    yield from _differences({"league_id": recorded.rules["league_id"]}, content, None)
    if told or recorded.over:
        yield from _differences({"total_rounds": recorded.total_rounds}, content, None)


def _round(recorded: RecordedLeague, number: int, *, complete: bool) -> dict[str, Json]:
    fixtures, byes = recorded.rounds[number - 1]
    matches: list[dict[str, Json]] = []
    for planned in fixtures:
        entry: dict[str, Json] = {"match_id": planned.match_id, **_seats(planned.players), "winner": None}
        if complete:
            match = recorded.decided.get(planned.match_id)
            entry |= {"winner": match.winner, "status": match.status} if match else {"status": "VOID"}
        matches.append(entry)
    return {
        "round_id": number,
        "status": "COMPLETED" if complete else "IN_PROGRESS",
        "started_at": recorded.started[number][1],
        "completed_at": recorded.completed[number][1] if complete else None,
        "matches": matches,
        **({"byes": byes} if byes else {}),
    }


def _match(recorded: RecordedLeague, match_id: str, content: Mapping[str, Json]) -> Iterator[Difference]:
    decided = recorded.decided.get(match_id)
    if match_id not in recorded.planned:
        yield "it is of a match that is not in the schedule", match_id
    elif decided is not None:
        yield from _differences(_decided(recorded, decided), content, match_id)
    elif match_id in recorded.void:
        yield from _differences(_void(recorded, match_id), content, match_id)
    else:
        yield "it holds a result, and no record does: the last records were cut off", match_id


def _common(recorded: RecordedLeague, match_id: str, transcript: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    planned, (referee, attempt) = recorded.planned[match_id], recorded.assigned.get(match_id, (None, 0))
    return {
        "match_id": match_id,
        "league_id": recorded.rules["league_id"],
        "round_id": planned.round_id,
        "game_type": recorded.rules["game_type"],
        "referee_id": referee,
        "attempt": attempt,
        "players": {
            seat: {"id": player, "display_name": recorded.names[player], "joined_at": _joined_at(player, transcript)}
            for seat, player in _seats(planned.players).items()
        },
    }


def _joined_at(player: str, transcript: Sequence[Mapping[str, Json]]) -> Json:
    joins = (entry for entry in transcript if entry.get("message_type") == JOINED and entry.get("from") == player)
    return next((entry.get("timestamp") for entry in joins if entry.get("accept", True)), None)


def _void(recorded: RecordedLeague, match_id: str) -> dict[str, Json]:
    lifecycle: dict[str, Json] = {
        "state": "ABORTED",
        "created_at": recorded.assigned_at.get(match_id),
        "started_at": None,
        "finished_at": recorded.voided_at[match_id],
        "states": [],
    }
    ended: dict[str, Json] = {"lifecycle": lifecycle, "transcript": [], "result": None, "void": recorded.void[match_id]}
    return {**_common(recorded, match_id, ()), **ended}


def _decided(recorded: RecordedLeague, match: Decided) -> dict[str, Json]:
    result = match.result
    loser = next((player for player in match.players if player != match.winner), None) if match.winner else None
    lifecycle = cast(Mapping[str, str], result["lifecycle"])
    transcript = cast(Sequence[Mapping[str, Json]], result["transcript"])
    return {
        **_common(recorded, match.match_id, transcript),
        "lifecycle": {
            "state": "FINISHED",
            "created_at": lifecycle.get("CREATED") or recorded.assigned_at.get(match.match_id),
            "started_at": lifecycle.get("COLLECTING_CHOICES"),
            "finished_at": lifecycle.get("FINISHED") or match.at,
            "states": [{"state": state, "timestamp": at} for state, at in lifecycle.items()],
        },
        "transcript": [{"sequence": number, **entry} for number, entry in enumerate(transcript, start=1)],
        "result": {
            **result["details"],
            "status": match.status,
            "winner_id": match.winner,
            "loser_id": loser,
            "points_awarded": max(result["score"].values(), default=0),
            "score": result["score"],
            "reason": result["reason"],
            "faults": result["faults"],
            **({"not_played": True} if match.not_played else {}),
            **({"substituted": match.substituted} if match.substituted else {}),
            **_choices(match, loser),
        },
    }


def _choices(match: Decided, loser: str | None) -> dict[str, Json]:
    choices = match.result["details"].get("choices")
    if loser is None or not isinstance(choices, Mapping):
        return {}
    told, roles = cast(Mapping[str, Json], choices), (("winner", match.winner), ("loser", loser))
    return {f"{role}_choice": told[player] for role, player in roles if player is not None and player in told}


def _seats(players: Sequence[str]) -> dict[str, str]:
    return {f"player_{chr(ord('a') + seat)}": player for seat, player in enumerate(players)}


def _differences(expected: Json, found: Json, match: str | None, path: str = "") -> Iterator[Difference]:
    """Differences from the expected content; unexpected fields are ignored."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for name, value in cast(Mapping[str, Json], expected).items():
            place = f"{path}.{name}".removeprefix(".")
            if name not in found:
                yield f"{place} is missing", match
            else:
                yield from _differences(value, found[name], match, place)
    elif (
        isinstance(expected, list)
        and isinstance(found, list)
        and len(cast(list[Json], expected)) == len(cast(list[Json], found))
    ):
        pairs = zip(cast(list[Json], expected), cast(list[Json], found), strict=True)
        for index, (value, other) in enumerate(pairs):
            yield from _differences(value, other, match, f"{path}[{index}]")
    elif not same(expected, found):
        yield f"{path} is {short(found)}; by the records it is {short(expected)}", match

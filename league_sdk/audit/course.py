"""The course of a league, followed and checked record by record."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from league_sdk.audit import agent_records, evidence, leadership_records
from league_sdk.audit.findings import MALFORMED
from league_sdk.audit.formats import FORMATS
from league_sdk.audit.pairings import Planned, ranking_faults, series_faults, undecided_series
from league_sdk.audit.recorded_league import ENDLESS, Payload, RecordedLeague
from league_sdk.audit.rows import Row
from league_sdk.audit.stage_course import advanced_of
from league_sdk.audit.table import decided_by, standings
from league_sdk.json_value import Json
from league_sdk.names import listed

_MATCH_ID = re.compile(r"R([1-9][0-9]*)M[1-9][0-9]*(?:G[1-9][0-9]*)?")


def follow(recorded: RecordedLeague, row: Row) -> None:
    """Check a record against the league so far, and add it."""
    handler = _HANDLERS.get(row.type) if isinstance(row.type, str) else None
    if handler is None:
        recorded.fault("course", f"there is no event of type {row.type!r} in this release", row)
        return
    if row.type != "LeagueCreated" and not recorded.rules:
        recorded.fault("course", "it comes before the league was created", row)
        return
    if recorded.rules and recorded.format_version < evidence.SINCE.get(str(row.type), 1):
        recorded.fault("course", f"records of format {recorded.format_version} have no {row.type}", row)
    if recorded.over and row.type not in ("AgentReturned", "MadeReadOnly"):
        recorded.fault("course", f"{row.type} comes after the league was over", row)
    if overdue := recorded.departures.overdue(row.type):
        recorded.fault("course", overdue, row)
    if overdue := recorded.sitting.overdue(row.type) or leadership_records.overdue(recorded, row):
        recorded.fault("course", overdue, row)
    try:
        handler(recorded, row, row.payload)
    except MALFORMED as error:
        recorded.fault("record", f"its content does not fit its type {row.type}: {type(error).__name__}: {error}", row)
    ranked = row.type == "LeagueCompleted" and recorded.rankings and recorded.rankings[-1][1]
    if row.type in _CHANGES_STANDINGS or ranked:
        recorded.standings_by.append((row.place, str(row.at)))


def _created(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    if recorded.rules:
        recorded.fault("course", "the league is created a second time", row)
        return
    rules = cast(Payload, payload["rules"])
    if rules["league_id"] != row.league_id:
        recorded.fault("course", f"its rules are those of league {rules['league_id']!r}", row)
    scoring = rules["scoring"]
    if not all(type(scoring[name]) is int for name in ("win", "draw", "loss", "technical_loss")):
        raise ValueError("the points are not whole numbers")
    rules = cast(Payload, {"seed": None, "game_options": {}, "max_attempts": 1, **rules})
    standings({}, (), rules)
    recorded.stages = list(rules.get("stages") or [{"format": "round_robin", "options": {}, "advance": 0}])
    recorded.rules = rules
    recorded.format_version = _format_version(payload.get("format_version", 1))
    recorded.operator_digest = str(payload.get("operator_digest", ""))


def _format_version(told: Json) -> int:
    if type(told) is not int or told < 1:
        raise ValueError(f"the version of its format is {told!r}")
    return told


def _scheduled(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    if recorded.planned_by:
        recorded.fault("schedule", "there is a schedule already", row)
        return
    recorded.planned_by = row.place
    recorded.expected_rounds, recorded.announced = payload.get("expected_rounds", 0), len(payload["rounds"])
    for expected, scheduled in enumerate(payload["rounds"], start=1):
        busy = _round(recorded, row, scheduled, expected)
        if sorted(busy) != sorted(recorded.names):
            recorded.fault("schedule", f"not every player is in round {expected} once, playing or sitting out", row)


def _paired(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    scheduled, number = payload["round"], len(recorded.rounds) + 1
    if recorded.closed:
        recorded.fault("schedule", f"round {number} is paired after the league was closed", row)
    if not recorded.running or len(recorded.completed) < len(recorded.rounds):
        recorded.fault("schedule", f"round {number} is paired before round {len(recorded.rounds)} is complete", row)
    _series_goes_on(recorded, row, scheduled)
    busy = _round(recorded, row, scheduled, number)
    if len(set(busy)) < len(busy) or recorded.departures.removed.keys() & set(busy):
        recorded.fault("schedule", f"a player of round {number} is in it twice, or was removed", row)
    there = {*busy, *recorded.departures.removed}
    recorded.missed |= {
        player: number for player, missed in recorded.missed.items() if missed == number - 1 and player not in there
    }
    late = {player for player, missed in recorded.missed.items() if missed >= number}
    excused = {*recorded.sitting.reasons, *recorded.sitting.rejoined} if recorded.format_version > 1 else set[str]()
    recorded.resting[-1] = excused - there - late
    if wrong := recorded.sitting.pairing_faults(scheduled, busy):
        recorded.fault("schedule", f"round {number}: {wrong}", row)


def _series_goes_on(recorded: RecordedLeague, row: Row, scheduled: Payload | None) -> None:
    """Check the next round, or the end of the league, against the series under way."""
    if not recorded.games:
        return
    length, stage = recorded.games[-1], recorded.stages[recorded.stage_of[-1]]
    rules = FORMATS.get(stage["format"])
    if not length or rules is None or not rules.series:
        return
    block = [
        [(match.players, recorded.decided.get(match.match_id)) for match in fixtures]
        for fixtures, _ in recorded.rounds[-length:]
    ]
    going_on = scheduled["fixtures"] if scheduled and scheduled.get("game", 0) > 1 else ()
    ranks = "series_points" in recorded.rules["tiebreakers"]
    best_of, gone = stage["options"].get("best_of", 1), recorded.departures.removed.keys()
    for wrong in undecided_series(block, [tuple(match["players"]) for match in going_on], best_of, ranks, gone):
        recorded.fault("schedule", wrong, row)


def _round(recorded: RecordedLeague, row: Row, scheduled: Payload, expected: int) -> list[str]:
    """Add a round; returns all of its players, those with a bye too."""
    if scheduled["round_id"] != expected:
        recorded.fault("schedule", f"round {expected} bears the number {scheduled['round_id']!r}", row)
    fixtures = [_fixture(recorded, row, entry, expected) for entry in scheduled["fixtures"]]
    before = recorded.rounds[-1][0] if recorded.rounds else []
    for match_id, wrong in series_faults(scheduled.get("game", 0), fixtures, before):
        recorded.fault("schedule", wrong, row, match_id)
    byes = list(cast(Sequence[str], scheduled["byes"]))
    if scheduled.get("bye_points", "none") not in ("none", "draw", "win"):
        raise ValueError(f"round {expected} gives those who sit it out the points of {scheduled['bye_points']!r}")
    if not recorded.names.keys() >= set(byes):
        raise ValueError(f"not all who sit out round {expected} are registered")
    recorded.rounds.append((fixtures, byes))
    recorded.resting.append(set())
    recorded.bye_points.append(scheduled.get("bye_points", "none"))
    recorded.stage_of.append(scheduled.get("stage", 0))
    recorded.games.append(scheduled.get("game", 0))
    recorded.paired_by.append(row.place)
    recorded.paired_as.append(scheduled.get("paired_by", ""))
    return [player for fixture in fixtures for player in fixture.players] + byes


def _fixture(recorded: RecordedLeague, row: Row, entry: Payload, round_id: int) -> Planned:
    fixture = Planned(entry["match_id"], round_id, tuple(entry["players"]))
    if not recorded.names.keys() >= set(fixture.players):
        raise ValueError(f"{fixture.match_id} is for {fixture.players}, and not all of them are registered")
    form = _MATCH_ID.fullmatch(fixture.match_id)
    if form is None or int(form[1]) != round_id or entry["round_id"] != round_id:
        recorded.fault("schedule", f"it is in round {round_id}, by its place", row, fixture.match_id)
    if fixture.match_id in recorded.planned:
        recorded.fault("schedule", "it is scheduled twice", row, fixture.match_id)
    recorded.planned[fixture.match_id] = fixture
    return fixture


def _league_started(recorded: RecordedLeague, row: Row, _payload: Payload) -> None:
    if recorded.running or not recorded.planned_by:
        recorded.fault("course", "the league starts twice, or without a schedule", row)
    recorded.running = True


def _round_started(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    upcoming = len(recorded.started) + 1
    waits = bool(recorded.open_rounds) and not recorded.rules.get("overlapping_rounds")
    if not recorded.running or waits or payload["round_id"] != upcoming:
        recorded.fault("course", f"round {payload['round_id']} starts, and round {upcoming} has to be next", row)
        return
    recorded.started[upcoming] = (row.place, str(row.at))


def _assigned(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    match_id, referee, attempt = payload["match_id"], payload["referee_id"], payload["attempt"]
    if not _open(recorded, row, match_id):
        return
    if referee not in recorded.referees:
        recorded.fault("course", f"it is given to {referee!r}, who is no referee of this league", row, match_id)
    if sitting := [player for player in recorded.planned[match_id].players if player in recorded.sitting.reasons]:
        recorded.fault("course", f"it is given to {referee!r}, and {listed(sitting)} sits out", row, match_id)
    if referee in recorded.departures.withdrew:
        recorded.fault("course", f"it is given to {referee!r}, who had withdrawn", row, match_id)
    for earlier in _owed_before(recorded, recorded.planned[match_id]):
        recorded.fault("course", f"it begins before {earlier}, of one of its players, is over", row, match_id)
    expected = recorded.assigned.get(match_id, ("", 0))[1] + 1
    most = max(recorded.rules["max_attempts"], len(recorded.referees))
    if attempt != expected or attempt > most:
        told = f"it is attempt {attempt!r}; {expected} has to be next, of at most {most}"
        recorded.fault("course", told, row, match_id)
    recorded.assigned[match_id] = (referee, attempt)
    recorded.assigned_at[match_id] = str(row.at)


def _owed_before(recorded: RecordedLeague, planned: Planned) -> list[str]:
    """Undecided matches of the same players in earlier open rounds."""
    open_before = [number for number in recorded.open_rounds if number < planned.round_id]
    earlier = [match for number in open_before for match in recorded.rounds[number - 1][0]]
    shared = set(planned.players)
    return [each.match_id for each in earlier if not recorded.is_over(each.match_id) and shared & {*each.players}]


def _open(recorded: RecordedLeague, row: Row, match_id: str) -> bool:
    """True if a match is in the round under way and undecided; else notes a finding."""
    planned = recorded.planned.get(match_id)
    if planned is None:
        recorded.fault("course", "it is not in the schedule", row, match_id)
    elif match_id in recorded.decided or match_id in recorded.void:
        recorded.fault("course", f"it is decided already, and {row.type} follows", row, match_id)
    elif planned.round_id not in recorded.open_rounds:
        recorded.fault("course", f"it is in round {planned.round_id}, which is not under way", row, match_id)
    else:
        return True
    return False


def _recorded(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    result = cast(Payload, payload["result"])
    match_id = result["match_id"]
    if earlier := recorded.decided.get(match_id):
        recorded.fault("course", f"it has a result already, in record {earlier.record}", row, match_id)
        return
    cause = recorded.departures.lost(match_id)
    if cause is None and not _open(recorded, row, match_id):
        return
    planned, scoring = recorded.planned[match_id], recorded.rules["scoring"]
    under_way = match_id in recorded.assigned
    if result.get("not_played", False) or recorded.sitting.overstepped(planned, result, under_way=under_way):
        if wrong := recorded.sitting.contradiction(planned, result, scoring, under_way=under_way):
            recorded.fault("outcome", wrong, row, match_id)
    elif cause is not None:
        if wrong := recorded.departures.contradiction(planned, result, scoring, cause):
            recorded.fault("outcome", wrong, row, match_id)
    elif tuple(result["players"]) != planned.players or result["round_id"] != planned.round_id:
        recorded.fault("schedule", "it was played by others, or in another round, than scheduled", row, match_id)
        return
    elif (result["referee_id"], result["attempt"]) != recorded.assigned.get(match_id):
        told = f"{result['referee_id']} reports attempt {result['attempt']}"
        recorded.fault("course", f"{told}, and {recorded.assigned.get(match_id)} was assigned", row, match_id)
    recorded.decided[match_id] = decided_by(planned, result, row.place, str(row.at))
    if result["referee_id"]:
        limit = recorded.rules.get("absences_before_sitting_out", 0)
        recorded.sitting.play(result, planned.players, limit, recorded.departures.removed)


def _voided(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    match_id, cause = payload["match_id"], payload["cause"]
    owed = recorded.departures.void(match_id)
    if owed is not None and cause != owed:
        recorded.fault("course", f"its cause is {cause!r}, and {owed}", row, match_id)
    if owed is not None or _open(recorded, row, match_id):
        recorded.void[match_id] = cause
        recorded.voided_at[match_id] = str(row.at)


def _round_completed(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    number = cast(int, payload["round_id"])
    if number not in recorded.open_rounds[:1]:
        under_way = listed([str(each) for each in recorded.open_rounds]) or None
        recorded.fault("course", f"round {number} is completed, and {under_way} is under way", row)
        return
    fixtures, _ = recorded.rounds[number - 1]
    missing = [match.match_id for match in fixtures if not recorded.is_over(match.match_id)]
    if missing:
        recorded.fault("course", f"round {number} is completed without {listed(missing)}", row, missing[0])
    recorded.completed[number] = (row.place, str(row.at))
    recorded.sitting.rejoined.clear()
    _rank(recorded, row, payload)


def _rank(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    groups = [list(cast(Sequence[str], group)) for group in payload.get("ranking", ())]
    late = [player for player, missed in recorded.missed.items() if missed >= len(recorded.rounds)]
    recorded.advanced[row.place] = advanced_of(payload)
    for wrong in ranking_faults(groups, list(recorded.names), late):
        recorded.fault("standings", wrong, row)
        return
    recorded.rankings.append((row.place, groups))


def _closed(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    if not recorded.running or recorded.closed or recorded.expected_rounds != ENDLESS:
        recorded.fault("course", "the league is closed a second time, before its start, or though it has an end", row)
    told = payload.get("rounds", 0)
    if recorded.format_version > 1 and told != len(recorded.rounds):
        recorded.fault("course", f"it is closed after {told} rounds, and {len(recorded.rounds)} are paired", row)
    recorded.closed = True


def _completed(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    if recorded.expected_rounds == ENDLESS and not recorded.closed:
        recorded.fault("course", "a league without a last round is completed, and was not closed", row)
    if len(recorded.completed) != len(recorded.rounds) or not recorded.rounds:
        recorded.fault("course", f"the league is completed after {len(recorded.completed)} rounds", row)
    _series_goes_on(recorded, row, None)
    recorded.over = True
    recorded.champions = list(payload["champions"])
    _rank(recorded, row, payload)
    staying = [line for line in recorded.table() if line["player_id"] not in recorded.departures.removed]
    expected = [line["player_id"] for line in staying if line["rank"] == staying[0]["rank"]]
    if recorded.format_version > 1 and not any(match.result["referee_id"] for match in recorded.decided.values()):
        expected = []  # nothing was played
    if recorded.champions != expected:
        recorded.fault("standings", f"its champions are {recorded.champions}; by the results they are {expected}", row)


def _stopped(recorded: RecordedLeague, row: Row, _payload: Payload) -> None:
    if recorded.stopped:
        recorded.fault("course", "the league is stopped a second time", row)
    recorded.stopped = True


def _cancelled(recorded: RecordedLeague, _row: Row, _payload: Payload) -> None:
    recorded.stopped = recorded.cancelled = True


def _resumed(recorded: RecordedLeague, row: Row, _payload: Payload) -> None:
    if recorded.cancelled:
        recorded.fault("course", "the league continues after it was cancelled", row)
    recorded.stopped = False


def _deadline_moved(recorded: RecordedLeague, row: Row, _payload: Payload) -> None:
    if recorded.planned_by:
        recorded.fault("course", "the deadline of a registration that is over is moved", row)


_HANDLERS: Mapping[str, Callable[[RecordedLeague, Row, Payload], None]] = {
    "LeagueCreated": _created,
    "OperatorTokenChanged": leadership_records.operator_token_changed,
    "RunPlanned": leadership_records.run_planned,
    "MadeReadOnly": leadership_records.made_read_only,
    "EpochBegun": leadership_records.epoch_begun,
    "AgentsExpected": agent_records.expected,
    "RefereeInvited": agent_records.invited,
    "InvitationRevoked": agent_records.revoked,
    "DeadlineMoved": _deadline_moved,
    "RefereeRegistered": agent_records.referee,
    "PlayerRegistered": agent_records.player,
    "PlayerEntered": agent_records.entered,
    "AgentReturned": agent_records.returned,
    "PlayerRemoved": agent_records.removed,
    "AgentWithdrew": agent_records.withdrew,
    "PlayerSatOut": agent_records.sat_out,
    "PlayerRejoined": agent_records.rejoined,
    "ScheduleCreated": _scheduled,
    "RoundPaired": _paired,
    "LeagueStarted": _league_started,
    "RoundStarted": _round_started,
    "MatchAssigned": _assigned,
    "DrawCommitted": evidence.committed,
    "MatchRecorded": _recorded,
    "MatchVoided": _voided,
    "RoundCompleted": _round_completed,
    "LeagueClosed": _closed,
    "LeagueCompleted": _completed,
    "LeagueStopped": _stopped,
    "LeagueCancelled": _cancelled,
    "LeagueResumed": _resumed,
}
EVENT_TYPES = frozenset(_HANDLERS)  # every type of event that the audit understands
_CHANGES_PLAYERS = ("PlayerRemoved", "AgentWithdrew", "PlayerSatOut", "PlayerRejoined")
_CHANGES_STANDINGS = frozenset(
    ("LeagueCreated", "ScheduleCreated", "PlayerEntered", *_CHANGES_PLAYERS, "MatchRecorded", "RoundCompleted")
)

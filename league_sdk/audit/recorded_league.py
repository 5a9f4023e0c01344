"""The course of a league, followed and checked record by record."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from league_sdk.audit.departures import Departures
from league_sdk.audit.findings import MALFORMED, Finding, listed
from league_sdk.audit.pairings import Planned, ranking_faults, round_faults, schedule_faults, series_faults
from league_sdk.audit.rows import Row
from league_sdk.audit.table import Decided, decided_by, ranked_as, standings
from league_sdk.audit.tie_breaks import StartedRound
from league_sdk.json_value import Json

Payload: TypeAlias = Mapping[str, Json]

_MATCH_ID = re.compile(r"R([1-9][0-9]*)M[1-9][0-9]*(?:G[1-9][0-9]*)?")


@dataclass(slots=True)
class RecordedLeague:
    """The league's state after the records so far, and contradictions in them."""

    rules: Payload = field(default_factory=dict[str, Json])  # empty before the first record
    names: dict[str, str] = field(default_factory=dict[str, str])  # display name by player id
    dismissed: dict[str, str] = field(default_factory=dict[str, str])  # removed before there was a schedule
    departures: Departures = field(default_factory=Departures)
    referees: dict[str, str] = field(default_factory=dict[str, str])  # display name by id
    rounds: list[tuple[list[Planned], list[str]]] = field(default_factory=list[tuple[list[Planned], list[str]]])
    bye_points: list[str] = field(default_factory=list[str])
    stage_of: list[int] = field(default_factory=list[int])
    stages: list[Payload] = field(default_factory=list[Payload])
    expected_rounds: int = 0
    planned: dict[str, Planned] = field(default_factory=dict[str, Planned])
    planned_by: int = 0  # number of the record with the schedule; 0 before
    assigned: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])  # referee and attempt
    decided: dict[str, Decided] = field(default_factory=dict[str, Decided])
    void: dict[str, str] = field(default_factory=dict[str, str])  # cause by match id
    started: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])  # record and time
    completed: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    assigned_at: dict[str, str] = field(default_factory=dict[str, str])
    voided_at: dict[str, str] = field(default_factory=dict[str, str])
    running: bool = False
    stopped: bool = False
    over: bool = False
    champions: list[str] = field(default_factory=list[str])
    # Number of its record, and groups of equal rank; one for each complete round, and the last.
    rankings: list[tuple[int, list[list[str]]]] = field(default_factory=list[tuple[int, list[list[str]]]])
    standings_by: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    findings: list[Finding] = field(default_factory=list[Finding])

    def take(self, row: Row) -> None:
        handler = _HANDLERS.get(row.type) if isinstance(row.type, str) else None
        if handler is None:
            self.fault("course", f"there is no event of type {row.type!r}", row)
            return
        if row.type != "LeagueCreated" and not self.rules:
            self.fault("course", "it comes before the league was created", row)
            return
        if self.over and row.type != "AgentReturned":
            self.fault("course", f"{row.type} comes after the league was over", row)
        if overdue := self.departures.overdue(row.type):
            self.fault("course", overdue, row)
        try:
            handler(self, row, row.payload)
        except MALFORMED as error:
            self.fault("record", f"its content does not fit its type {row.type}: {type(error).__name__}: {error}", row)
        if row.type in _CHANGES_STANDINGS or (row.type == "LeagueCompleted" and self.rankings and self.rankings[-1][1]):
            self.standings_by.append((row.place, str(row.at)))

    def fault(self, kind: str, message: str, row: Row | int, match: str | None = None) -> None:
        self.findings.append(Finding(kind, message, row.place if isinstance(row, Row) else row, match))

    def table(self, until: int | None = None) -> list[dict[str, Json]]:
        """The standings after the record with number `until`, or after all."""
        counting = [match for match in self.decided.values() if until is None or match.record <= until]
        gone = {player for player, (record, _) in self.departures.removed.items() if until is None or record <= until}
        rows = standings(self.names, counting, self.rules, self._begun(until), gone)
        rankings = [groups for by, groups in self.rankings if until is None or by <= until]
        if rankings and rankings[-1]:
            rows = ranked_as(rows, rankings[-1])
        return [{**row, **self.departures.mark(row["player_id"])} if row["player_id"] in gone else row for row in rows]

    def _begun(self, until: int | None) -> list[StartedRound]:
        """The rounds that began by the record `until`."""
        worth: dict[str, int] = {"none": 0, **self.rules["scoring"]}
        last = sum(until is None or record <= until for record, _ in self.started.values())
        done = sum(until is None or record <= until for record, _ in self.completed.values())
        begun = zip(range(1, last + 1), self.rounds, self.bye_points, strict=False)
        return [
            StartedRound(number, fixtures, dict.fromkeys(byes, worth[kind]), kind == "none", number <= done)
            for number, (fixtures, byes), kind in begun
        ]

    @property
    def total_rounds(self) -> int:
        """The number of rounds; the expected number while rounds are paired one by one."""
        return len(self.rounds) if self.over else max(len(self.rounds), self.expected_rounds)

    @property
    def open_round(self) -> int | None:
        return len(self.started) if len(self.started) > len(self.completed) else None


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


def _player(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    _seat(recorded, row, payload["player"], recorded.names, "player", recorded.dismissed)


def _referee(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    _seat(recorded, row, payload["referee"], recorded.referees, "referee", {})


def _seat(
    recorded: RecordedLeague, row: Row, agent: Payload, seats: dict[str, str], role: str, gone: Mapping[str, str]
) -> None:
    agent_id, name = agent["agent_id"], agent["display_name"]
    if not isinstance(agent_id, str) or not isinstance(name, str):
        raise TypeError("id and name have to be text")
    if recorded.planned_by:
        recorded.fault("course", f"{agent_id} registers after registration was closed", row)
    if agent["role"] != role:
        recorded.fault("course", f"{agent_id} registers as {role}, and its role is {agent['role']!r}", row)
    known = {**seats, **gone}
    if agent_id in known or name in known.values():
        recorded.fault("course", f"the id {agent_id!r} or the name {name!r} is taken", row)
        return
    seats[agent_id] = name


def _returned(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    agent = payload["agent"]
    seats = recorded.referees if agent["role"] == "referee" else recorded.names
    if seats.get(agent["agent_id"]) != agent["display_name"]:
        recorded.fault("course", f"{agent['agent_id']} returns, and never had that seat and name", row)
    elif recorded.departures.left(agent["agent_id"]):
        recorded.fault("course", f"{agent['agent_id']} returns, and has left", row)


def _removed(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    player, reason = payload["player_id"], payload["reason"]
    if player not in recorded.names or player in recorded.departures.removed:
        recorded.fault("course", f"{player!r} is removed, and is no player, or was removed before", row)
        return
    _leaves(recorded, row, player, f"{player} was removed by the operator" + (f": {reason}" if reason else ""))


def _withdrew(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    agent, reason = payload["agent_id"], payload["reason"]
    referee = agent in recorded.referees
    if (not referee and agent not in recorded.names) or recorded.departures.left(agent):
        recorded.fault("course", f"{agent!r} withdraws, and is nobody, or has left before", row)
        return
    recorded.departures.withdrew[agent] = len(recorded.started)
    if not referee:
        _leaves(recorded, row, agent, f"{agent} withdrew" + (f": {reason}" if reason else ""), loses=True)
    elif recorded.planned_by and recorded.referees.keys() <= recorded.departures.withdrew.keys():
        recorded.fault("course", f"{agent} withdraws, and no referee stays", row)


def _leaves(recorded: RecordedLeague, row: Row, player: str, cause: str, *, loses: bool = False) -> None:
    open_matches = recorded.planned.keys() - recorded.decided.keys() - recorded.void.keys()
    own = (name for name, match in recorded.planned.items() if name in open_matches and player in match.players)
    recorded.departures.leave(row.place, player, cause, own, loses=loses)
    if not recorded.planned_by:
        recorded.dismissed[player] = recorded.names.pop(player)
    elif not recorded.names.keys() - recorded.departures.removed.keys():
        recorded.fault("course", f"{player} {'withdraws' if loses else 'is removed'}, and nobody stays", row)


def _scheduled(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    if recorded.planned_by:
        recorded.fault("schedule", "there is a schedule already", row)
        return
    recorded.planned_by = row.place
    recorded.expected_rounds = payload.get("expected_rounds", 0)
    for expected, scheduled in enumerate(payload["rounds"], start=1):
        busy = _round(recorded, row, scheduled, expected)
        if sorted(busy) != sorted(recorded.names):
            recorded.fault("schedule", f"not every player is in round {expected} once, playing or sitting out", row)
    if recorded.rounds:
        met = [fixture.players for fixture in recorded.planned.values()]
        for wrong in schedule_faults(recorded.stages[0], list(recorded.names), met):
            recorded.fault("schedule", wrong, row)


def _paired(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    scheduled, number = payload["round"], len(recorded.rounds) + 1
    if not recorded.running or len(recorded.completed) < len(recorded.rounds):
        recorded.fault("schedule", f"round {number} is paired before round {len(recorded.rounds)} is complete", row)
    earlier = [
        match.players
        for match in recorded.planned.values()
        if recorded.stage_of[match.round_id - 1] == scheduled["stage"]
    ]
    busy = _round(recorded, row, scheduled, number)
    if len(set(busy)) < len(busy) or recorded.departures.removed.keys() & set(busy):
        recorded.fault("schedule", f"a player of round {number} is in it twice, or was removed", row)
    fixtures, byes = recorded.rounds[-1]
    had = Counter(
        player
        for (_, sitting), stage in zip(recorded.rounds, recorded.stage_of, strict=True)
        if stage == scheduled["stage"]
        for player in sitting
    )
    met, sat_out = [match.players for match in fixtures], {player: had[player] for player in byes}
    for wrong in round_faults(recorded.stages[int(scheduled["stage"])], earlier, met, sat_out):
        recorded.fault("schedule", f"round {number}: {wrong}", row)


def _round(recorded: RecordedLeague, row: Row, scheduled: Payload, expected: int) -> list[str]:
    """Add a round; returns everybody who is in it, playing or sitting out."""
    if scheduled["round_id"] != expected:
        recorded.fault("schedule", f"round {expected} bears the number {scheduled['round_id']!r}", row)
    fixtures = [_fixture(recorded, row, entry, expected) for entry in scheduled["fixtures"]]
    before = recorded.rounds[-1][0] if recorded.rounds else []
    for match_id, wrong in series_faults(scheduled.get("game", 0), fixtures, before):
        recorded.fault("schedule", wrong, row, match_id)
    byes = list(cast(Sequence[str], scheduled["byes"]))
    if not recorded.names.keys() >= set(byes):
        raise ValueError(f"not all who sit out round {expected} are registered")
    recorded.rounds.append((fixtures, byes))
    recorded.bye_points.append(scheduled.get("bye_points", "none"))
    recorded.stage_of.append(scheduled.get("stage", 0))
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
    upcoming = len(recorded.completed) + 1
    if not recorded.running or recorded.open_round is not None or payload["round_id"] != upcoming:
        recorded.fault("course", f"round {payload['round_id']} starts, and round {upcoming} has to be next", row)
        return
    recorded.started[upcoming] = (row.place, str(row.at))


def _assigned(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    match_id, referee, attempt = payload["match_id"], payload["referee_id"], payload["attempt"]
    if not _open(recorded, row, match_id):
        return
    if referee not in recorded.referees:
        recorded.fault("course", f"it is given to {referee!r}, who is no referee of this league", row, match_id)
    if referee in recorded.departures.withdrew:
        recorded.fault("course", f"it is given to {referee!r}, who had withdrawn", row, match_id)
    expected = recorded.assigned.get(match_id, ("", 0))[1] + 1
    if attempt != expected or attempt > recorded.rules["max_attempts"]:
        most = recorded.rules["max_attempts"]
        told = f"it is attempt {attempt!r}; {expected} has to be next, of at most {most}"
        recorded.fault("course", told, row, match_id)
    recorded.assigned[match_id] = (referee, attempt)
    recorded.assigned_at[match_id] = str(row.at)


def _open(recorded: RecordedLeague, row: Row, match_id: str) -> bool:
    """True if a match is in the round under way and undecided; else notes a finding."""
    planned = recorded.planned.get(match_id)
    if planned is None:
        recorded.fault("course", "it is not in the schedule", row, match_id)
    elif match_id in recorded.decided or match_id in recorded.void:
        recorded.fault("course", f"it is decided already, and {row.type} follows", row, match_id)
    elif planned.round_id != recorded.open_round:
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
    planned = recorded.planned[match_id]
    if cause is not None:
        if wrong := recorded.departures.contradiction(planned, result, recorded.rules["scoring"], cause):
            recorded.fault("outcome", wrong, row, match_id)
    elif tuple(result["players"]) != planned.players or result["round_id"] != planned.round_id:
        recorded.fault("schedule", "it was played by others, or in another round, than scheduled", row, match_id)
        return
    elif (result["referee_id"], result["attempt"]) != recorded.assigned.get(match_id):
        told = f"{result['referee_id']} reports attempt {result['attempt']}"
        recorded.fault("course", f"{told}, and {recorded.assigned.get(match_id)} was assigned", row, match_id)
    recorded.decided[match_id] = decided_by(planned, result, row.place, str(row.at))


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
    if number != recorded.open_round:
        recorded.fault("course", f"round {number} is completed, and {recorded.open_round} is under way", row)
        return
    fixtures, _ = recorded.rounds[number - 1]
    done = recorded.decided.keys() | recorded.void.keys()
    missing = [match.match_id for match in fixtures if match.match_id not in done]
    if missing:
        recorded.fault("course", f"round {number} is completed without {listed(missing)}", row, missing[0])
    recorded.completed[number] = (row.place, str(row.at))
    _rank(recorded, row, payload)


def _rank(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    groups = [list(cast(Sequence[str], group)) for group in payload.get("ranking", ())]
    for wrong in ranking_faults(recorded.stages, groups, list(recorded.names)):
        recorded.fault("standings", wrong, row)
        return
    recorded.rankings.append((row.place, groups))


def _completed(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    if len(recorded.completed) != len(recorded.rounds) or not recorded.rounds:
        recorded.fault("course", f"the league is completed after {len(recorded.completed)} rounds", row)
    recorded.over = True
    recorded.champions = list(payload["champions"])
    _rank(recorded, row, payload)
    staying = [line for line in recorded.table() if line["player_id"] not in recorded.departures.removed]
    expected = [line["player_id"] for line in staying if line["rank"] == staying[0]["rank"]]
    if recorded.champions != expected:
        recorded.fault("standings", f"its champions are {recorded.champions}; by the results they are {expected}", row)


def _stopped(recorded: RecordedLeague, row: Row, _payload: Payload) -> None:
    if recorded.stopped:
        recorded.fault("course", "the league is stopped a second time", row)
    recorded.stopped = True


def _resumed(recorded: RecordedLeague, _row: Row, _payload: Payload) -> None:
    recorded.stopped = False


_HANDLERS: Mapping[str, Callable[[RecordedLeague, Row, Payload], None]] = {
    "LeagueCreated": _created,
    "RefereeRegistered": _referee,
    "PlayerRegistered": _player,
    "AgentReturned": _returned,
    "PlayerRemoved": _removed,
    "AgentWithdrew": _withdrew,
    "ScheduleCreated": _scheduled,
    "RoundPaired": _paired,
    "LeagueStarted": _league_started,
    "RoundStarted": _round_started,
    "MatchAssigned": _assigned,
    "MatchRecorded": _recorded,
    "MatchVoided": _voided,
    "RoundCompleted": _round_completed,
    "LeagueCompleted": _completed,
    "LeagueStopped": _stopped,
    "LeagueResumed": _resumed,
}
EVENT_TYPES = frozenset(_HANDLERS)  # every type of event that the audit understands
_LEAVES = ("PlayerRemoved", "AgentWithdrew")
_CHANGES_STANDINGS = frozenset(("LeagueCreated", "ScheduleCreated", *_LEAVES, "MatchRecorded", "RoundCompleted"))

"""A league as far as the audit has followed its records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from league_sdk.audit.departures import Departures
from league_sdk.audit.findings import Finding
from league_sdk.audit.pairings import Planned
from league_sdk.audit.rows import Row
from league_sdk.audit.sitting_out import SittingOutRecords
from league_sdk.audit.table import Decided, ranked_as, standings
from league_sdk.audit.tie_breaks import StartedRound
from league_sdk.json_value import Json

ENDLESS = 999_999_999  # expected rounds of a league without a last one
Payload: TypeAlias = Mapping[str, Json]


@dataclass(slots=True)
class RecordedLeague:
    """The league's state after the records so far, and contradictions in them."""

    rules: Payload = field(default_factory=dict[str, Json])  # empty before the first record
    format_version: int = 1  # of the records
    operator_digest: str = ""  # of the operator's token; empty where none is recorded
    plan: Payload = field(default_factory=dict[str, Json])  # of the launcher; empty where none is recorded
    read_only: str = ""  # why nobody may lead it; empty where somebody may
    epoch: int = 0
    notes: list[str] = field(default_factory=list[str])
    names: dict[str, str] = field(default_factory=dict[str, str])  # display name by player id
    # digest of the token by role and name, in the form in which names are compared
    expected: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    invited: set[str] = field(default_factory=set[str])  # names of referees, in the form in which names are compared
    revoked: set[str] = field(default_factory=set[str])  # referees whose invitation was revoked
    dismissed: dict[str, str] = field(default_factory=dict[str, str])  # removed before there was a schedule
    # By player that entered late: number of the record, points for each missed round, and number of these.
    entered: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    missed: dict[str, int] = field(default_factory=dict[str, int])
    departures: Departures = field(default_factory=Departures)
    sitting: SittingOutRecords = field(default_factory=SittingOutRecords)
    # By round: the players that are not in it, though they have not left.
    resting: list[set[str]] = field(default_factory=list[set[str]])
    referees: dict[str, str] = field(default_factory=dict[str, str])  # display name by id
    rounds: list[tuple[list[Planned], list[str]]] = field(default_factory=list[tuple[list[Planned], list[str]]])
    bye_points: list[str] = field(default_factory=list[str])
    stage_of: list[int] = field(default_factory=list[int])
    games: list[int] = field(default_factory=list[int])  # number of each round's matches in their series
    paired_by: list[int] = field(default_factory=list[int])  # number of the record that paired each round
    paired_as: list[str] = field(default_factory=list[str])  # the base of each round's pairings
    announced: int = 0  # rounds of a schedule that was settled at the start
    # by record: winner, loser and rule of level ties
    advanced: dict[int, list[tuple[str, str, str]]] = field(default_factory=dict[int, list[tuple[str, str, str]]])
    stages: list[Payload] = field(default_factory=list[Payload])
    expected_rounds: int = 0
    planned: dict[str, Planned] = field(default_factory=dict[str, Planned])
    planned_by: int = 0  # number of the record with the schedule; 0 before
    assigned: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])  # referee and attempt
    commitments: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])  # by match and attempt
    decided: dict[str, Decided] = field(default_factory=dict[str, Decided])
    void: dict[str, str] = field(default_factory=dict[str, str])  # cause by match id
    started: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])  # record and time
    completed: dict[int, tuple[int, str]] = field(default_factory=dict[int, tuple[int, str]])
    assigned_at: dict[str, str] = field(default_factory=dict[str, str])
    voided_at: dict[str, str] = field(default_factory=dict[str, str])
    running: bool = False
    stopped: bool = False
    cancelled: bool = False
    closed: bool = False
    over: bool = False
    champions: list[str] = field(default_factory=list[str])
    # Number of its record, and groups of equal rank; one for each complete round, and the last.
    rankings: list[tuple[int, list[list[str]]]] = field(default_factory=list[tuple[int, list[list[str]]]])
    standings_by: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    findings: list[Finding] = field(default_factory=list[Finding])

    def fault(self, kind: str, message: str, row: Row | int, match: str | None = None) -> None:
        self.findings.append(Finding(kind, message, row.place if isinstance(row, Row) else row, match))

    def is_over(self, match_id: str) -> bool:
        """True for a match that is decided or void."""
        return match_id in self.decided or match_id in self.void

    def table(self, until: int | None = None) -> list[dict[str, Json]]:
        """The standings after the record with number `until`, or after all."""
        expunged = {player for player, by in self.departures.expunged.items() if until is None or by <= until}
        counting = [
            match
            for match in self.decided.values()
            if (until is None or match.record <= until) and expunged.isdisjoint(match.players)
        ]
        gone = {player for player, (record, _) in self.departures.removed.items() if until is None or record <= until}
        later = {player for player, (record, _) in self.entered.items() if until is not None and record > until}
        names = {player: name for player, name in self.names.items() if player not in later}
        rows = standings(names, counting, self.rules, self._begun(until), gone)
        rankings = [groups for by, groups in self.rankings if until is None or by <= until]
        if rankings and rankings[-1]:
            rows = ranked_as(rows, rankings[-1])
        out = self.sitting.sitting(until)
        marks = {player: {"sitting_out": reason} for player, reason in out.items()}
        marks |= {player: self.departures.mark(player) for player in gone}
        return [{**row, **marks.get(row["player_id"], {})} for row in rows]

    def among(self, players: Sequence[str], numbers: Sequence[int], until: int) -> list[dict[str, Json]]:
        """Some players ranked by the matches among them in some rounds."""
        field, worth = {*players}, {"none": 0, **self.rules["scoring"]}
        rounds: list[StartedRound] = []
        for place, number in enumerate(numbers, start=1):
            (fixtures, byes), kind = self.rounds[number - 1], self.bye_points[number - 1]
            own = [match for match in fixtures if field.issuperset(match.players)]
            paid = {player: worth[kind] for player in byes if player in field}
            rounds.append(StartedRound(place, own, paid, kind == "none", complete=True, game=self.games[number - 1]))
        played = [match.match_id for each in rounds for match in each.fixtures if match.match_id in self.decided]
        gone = {player for player, (record, _) in self.departures.removed.items() if record < until}
        matches = [self.decided[match_id] for match_id in played]
        return standings(dict.fromkeys(players, ""), matches, self.rules, rounds, gone)

    def _begun(self, until: int | None) -> list[StartedRound]:
        """The rounds that began by the record `until`."""
        worth: dict[str, int] = {"none": 0, **self.rules["scoring"]}
        last = sum(until is None or record <= until for record, _ in self.started.values())
        done = sum(until is None or record <= until for record, _ in self.completed.values())
        begun = zip(range(1, last + 1), self.rounds, self.bye_points, strict=False)
        late = [
            player for player, (by, kind) in self.entered.items() if kind == "draw" and (until is None or by <= until)
        ]
        return [
            StartedRound(
                number,
                fixtures,
                dict.fromkeys(byes, worth[kind]),
                kind == "none",
                number <= done,
                {player: worth["draw"] for player in late if self.missed[player] >= number},
                self.games[number - 1],
            )
            for number, (fixtures, byes), kind in begun
        ]

    @property
    def total_rounds(self) -> int:
        """The number of rounds; the expected one while they are paired one by one."""
        return (
            len(self.rounds)
            if self.over or self.expected_rounds == ENDLESS
            else max(len(self.rounds), self.expected_rounds)
        )

    @property
    def open_rounds(self) -> range:
        """The rounds under way: several only where rounds overlap."""
        return range(len(self.completed) + 1, len(self.started) + 1)

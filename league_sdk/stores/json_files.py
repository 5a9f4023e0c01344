"""The JSON files of a league, for people and other programs.

They are a projection of its records:

| file under `data/` | written when |
| --- | --- |
| `leagues/<league>/standings.json` | the schedule is made, a match is decided, a round completed, a player leaves |
| `leagues/<league>/rounds.json` | a round begins, a round or the league is complete |
| `leagues/<league>/rounds/<last>.json` | fifty rounds up to this one are complete, and fifty more |
| `matches/<league>/<match>.json` | the match is decided or void |

Content depends on the records alone: a file's `version` is the sequence number of the record that caused it, and its
times are the records'. So files made step by step, and files rebuilt from all the records, are the same to the byte.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from string import ascii_lowercase

from league_sdk.domain.events import (
    AgentWithdrew,
    LeagueCompleted,
    LeagueCreated,
    MatchAssigned,
    MatchRecorded,
    MatchVoided,
    PlayerEntered,
    PlayerRejoined,
    PlayerRemoved,
    PlayerSatOut,
    Record,
    RoundCompleted,
    RoundStarted,
    ScheduleCreated,
)
from league_sdk.domain.league import League, fold
from league_sdk.domain.model import Fixture, MatchResult, Round
from league_sdk.domain.pairings.schedule import series_games, told_format
from league_sdk.json_value import Json
from league_sdk.stores.atomic_files import lock_for, write_json
from league_sdk.stores.repositories import (
    PAGE,
    PAGES,
    SCHEMA_VERSION,
    MatchRepository,
    RoundsRepository,
    StandingsRepository,
)


@dataclass(slots=True)
class _Seen:
    """Times of events, and files that are due, beside the league's state."""

    sequence: int = 0
    rounds_complete: int = 0
    paged: int = 0  # rounds whose pages are written
    started: dict[int, str] = field(default_factory=dict[int, str])
    completed: dict[int, str] = field(default_factory=dict[int, str])
    assigned: dict[str, str] = field(default_factory=dict[str, str])
    decided: dict[str, str] = field(default_factory=dict[str, str])
    standings_by: tuple[int, str] | None = None
    standings_due: bool = False
    rounds_due: bool = False
    matches_due: dict[str, Record] = field(default_factory=dict[str, Record])
    matches_anew: dict[str, None] = field(default_factory=dict[str, None])

    def take(self, record: Record) -> None:
        """Note the times in a record, and the files that it changes."""
        self.sequence = record.sequence
        kind, told = record.type, record.payload
        if kind == RoundStarted.__name__:
            self.started[told["round_id"]] = record.at
        elif kind == RoundCompleted.__name__:
            self.completed[told["round_id"]] = record.at
            self.rounds_complete += 1
        elif kind == MatchAssigned.__name__:
            self.assigned[told["match_id"]] = record.at
        elif kind in (MatchRecorded.__name__, MatchVoided.__name__):
            match_id = told.get("result", told)["match_id"]
            self.decided[match_id] = record.at
            self.matches_due[match_id] = record
        ranked = kind == LeagueCompleted.__name__ and told.get("ranking")
        if kind in _CHANGES_STANDINGS or ranked:
            self.standings_by = (record.sequence, record.at)
            self.standings_due = True
        self.rounds_due = self.rounds_due or record.type in _CHANGES_ROUNDS

    def turn_page(self, last: int) -> None:
        """Drop the rounds up to this one, whose page is written."""
        for round_id in range(self.paged + 1, last + 1):
            self.started.pop(round_id)
            self.completed.pop(round_id)
        self.paged = last

    def forget(self, match_id: str) -> None:
        """Drop a match whose file is written; no later record concerns it."""
        for noted in (self.matches_due, self.matches_anew, self.decided, self.assigned):
            noted.pop(match_id, None)


_CHANGES_PLAYERS = (
    LeagueCreated,
    ScheduleCreated,
    PlayerEntered,
    PlayerRemoved,
    AgentWithdrew,
    PlayerSatOut,
    PlayerRejoined,
)
_CHANGES_STANDINGS = frozenset(kind.__name__ for kind in (*_CHANGES_PLAYERS, MatchRecorded, RoundCompleted))
_CHANGES_ROUNDS = frozenset(
    # The end may be earlier than expected where series were decided before their last match.
    kind.__name__
    for kind in (LeagueCreated, ScheduleCreated, RoundStarted, RoundCompleted, LeagueCompleted)
)


class JsonFiles:
    """Keeps leagues' JSON files up to date; thread-safe, and blocks for the disk."""

    def __init__(self, data_root: Path) -> None:
        self._data_root = data_root
        self._seen: dict[str, _Seen] = {}

    def update(self, league: League, records: Sequence[Record]) -> None:
        """Bring the files up to date.

        Args:
            league: The league after `records`.
            records: Its records since the last update; all of them the first time. Known ones are skipped.

        Raises:
            ValueError: A record is missing before the first of `records` (then `rebuild`), or an id cannot name a file.
            OSError: A file cannot be written; the next update tries again.
        """
        with lock_for(self._data_root / "leagues" / league.league_id):
            self._write(league, self._take(league, records))

    def rebuild(self, records: Sequence[Record]) -> League:
        """Write all files of a league anew from all its records; return the league.

        Raises ValueError for records that are not all of one league, and OSError if a file cannot be written.
        """
        league = fold(record.event for record in records)
        self._seen.pop(league.league_id, None)
        self.update(league, records)
        return league

    def catch_up(self, league: League, records: Sequence[Record]) -> None:
        """Take the next records; files of matches are left to `write_matches`."""
        with lock_for(self._data_root / "leagues" / league.league_id):
            seen = self._take(league, records)
            seen.matches_anew |= dict.fromkeys(seen.matches_due)
            seen.matches_due.clear()

    def matches_left(self, league_id: str, limit: int) -> list[str]:
        """Ids of matches whose files are left to `write_matches`."""
        return [*islice(self._seen[league_id].matches_anew, limit)]

    def write_matches(self, league: League, match_ids: Sequence[str], results: Mapping[str, MatchResult]) -> None:
        """Write files of matches that are left; a match without a result is void."""
        with lock_for(self._data_root / "leagues" / league.league_id):
            for match_id in match_ids:
                self._write_match(league, match_id, results.get(match_id))

    def _take(self, league: League, records: Sequence[Record]) -> _Seen:
        seen = self._seen.setdefault(league.league_id, _Seen())
        for record in records:
            _follow(league, seen, record)
        return seen

    def _write(self, league: League, seen: _Seen) -> None:
        if seen.standings_due:
            write_json(StandingsRepository(league.league_id, self._data_root).path, _standings_file(league, seen))
            seen.standings_due = False
        if seen.rounds_due:
            rounds = RoundsRepository(league.league_id, self._data_root)
            while league.rounds_completed - seen.paged >= 2 * PAGE:
                first, last = seen.paged + 1, seen.paged + PAGE
                write_json(rounds.page(last), _rounds_page(league, seen, first, last))
                seen.turn_page(last)
            write_json(rounds.path, _rounds_file(league, seen))
            seen.rounds_due = False
        for match_id, record in [*seen.matches_due.items()]:
            event = record.event
            self._write_match(league, match_id, event.result if isinstance(event, MatchRecorded) else None)

    def _write_match(self, league: League, match_id: str, result: MatchResult | None) -> None:
        seen = self._seen[league.league_id]
        file = _match_file(league, match_id, result, seen)
        MatchRepository(league.league_id, self._data_root).save_match(match_id, file)
        seen.forget(match_id)


def _follow(league: League, seen: _Seen, record: Record) -> None:
    """Take a record that is new; ValueError if one is missing before it."""
    if record.sequence > seen.sequence + 1:
        raise ValueError(
            f"{league.league_id}: record {record.sequence} after {seen.sequence}: rebuild from all records"
        )
    if record.sequence > seen.sequence:
        seen.take(record)


def _standings_file(league: League, seen: _Seen) -> dict[str, Json]:
    """The standings; without rows before the schedule, to write no file per join."""
    version, at = seen.standings_by or (0, "")
    return {
        "schema_version": SCHEMA_VERSION,
        "league_id": league.league_id,
        "version": version,
        "last_updated": at,
        "rounds_completed": seen.rounds_complete,
        "standings": [row.to_json() for row in (league.standings() if league.scheduled else ())],
    }


def _rounds_file(league: League, seen: _Seen) -> dict[str, Json]:
    return {
        "schema_version": SCHEMA_VERSION,
        "league_id": league.league_id,
        "total_rounds": league.total_rounds,
        **({"earlier": {"folder": PAGES, "rounds": seen.paged, "rounds_a_file": PAGE}} if seen.paged else {}),
        "rounds": [_round(league, league.round(round_id), seen) for round_id in sorted(seen.started)],
    }


def _rounds_page(league: League, seen: _Seen, first: int, last: int) -> dict[str, Json]:
    """Rounds that are complete, and left out of the file of the latest ones."""
    return {
        "schema_version": SCHEMA_VERSION,
        "league_id": league.league_id,
        "rounds": [_round(league, league.round(round_id), seen) for round_id in range(first, last + 1)],
    }


def _round(league: League, scheduled: Round, seen: _Seen) -> dict[str, Json]:
    complete = scheduled.round_id in seen.completed
    series = series_games(league.rounds, scheduled.round_id)
    entry: dict[str, Json] = {
        "round_id": scheduled.round_id,
        "status": "COMPLETED" if complete else "IN_PROGRESS",
        "started_at": seen.started[scheduled.round_id],
        "completed_at": seen.completed.get(scheduled.round_id),
        "matches": [
            _round_match(league, fixture, complete) | ({**series[fixture.match_id]._asdict()} if series else {})
            for fixture in scheduled.fixtures
        ],
        **told_format(league.rules, scheduled),
    }
    return {**entry, "byes": list(scheduled.byes)} if scheduled.byes else entry


def _round_match(league: League, fixture: Fixture, complete: bool) -> dict[str, Json]:
    """A match of a round; before the round ends, its winner is not told here."""
    entry: dict[str, Json] = {"match_id": fixture.match_id, **_seats(fixture.players), "winner": None}
    if complete:
        result = league.results.get(fixture.match_id)
        entry["winner"] = result.winner if result else None
        entry["status"] = str(result.status) if result else "VOID"
    return entry


def _match_file(league: League, match_id: str, result: MatchResult | None, seen: _Seen) -> dict[str, Json]:
    fixture = league.fixture(match_id)
    assignment = league.assignments.get(match_id)
    lifecycle: Mapping[str, str] = result.lifecycle if result else {}
    transcript = _transcript(result) if result else []
    file: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "match_id": match_id,
        "league_id": league.league_id,
        "round_id": fixture.round_id,
        "game_type": league.rules.game_type,
        "referee_id": assignment.referee_id if assignment else None,
        "attempt": assignment.attempt if assignment else 0,
        "lifecycle": {
            "state": "FINISHED" if result else "ABORTED",
            "created_at": lifecycle.get("CREATED") or seen.assigned.get(match_id),
            "started_at": lifecycle.get("COLLECTING_CHOICES"),
            "finished_at": lifecycle.get("FINISHED") or seen.decided[match_id],
            "states": [{"state": state, "timestamp": at} for state, at in lifecycle.items()],
        },
        "players": {
            seat: {
                "id": player,
                "display_name": league.players[player].display_name,
                "joined_at": _joined_at(player, transcript),
            }
            for seat, player in _seats(fixture.players).items()
        },
        "transcript": transcript,
        "result": _result(result) if result else None,
    }
    return file if result else {**file, "void": league.voided[match_id]}


def _result(result: MatchResult) -> dict[str, Json]:
    """The game's own fields, flat, followed by the result."""
    loser = next((player for player in result.players if player != result.winner), None) if result.winner else None
    body: dict[str, Json] = {
        **result.details,
        "status": str(result.status),
        "winner_id": result.winner,
        "loser_id": loser,
        "points_awarded": max(result.score.values(), default=0),
        "score": dict(result.score),
        "reason": result.reason,
        "faults": [fault.to_json() for fault in result.faults],
    }
    if result.not_played:
        body["not_played"] = True
    if result.substituted:
        body["substituted"] = {player: dict(reasons) for player, reasons in result.substituted.items()}
    choices = result.details.get("choices")
    if loser is not None and isinstance(choices, Mapping):
        for role, player in (("winner", result.winner), ("loser", loser)):
            if player in choices:
                body[f"{role}_choice"] = choices[player]
    return body


def _transcript(result: MatchResult) -> list[dict[str, Json]]:
    return [{"sequence": number, **entry} for number, entry in enumerate(result.transcript, start=1)]


def _joined_at(player: str, transcript: Sequence[Mapping[str, Json]]) -> str | None:
    for entry in transcript:
        if entry.get("message_type") == "GAME_JOIN_ACK" and entry.get("from") == player and entry.get("accept", True):
            return entry.get("timestamp")
    return None


def _seats(players: Sequence[str]) -> dict[str, str]:
    return {f"player_{letter}": player for letter, player in zip(ascii_lowercase, players, strict=False)}

"""Runs a league while its processes are killed, and counts what that cost. All four numbers have to be zero.

The judge shares no code with the league: it reads the events with SQL and adds up the points by itself.
"""

import json
import math
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.forked_program import ForkedProgram
from tests.soak.saboteur import MANAGER, PLAYER, REFEREE, RUN, Doom, born, note, notes, write_dooms

ROOT = Path(__file__).parents[2]
NOTED_SEC = 0.2
"""Longest delay between a kill and its record."""
SETTINGS = {
    "retry_policy.backoff_base_sec": "1",
    "retry_policy.backoff_max_sec": "4",
    "timeouts.game_join_timeout_sec": "5",
    "timeouts.generic_response_timeout_sec": "3",
    "heartbeat_interval_sec": "1",
}
"""Shorter waits than for real leagues: what is waited for here is dead or comes back at once."""


@dataclass
class Verdict:
    """The costs of a sweep."""

    kills: int = 0
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    misattributed: list[str] = field(default_factory=list)
    mismatches: list[str] = field(default_factory=list)

    def add(self, other: "Verdict") -> None:
        """Add another sweep's."""
        self.kills += other.kills
        self.acknowledged += other.acknowledged
        for name in ("lost", "doubled", "misattributed", "mismatches"):
            getattr(self, name).extend(getattr(other, name))

    @property
    def faults(self) -> list[str]:
        """Everything that should not be."""
        return [*self.lost, *self.doubled, *self.misattributed, *self.mismatches]

    def __str__(self) -> str:
        rows = {
            "kills": self.kills,
            "results acknowledged": self.acknowledged,
            "results lost": len(self.lost),
            "results doubled": len(self.doubled),
            "results misattributed": len(self.misattributed),
            "replay mismatches": len(self.mismatches),
        }
        return "\n".join(f"{name:<22} {number:>6}" for name, number in rows.items())


class Sweep:
    """One league that is killed and continues.

    Args:
        folder: Where everything goes.
        port_base: The manager's port.
        players: How many.
        referees: How many.
        dooms: What is killed at which moment.
        seed: Of the league, and of random kills.
    """

    def __init__(
        self,
        folder: Path,
        port_base: int,
        *,
        players: int = 4,
        referees: int = 2,
        dooms: Sequence[Doom] = (),
        seed: int = 1,
    ) -> None:
        self.folder, self.data = folder, folder / "data"
        self._port_base = port_base
        self._players, self._referees = players, referees
        self._rng = random.Random(seed)
        self._seed = seed
        self._begun = False
        self._process: Any = None
        self._expected = 1 if any(doom.full for doom in dooms) else -signal.SIGKILL
        self._thawed: set[str] = set()
        self._dooms = dooms
        self.starts = 0
        write_dooms(folder, dooms)

    def play(self, *, random_kills: int = 0, limit: float = 600.0) -> Verdict:
        """Play the league to its end, `league resume` included, and judge it."""
        end, left = time.monotonic() + limit, random_kills
        while True:
            self._start()
            assert self.starts <= 20, f"the league does not get on\n{self.output()[-4000:]}"
            while self._process.poll() is None:
                assert time.monotonic() < end, f"the league did not end within {limit:g} s\n{self.output()[-4000:]}"
                time.sleep(self._rng.uniform(0.1, 0.5))
                self._thaw()
                if left and self._kill_somebody():
                    left -= 1
            if self._process.returncode not in (-signal.SIGKILL, self._expected):
                break
        assert self._process.returncode == 0, self.output()[-6000:]
        return self.judge()

    def _start(self) -> None:
        self.starts += 1
        resumes = self.starts > 1 and any(self.data.glob("data/leagues/*/run.json"))
        command = ["resume"] if resumes else ["run", *self._wish()]
        arguments = [*command, "--restarts", "5000", "--json"]
        with (self.folder / "result.json").open("w") as out, (self.folder / "log.txt").open("a") as err:
            self._process = ForkedProgram(
                "tests.soak.saboteur",
                [str(self.folder), *arguments],
                cwd=ROOT,
                env={**os.environ, "LEAGUE_DATA": str(self.data)},
                stdout=out,
                stderr=err,
            )

    def _wish(self) -> list[str]:
        league = json.loads((ROOT / "config/leagues/league_even_odd.json").read_text())
        file = self.folder / "league.json"
        file.write_text(json.dumps({**league, "league_id": "sweep", "max_attempts": 100}))
        wish = ["--league", str(file), "--players", str(self._players), "--referees", str(self._referees)]
        wish += ["--seed", str(self._seed), "--port-base", str(self._port_base)]
        return wish + [part for key, value in SETTINGS.items() for part in ("--set", f"{key}={value}")]

    def _kill_somebody(self) -> bool:
        """SIGKILL one of the processes that are there now; the one that starts all others only rarely."""
        alive = [entry for entry in notes(self.folder, "pids.jsonl") if born(entry["pid"]) == entry["born"]]
        role = self._rng.choices((MANAGER, REFEREE, PLAYER, RUN), (4, 4, 4, 1))[0]
        victims = [entry for entry in alive if entry["role"] == role]
        if not victims or len(alive) < 3:
            return False
        victim = self._rng.choice(victims)
        try:
            os.kill(victim["pid"], signal.SIGKILL)
        except ProcessLookupError:
            return False
        note(self.folder, "kills.jsonl", role=role, agent=victim["agent"], why="at random")
        return True

    def _thaw(self) -> None:
        """Let frozen processes continue once their matches have been given to others, but not before."""
        for entry in notes(self.folder, "frozen.jsonl"):
            if entry["born"] not in self._thawed and any(record["attempt"] > 1 for record in self._assigned()):
                self._thawed.add(entry["born"])
                if born(entry["pid"]) == entry["born"]:
                    os.kill(entry["pid"], signal.SIGCONT)

    def _assigned(self) -> list[dict[str, Any]]:
        return _of_type(self.records(), "MatchAssigned")

    def unreached(self) -> list[str]:
        """The kills that were chosen and never came."""
        struck = {kill["why"] for kill in notes(self.folder, "kills.jsonl")}
        return [doom.name for doom in self._dooms if doom.name not in struck]

    def output(self) -> str:
        """The league's output on its way."""
        return (self.folder / "log.txt").read_text()

    def records(self) -> list[dict[str, Any]]:
        """The stored events."""
        return stored_records(next(self.data.glob("data/leagues/*/events.db")))

    def judge(self) -> Verdict:
        """Compare what was acknowledged, stored and shown."""
        shown = json.loads((self.folder / "result.json").read_text())
        records, acks = self.records(), notes(self.folder, "acks.jsonl")
        kills = notes(self.folder, "kills.jsonl")
        verdict = Verdict(kills=len(kills), acknowledged=len({ack["match_id"] for ack in acks}))
        results = _results(records, verdict)
        _check_kept(results, acks, records, verdict)
        _check_blame(results, records, kills, verdict)
        _check_seats(records, verdict)
        _check_standings(results, records, shown, self.data, verdict)
        self._check_audit(verdict)
        return verdict

    def _check_audit(self, verdict: Verdict) -> None:
        environment = {**os.environ, "LEAGUE_DATA": str(self.data)}
        with (self.folder / "audit.txt").open("w") as said:
            audit = ForkedProgram("servers", ["audit"], cwd=ROOT, env=environment, stdout=said, stderr=said)
            failed = audit.wait()
        if failed:
            verdict.mismatches.append(f"league audit: {(self.folder / 'audit.txt').read_text()[-4000:]}")


def stored_records(database: Path) -> list[dict[str, Any]]:
    """The events in an SQLite file, in order; none as long as nobody has made the table."""
    with closing(sqlite3.connect(database)) as connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'events'").fetchone() is None:
            return []
        rows = connection.execute("SELECT sequence, at, type, payload FROM events ORDER BY sequence").fetchall()
    return [{"sequence": row[0], "at": row[1], "type": row[2], **json.loads(row[3])} for row in rows]


def _of_type(records: Sequence[dict[str, Any]], *types: str) -> list[dict[str, Any]]:
    return [record for record in records if record["type"] in types]


def _results(records: Sequence[dict[str, Any]], verdict: Verdict) -> dict[str, dict[str, Any]]:
    recorded = _of_type(records, "MatchRecorded")
    for match_id, count in Counter(record["result"]["match_id"] for record in recorded).items():
        if count > 1:
            verdict.doubled.append(f"{match_id} has {count} results")
    return {record["result"]["match_id"]: {**record["result"], "recorded_at": record["at"]} for record in recorded}


def _check_kept(
    results: dict[str, Any], acks: Sequence[dict[str, Any]], records: Sequence[dict[str, Any]], verdict: Verdict
) -> None:
    """Every acknowledged result is there as it was acknowledged, and every match has one."""
    for ack in acks:
        kept = results.get(ack["match_id"], {})
        if (kept.get("winner"), kept.get("score")) != (ack["winner"], ack["score"]):
            verdict.lost.append(
                f"{ack['match_id']} was acknowledged as {ack['score']}, but {kept.get('score')} is kept"
            )
    scheduled = _of_type(records, "ScheduleCreated")
    for match_id in (one["match_id"] for rounds in scheduled for turn in rounds["rounds"] for one in turn["fixtures"]):
        if match_id not in results:
            verdict.lost.append(f"{match_id} has no result")


def _check_blame(
    results: dict[str, Any], records: Sequence[dict[str, Any]], kills: Sequence[dict[str, Any]], verdict: Verdict
) -> None:
    """A technical loss is right only for a player that was not back when it was asked for the last time."""
    names = {record["player"]["agent_id"]: record["player"]["display_name"] for record in _players(records)}
    returns = _of_type(records, "AgentReturned")
    for match_id, result in results.items():
        for fault in result["faults"]:
            player, evidence = fault["player_id"], fault["evidence"]
            back = [_seconds(record["at"]) for record in returns if record["agent"]["agent_id"] == player]
            killed = [kill["at"] for kill in kills if kill["agent"] in (names[player], RUN)]
            asked = _seconds(evidence["sent_at"])
            if not _away(killed, back, asked, asked + evidence["elapsed_sec"]):
                verdict.misattributed.append(f"{match_id}: {names[player]} is blamed for {fault}")


def _away(killed: Sequence[float], back: Sequence[float], since: float, until: float) -> bool:
    """True if an agent was away at some time within a span: killed, and not yet back."""
    for kill in killed:
        gone = kill - NOTED_SEC
        if gone <= until and min((at for at in back if at >= gone), default=math.inf) >= since:
            return True
    return False


def _check_seats(records: Sequence[dict[str, Any]], verdict: Verdict) -> None:
    """Every agent registered once, and came back with its own id and token."""
    seats: dict[str, tuple[str, str]] = {}
    for record in _of_type(records, "PlayerRegistered", "RefereeRegistered", "AgentReturned"):
        agent = record.get("player") or record.get("referee") or record["agent"]
        seat = (agent["display_name"], agent["token_digest"])
        if record["type"] != "AgentReturned" and agent["agent_id"] in seats:
            verdict.mismatches.append(f"{agent['agent_id']} registered twice")
        if seats.setdefault(agent["agent_id"], seat) != seat:
            verdict.mismatches.append(f"{agent['agent_id']} came back as another: {seat[0]}")


def _check_standings(
    results: dict[str, Any], records: Sequence[dict[str, Any]], shown: dict[str, Any], data: Path, verdict: Verdict
) -> None:
    """The points in the events are those on the screen and in the files."""
    points = dict.fromkeys((record["player"]["agent_id"] for record in _players(records)), 0)
    played = Counter(player for result in results.values() for player in result["players"])
    for result in results.values():
        for player, score in result["score"].items():
            points[player] += score
    file = json.loads(next(data.glob("data/leagues/*/standings.json")).read_text())
    for where, rows in {"--json": shown["standings"], "standings.json": file["standings"]}.items():
        there = {row["player_id"]: (row["points"], row.get("played", row.get("games_played"))) for row in rows}
        if there != {player: (points[player], played[player]) for player in points}:
            verdict.mismatches.append(f"{where} shows {there}, the events make {points}")
    # Who has no match left may come back when the others have ended the league without it.
    course = [record["type"] for record in records if record["type"] != "AgentReturned"]
    if course[-1] != "LeagueCompleted":
        verdict.mismatches.append(f"the last event is {course[-1]}")


def _players(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return _of_type(records, "PlayerRegistered")


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()

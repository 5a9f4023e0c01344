"""Repositories of a league's JSON files, safe from several threads.

The league manager itself writes these files through `JsonFiles`, as a projection of its events; the repositories are
for programs that read them, and for those that keep such files without an event store.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from league_sdk.clock import Clock, SystemClock, to_record_time
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import Tally, Verdict, one_more
from league_sdk.errors import InvalidField, PlayerNotRegistered
from league_sdk.json_value import Json
from league_sdk.names import is_safe_name, safe_name
from league_sdk.stores.atomic_files import lock_for, read_json, write_json

DATA_ROOT = Path("data")  # default folder of data, relative to the current folder
SCHEMA_VERSION = "1.0.0"
PAGES, PAGE = "rounds", 50
"""The folder of earlier rounds, and the rounds of each file there: one of all had 1.4 MB after 2,000."""

_RESULTS = {"WIN": "wins", "DRAW": "draws", "LOSS": "losses"}


class StandingsRepository:
    """The standings in `leagues/<league_id>/standings.json`.

    Args:
        league_id: The league.
        data_root: The `data` folder.
        clock: Source of `last_updated`.

    Raises:
        ValueError: The id cannot name a folder.
    """

    def __init__(self, league_id: str, data_root: Path = DATA_ROOT, clock: Clock | None = None) -> None:
        self.league_id = league_id
        self.path = data_root / "leagues" / safe_name(league_id, "league id") / "standings.json"
        self._clock = clock or SystemClock()
        self._lock = lock_for(self.path)

    def load(self) -> dict[str, Json]:
        """The file's content; no rows if there is no file yet.

        Raises:
            DamagedFile: The file is not JSON.
        """
        return read_json(self.path) or {
            "schema_version": SCHEMA_VERSION,
            "league_id": self.league_id,
            "standings": [],
        }

    def save(self, standings: Mapping[str, Json]) -> None:
        """Replace the file by `standings`, stamped with the current time."""
        write_json(self.path, {**standings, "last_updated": to_record_time(self._clock.now())})

    def update_player(self, player_id: str, result: str, points: int) -> None:
        """Count one more match for a player, and rank again by points, wins and draws.

        Args:
            player_id: A player with a row.
            result: `WIN`, `DRAW` or `LOSS`.
            points: The league points it earned.

        Raises:
            InvalidField: The result is none of the three.
            PlayerNotRegistered: The player has no row.
        """
        if result not in _RESULTS:
            raise InvalidField(f"no such result: {result!r}", field="result", expected=sorted(_RESULTS))
        with self._lock:
            standings = self.load()
            rows: list[dict[str, Json]] = standings["standings"]
            row = next((row for row in rows if row["player_id"] == player_id), None)
            if row is None:
                raise PlayerNotRegistered(f"{player_id} has no row in {self.path}", player_id=player_id)
            counted = one_more(_standing(row), Verdict(result), points)
            row |= {name: getattr(counted, name) for name in ("played", "points", *_RESULTS.values())}
            row["games_played"] = counted.played
            standings["standings"] = _ranked(rows)
            self.save(standings)


class RoundsRepository:
    """The rounds in `leagues/<league_id>/rounds.json`.

    The earlier ones of a long league are in pages beside it.

    Args:
        league_id: The league.
        data_root: The `data` folder.

    Raises:
        ValueError: The id cannot name a folder.
    """

    def __init__(self, league_id: str, data_root: Path = DATA_ROOT) -> None:
        self.league_id = league_id
        self.path = data_root / "leagues" / safe_name(league_id, "league id") / "rounds.json"
        self._lock = lock_for(self.path)

    def page(self, last: int) -> Path:
        """The file of fifty earlier rounds, by the last of them."""
        return self.path.with_name(PAGES) / f"{last:07d}.json"

    def load(self) -> dict[str, Json]:
        """The file's content with the earlier rounds; no rounds if there is no file yet.

        Raises:
            DamagedFile: A file is not JSON.
        """
        empty: dict[str, Json] = {
            "schema_version": SCHEMA_VERSION,
            "league_id": self.league_id,
            "total_rounds": 0,
            "rounds": [],
        }
        latest = read_json(self.path) or empty
        earlier = latest.pop("earlier", {"rounds": 0, "rounds_a_file": PAGE})
        size = earlier["rounds_a_file"]
        pages = [read_json(self.page(last)) or empty for last in range(size, earlier["rounds"] + 1, size)]
        return {**latest, "rounds": [entry for page in (*pages, latest) for entry in page["rounds"]]}

    def save(self, rounds: Mapping[str, Json]) -> None:
        """Replace the file by `rounds`."""
        write_json(self.path, rounds)

    def add_round(self, round_data: Mapping[str, Json]) -> None:
        """Add a round, or replace the one with the same `round_id`."""
        with self._lock:
            rounds = self.load()
            known: list[Mapping[str, Json]] = rounds["rounds"]
            others = [entry for entry in known if entry.get("round_id") != round_data.get("round_id")]
            merged = [*others, dict(round_data)] if "round_id" in round_data else [*known, dict(round_data)]
            merged.sort(key=lambda entry: entry.get("round_id", 0))
            total = max(rounds.get("total_rounds", 0), len(merged))
            self.save({**rounds, "total_rounds": total, "rounds": merged})


class MatchRepository:
    """The match files `matches/<league_id>/<match_id>.json`.

    Args:
        league_id: The league.
        data_root: The `data` folder.

    Raises:
        ValueError: The id cannot name a folder.
    """

    def __init__(self, league_id: str, data_root: Path = DATA_ROOT) -> None:
        self.league_id = league_id
        self.folder = data_root / "matches" / safe_name(league_id, "league id")

    def path(self, match_id: str) -> Path:
        """The file of one match.

        Raises:
            ValueError: The id cannot name a file.
        """
        return self.folder / f"{safe_name(match_id, 'match id')}.json"

    def save_match(self, match_id: str, match_data: Mapping[str, Json]) -> None:
        """Replace the file of a match."""
        write_json(self.path(match_id), match_data)

    def get_match(self, match_id: str) -> dict[str, Json] | None:
        """The content of a match's file; None if there is none.

        Raises:
            DamagedFile: The file is not JSON.
        """
        return read_json(self.path(match_id)) if is_safe_name(match_id) else None

    def list_matches(self) -> list[str]:
        """Ids of all matches with a file, R2M1 before R10M1."""
        found = [path.stem for path in self.folder.glob("*.json") if not path.name.startswith(".")]
        return sorted(found, key=lambda match_id: (len(match_id), match_id))


def _standing(row: Mapping[str, Json]) -> Standing:
    counts = {name: row.get(name, 0) for name in ("points", *_RESULTS.values())}
    return Standing(0, row["player_id"], "", played=row.get("games_played", 0), **counts)


def _ranked(rows: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    """The rows as a league ranks them by their counts."""
    by_id = {row["player_id"]: row for row in rows}
    tally = Tally({player: _standing(row) for player, row in by_id.items()})
    ranked = tally.ranked(dict.fromkeys(by_id, ""), ("points", "wins", "draws"))
    return [by_id[standing.player_id] | {"rank": standing.rank} for standing in ranked]

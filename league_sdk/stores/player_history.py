"""A player's memory across leagues: `players/<player>/history.json`."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from league_sdk.clock import Clock, SystemClock, to_record_time
from league_sdk.game import PastMatch
from league_sdk.json_value import Json
from league_sdk.names import safe_name, slug
from league_sdk.stores.atomic_files import DamagedFile, Encoded, encoded, lock_for, read_json, write_json
from league_sdk.stores.repositories import DATA_ROOT, SCHEMA_VERSION

MAX_MATCHES = 2_000  # limit of remembered matches; the oldest are forgotten first, and no longer counted

MAX_HEADS = 1_000  # limit of leagues whose last record is kept; the oldest are forgotten first

_log = logging.getLogger(__name__)
_COUNTED = {"WIN": "wins", "DRAW": "draws", "LOSS": "losses"}
_OWN_FIELDS = frozenset(
    (
        "match_id",
        "round_id",
        "league_id",
        "opponent_id",
        "opponent_name",
        "result",
        "my_choice",
        "opponent_choice",
        "my_moves",
        "opponent_moves",
        "points_earned",
        "timestamp",
        "game_type",
        "spent",
        "substituted",
    )
)


class PlayerHistoryRepository:
    """One player's memory of its matches.

    It is safe from several threads; one process at a time writes a history. A player's id differs from league to
    league, its display name does not: `open` finds the history by the name. The plain constructor takes the folder of
    that id, regardless of its owner.

    Args:
        player_id: The player's id, which is also its folder.
        data_root: The `data` folder.
        clock: Source of `last_updated`.

    Raises:
        ValueError: The id cannot name a folder.
    """

    def __init__(self, player_id: str, data_root: Path = DATA_ROOT, clock: Clock | None = None) -> None:
        self.player_id = player_id
        self.display_name = ""
        self._players = data_root / "players"
        self._clock = clock or SystemClock()
        self._use(safe_name(player_id, "player id"))

    @classmethod
    def open(
        cls, player_id: str, display_name: str, data_root: Path = DATA_ROOT, clock: Clock | None = None
    ) -> "PlayerHistoryRepository":
        """Open the history of the player with that name, from any league, or a new one.

        A new one lies in the folder of its present id; if that is another player's, in `<player_id>-<name>`.

        Args:
            player_id: Its id in the present league.
            display_name: Its name.
            data_root: The `data` folder.
            clock: Source of `last_updated`.

        Raises:
            ValueError: The id cannot name a folder.
        """
        history = cls(player_id, data_root, clock)
        history.display_name = display_name
        history._use(history._find_folder())
        return history

    def get_history(self) -> dict[str, Json] | None:
        """The file's content; None if there is no file yet.

        Raises:
            DamagedFile: The file is not JSON.
        """
        with self._lock:
            return read_json(self.path)

    def add_match_result(self, match_result: Mapping[str, Json]) -> None:
        """Add a match, and update the counts. A known match is replaced: it was replayed.

        Args:
            match_result: `match_id`, `league_id`, `opponent_id`, `result` (WIN, DRAW or LOSS), and optional facts:
                `round_id`, `opponent_name`, `my_choice`, `opponent_choice`, `points_earned`, `timestamp`.

        Raises:
            ValueError: The result is none of the three.
            DamagedFile: The file is not JSON.
            OSError: It cannot be written.
        """
        if match_result.get("result") not in _COUNTED:
            raise ValueError(f"result is {match_result.get('result')!r}, not one of {', '.join(_COUNTED)}")
        with self._lock:
            if self._signature() != self._remembered[0]:
                self._make_sure_it_is_mine()
            key = _key(match_result)
            known = self._entries()
            matches = [entry for entry in known if _key(entry) != key]
            matches = [*matches, dict(match_result)][-MAX_MATCHES:]
            self._save(matches)
            earlier = self._past if len(matches) == len(known) + 1 else None
            self._past = None if earlier is None else (*earlier, _past(matches[-1]))

    def remember(self, past: PastMatch, *, round_id: int, timestamp: str) -> None:
        """Add a match in the form that strategies see; see `add_match_result`."""
        self.add_match_result(_entry(past, round_id, timestamp))

    def keep_head(self, league_id: str, sequence: int, digest: str) -> None:
        """Keep the last record of a league's log, in place of an earlier one.

        Raises:
            DamagedFile: The file is not JSON.
            OSError: It cannot be written.
        """
        with self._lock:
            if self._signature() != self._remembered[0]:
                self._make_sure_it_is_mine()
            matches = self._entries()
            heads = {name: head for name, head in self._heads.items() if name != league_id}
            heads[league_id] = {"sequence": sequence, "digest": digest, "kept_at": to_record_time(self._clock.now())}
            self._heads = dict(list(heads.items())[-MAX_HEADS:])
            self._save(matches)

    def past_matches(
        self, league_id: str | None = None, opponents: Mapping[str, str] | None = None
    ) -> tuple[PastMatch, ...]:
        """All remembered matches, oldest first, in the form that strategies see.

        Args:
            league_id: The present league. If given, an opponent met in another league bears the id that `opponents` has
                for its name, or none: ids mean nothing beyond their league.
            opponents: Ids in the present league by display name.
        """
        with self._lock:
            entries = self._entries()
            if self._past is None:
                self._past = tuple(_past(entry) for entry in entries)
            past = self._past
        if league_id is None:
            return past
        ids = opponents or {}
        return tuple(
            match if match.league_id == league_id else replace(match, opponent_id=ids.get(match.opponent_name, ""))
            for match in past
        )

    def _use(self, folder: str) -> None:
        self.path = self._players / folder / "history.json"
        self._lock = lock_for(self.path)
        self._remembered: tuple[object, list[dict[str, Json]]] = (None, [])
        self._past: tuple[PastMatch, ...] | None = None
        self._lines: dict[int, Encoded] = {}
        self._heads: dict[str, Json] = dict[str, Json]()

    def _find_folder(self) -> str:
        own = safe_name(self.player_id, "player id")
        owner = self._owner(own)
        if owner == self.display_name:
            return own
        for path in sorted(self._players.glob("*/history.json")):
            if self._owner(path.parent.name) == self.display_name:
                return path.parent.name
        return own if owner is None else f"{own}-{slug(self.display_name)}"

    def _owner(self, folder: str) -> str | None:
        """The display name of a folder's owner; empty if unreadable, None if unowned."""
        try:
            history = read_json(self._players / folder / "history.json")
        except DamagedFile as error:
            _log.error("%s; until then its player has no history", error)
            return ""
        return None if history is None else str(history.get("display_name", ""))

    def _make_sure_it_is_mine(self) -> None:
        """Move on if another player took the folder after `open` found it free."""
        if self.display_name and self._owner(self.path.parent.name) not in (None, self.display_name):
            self._use(self._find_folder())

    def _signature(self) -> object:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _entries(self) -> list[dict[str, Json]]:
        """The matches in the file, read again only after a change of the file."""
        signature = self._signature()
        if signature != self._remembered[0]:
            history = read_json(self.path) or {}
            self._remembered = (signature, _checked(history.get("matches", []), self.path))
            self._past = None
            self._lines = {}
            self._heads = _heads(history.get("record_heads"))
            self.display_name = self.display_name or str(history.get("display_name", ""))
        return self._remembered[1]

    def _save(self, matches: list[dict[str, Json]]) -> None:
        # Entries never change: only a new one is written as JSON, the others were before.
        self._lines = {id(entry): self._lines.get(id(entry)) or encoded(entry) for entry in matches}
        write_json(self.path, self._document(matches))
        self._remembered = (self._signature(), matches)

    def _document(self, matches: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
        return {
            "schema_version": SCHEMA_VERSION,
            "player_id": self.player_id,
            "display_name": self.display_name,
            "last_updated": to_record_time(self._clock.now()),
            "stats": _stats(matches),
            "matches": list(self._lines.values()),
            "opponent_history": _opponents(matches),
            **({"record_heads": self._heads} if self._heads else {}),
        }


def _heads(told: Json) -> dict[str, Json]:
    return dict(cast("Mapping[str, Json]", told)) if isinstance(told, Mapping) else {}


def _checked(matches: Json, path: Path) -> list[dict[str, Json]]:
    entries = cast(list[Any], matches) if isinstance(matches, list) else [None]
    if not all(isinstance(entry, dict) and cast(dict[str, Json], entry).get("result") in _COUNTED for entry in entries):
        raise DamagedFile(f"{path}: `matches` should list objects with a `result`: repair the file or move it away")
    return cast(list[dict[str, Json]], entries)


def _key(entry: Mapping[str, Json]) -> tuple[Json, Json]:
    return entry.get("league_id"), entry.get("match_id")


def _stats(matches: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    results = [entry["result"] for entry in matches]
    wins = results.count("WIN")
    return {
        "total_matches": len(matches),
        "wins": wins,
        "losses": results.count("LOSS"),
        "draws": results.count("DRAW"),
        "win_rate": wins / len(matches) if matches else 0.0,
        "total_points": sum(entry.get("points_earned", 0) for entry in matches),
    }


def _opponents(matches: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """The matches by opponent: by name, else under the id of the first meeting."""
    found: dict[str, dict[str, Json]] = {}
    keys: dict[tuple[str, str], str] = {}
    for entry in matches:
        name, opponent = str(entry.get("opponent_name") or ""), str(entry.get("opponent_id") or "")
        person = ("name", name) if name else ("id", opponent)
        if person not in keys:
            keys[person] = opponent if opponent not in found else name or f"{entry.get('league_id')}:{opponent}"
            found[keys[person]] = {
                "opponent_name": name,
                "matches_played": 0,
                "wins": 0,
                "losses": 0,
                "draws": 0,
                "their_choices": [],
            }
        record = found[keys[person]]
        record["matches_played"] += 1
        record[_COUNTED[entry["result"]]] += 1
        record["their_choices"] += _moves(entry, "opponent")
    return found


def _moves(entry: Mapping[str, Json], whose: str) -> list[Json]:
    if f"{whose}_moves" in entry:
        return list(entry[f"{whose}_moves"])
    choice = entry.get(f"{whose}_choice")
    return [] if choice is None else [choice]


def _past(entry: Mapping[str, Json]) -> PastMatch:
    return PastMatch(
        match_id=str(entry.get("match_id", "")),
        league_id=str(entry.get("league_id", "")),
        opponent_id=str(entry.get("opponent_id", "")),
        opponent_name=str(entry.get("opponent_name", "")),
        result=str(entry["result"]),
        my_moves=tuple(_moves(entry, "my")),
        opponent_moves=tuple(_moves(entry, "opponent")),
        points=int(entry.get("points_earned", 0)),
        details={key: value for key, value in entry.items() if key not in _OWN_FIELDS},
        game_type=str(entry.get("game_type", "")),
        spent=entry.get("spent", {}),
        substituted=entry.get("substituted", {}),
    )


def _entry(past: PastMatch, round_id: int, timestamp: str) -> dict[str, Json]:
    """An entry of the history; games of several moves have lists of them as well."""
    own: dict[str, Json] = {
        "match_id": past.match_id,
        "round_id": round_id,
        "league_id": past.league_id,
        "opponent_id": past.opponent_id,
        "opponent_name": past.opponent_name,
        "result": past.result,
        "my_choice": past.my_moves[-1] if past.my_moves else None,
        "opponent_choice": past.opponent_moves[-1] if past.opponent_moves else None,
    }
    if max(len(past.my_moves), len(past.opponent_moves)) > 1:
        own |= {"my_moves": list(past.my_moves), "opponent_moves": list(past.opponent_moves)}
    if past.game_type:
        own["game_type"] = past.game_type
    if past.spent:
        own["spent"] = dict(past.spent)
    if past.substituted:
        own["substituted"] = dict(past.substituted)
    details = {key: value for key, value in past.details.items() if key not in _OWN_FIELDS}
    return {**own, **details, "points_earned": past.points, "timestamp": timestamp}

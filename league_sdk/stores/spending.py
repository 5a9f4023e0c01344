"""Spending of one league's players on language models, and the cap on it.

The file `spending/<league>.jsonl` gets two entries a request: before it, with the most that it may cost, and after it,
with its actual cost. A request that was never settled, because the player was killed, counts with the most. So the cap
holds for all players that share the folder, through crashes and restarts.
"""

import fcntl
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from league_sdk.clock import Clock, Ids, SystemClock, SystemIds, to_record_time
from league_sdk.names import slug
from league_sdk.spending import OverBudget, Spent, dollars
from league_sdk.stores.atomic_files import lock_for
from league_sdk.stores.repositories import DATA_ROOT

NO_LEAGUE = "no-league"  # the league of spending outside of any league


class CapReached(OverBudget):
    """Another request might cost more than is left of the cap."""


@dataclass(frozen=True, slots=True)
class _Request:
    player: str
    match_id: str
    spent: Spent


class SpendingRepository:
    """The spending in one league. Safe from several threads and processes."""

    def __init__(
        self, league_id: str, data_root: Path = DATA_ROOT, clock: Clock | None = None, ids: Ids | None = None
    ) -> None:
        self.path = data_root / "spending" / f"{slug(league_id or NO_LEAGUE)}.jsonl"
        self._clock = clock or SystemClock()
        self._ids = ids or SystemIds()
        self._lock = lock_for(self.path)
        self._read = 0
        self._requests: dict[str, _Request] = {}

    def reserve(self, player: str, match_id: str, model: str, at_most: float | None, cap: float | None) -> str:
        """Enter a request that is about to be made, and return a name for it.

        `at_most` is the most that it can cost, if known, `cap` the league's limit, both in US dollars. Raises
        CapReached if it might go beyond the cap, and OSError if the file cannot be written.
        """
        request = self._ids.conversation()
        with self._held() as file:
            spent = self._sum().cost
            if cap is not None and spent + (at_most or 0.0) > cap:
                raise CapReached(
                    f"the cap of {dollars(cap)} on what this league may spend is reached: {dollars(spent)} are spent, "
                    f"and another request may cost {dollars(at_most or 0.0)}"
                )
            entry = {
                "request": request,
                "at": to_record_time(self._clock.now()),
                "player": player,
                "match_id": match_id,
                "model": model,
                "at_most_usd": at_most,
            }
            self._append(file, entry)
        return request

    def settle(self, request: str, outcome: str, spent: Spent) -> None:
        """Enter a request's outcome, in a few words, and actual cost."""
        entry = {"request": request, "at": to_record_time(self._clock.now()), "outcome": outcome, **spent.to_json()}
        with self._held() as file:
            self._append(file, entry)

    def total(self) -> Spent:
        return self._look(None, None)

    def of_player(self, player: str) -> Spent:
        return self._look(player, None)

    def of_match(self, match_id: str, player: str | None = None) -> Spent:
        """Spending on one match, by one player or by both."""
        return self._look(player, match_id)

    def players(self) -> tuple[str, ...]:
        """Players that have spent something, in alphabetical order."""
        with self._lock:
            self._catch_up()
            return tuple(sorted({request.player for request in self._requests.values()}))

    def _look(self, player: str | None, match_id: str | None) -> Spent:
        with self._lock:
            self._catch_up()
            return self._sum(player, match_id)

    def _sum(self, player: str | None = None, match_id: str | None = None) -> Spent:
        found = Spent()
        for request in self._requests.values():
            if player in (None, request.player) and match_id in (None, request.match_id):
                found += request.spent
        return found

    @contextmanager
    def _held(self) -> Generator[int]:
        """The file, locked against other processes and read to its end."""
        with self._lock:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                self._catch_up()
                yield file
            finally:
                os.close(file)

    def _append(self, file: int, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, allow_nan=False) + "\n"
        size = os.fstat(file).st_size
        if size > self._read:  # a killed process left part of a line
            line = "\n" + line
        os.write(file, line.encode())
        self._catch_up()

    def _catch_up(self) -> None:
        try:
            with self.path.open("rb") as file:
                file.seek(self._read)
                new = file.read()
        except FileNotFoundError:
            return
        whole, newline, _ = new.rpartition(b"\n")
        self._read += len(whole) + len(newline)
        for line in whole.splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # part of a line, by a player that was killed before its entry counted
            if isinstance(entry, dict):
                self._take(cast("dict[str, Any]", entry))

    def _take(self, entry: dict[str, Any]) -> None:
        name = str(entry.get("request", ""))
        if "at_most_usd" in entry:
            at_most = entry["at_most_usd"]
            spent = Spent(requests=1, unpriced=1) if at_most is None else Spent(1, 0, 0, float(at_most), estimated=1)
            self._requests[name] = _Request(str(entry.get("player", "")), str(entry.get("match_id", "")), spent)
        elif name in self._requests:
            known = self._requests[name]
            spent = Spent(
                int(entry.get("requests", 1)),
                int(entry.get("input_tokens", 0)),
                int(entry.get("output_tokens", 0)),
                float(entry.get("cost_usd") or 0.0),
                int(entry.get("estimated_requests", 0)),
                int(entry.get("unpriced_requests", 0)),
            )
            self._requests[name] = _Request(known.player, known.match_id, spent)

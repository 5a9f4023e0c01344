"""Records of what each hosted seat's owner asked beyond its bounds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from league_sdk.domain.model import HOSTED, LeagueRules
from league_sdk.stores.atomic_files import DamagedFile, read_json
from servers.agent.bootstrap import AgentContext

USAGE_FILE = "seat_usage.json"
"""Counts of overuse, in the league's folder, once there is any."""
RECENT_SEC = 300.0
"""An overuse is told of for so long."""


@dataclass(frozen=True, slots=True)
class SeatUse:
    """Calls of one seat's owner that its bounds ended or refused."""

    waits_ended: int = 0  # waits that a newer one ended
    calls_refused: int = 0  # calls above its rate
    connections_refused: int = 0  # calls on connections above its number
    overused_at: str = ""  # when it was beyond its bounds last; empty for never

    def is_recent(self, now: datetime, seconds: float = RECENT_SEC) -> bool:
        """True if it was beyond its bounds in the last seconds."""
        return bool(self.overused_at) and (now - datetime.fromisoformat(self.overused_at)).total_seconds() < seconds


def read_seat_use(file: Path) -> dict[str, SeatUse]:
    """The counts by seat; none where they cannot be read."""
    try:
        found = cast("Mapping[str, Mapping[str, Any]]", read_json(file) or {})
        return {seat_id: SeatUse(**use) for seat_id, use in found.items()}
    except (DamagedFile, TypeError):
        return {}  # the counts begin anew; nothing but blame for overloads is lost


def overused_seats(tools: AgentContext, rules: LeagueRules) -> Callable[[], frozenset[str]]:
    """Reads which seats were overused in the minutes before their process failed."""
    file = tools.workspace.league_dir(tools.spec.league_id) / USAGE_FILE
    seconds = RECENT_SEC + tools.config.timeouts_for(None, rules.timeouts).seats_away_sec

    def read() -> frozenset[str]:
        uses, now = read_seat_use(file), tools.clock.now()
        return frozenset(f"{HOSTED}{seat_id}" for seat_id, use in uses.items() if use.is_recent(now, seconds))

    return read

"""A league at a moment, as a value and as JSON, for remote followers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.ranking.standing import Standing
from league_sdk.json_value import Json
from servers.read_model import FeedEntry, Overview, overview
from servers.read_model.waits import WaitLine

MOST_ENTRIES = 200
"""The last entries of the feed that are sent at once."""
LONGEST_WAIT_SEC = 1e7
"""Seconds that a wait can have left, as messages of referees tell them."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A league at a moment."""

    sequence: int  # the number of its last record
    overview: Overview
    standings: tuple[Standing, ...]  # the table, rank 1 first
    entries: tuple[FeedEntry, ...] = ()  # its feed since the last snapshot
    waits: tuple[WaitLine, ...] = ()  # what its matches wait for

    @property
    def over(self) -> bool:
        return self.overview.state is LeagueState.COMPLETED

    def with_last(self, number: int) -> "Snapshot":
        """The same with the last `number` entries alone."""
        return replace(self, entries=self.entries[-number:] if number else ())


def snapshot(league: League, sequence: int, entries: Sequence[FeedEntry], waits: Sequence[WaitLine] = ()) -> Snapshot:
    """A league as it is now, with the feed since the last snapshot."""
    return Snapshot(sequence, overview(league), league.standings(), tuple(entries[-MOST_ENTRIES:]), tuple(waits))


def to_json(shown: Snapshot) -> dict[str, Json]:
    words = [{name: getattr(entry, name) for name in _SENT} for entry in shown.entries]
    return {
        "sequence": shown.sequence,
        "overview": asdict(shown.overview),
        "standings": [asdict(row) for row in shown.standings],
        "words": words,
        "waits": [asdict(line) for line in shown.waits],
    }


_SENT = ("sequence", "at", "kind", "text")


def from_json(told: Json) -> Snapshot:
    try:
        view = _known(Overview, told["overview"])
        view["state"] = LeagueState(view["state"])
        view["champions"] = tuple(Standing(**_known(Standing, row)) for row in view["champions"])
        return Snapshot(
            int(told["sequence"]),
            Overview(**view),
            tuple(Standing(**_known(Standing, row)) for row in told["standings"]),
            tuple(FeedEntry(*(word[name] for name in _SENT)) for word in told["words"]),
            tuple(_wait(line) for line in told.get("waits", ())),
        )
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(f"not a snapshot of a league: {error!r}") from error


def _wait(told: Mapping[str, Json]) -> WaitLine:
    """A wait's line; ValueError for seconds that lead beyond the calendar."""
    line = WaitLine(**_known(WaitLine, told))
    if line.left_sec is not None and not 0 <= line.left_sec <= LONGEST_WAIT_SEC:
        raise ValueError(f"{line.left_sec!r} s left")
    return replace(line, text=str(line.text), until=str(line.until))


def _known(kind: type[Any], told: Mapping[str, Json]) -> dict[str, Json]:
    """The fields that are known here: a newer manager may tell more."""
    return {item.name: told[item.name] for item in fields(kind) if item.name in told}

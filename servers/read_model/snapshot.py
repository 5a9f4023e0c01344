"""What a league looks like at a moment, for whoever watches it from afar: as a value, and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeAlias, cast

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Standing
from servers.read_model import FeedEntry, Overview, overview, plain_entry

Json: TypeAlias = Any
"""A JSON value."""

MOST_ENTRIES = 200
"""How much of what happened is told at once: the last of it."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a league looks like at a moment.

    Attributes:
        sequence: The number of its last record.
        overview: Where it stands.
        standings: The table, rank 1 first.
        entries: What happened since the last snapshot.
    """

    sequence: int
    overview: Overview
    standings: tuple[Standing, ...]
    entries: tuple[FeedEntry, ...] = ()

    @property
    def over(self) -> bool:
        """Whether nothing will happen any more."""
        return self.overview.state is LeagueState.COMPLETED

    def with_last(self, number: int) -> "Snapshot":
        """The same with so many of the last entries alone."""
        return replace(self, entries=self.entries[-number:] if number else ())


def snapshot(league: League, sequence: int, entries: Sequence[FeedEntry]) -> Snapshot:
    """A league as it is now, with what happened meanwhile."""
    return Snapshot(sequence, overview(league), league.standings(), tuple(entries[-MOST_ENTRIES:]))


def to_json(shown: Snapshot) -> dict[str, Json]:
    """A snapshot as JSON; its entries are called `words`, as managers of earlier releases call them."""
    words = [{"sequence": each.sequence, "at": each.at, "kind": each.kind, "text": each.text} for each in shown.entries]
    sent = asdict(replace(shown, entries=()))
    del sent["entries"]
    return {**sent, "words": words}


def from_json(told: Json) -> Snapshot:
    """A snapshot from its JSON.

    Raises:
        ValueError: It is none.
    """
    try:
        known = {item.name for item in fields(Overview)}
        sent = cast(Mapping[str, Json], told["overview"])
        view: dict[str, Json] = {name: value for name, value in sent.items() if name in known}
        view["state"] = LeagueState(view["state"])
        view["champions"] = tuple(Standing(**row) for row in view["champions"])
        return Snapshot(
            int(told["sequence"]),
            Overview(**view),
            tuple(Standing(**row) for row in told["standings"]),
            tuple(plain_entry(word["sequence"], word["at"], word["kind"], word["text"]) for word in told["words"]),
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise ValueError(f"this is no news of a league: {error!r}") from error

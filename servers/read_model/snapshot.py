"""What a league looks like at a moment, for whoever watches it from afar: as a value, and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeAlias, cast

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Standing
from servers.read_model import Note, Overview, overview

Json: TypeAlias = Any
"""A JSON value."""

MOST_NOTES = 200
"""How much of what happened is told at once: the last of it."""


@dataclass(frozen=True, slots=True)
class Word:
    """Something that happened.

    Attributes:
        sequence: The number of its record.
        at: When: ISO 8601 in UTC.
        kind: What: `league`, `player`, `referee`, `round`, `win`, `draw`, `technical`, `again` or `void`.
        text: The sentence; it may hold what agents said.
    """

    sequence: int
    at: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a league looks like at a moment.

    Attributes:
        sequence: The number of its last record.
        overview: Where it stands.
        standings: The table, rank 1 first.
        words: What happened since the last scene.
    """

    sequence: int
    overview: Overview
    standings: tuple[Standing, ...]
    words: tuple[Word, ...] = ()

    @property
    def over(self) -> bool:
        """Whether nothing will happen any more."""
        return self.overview.state is LeagueState.COMPLETED

    def ending(self, number: int) -> "Snapshot":
        """The same with the last words alone.

        Args:
            number: How many.
        """
        return replace(self, words=self.words[-number:] if number else ())


def scene(league: League, sequence: int, notes: Sequence[Note]) -> Snapshot:
    """A league as it is now, with what happened meanwhile."""
    words = tuple(Word(note.sequence, note.at, note.kind, note.text) for note in notes[-MOST_NOTES:])
    return Snapshot(sequence, overview(league), league.standings(), words)


def to_json(shown: Snapshot) -> dict[str, Json]:
    """A scene as JSON."""
    return asdict(shown)


def from_json(told: Json) -> Snapshot:
    """A scene from its JSON.

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
            tuple(Word(**word) for word in told["words"]),
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise ValueError(f"this is no news of a league: {error!r}") from error

"""Excerpts for the players of a large league, constant in its size."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from league_sdk.domain.league import League
from league_sdk.domain.model import Fixture
from league_sdk.protocol.envelope import Envelope
from league_sdk.protocol.rounds import StandingRow

T = TypeVar("T")

TOP = 10  # rows, matches or causes from the beginning
NEIGHBOURS = 3  # rows on either side of the receiver's own

Addressed: TypeAlias = Callable[[str], Envelope]
"""A message for each agent, by the agent's id."""


def to_everybody(message: Envelope) -> Addressed:
    """The same message for each agent."""
    return lambda _agent_id: message


def is_large(league: League) -> bool:
    """True if its messages carry excerpts."""
    return len(league.players) > league.rules.standings_window


def has_excerpts(league: League) -> bool:
    """True if lists over all rounds are cut: in large and endless leagues."""
    return is_large(league) or league.endless


def all_voided(league: League) -> dict[str, str] | None:
    """Causes of all void matches by match id, or of the first."""
    return dict(islice(league.voided.items(), TOP) if has_excerpts(league) else league.voided) or None


def excerpt(items: Sequence[T], own: Iterable[int] = ()) -> tuple[T, ...]:
    """The first items and those at the receiver's own places, in their order."""
    return tuple(items[place] for place in sorted({*range(min(TOP, len(items))), *own}))


def part(items: Sequence[Any], own: Iterable[int], name: str) -> dict[str, Any]:
    """Changes to a message that cut its field `name`; none if nothing is left out."""
    shown = excerpt(items, own)
    return {} if len(shown) == len(items) else {name: shown, "total": len(items), "truncated": True}


def around_each(rows: Sequence[StandingRow]) -> Callable[[str], range]:
    """The places of a player's own row and its neighbours, by player id."""
    places = {row.player_id: place for place, row in enumerate(rows)}

    def around(agent_id: str) -> range:
        place = places.get(agent_id)
        return range(0) if place is None else range(max(0, place - NEIGHBOURS), min(len(rows), place + NEIGHBOURS + 1))

    return around


def places_of(fixtures: Iterable[Fixture], referees: Mapping[str, str] | None = None) -> Mapping[str, Sequence[int]]:
    """The places of own matches by agent; `referees` is referee by match."""
    places: dict[str, list[int]] = {}
    for place, fixture in enumerate(fixtures):
        for agent_id in (*fixture.players, *([referees[fixture.match_id]] if referees else [])):
            places.setdefault(agent_id, []).append(place)
    return places


def voided(league: League, fixtures: Iterable[Fixture]) -> Callable[[str], dict[str, str] | None]:
    """Causes of void matches by match id: all, or an excerpt for each agent."""
    void = [fixture for fixture in fixtures if fixture.match_id in league.voided]
    own: Mapping[str, Sequence[int]] = places_of(void) if is_large(league) else {}

    def causes(agent_id: str) -> dict[str, str] | None:
        shown = excerpt(void, own.get(agent_id, ())) if is_large(league) else void
        return {fixture.match_id: league.voided[fixture.match_id] for fixture in shown} or None

    return causes

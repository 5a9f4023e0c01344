"""The players of a league to be launched: named, registered and spare ones."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from league_sdk.names import name_key, unused_name
from servers.launcher.run_options import PlanError, PlayerSpec, RunOptions

SPARE_STRATEGIES = ("random", "frequency", "pattern", "alternating", "mirror")
"""Strategies for players that the registry of agents does not know, in turn."""


def planned_players(
    options: RunOptions, known: Sequence[PlayerSpec], expected: int | None, others: Iterable[str] = ()
) -> list[PlayerSpec]:
    """All players of the plan, each with a unique name, not one of `others`."""
    total = _size(options, expected or len(known))
    count = total - options.guests
    reserved = {seat.name for seat in (*known, *options.players)} | {f"Agent {number + 1}" for number in range(total)}
    reserved |= set(others)
    seats: list[PlayerSpec] = []
    for number, seat in enumerate(options.players, start=1):
        seats.append(_named(seat, number, reserved))
        reserved.add(seats[-1].name)
    taken = {name_key(seat.name) for seat in seats}
    spare = [seat for seat in known if name_key(seat.name) not in taken]
    while len(seats) < count:
        number = len(seats) + 1
        strategy = SPARE_STRATEGIES[(number - 1) % len(SPARE_STRATEGIES)]
        seats.append(spare.pop(0) if spare else PlayerSpec(_fresh(f"Agent {number}", taken), strategy))
        taken.add(name_key(seats[-1].name))
    if total < 2:
        raise PlanError(f"a league needs at least 2 players, got {total}; name another, or add --players 2")
    names = [seat.name for seat in seats]
    doubles = {key for key, number in Counter(map(name_key, names)).items() if number > 1}
    if doubles:
        told = sorted({name for name in names if name_key(name) in doubles})
        raise PlanError(f"two players are called {', '.join(told)}: give each a name of its own")
    return seats


def _size(options: RunOptions, usual: int) -> int:
    """The number of players: as asked for, else those named or expected, else usual."""
    asked = len(options.players) + options.guests
    total = options.count or (asked if options.players or options.roster else max(usual, asked))
    if total < asked:
        named = f"{len(options.players)} with --player" if options.players else ""
        guests = f"{options.guests} with --guests" if options.guests else ""
        raise PlanError(
            f"--players {total} is the whole league, but {' and '.join(filter(None, (named, guests)))} make {asked}; "
            f"say --players {asked}, or leave it out"
        )
    return total


def _named(seat: PlayerSpec, number: int, reserved: set[str]) -> PlayerSpec:
    said = _unlike(seat.introduced, reserved) if seat.introduced else ""
    at = seat.url.split("//", 1)[-1].split("/", 1)[0]
    name = seat.name or said or at or f"Agent {number}"
    return replace(seat, name=name, strategy="" if seat.url else seat.strategy or "random")


def _unlike(introduced: str, reserved: set[str]) -> str:
    """The name that a server elsewhere introduces itself by, unlike all others."""
    from league_sdk.confusables import skeleton  # a large table, which most leagues' starters do without

    return unused_name(introduced, reserved, skeleton)


def _fresh(name: str, taken: set[str]) -> str:
    while name_key(name) in taken:
        name += "'"
    return name

"""The table of settings that can set a time limit, and the winner among them."""

from collections.abc import Collection, Mapping
from typing import Final

from league_sdk.settings.agents import CHOICE_TIMEOUT
from league_sdk.settings.league import LeagueConfig
from league_sdk.settings.problems import NOTHING
from league_sdk.settings.reading import value_at
from league_sdk.settings.sources import Place, Sources, attribute
from league_sdk.settings.system import TimeoutsConfig

_OF_CHOICE: Final = "*" + CHOICE_TIMEOUT  # stands for the limit of moves that travel in a game's field

LIMITS: Final[Mapping[str, tuple[Place, ...]]] = {
    "move_timeout_sec": (
        ("referee", f"default_settings.{_OF_CHOICE}"),
        ("referee", "default_settings.move_timeout_sec"),
        ("system", "timeouts.move_timeout_sec"),
    ),
    "game_join_timeout_sec": (
        ("referee", "default_settings.game_join_timeout_sec"),
        ("system", "timeouts.game_join_timeout_sec"),
    ),
    "generic_response_timeout_sec": (("system", "timeouts.generic_response_timeout_sec"),),
}
"""Settings of each limit beside those of a league's file, which win as part of its rules: the narrowest first."""


def limits_of(sources: Sources, choices: Collection[str]) -> dict[str, float]:
    """The limits without a league: the strongest source's narrowest settings."""
    return {name: sources.winning_value(_places(name, choices)) for name in LIMITS}


def own_limits(sources: Sources, config: LeagueConfig, choices: Collection[str]) -> dict[str, float]:
    """The limits of a league's file that no stronger source overrides."""
    own: dict[str, float] = {}
    for name in LIMITS:
        place: Place = ("league", f"timeouts.{name}")
        value = attribute(config, place[1])
        if value is not None and sources.narrowest_above([place, *_places(name, choices)]) in (None, place):
            own[name] = value
    return own


def shadowed(sources: Sources, referee_file: str, system_file: str, choices: Collection[str]) -> list[str]:
    """Limits set for everything, which usual values in the referees' file override."""
    referee, system = sources.file(referee_file), sources.file(system_file)
    found: list[str] = []
    for limit in LIMITS:
        usual = attribute(TimeoutsConfig(), limit)
        wanted = value_at(system.values, ("timeouts", limit))
        if wanted in (NOTHING, None, usual):
            continue
        found += [
            f"{referee.source}: {path} is still {usual:g} and wins over timeouts.{limit} = {wanted:g} in "
            f"{system.source}; change it as well, or remove it"
            for part, path in _places(limit, choices)
            if part == "referee" and value_at(referee.values, tuple(path.split("."))) == usual
        ]
    return found


def _places(limit: str, choices: Collection[str]) -> list[Place]:
    places: list[Place] = []
    for part, path in LIMITS[limit]:
        paths = [path.replace("*", choice) for choice in choices] if _OF_CHOICE in path else [path]
        places.extend((part, one) for one in paths)
    return places

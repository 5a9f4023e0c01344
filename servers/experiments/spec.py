"""Description of an experiment: its fields, its file, and their checks."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from league_sdk import plugins
from league_sdk.game import Game
from league_sdk.json_value import Json
from league_sdk.names import alternatives, display_name, game_name, unused_name
from servers.launcher.run_options import PlanError, PlayerSpec
from servers.player.positions import seconds_in
from servers.player.strategy_check import check_move_named

DIRECT, LEAGUE = ENGINES = ("direct", "league")
"""Engines: a loop without agents and wire, or whole leagues over MCP."""
BATCH = 100
"""Matches of a batch, the unit of work, of results on disk and of stop rules."""


@dataclass(frozen=True, slots=True)
class ExperimentSpec:
    """The matches of an experiment: equal specs give equal results."""

    game: str
    strategies: tuple[str, ...]  # two or more names of strategies; one may stand more than once
    # matches of each two strategies in a repetition, an even number: both matches of a pair have the same chance, with
    # the seats swapped
    matches: int = 200
    repetitions: int = 1  # how often all of that is played, each time with another chance
    seed: str = "1"  # seed of all chance
    memory: bool = False  # true if players remember the earlier matches of their pairing and repetition
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    plugins: tuple[str, ...] = ()
    # leads of the first of two strategies in Elo points between which a sequential test decides, to stop early
    sprt: tuple[float, ...] = ()
    # share of experiments whose answers to who is better of each two shall all be right, to stop early; 0 for never
    until_ordered: float = 0.0
    batch: int = BATCH  # matches of a batch, an even number
    engine: str = DIRECT  # `direct` or `league`
    paired: bool = True  # true if both matches of a pair have the same chance; in leagues each match has its own

    @property
    def entrants(self) -> tuple[PlayerSpec, ...]:
        """The strategies as players of a league, each with a name of its own."""
        names: list[str] = []
        found: list[PlayerSpec] = []
        for text in self.strategies:
            entrant = PlayerSpec.parse(text) if _is_player(text) else PlayerSpec(strategy=text)
            name = entrant.name or entrant.strategy or entrant.url.split("//", 1)[-1].split("/", 1)[0]
            names.append(unused_name(name, names))
            found.append(replace(entrant, name=names[-1]))
        return tuple(found)

    @property
    def players(self) -> tuple[str, ...]:
        """Display names of the strategies; one that stands twice gets a number."""
        return tuple(entrant.name for entrant in self.entrants)

    @property
    def total(self) -> int:
        return self.repetitions * self.matches * len(self.strategies) * (len(self.strategies) - 1) // 2

    @property
    def together(self) -> int:
        """Number of successive matches of two strategies that make one observation.

        A pair shares its chance; what players remember binds a repetition together.
        """
        return self.matches if self.memory else 2

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "ExperimentSpec":
        """The spec that `to_json` wrote; ValueError, TypeError if it is none."""
        return _with_tuples(json.loads(text))


def _is_player(text: str) -> bool:
    """True for the URL of an agent, or a player with a name."""
    return "://" in text or text.startswith("name=")


def _with_tuples(values: Mapping[str, Any]) -> ExperimentSpec:
    lists: dict[str, Any] = {name: tuple(values[name]) for name in ("strategies", "plugins", "sprt") if name in values}
    return ExperimentSpec(**{**values, **lists})


SHAPES: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "game": (str, "the name of a game"),
    "strategies": (list, 'a list of names, such as ["random", "frequency"]; in leagues also URLs of agents'),
    "matches": (int, "a whole number"),
    "repetitions": (int, "a whole number"),
    "seed": ((str, int), "text or a whole number"),
    "memory": (bool, "true or false"),
    "options": (dict, "a table of the game's options"),
    "plugins": (list, "a list of folders"),
    "engine": (str, 'one of "direct" and "league"'),
    "paired": (bool, "true or false"),
    "sprt": (list, "two leads in Elo points, such as [0, 20]"),
    "until_ordered": (float, "a confidence from 0.5 and below 1, such as 0.95"),
    "report": (bool, "true or false"),
    "sweep": (dict, "a table of lists of values, such as rounds = [10, 100]"),
}
"""Type of each field in a file, and how to say it."""


def read_spec(path: Path) -> dict[str, Any]:
    """The fields of an experiment file; a mistake is told with its line."""
    try:
        text = path.read_text("utf-8")
        found = tomllib.loads(text)
    except FileNotFoundError:
        raise PlanError(f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PlanError(f"{path} cannot be read as TOML: {error}") from error
    for name, value in found.items():
        if problem := _problem(name, value):
            raise PlanError(f"{path}, line {_line_of(name, text)}: {problem}")
    folders = cast("list[str]", found.get("plugins", []))
    return {**found, "plugins": [str((path.parent / folder).resolve()) for folder in folders]}


def _problem(name: str, value: object) -> str:
    if name not in SHAPES:
        return f"{name!r} means nothing here; {alternatives(name, list(SHAPES))}"
    shape, told = SHAPES[name]
    if not isinstance(value, shape) or (isinstance(value, bool) and shape is not bool):
        return f"{name} is {value!r}, expected {told}"
    kinds = (int, float) if name == "sprt" else str
    if isinstance(value, list) and not all(isinstance(item, kinds) for item in cast("list[object]", value)):
        return f"{name} is {value!r}, expected {told}"
    return ""


def _line_of(name: str, text: str) -> int:
    """The line on which a field of the top level is set."""
    written = re.compile(rf"""\s*(\[\s*)?["']?{re.escape(name)}["']?\s*[\].=]""")
    return next((number for number, line in enumerate(text.splitlines(), 1) if written.match(line)), 1)


def make_spec(given: Mapping[str, Any]) -> ExperimentSpec:
    """A checked spec from its fields."""
    for name in ("game", "strategies"):
        if not given.get(name):
            raise PlanError(f"an experiment needs {name}: {SHAPES[name][1]}")
    spec = _with_tuples({**_as_in_leagues(given), "seed": str(given.get("seed", "1"))})
    for name in ("matches", "batch"):
        if getattr(spec, name) < 2 or getattr(spec, name) % 2:
            raise PlanError(
                f"{name} is {getattr(spec, name)}: an even number from 2, since each pair of matches swaps the seats"
            )
    if spec.repetitions < 1:
        raise PlanError(f"repetitions is {spec.repetitions}: a whole number from 1")
    if len(spec.strategies) < 2:
        raise PlanError("an experiment needs two strategies or more; one may be named twice")
    _check_stop_rule(spec)
    game = game_of(spec)
    for name in spec.strategies:
        _check_strategy(name, spec, game)
    return spec


def _check_stop_rule(spec: ExperimentSpec) -> None:
    if spec.sprt and (len(spec.strategies) != 2 or len(spec.sprt) != 2 or not spec.sprt[0] < spec.sprt[1]):
        raise PlanError("sprt takes two strategies and two leads in Elo points, the lower one first, such as [0, 20]")
    if spec.until_ordered and not 0.5 <= spec.until_ordered < 1:
        raise PlanError(f"until_ordered is {spec.until_ordered:g}, expected {SHAPES['until_ordered'][1]}")
    if spec.sprt and spec.until_ordered:
        raise PlanError("sprt and until_ordered are two rules to stop by: leave one of them out")


def _as_in_leagues(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields with those that the engine settles."""
    if (engine := given.get("engine", DIRECT)) not in ENGINES:
        raise PlanError(f"engine is {engine!r}, expected {SHAPES['engine'][1]}")
    if engine == DIRECT:
        return given
    settled = {"memory": True, "paired": False}
    for name, value in settled.items():
        if given.get(name, value) is not value:
            raise PlanError(
                f"{name} cannot be {str(given[name]).lower()} with engine = {LEAGUE!r}: players of a league remember "
                "its matches, and each match has chance of its own"
            )
    return {**given, **settled}


def game_of(spec: ExperimentSpec) -> Game[Any]:
    """The game with its options."""
    game = plugins.game(spec.game, spec.plugins, spec.options)
    if not game.min_players <= 2 <= game.max_players:
        few, many = game.min_players, game.max_players
        takes = few if few == many else f"{few} to {many}"
        raise PlanError(
            f"{game_name(game.name)} is for {takes} players, and experiments play matches of two. "
            f"A league plays it: 'league run' with --format tables --format-option seats={few}"
        )
    return game


def _check_strategy(name: str, spec: ExperimentSpec, game: Game[Any]) -> None:
    if _is_player(name) and spec.engine != LEAGUE:
        raise PlanError(f"{name!r} is an agent elsewhere, which plays in leagues: say engine = {LEAGUE!r}")
    if _is_player(name):
        PlayerSpec.parse(name)
        return
    found, argument = plugins.named_strategy(name, spec.plugins)
    if found.make_with_model is not None and spec.engine == LEAGUE:
        return  # the launcher looks at its key
    if found.make_with_model is not None:
        raise PlanError(f"strategy {name!r} asks a language model, which plays in leagues: say engine = {LEAGUE!r}")
    plugins.strategy(name, spec.plugins)
    if found.argument and seconds_in(argument) and spec.engine != LEAGUE:
        raise PlanError(
            f"strategy {name!r} thinks by the clock, so that no seed repeats its matches: "
            f"give it a number, such as {found.name}-1000, or say engine = {LEAGUE!r}"
        )
    check_move_named(name, spec.plugins, [game])
    try:
        display_name(name)
    except ValueError as error:
        raise PlanError(f"strategy {name!r} cannot be shown; it needs {error}") from error

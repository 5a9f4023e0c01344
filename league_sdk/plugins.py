"""Games, strategies, stores and runtimes, found by name.

This is the only place that imports modules not named in code. There are two sources:

* An **entry point** of an installed distribution, in the group `mcp_agent_league.games` or `….strategies`. Its value
  is a module or a package to search (`game_rules`), or one object (`my_package:MyGame`). Our own games and strategies
  are found in this way too.
* A **folder** of the user's: every Python file in it is searched.

In a module, every concrete subclass of `Game` and every `Strategy` counts. In a package, all modules are searched;
those whose name begins with an underscore are left out, so helpers can live there.

Nothing broken is skipped: a file that cannot be imported, a nameless game, or a name with two origins is an error that
says where to look.
"""

import contextlib
import hashlib
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, TypeAlias, cast

from league_sdk.domain.model import StageRules
from league_sdk.domain.stages import FormatStage, Stages
from league_sdk.errors import UnsupportedGameType
from league_sdk.game import Game, LanguageModel, Strategy, StrategyFunction
from league_sdk.names import alternatives
from league_sdk.release import DISTRIBUTION
from league_sdk.tournament import Format, FormatDoesNotFit

GAMES = "mcp_agent_league.games"
STRATEGIES = "mcp_agent_league.strategies"
FORMATS = "mcp_agent_league.formats"
STORES = "mcp_agent_league.stores"
RUNTIMES = "mcp_agent_league.runtimes"

GAME_NAME = re.compile(r"[a-z][a-z0-9_]*")
STRATEGY_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

Folders: TypeAlias = Iterable[Path | str]
GameClass: TypeAlias = type[Game[Any]]
FormatClass: TypeAlias = type[Format]
StoreOpener: TypeAlias = Callable[[str], Awaitable[Any]]
"""A store plug-in: an async function from a URL to an open `EventStore`; its entry point is named by the scheme."""


class PluginError(Exception):
    """A plug-in cannot be used; the message has its name, place and the reason."""


class BrokenPlugin(PluginError):
    """It cannot be imported, or is of the wrong type."""


class DuplicatePlugin(PluginError):
    """Two different plug-ins have the same name."""


class UnknownPlugin(PluginError):
    """There is no plug-in with that name."""


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    thing: object
    origin: str


def game_classes(extra_folders: Folders = ()) -> Mapping[str, GameClass]:
    """Every installed game, by name, in alphabetical order.

    Raises BrokenPlugin, or DuplicatePlugin for two games of one name.
    """
    return cast(Mapping[str, GameClass], _registry(GAMES, extra_folders))


def games(extra_folders: Folders = ()) -> Mapping[str, Game[Any]]:
    """Every game with its default options, by name; raises like `game_classes`."""
    return {name: game(name, extra_folders) for name in game_classes(extra_folders)}


def game(name: str, extra_folders: Folders = (), options: Mapping[str, Any] | None = None) -> Game[Any]:
    """One game by its name, with options for its constructor.

    Raises:
        UnsupportedGameType: There is no such game; the message names the known ones.
        BrokenPlugin: The game does not take these options.
        DuplicatePlugin: Two games have the same name.
    """
    known = game_classes(extra_folders)
    if name not in known:
        expected = list(known)
        raise UnsupportedGameType(
            f"there is no game {name!r}; {_known(name, expected)}", field="game_type", value=name, expected=expected
        )
    given = dict(options or {})
    taken = _options(known[name])
    if taken is not None and (unknown := [option for option in given if option not in taken]):
        raise BrokenPlugin(
            f"game {name!r} has no option {', '.join(repr(option) for option in unknown)}; "
            f"{_known(unknown[0], taken) if taken else 'it has none'}"
        )
    try:
        return known[name](**given)
    except (TypeError, ValueError) as error:
        raise BrokenPlugin(f"game {name!r} cannot be set up with {given!r}: {error}") from error


def _options(game_class: GameClass) -> list[str] | None:
    """Names of a game's options; None if its constructor takes any."""
    if game_class.__init__ is object.__init__:
        return []
    parameters = inspect.signature(game_class).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return [parameter.name for parameter in parameters]


def strategies(extra_folders: Folders = ()) -> Mapping[str, Strategy]:
    """Every installed strategy, by name; raises like `game_classes`."""
    return cast(Mapping[str, Strategy], _registry(STRATEGIES, extra_folders))


def strategy(name: str, extra_folders: Folders = (), model: LanguageModel | None = None) -> StrategyFunction:
    """A new function of the strategy with that name, for one player.

    A strategy's name or alias is followed by `-<argument>` if it takes one. The longest name that fits counts. `_` is
    read as `-`, so that `always_<move>` is `always-<move>`.

    Raises:
        UnknownPlugin: There is no such strategy; the message names the known ones.
        BrokenPlugin: The strategy does not take this argument, or lacks its language model.
        DuplicatePlugin: Two strategies have the same name.
    """
    found, argument = named_strategy(name, extra_folders)
    try:
        if found.make_with_model is not None and model is not None:
            return found.make_with_model(argument, model)
        return found.make(argument)
    except ValueError as error:
        raise BrokenPlugin(f"strategy {name!r}: {error}") from error


def named_strategy(name: str, extra_folders: Folders = ()) -> tuple[Strategy, str]:
    """The strategy that a name means, and its argument; raises like `strategy`."""
    known = strategies(extra_folders)
    found, argument = _split(name, known)
    if found is None:
        raise UnknownPlugin(f"there is no strategy {name!r}; {_known(name, _spelled(known), _meanings(name, known))}")
    return found, argument


def format_classes(extra_folders: Folders = ()) -> Mapping[str, FormatClass]:
    """All tournament formats by name. Raises as `game_classes` does."""
    return cast(Mapping[str, FormatClass], _registry(FORMATS, extra_folders))


def tournament_format(name: str, extra_folders: Folders = (), options: Mapping[str, Any] | None = None) -> Format:
    """A tournament format by its name.

    Args:
        name: The format, such as `swiss`.
        extra_folders: Folders of the user's to search as well.
        options: The format's options by name; its defaults where left out.

    Raises:
        UnknownPlugin: There is no such format; the message names those there are.
        BrokenPlugin: The format does not take these options.
        DuplicatePlugin: Two formats have the same name.
    """
    known = format_classes(extra_folders)
    if name not in known:
        raise UnknownPlugin(f"there is no format {name!r}; {_known(name, list(known))}")
    given = dict(options or {})
    taken = inspect.signature(known[name]).parameters
    for option, value in given.items():
        if option not in taken:
            raise BrokenPlugin(f"format {name!r} has no option {option!r}; {_known(option, list(taken))}")
        kind = taken[option].annotation
        if kind in (bool, int, str) and type(value) is not kind:
            raise BrokenPlugin(f"format {name!r}: {option} is {value!r}, expected {_KIND_NAMES[kind]}")
    try:
        return known[name](**given)
    except (TypeError, FormatDoesNotFit) as error:
        raise BrokenPlugin(f"format {name!r}: {error}") from error


_KIND_NAMES = {bool: "true or false", int: "a whole number", str: "text"}


def stages_format(stages: Sequence[StageRules], extra_folders: Folders = ()) -> Format:
    """The format that plays the stages of a league one after the other.

    Raises:
        UnknownPlugin, BrokenPlugin, DuplicatePlugin: As `tournament_format` does.
        FormatDoesNotFit: The stages do not fit each other.
    """
    made = [(tournament_format(stage.format, extra_folders, stage.options), stage.advance) for stage in stages]
    return Stages(tuple(FormatStage(*each) for each in made))


def stores() -> Mapping[str, StoreOpener]:
    """Openers of stores of other distributions, by URL scheme."""
    found = _unique(_Found(point.name, _load(point), _origin(point)) for point in _points(STORES))
    return cast(Mapping[str, StoreOpener], found)


def runtime(name: str) -> Any:
    """The object behind an entry point of the group of runtimes; starts an agent."""
    points = {point.name: point for point in _points(RUNTIMES)}
    if name not in points:
        raise UnknownPlugin(f"there is no runtime {name!r}; {_known(name, sorted(points))}")
    return _load(points[name])


def _split(name: str, known: Mapping[str, Strategy]) -> tuple[Strategy | None, str]:
    """The strategy that `name` means, and its argument; None if there is none."""
    known = {**_aliases(known), **known}
    plain = name.replace("_", "-")
    if plain in known:
        return known[plain], ""
    ends = [place for place, letter in enumerate(plain) if letter == "-"]
    for end in reversed(ends):
        found = known.get(plain[:end])
        # The argument stays as it was given: a move may have an underscore in its name.
        if found is not None and found.takes_argument and end + 1 < len(name):
            return found, name[end + 1 :]
    return None, ""


def _aliases(known: Mapping[str, Strategy]) -> dict[str, Strategy]:
    """Strategies by their aliases."""
    found: dict[str, Strategy] = {}
    for item in known.values():
        for alias in item.aliases:
            if not STRATEGY_NAME.fullmatch(alias):
                raise BrokenPlugin(f"strategy {item.name!r} needs aliases like {STRATEGY_NAME.pattern}, not {alias!r}")
            if alias in known or found.setdefault(alias, item) is not item:
                raise DuplicatePlugin(f"{alias!r}, another name of strategy {item.name!r}, is taken; rename one")
    return found


def _spelled(known: Mapping[str, Strategy]) -> list[str]:
    return [f"{name}-<argument>" if item.takes_argument else name for name, item in known.items()]


def _meanings(given: str, known: Mapping[str, Strategy]) -> list[str]:
    """Candidates for a misspelled name, which may end in an argument."""
    argument = given.partition("-")[2]
    with_argument = (f"{name}-{argument}" for name, item in known.items() if argument and item.takes_argument)
    return [*known, *with_argument]


def _known(given: str, names: Sequence[str], near: Sequence[str] = ()) -> str:
    if not names:
        return "none is known: is the distribution installed, with its entry points (pip install -e .)?"
    return alternatives(given, names, near=near)


def _registry(group: str, extra_folders: Folders) -> Mapping[str, object]:
    folders = tuple(str(Path(folder).expanduser().resolve()) for folder in extra_folders)
    return _cached(group, folders, tuple(sys.path))


@lru_cache(maxsize=32)
def _cached(group: str, folders: tuple[str, ...], path: tuple[str, ...]) -> Mapping[str, object]:
    """The registry of a group; its content depends on `sys.path`."""
    del path
    return MappingProxyType(_unique(_everything(group, folders)))


def _everything(group: str, folders: Iterable[str]) -> Iterator[_Found]:
    for point in _points(group):
        loaded = _load(point)
        if isinstance(loaded, ModuleType):
            yield from _look_through(group, loaded, _origin(point))
        else:
            yield _named(group, loaded, _origin(point))
    for folder in folders:
        yield from _look_through(group, _folder_package(folder), folder)


def _unique(found: Iterable[_Found]) -> dict[str, object]:
    """Plug-ins by name; the same object may be found twice, as by an import."""
    by_name: dict[str, _Found] = {}
    for item in found:
        first = by_name.setdefault(item.name, item)
        if first.thing is not item.thing:
            raise DuplicatePlugin(
                f"two plug-ins are called {item.name!r}: one from {first.origin}, one from {item.origin}; rename or "
                "remove one of them"
            )
    return {name: by_name[name].thing for name in sorted(by_name)}


def _points(group: str) -> list[EntryPoint]:
    found: Iterable[EntryPoint] = _all_points(tuple(sys.path)).select(group=group)
    return sorted(found, key=lambda point: (point.name, point.value))


@lru_cache(maxsize=4)
def _all_points(path: tuple[str, ...]) -> Any:
    """All entry points on `sys.path`; the search takes longer than our imports."""
    del path
    return entry_points()


def load_own() -> None:
    """Load this distribution's own plug-ins, before agents are forked."""
    for group in _KINDS:
        for point in _points(group):
            if point.dist is not None and point.dist.name == DISTRIBUTION:
                tuple(_look_through(group, cast(ModuleType, _load(point)), _origin(point)))


def _origin(point: EntryPoint) -> str:
    owner = "" if point.dist is None else f" of {point.dist.name} {point.dist.version}"
    return f"{point.value} (entry point {point.name!r}{owner})"


def _load(point: EntryPoint) -> object:
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise BrokenPlugin(f"{_origin(point)} cannot be loaded: {_why(error)}") from error


def _folder_package(folder: str) -> ModuleType:
    """The folder as a package, so that its files can import one another with a dot."""
    if not Path(folder).is_dir():
        raise BrokenPlugin(f"{folder} is not a folder: name the folder that holds the plug-in files")
    name = f"_league_plugins_{hashlib.sha256(folder.encode()).hexdigest()[:16]}"
    package = sys.modules.get(name)
    if package is None:
        package = ModuleType(name, f"The plug-ins in {folder}.")
        package.__path__ = [folder]
        sys.modules[name] = package
    importlib.invalidate_caches()
    return package


def _look_through(group: str, module: ModuleType, origin: str) -> Iterator[_Found]:
    yield from _members(group, module, origin)
    for info in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if info.name.startswith("_"):
            continue
        full_name = f"{module.__name__}.{info.name}"
        try:
            # Standard output may be a wire, or one JSON object and nothing else.
            with contextlib.redirect_stdout(sys.stderr):
                child = importlib.import_module(full_name)
        except (Exception, SystemExit) as error:
            where = Path(getattr(info.module_finder, "path", "")) / info.name
            raise BrokenPlugin(f"plug-in {where} (of {origin}) cannot be imported: {_why(error)}") from error
        yield from _members(group, child, child.__file__ or full_name)


def _members(group: str, module: ModuleType, origin: str) -> Iterator[_Found]:
    for thing in vars(module).values():
        if _KINDS[group].accepts(thing):
            yield _named(group, thing, origin)


def _concrete(base: type) -> Callable[[object], bool]:
    """A test for concrete subclasses of `base`."""
    return lambda thing: isinstance(thing, type) and issubclass(thing, base) and not inspect.isabstract(thing)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of plug-in."""

    noun: str
    accepts: Callable[[object], bool]
    names: re.Pattern[str]
    expected: str


_KINDS = {
    GAMES: _Kind("game", _concrete(Game), GAME_NAME, "a concrete subclass of league_sdk.game.Game"),
    FORMATS: _Kind("format", _concrete(Format), GAME_NAME, "a concrete subclass of league_sdk.tournament.Format"),
    STRATEGIES: _Kind(
        "strategy", lambda thing: isinstance(thing, Strategy), STRATEGY_NAME, "a league_sdk.game.Strategy"
    ),
}


def _named(group: str, thing: object, origin: str) -> _Found:
    """Check a plug-in's type and name."""
    kind = _KINDS[group]
    if not kind.accepts(thing):
        raise BrokenPlugin(f"{origin}: {thing!r} is not a {kind.noun}; name {kind.expected}")
    name = getattr(thing, "name", None)
    if not isinstance(name, str) or not kind.names.fullmatch(name):
        raise BrokenPlugin(f"{origin}: {thing!r} needs a name like {kind.names.pattern}, and has {name!r}")
    return _Found(name, thing, origin)


def _why(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"

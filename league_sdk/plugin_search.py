"""Looks for plug-ins at entry points and in folders.

Nothing else imports modules that are not named in code.
"""

import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, TypeAlias, cast

from league_sdk.game import Game, Strategy
from league_sdk.game_library import GameLibrary, StrategyLibrary
from league_sdk.release import DISTRIBUTION
from league_sdk.tournament import Format

GAMES = "mcp_agent_league.games"
STRATEGIES = "mcp_agent_league.strategies"
FORMATS = "mcp_agent_league.formats"
STORES = "mcp_agent_league.stores"
RUNTIMES = "mcp_agent_league.runtimes"

PACKAGES = ("clients", "game_rules", "servers")
"""Packages of this distribution with names that a file of somebody else may have."""

GAME_NAME = re.compile(r"[a-z][a-z0-9_]*")
STRATEGY_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

Folders: TypeAlias = Iterable[Path | str]


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


def registry(group: str, extra_folders: Folders) -> Mapping[str, object]:
    """The plug-ins of a group by name, from entry points and from folders."""
    folders = tuple(str(Path(folder).expanduser().resolve()) for folder in extra_folders)
    return _cached(group, folders, tuple(sys.path))


@lru_cache(maxsize=32)
def _cached(group: str, folders: tuple[str, ...], path: tuple[str, ...]) -> Mapping[str, object]:
    """The registry of a group; its content depends on `sys.path`."""
    del path
    return MappingProxyType(_unique(_everything(group, folders)))


def _everything(group: str, folders: Iterable[str]) -> Iterator[_Found]:
    for point in points(group):
        loaded = load(point)
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


def entry_objects(group: str) -> Mapping[str, object]:
    """The objects behind a group's entry points, by the names of these."""
    return _unique(_Found(point.name, load(point), _origin(point)) for point in points(group))


def points(group: str) -> list[EntryPoint]:
    """The entry points of a group, by name."""
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
        for point in points(group):
            if point.dist is not None and point.dist.name == DISTRIBUTION:
                tuple(_look_through(group, cast(ModuleType, load(point)), _origin(point)))


def _origin(point: EntryPoint) -> str:
    owner = "" if point.dist is None else f" of {point.dist.name} {point.dist.version}"
    return f"{point.value} (entry point {point.name!r}{owner})"


def load(point: EntryPoint) -> object:
    """The object behind an entry point; raises BrokenPlugin."""
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise BrokenPlugin(f"{_origin(point)} cannot be loaded: {_why(error)}") from error


def check_packages() -> None:
    """Refuse (BrokenPlugin) a file that is imported in place of a package of ours.

    Python looks beside a program first, so a file `servers.py` there hides ours.
    """
    home = Path(__file__).parents[1]
    for name in PACKAGES:
        spec = sys.modules[name].__spec__ if name in sys.modules else importlib.util.find_spec(name)
        origin = None if spec is None or spec.origin is None else Path(spec.origin)
        if origin is not None and origin.parents[1] != home:
            what = origin.parent if origin.name == "__init__.py" else origin
            raise BrokenPlugin(f"{what} hides the package {name!r} of {DISTRIBUTION}: give it another name")


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


def _concrete(*bases: type) -> Callable[[object], bool]:
    """A test for concrete subclasses of one of `bases`."""
    return lambda thing: isinstance(thing, type) and issubclass(thing, bases) and not inspect.isabstract(thing)


def _is_strategy(thing: object) -> bool:
    return isinstance(thing, Strategy) or _concrete(StrategyLibrary)(thing)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of plug-in."""

    noun: str
    accepts: Callable[[object], bool]
    names: re.Pattern[str]
    expected: str


_KINDS = {
    GAMES: _Kind(
        "game", _concrete(Game, GameLibrary), GAME_NAME, "a concrete subclass of league_sdk.game.Game or GameLibrary"
    ),
    FORMATS: _Kind("format", _concrete(Format), GAME_NAME, "a concrete subclass of league_sdk.tournament.Format"),
    STRATEGIES: _Kind("strategy", _is_strategy, STRATEGY_NAME, "a league_sdk.game.Strategy or StrategyLibrary"),
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

"""Games, strategies, stores and runtimes, found by name.

There are two sources:

* An **entry point** of an installed distribution, in the group `mcp_agent_league.games` or `….strategies`. Its value
  is a module or a package to search (`game_rules`), or one object (`my_package:MyGame`). Our own games and strategies
  are found in this way too.
* A **folder** of the user's: every Python file in it is searched.

In a module, every concrete subclass of `Game` and every `Strategy` counts. In a package, all modules are searched;
those whose name begins with an underscore are left out, so helpers can live there.

Nothing broken is skipped: a file that cannot be imported, a nameless game, or a name with two origins is an error that
says where to look.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any, TypeAlias, cast

from league_sdk.domain.model import StageRules
from league_sdk.domain.pairings.stages import FormatStage, Stages
from league_sdk.errors import UnsupportedGameType
from league_sdk.game import (
    Game,
    LanguageModel,
    Strategy,
    StrategyFunction,
)
from league_sdk.game_library import GameLibrary, GameRefused, StrategyLibrary
from league_sdk.names import alternatives, game_name, game_type
from league_sdk.plugin_search import (
    FORMATS,
    GAMES,
    RUNTIMES,
    STORES,
    STRATEGIES,
    STRATEGY_NAME,
    BrokenPlugin,
    DuplicatePlugin,
    Folders,
    UnknownPlugin,
    entry_objects,
    load,
    points,
    registry,
)
from league_sdk.plugin_search import GAME_NAME as GAME_NAME
from league_sdk.plugin_search import PluginError as PluginError
from league_sdk.plugin_search import check_packages as check_packages
from league_sdk.plugin_search import load_own as load_own
from league_sdk.tournament import Format, FormatDoesNotFit

GameClass: TypeAlias = type[Game[Any]]
FormatClass: TypeAlias = type[Format]
StoreOpener: TypeAlias = Callable[[str], Awaitable[Any]]
"""A store plug-in: an async function from a URL to an open `EventStore`; its entry point is named by the scheme."""


def game_classes(extra_folders: Folders = ()) -> Mapping[str, GameClass]:
    """Every installed game, by name, in alphabetical order.

    Raises BrokenPlugin, or DuplicatePlugin for two games of one name.
    """
    found = registry(GAMES, extra_folders)
    return {name: cast(GameClass, thing) for name, thing in found.items() if not _is_library(thing)}


def game_libraries(extra_folders: Folders = ()) -> Mapping[str, GameLibrary]:
    """Libraries of games by name; raises like `game_classes`."""
    found = registry(GAMES, extra_folders)
    return {name: cast(type[GameLibrary], thing)() for name, thing in found.items() if _is_library(thing)}


def _is_library(thing: object) -> bool:
    return isinstance(thing, type) and issubclass(thing, GameLibrary)


def games(extra_folders: Folders = ()) -> Mapping[str, Game[Any]]:
    """Every game with its default options, by name; raises like `game_classes`."""
    return {name: game(name, extra_folders) for name in game_classes(extra_folders)}


def game(name: str, extra_folders: Folders = (), options: Mapping[str, Any] | None = None) -> Game[Any]:
    """One game by its name, with options for its constructor.

    Args:
        name: Such as `tic_tac_toe`; a library's game as `openspiel:chess`, or by its game type.
        extra_folders: Folders of the user's to search as well.
        options: Options by name; its defaults where left out. A library's game has its parameters in its name.

    Raises:
        UnsupportedGameType: There is no such game; the message names the known ones.
        BrokenPlugin: The game does not take these options, cannot be played here, or its library is not installed.
        DuplicatePlugin: Two games have the same name.
    """
    known = game_classes(extra_folders)
    if name not in known and (":" in name or "__" in name):
        return _library_game(game_name(name), extra_folders, options)
    if name not in known:
        expected = list(known)
        text = f"there is no game {name!r}; {_known(name, expected)}{_of_libraries(name, extra_folders)}"
        raise UnsupportedGameType(text, field="game_type", value=name, expected=expected)
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


def full_game_type(name: str, extra_folders: Folders = ()) -> str:
    """The game type that a person means: `chess` is `openspiel:chess` if no other is.

    An unknown name is returned as it is. For what is typed alone: in records and settings a game has its whole name.

    Raises:
        UnsupportedGameType: Several libraries have such a game; the message names them.
        BrokenPlugin, DuplicatePlugin: As `game_classes` does.
    """
    if ":" in name or "__" in name or name in game_classes(extra_folders):
        return name
    base, found = name.partition("(")[0], list[str]()
    for library, games in game_libraries(extra_folders).items():
        with suppress(ImportError):
            found += [f"{library}:{name}" for entry in games.games() if entry.name == base]
    if len(found) > 1:
        text = f"{len(found)} games are called {name!r}: name {' or '.join(found)}"
        raise UnsupportedGameType(text, field="game_type", value=name, expected=found)
    return game_type(found[0]) if found else name


def _of_libraries(name: str, extra_folders: Folders) -> str:
    """A hint at games with such a name, or at libraries that are missing."""
    found, missing = list[str](), list[str]()
    for library, games in game_libraries(extra_folders).items():
        try:
            near = get_close_matches(name, [entry.name for entry in games.games()], n=2, cutoff=0.8)
            found += [f"{library}:{one}" for one in near]
        except ImportError:
            missing.append(f"{library} ({games.install.partition('  #')[0]})")
    told = [f"libraries have {', '.join(found)}"] if found else []
    told += [f"more games come with {', '.join(missing)}"] if missing and not found else []
    return "".join(f"; {text}" for text in told)


def _library_game(name: str, extra_folders: Folders, options: Mapping[str, Any] | None) -> Game[Any]:
    """The game called `library:text`; raises as `game` does."""
    libraries = game_libraries(extra_folders)
    library, _, text = name.partition(":")
    if library not in libraries:
        raise UnsupportedGameType(
            f"there is no library of games {library!r}; {_known(library, list(libraries))}",
            field="game_type",
            value=name,
        )
    found = libraries[library]
    if options:
        raise BrokenPlugin(f"game {name!r} has its parameters in its name, and no options: {', '.join(options)}")
    base = text.partition("(")[0]
    try:
        names = [entry.name for entry in found.games()]
        if base not in names:
            meant = get_close_matches(base, names, n=3)
            near = f"; did you mean {' or '.join(f'{library}:{one}' for one in meant)}?" if meant else ""
            raise UnsupportedGameType(
                f"there is no game {name!r}{near or ';'} 'league games --all' lists them", field="game_type", value=name
            )
        return found.game(text)
    except ImportError as error:
        raise BrokenPlugin(f"game {name!r} needs a package that is not installed ({error}): {found.install}") from error
    except GameRefused as error:
        raise BrokenPlugin(f"game {name!r} cannot be played: {error}") from error


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
    found = registry(STRATEGIES, extra_folders)
    return {name: thing for name, thing in found.items() if isinstance(thing, Strategy)}


def strategy_libraries(extra_folders: Folders = ()) -> Mapping[str, StrategyLibrary]:
    """Libraries of strategies by name; raises like `game_classes`."""
    found = registry(STRATEGIES, extra_folders)
    return {name: cast(type[StrategyLibrary], thing)() for name, thing in found.items() if isinstance(thing, type)}


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
    library, colon, text = name.partition(":")
    if colon:
        return _library_strategy(library, text, extra_folders), ""
    known = strategies(extra_folders)
    found, argument = _split(name, known)
    if found is None:
        raise UnknownPlugin(f"there is no strategy {name!r}; {_known(name, _spelled(known), _meanings(name, known))}")
    return found, argument


def _library_strategy(library: str, text: str, extra_folders: Folders) -> Strategy:
    """The strategy called `library:text`; raises as `strategy` does."""
    libraries, name = strategy_libraries(extra_folders), f"{library}:{text}"
    if library not in libraries:
        raise UnknownPlugin(f"there is no library of strategies {library!r}; {_known(library, list(libraries))}")
    found = libraries[library]
    try:
        if text not in (names := found.names()):
            meant = get_close_matches(text, names, n=3)
            near = f"; did you mean {' or '.join(f'{library}:{one}' for one in meant)}?" if meant else ""
            raise UnknownPlugin(f"there is no strategy {name!r}{near or f' among the {len(names)} of {library}'}")
        return found.strategy(text)
    except ImportError as error:
        raise BrokenPlugin(
            f"strategy {name!r} needs a package that is not installed ({error}): {found.install}"
        ) from error
    except ValueError as error:
        raise BrokenPlugin(f"strategy {name!r} cannot be played: {error}") from error


def format_classes(extra_folders: Folders = ()) -> Mapping[str, FormatClass]:
    """All tournament formats by name. Raises as `game_classes` does."""
    return cast(Mapping[str, FormatClass], registry(FORMATS, extra_folders))


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


def check_seats(made: Format, game: Game[Any], extra_folders: Folders = ()) -> None:
    """Refuse a format whose matches have more or fewer players than the game.

    Raises:
        FormatDoesNotFit: It names the formats that play matches of such a size.
    """
    sizes, fewest, most = made.table_sizes, game.min_players, game.max_players
    if sizes and fewest <= sizes[0] and sizes[-1] <= most:
        return
    known = sorted(format_classes(extra_folders).items())
    wider = [name for name, kind in known if (kind.table_sizes is not Format.table_sizes) == (fewest > 2)]
    takes = f"{fewest} players" if fewest == most else f"{fewest} to {most} players"
    plays = f"{sizes[0]} players" if sizes else "different sizes"
    raise FormatDoesNotFit(
        f"{game_name(game.name)} is for {takes}, and the league's format plays matches of {plays}. "
        f"{', '.join(wider)} can play it"
        + (
            f", with --format {wider[0]} --format-option seats={fewest}, or in the league's file "
            f'"schedule": {{"algorithm": "{wider[0]}", "options": {{"seats": {fewest}}}}}'
            if fewest > 2
            else ""
        )
    )


def stores() -> Mapping[str, StoreOpener]:
    """Openers of stores of other distributions, by URL scheme."""
    return cast(Mapping[str, StoreOpener], entry_objects(STORES))


def runtime(name: str) -> Any:
    """The object behind an entry point of the group of runtimes; starts an agent."""
    known = {point.name: point for point in points(RUNTIMES)}
    if name not in known:
        raise UnknownPlugin(f"there is no runtime {name!r}; {_known(name, list(known))}")
    return load(known[name])


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
        if found is not None and found.argument and end + 1 < len(name):
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
    return [f"{name}-<{item.argument}>" if item.argument else name for name, item in known.items()]


def _meanings(given: str, known: Mapping[str, Strategy]) -> list[str]:
    """Candidates for a misspelled name, which may end in an argument."""
    argument = given.partition("-")[2]
    with_argument = (f"{name}-{argument}" for name, item in known.items() if argument and item.argument)
    return [*known, *with_argument]


def _known(given: str, names: Sequence[str], near: Sequence[str] = ()) -> str:
    if not names:
        return "none is known: is the distribution installed, with its entry points (pip install -e .)?"
    return alternatives(given, names, near=near)

import sys
import textwrap
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from league_sdk import plugins
from league_sdk.errors import UnsupportedGameType
from league_sdk.game import PlayerView
from league_sdk.game_library import GameLibrary, LibraryGame
from league_sdk.names import game_type
from tests.requirements.marker import requirement

GAME = """
    from league_sdk.game import Game, Outcome

    class {cls}(Game):
        name = {name!r}

        def __init__(self, rounds=1):
            if rounds < 1:
                raise ValueError("rounds must be at least 1")
            self.rounds = rounds

        def start(self, players, rng): return tuple(players)
        def to_move(self, state): return ()
        def legal_moves(self, state, player): return ()
        def apply(self, state, moves, rng): return state
        def outcome(self, state): return Outcome(None, {{}}, "Over.")
"""
STRATEGY = """
    from league_sdk.game import Strategy
    MINE = Strategy({name!r}, "Something.", lambda argument: lambda view: argument or view.legal_moves[0], {takes})
"""


def game(name: str, cls: str = "Mine") -> str:
    return GAME.format(name=name, cls=cls)


def strategy(name: str, takes: bool = False) -> str:
    return STRATEGY.format(name=name, takes=takes)


Writer = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Writes a plug-in file into a folder of the test's own, and returns the folder."""
    folder = tmp_path / "plug-ins"

    def write_file(name: str, text: str) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return folder

    return write_file


Installer = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installer]:
    """Installs a distribution with one module and some entry points, as far as Python can tell."""
    modules = set(sys.modules)

    def install_distribution(name: str, text: str, entry_points: str, version: str = "1.2") -> None:
        site = tmp_path / f"site-{name}"
        info = site / f"{name}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(textwrap.dedent(entry_points))
        (site / f"{name}_module.py").write_text(textwrap.dedent(text))
        monkeypatch.syspath_prepend(site)

    yield install_distribution
    for module in set(sys.modules) - modules:
        del sys.modules[module]


def a_view(*legal: str) -> PlayerView:
    return PlayerView("g", "L", "R1M1", 1, "P01", "P02", legal_moves=legal)


OWN_GAMES = ["even_odd", "iterated_prisoners_dilemma", "lowest_unique_number", "rock_paper_scissors", "tic_tac_toe"]


def test_our_own_games_and_strategies_are_found_in_alphabetical_order():
    assert list(plugins.games()) == OWN_GAMES
    assert list(plugins.strategies()) == [
        *("alternating", "always", "best-response", "fictitious-play", "frequency", "grim-trigger", "llm", "mcts"),
        *("minimax", "mirror", "nash", "openspiel-cfr", "openspiel-mcts", "pattern", "random", "regret-matching"),
        *("thompson", "tit-for-tat", "ucb1", "win-stay-lose-shift"),
    ]


@requirement("001-FUT-03", "003-ARCH-05", "project-GAMES-02")
def test_a_file_in_a_folder_brings_a_game(write: Writer):
    folder = write("mine.py", game("mine"))
    assert plugins.game("mine", [folder]).name == "mine"
    assert list(plugins.games([str(folder)])) == sorted([*OWN_GAMES, "mine"])
    assert "mine" not in plugins.games()


@requirement("003-ARCH-05", "project-GAMES-02")
def test_a_file_in_a_folder_brings_a_strategy(write: Writer):
    folder = write("mine.py", strategy("mine"))
    assert plugins.strategy("mine", [folder])(a_view("a", "b")) == "a"


def test_one_file_may_bring_several_of_both(write: Writer):
    folder = write("all.py", game("one", "One") + game("two", "Two") + strategy("three"))
    assert {"one", "two"} <= set(plugins.games([folder]))
    assert "three" in plugins.strategies([folder])


def test_a_package_in_a_folder_counts_as_a_file(write: Writer):
    folder = write("mine/__init__.py", "from .rules import Mine")
    write("mine/rules.py", game("mine"))
    assert "mine" in plugins.games([folder])


def test_files_of_a_folder_can_share_a_helper_that_is_no_plugin_itself(write: Writer):
    folder = write("_shared.py", 'NAME = "mine"\nraise_if_looked_through = True')
    write("mine.py", "from ._shared import NAME\n" + textwrap.dedent(game("x")).replace("'x'", "NAME"))
    assert "mine" in plugins.games([folder])


def test_two_folders_may_have_files_of_the_same_name(write: Writer, tmp_path: Path):
    first = write("mine.py", game("first"))
    second = tmp_path / "second"
    second.mkdir()
    (second / "mine.py").write_text(textwrap.dedent(game("second")))
    assert {"first", "second"} <= set(plugins.games([first, second]))


def test_the_same_folder_twice_is_the_same_folder(write: Writer):
    folder = write("mine.py", game("mine"))
    assert "mine" in plugins.games([folder, folder / ".." / folder.name])


def test_a_game_that_is_only_imported_is_not_a_second_one(write: Writer):
    folder = write("mine.py", "from game_rules.tic_tac_toe import TicTacToe\n" + textwrap.dedent(game("mine")))
    assert "mine" in plugins.games([folder])


def test_an_unfinished_base_class_is_no_game(write: Writer):
    folder = write("mine.py", "from league_sdk.game import Game\nclass Base(Game):\n    def start(self): ...\n")
    assert list(plugins.games([folder])) == list(plugins.games())


def test_options_reach_the_game(write: Writer):
    assert plugins.game("rock_paper_scissors", options={"rounds": 9}).rounds == 9  # type: ignore[attr-defined]
    folder = write("mine.py", game("mine"))
    with pytest.raises(plugins.BrokenPlugin, match=r"'mine' cannot be set up with .*at least 1"):
        plugins.game("mine", [folder], {"rounds": 0})
    with pytest.raises(plugins.BrokenPlugin, match=r"'mine' has no option 'laps'; known are rounds$"):
        plugins.game("mine", [folder], {"laps": 2})
    with pytest.raises(plugins.BrokenPlugin, match=r"'tic_tac_toe' has no option 'laps'; it has none$"):
        plugins.game("tic_tac_toe", options={"laps": 2})


def test_a_game_that_takes_any_option_is_given_all_of_them(write: Writer):
    rules = "from game_rules.tic_tac_toe import TicTacToe\nclass Mine(TicTacToe):\n    name = 'mine'\n"
    folder = write("mine.py", rules + "    def __init__(self, **given): self.given = given\n")
    assert plugins.game("mine", [folder], {"laps": 2}).given == {"laps": 2}  # type: ignore[attr-defined]


def test_a_double_name_is_refused_naming_both_origins(write: Writer):
    folder = write("mine.py", game("even_odd"))
    with pytest.raises(plugins.DuplicatePlugin) as caught:
        plugins.games([folder])
    message = str(caught.value)
    assert "'even_odd'" in message
    assert str(folder / "mine.py") in message
    assert str(Path("game_rules") / "even_odd.py") in message


def test_a_double_name_within_one_folder_is_refused_too(write: Writer):
    write("one.py", strategy("mine"))
    folder = write("two.py", strategy("mine"))
    with pytest.raises(plugins.DuplicatePlugin, match=r"one\.py.*two\.py"):
        plugins.strategies([folder])


def test_an_unknown_game_is_refused_naming_the_known():
    with pytest.raises(UnsupportedGameType) as caught:
        plugins.game("mornington_crescent")
    named, _, more = str(caught.value).partition("; more games come with ")
    assert named == f"there is no game 'mornington_crescent'; known are {', '.join(plugins.games())}"
    missing = {"openspiel": "pyspiel", "textarena": "textarena"}
    assert [name in more for name in missing] == [find_spec(package) is None for package in missing.values()]
    assert caught.value.context["expected"] == list(plugins.games())


def test_a_librarys_game_is_found_by_its_last_name():
    pytest.importorskip("pyspiel", reason="the extra games is not installed")
    assert plugins.full_game_type("dark_chess") == "openspiel__dark_chess"
    assert plugins.full_game_type("kuhn_poker(players=3)") == game_type("openspiel:kuhn_poker(players=3)")
    assert plugins.full_game_type("tic_tac_toe") == "tic_tac_toe", "our own comes first"
    with pytest.raises(UnsupportedGameType, match=r"known are .*; libraries have openspiel:chess"):
        plugins.game("ches")
    with pytest.raises(UnsupportedGameType, match="libraries have openspiel:dark_chess"):
        plugins.game("dark_chess")  # a record or a setting has the whole name


class Shelf(GameLibrary):
    """A library of one game."""

    name = "shelf"
    install = "pip install shelf  # of somebody"

    def games(self) -> list[LibraryGame]:
        return [LibraryGame("chess", "Chess")]

    def game(self, text: str) -> Any:
        raise AssertionError(text)


class Drawer(Shelf):
    """Another one."""

    name = "drawer"


class Missing(Shelf):
    """One whose package is not installed."""

    name = "missing"

    def games(self) -> list[LibraryGame]:
        raise ImportError("no such package")


def libraries(monkeypatch: pytest.MonkeyPatch, *found: GameLibrary) -> None:
    monkeypatch.setattr(plugins, "game_libraries", lambda _=(): {library.name: library for library in found})


def test_a_name_that_several_libraries_have_names_them_all(monkeypatch: pytest.MonkeyPatch):
    libraries(monkeypatch, Shelf(), Drawer(), Missing())
    with pytest.raises(UnsupportedGameType, match=r"2 games are called 'chess': name shelf:chess or drawer:chess$"):
        plugins.full_game_type("chess")
    libraries(monkeypatch, Shelf(), Missing())
    assert plugins.full_game_type("chess") == "shelf__chess"


def test_a_name_that_nothing_installed_has_names_what_can_be_installed(monkeypatch: pytest.MonkeyPatch):
    libraries(monkeypatch, Missing())
    with pytest.raises(UnsupportedGameType, match=r"; more games come with missing \(pip install shelf\)$"):
        plugins.game("chess")


@pytest.mark.parametrize("name", ["clever", "", "-", "random-", "random-x", "always-", "Random", "always_", "_random"])
def test_an_unknown_strategy_is_refused_naming_the_known(name: str):
    with pytest.raises(plugins.UnknownPlugin) as caught:
        plugins.strategy(name)
    assert repr(name) in str(caught.value)
    assert "alternating, always-<move>, best-response-<turns>, fictitious-play, frequency" in str(caught.value)


@pytest.mark.parametrize("name", ["pattern_based", "pattern-based"])
def test_a_strategy_answers_to_its_other_names(name: str):
    assert plugins.named_strategy(name) == (plugins.strategies()["pattern"], "")


def test_underscores_in_a_strategys_name_are_hyphens_and_stay_in_its_argument(write: Writer):
    folder = write("longer.py", strategy("mine-too", takes=True))
    assert plugins.strategy("always_even")(a_view("odd", "even")) == "even"
    assert plugins.strategy("mine_too_a_b", [folder])(a_view("x")) == "a_b"


def test_an_alias_that_is_taken_or_no_name_is_refused(write: Writer):
    source = "from league_sdk.game import Strategy\nX = Strategy('x', '', lambda _: None, aliases=({!r},))\n"
    with pytest.raises(plugins.DuplicatePlugin, match=r"'random', another name of strategy 'x', is taken"):
        plugins.strategy("x", [write("taken/mine.py", source.format("random")) / "taken"])
    with pytest.raises(plugins.BrokenPlugin, match=r"not 'A b'"):
        plugins.strategy("x", [write("bad/mine.py", source.format("A b")) / "bad"])


def test_what_follows_a_name_is_the_strategys_argument(write: Writer):
    folder = write("mine.py", strategy("mine", takes=True))
    write("longer.py", strategy("mine-too", takes=True))
    write("exact.py", strategy("mine-too-exact"))
    assert plugins.strategy("mine-a-b", [folder])(a_view("x")) == "a-b"
    assert plugins.strategy("mine", [folder])(a_view("x")) == "x"
    assert plugins.strategy("mine-too-a", [folder])(a_view("x")) == "a"
    assert plugins.strategy("mine-too-exact", [folder])(a_view("x")) == "x"
    assert plugins.strategy("mine-too-exact-a", [folder])(a_view("x")) == "exact-a"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def broken(:", "SyntaxError"),
        ("import no_such_module_anywhere", "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import sys; sys.exit('not today')", "SystemExit: not today"),
    ],
)
def test_a_broken_file_is_named_with_its_fault(write: Writer, text: str, why: str):
    folder = write("broken.py", text)
    for look in (plugins.games, plugins.strategies):
        with pytest.raises(plugins.BrokenPlugin) as caught:
            look([folder])
        assert str(folder / "broken") in str(caught.value)
        assert why in str(caught.value)


@pytest.mark.parametrize("name", ["", "Mine", "two words", "1st", "mine-too", None])
def test_a_game_without_a_usable_name_is_named_with_its_file(write: Writer, name: str | None):
    folder = write("mine.py", game(name))  # type: ignore[arg-type]
    with pytest.raises(plugins.BrokenPlugin, match=r"mine\.py: .* needs a name like"):
        plugins.games([folder])


@pytest.mark.parametrize("name", ["", "Mine", "two words", "under_score", "-x", "x-"])
def test_a_strategy_without_a_usable_name_is_named_with_its_file(write: Writer, name: str):
    folder = write("mine.py", strategy(name))
    with pytest.raises(plugins.BrokenPlugin, match=r"mine\.py: .* needs a name like"):
        plugins.strategies([folder])


def test_a_folder_that_is_none_is_refused(tmp_path: Path):
    with pytest.raises(plugins.BrokenPlugin, match="is not a folder"):
        plugins.games([tmp_path / "missing"])


def test_an_installed_distribution_brings_a_whole_module(install: Installer):
    install(
        "elsewhere",
        game("go") + strategy("wise"),
        """
        [mcp_agent_league.games]
        elsewhere = elsewhere_module
        [mcp_agent_league.strategies]
        elsewhere = elsewhere_module
        """,
    )
    assert plugins.game("go").name == "go"
    assert plugins.strategy("wise")(a_view("a")) == "a"


def test_an_installed_distribution_brings_single_objects(install: Installer):
    install(
        "elsewhere",
        game("go", "Go") + game("checkers", "Checkers") + strategy("wise"),
        """
        [mcp_agent_league.games]
        go = elsewhere_module:Go
        [mcp_agent_league.strategies]
        wise = elsewhere_module:MINE
        """,
    )
    assert "go" in plugins.games()
    assert "checkers" not in plugins.games()
    assert "wise" in plugins.strategies()


def test_a_double_name_of_a_distribution_is_refused_naming_it(install: Installer):
    install("elsewhere", game("go"), "[mcp_agent_league.games]\ngo = elsewhere_module:Mine")
    install("beyond", game("go"), "[mcp_agent_league.games]\ngo = beyond_module:Mine")
    with pytest.raises(plugins.DuplicatePlugin) as caught:
        plugins.games()
    assert "beyond_module:Mine (entry point 'go' of beyond 1.2)" in str(caught.value)
    assert "elsewhere_module:Mine (entry point 'go' of elsewhere 1.2)" in str(caught.value)


@pytest.mark.parametrize(
    ("group", "value", "why"),
    [
        ("games", "elsewhere_module:Missing", "cannot be loaded: AttributeError"),
        ("games", "no_such_module_anywhere", "cannot be loaded: ModuleNotFoundError"),
        ("games", "elsewhere_module:SOMETHING", "is not a game"),
        ("strategies", "elsewhere_module:SOMETHING", "is not a strategy"),
    ],
)
def test_a_broken_entry_point_is_named_with_its_distribution(install: Installer, group: str, value: str, why: str):
    install("elsewhere", "SOMETHING = 1", f"[mcp_agent_league.{group}]\nx = {value}")
    with pytest.raises(plugins.BrokenPlugin) as caught:
        plugins.games() if group == "games" else plugins.strategies()
    assert f"{value} (entry point 'x' of elsewhere 1.2)" in str(caught.value)
    assert why in str(caught.value)


@requirement("003-ARCH-05")
def test_stores_are_found_by_their_scheme(install: Installer):
    install(
        "elsewhere", "async def open_it(url): return url", "[mcp_agent_league.stores]\nredis = elsewhere_module:open_it"
    )
    assert list(plugins.stores()) == ["redis"]


def test_two_stores_for_one_scheme_are_refused(install: Installer):
    for name in ("elsewhere", "beyond"):
        install(name, "async def open_it(url): ...", f"[mcp_agent_league.stores]\nredis = {name}_module:open_it")
    with pytest.raises(plugins.DuplicatePlugin, match=r"redis.*beyond.*elsewhere"):
        plugins.stores()


def test_a_runtime_is_found_by_its_name(install: Installer):
    install("elsewhere", "def run(): return 42", "[mcp_agent_league.runtimes]\nspare = elsewhere_module:run")
    assert plugins.runtime("spare")() == 42
    with pytest.raises(plugins.UnknownPlugin, match=r"no runtime 'missing'.*spare"):
        plugins.runtime("missing")


def test_without_entry_points_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(UnsupportedGameType, match="is the distribution installed"):
        plugins.game("even_odd")


def test_looking_again_does_not_import_again(write: Writer):
    folder = write("mine.py", game("mine"))
    assert plugins.game_classes([folder])["mine"] is plugins.game_classes([folder])["mine"]
    assert plugins.game_classes([folder])["mine"] is plugins.game_classes([folder, folder])["mine"]

"""Dependencies between layers, also those that import contracts cannot see."""

import ast
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path

import grimp
import importlinter.configuration
import pytest
from importlinter.application import use_cases
from importlinter.application.user_options import UserOptions
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.independence import IndependenceContract
from importlinter.contracts.layers import LayersContract
from importlinter.domain.contract import Contract

from league_sdk import plugins
from league_sdk.game import MoveSpec
from tests.requirements.marker import requirement

ROOT = Path(__file__).parents[1]
PACKAGES = ("league_sdk", "clients", "servers", "game_rules")

UNKNOWN_TO = {
    "servers.league_manager": ("league_sdk.game", "league_sdk.plugins", "league_sdk.domain.matches.match"),
    "servers.referee": (
        "league_sdk.domain.league",
        "league_sdk.domain.commands",
        "league_sdk.domain.pairings.schedule",
        "league_sdk.domain.ranking.standings",
        "league_sdk.stores",
    ),
    "servers.player": (
        "league_sdk.domain.league",
        "league_sdk.domain.commands",
        "league_sdk.domain.matches.match",
        "league_sdk.domain.pairings.schedule",
        "league_sdk.domain.ranking.standings",
    ),
    "clients": ("league_sdk.domain", "league_sdk.stores", "servers", "game_rules"),
    "game_rules": ("league_sdk.protocol", "league_sdk.domain", "league_sdk.ports", "clients", "servers"),
}
"""Modules that each part may not import."""


@cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def source_files(*packages: str) -> Iterator[Path]:
    for package in packages:
        yield from sorted((ROOT / package).rglob("*.py"))


@requirement(
    "000-MAP-02",
    "001-PRIN-01",
    "003-ARCH-03",
    "003-ARCH-04",
    "003-ARCH-05",
    "003-CLIENT-01",
    "003-CAP-03",
    "004-OBJ-06",
    "project-QUAL-01",
    "project-LATER-01",
)
def test_imports_keep_every_contract(capsys: pytest.CaptureFixture[str]):
    # Not by the linter's command line: that sets up logging for itself, and would silence that of the other tests.
    importlinter.configuration.configure()
    fine = use_cases.lint_imports(str(ROOT / "pyproject.toml"), cache_dir=None, no_logo=True)
    shown = capsys.readouterr().out
    assert fine, shown
    assert re.search(r"Contracts: [1-9]\d* kept, 0 broken", shown)


KINDS: dict[str, type[Contract]] = {
    "layers": LayersContract,
    "forbidden": ForbiddenContract,
    "independence": IndependenceContract,
    "acyclic_siblings": AcyclicSiblingsContract,
}
PLANTED = {
    "Roots point inward": ("clients.retry", "servers.agent.server"),
    "League and referee never know a game": ("servers.referee.service", "game_rules.even_odd"),
    "SDK layers": ("league_sdk.tokens", "league_sdk.protocol.codec"),
    "Pure code does no I/O": ("league_sdk.domain.ranking.standings", "sqlalchemy"),
    "Business logic never sees a transport or a store": ("servers.player.service", "league_sdk.stores.sql"),
    "The agents don't know one another": ("servers.player.tools", "servers.referee.tools"),
    "Siblings are independent: games, strategies, formats, stores, transports": (
        "game_rules.even_odd",
        "game_rules.tic_tac_toe",
    ),
    "Floors of servers": ("servers.agent.server", "servers.cli.app"),
    "Pages are met where an agent is put together, not where a league is run": (
        "servers.league_manager.league_runner",
        "servers.ui.pages",
    ),
    "The audit is independent of what it audits": ("league_sdk.audit.replay", "league_sdk.domain.matches.match"),
    "No cycles": ("league_sdk.clock", "league_sdk.domain.matches.match"),
}
"""By contract: an import that it forbids."""


@cache
def graph_with_libraries() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)


@cache
def options() -> UserOptions:
    importlinter.configuration.configure()
    return use_cases.read_user_options(str(ROOT / "pyproject.toml"))


def kept(name: str, *planted: tuple[str, str]) -> bool:
    (told,) = (contract for contract in options().contracts_options if contract["name"] == name)
    contract = KINDS[told["type"]](name, options().session_options, told)
    seen = deepcopy(graph_with_libraries())
    for importer, imported in planted:
        seen.add_import(importer=importer, imported=imported)
    return contract.check(seen, verbose=False).kept


def test_every_contract_has_a_planted_violation():
    assert {contract["name"] for contract in options().contracts_options} == set(PLANTED)


@pytest.mark.parametrize("name", PLANTED)
def test_a_forbidden_import_breaks_the_contract(name: str):
    assert kept(name)
    assert not kept(name, PLANTED[name])


@requirement(
    "000-LM-RESP-01",
    "000-LM-NOT-01",
    "000-LM-NOT-03",
    "000-LM-NOT-04",
    "000-REF-RESP-01",
    "000-REF-NOT-02",
    "000-REF-NOT-03",
    "000-REF-NOT-05",
    "000-PL-NOT-01",
    "000-PL-NOT-03",
    "000-CL-NOT-01",
    "001-PRIN-01",
    "003-ARCH-04",
    "003-ORCH-01",
    "003-ORCH-02",
    "003-LAYER-01",
    "003-LAYER-02",
    "003-LAYER-04",
    "004-OBJ-06",
)
@pytest.mark.parametrize("part", UNKNOWN_TO)
def test_a_part_knows_nothing_of_what_is_none_of_its_business(part: str):
    modules = [module for module in graph().modules if within(module, part)]
    assert modules
    imported = {found for module in modules for found in graph().find_modules_directly_imported_by(module)}
    assert [module for module in sorted(imported) for stranger in UNKNOWN_TO[part] if within(module, stranger)] == []


@cache
def game_words() -> frozenset[str]:
    """Names of our games, and every spelling in which one of them differs from a game that declares nothing."""
    usual, words = MoveSpec(), {"parity", "drawn_number", "scissors"}
    for name, game in plugins.games().items():
        spec = game.move_spec
        words.add(name)
        words |= {spec.tool, spec.call_type, spec.response_type, spec.choice_field, spec.resolve_tool}
        words |= {spec.resolving_label, spec.invalid_move_name, *spec.tool_aliases, *spec.response_aliases}
    words -= {usual.tool, usual.call_type, usual.response_type, usual.choice_field, usual.resolve_tool}
    return frozenset(word.lower() for word in words - {usual.resolving_label, usual.invalid_move_name})


def nodes(source: str) -> list[ast.AST]:
    """Every node of a module. `ast.walk` takes three times as long."""
    found: list[ast.AST] = [ast.parse(source)]
    for node in found:  # which grows meanwhile
        for value in vars(node).values():
            if isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                found.append(value)
    return found


NAMING = ("id", "attr", "arg", "name", "module")


def spoken(nodes: list[ast.AST]) -> Iterator[str]:
    """Every name and text of a module that does something: docstrings and help texts may give examples."""
    examples = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    examples |= {id(node.value) for node in nodes if isinstance(node, ast.keyword) and node.arg == "help"}
    for node in nodes:
        for name, value in vars(node).items():
            if isinstance(value, str) and (name in NAMING or (name == "value" and id(node) not in examples)):
                yield value


@cache
def says_a_word_of_a_game(text: str) -> bool:
    return any(word in text.lower() for word in game_words())


def words_of_games(nodes: list[ast.AST]) -> list[str]:
    return [text for text in spoken(nodes) if says_a_word_of_a_game(text)]


@cache
def looked_through(path: Path) -> tuple[list[str], list[str]]:
    """A module's words about games, and its functions without annotations; cached."""
    found = nodes(path.read_text(encoding="utf-8"))
    return words_of_games(found), [f"{path.relative_to(ROOT)}:{place}" for place in unannotated(found)]


@requirement("000-LM-NOT-01", "000-CL-NOT-01", "003-ARCH-01", "003-ARCH-02", "project-QUAL-02")
def test_no_word_of_a_game_is_spoken_in_league_referee_or_client():
    found = {
        str(path.relative_to(ROOT)): looked_through(path)[0]
        for path in source_files("league_sdk", "clients", "servers")
    }
    assert {path: texts for path, texts in found.items() if texts} == {}


@requirement("000-LM-NOT-01", "000-CL-NOT-01", "003-ARCH-01", "003-ARCH-02", "project-QUAL-02")
@pytest.mark.parametrize(
    "source",
    [
        'CALL = "CHOOSE_PARITY_CALL"',
        "def draw_number(): ...",
        "from game_rules.even_odd import EvenOdd",
        "result.drawn_number",
        'f(game="tic_tac_toe")',
    ],
)
def test_a_word_of_a_game_would_be_found(source: str):
    assert words_of_games(nodes(source)) != []


def test_examples_in_docstrings_and_help_texts_are_no_words_of_a_game():
    source = '"""Such as tic_tac_toe."""\nOption(help="such as even_odd")'
    assert words_of_games(nodes(source)) == []


def unannotated(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            bare = [item.arg for item in arguments if item.annotation is None and item.arg not in ("self", "cls")]
            if bare or (node.returns is None and node.name != "__init__"):
                yield f"{node.lineno} {node.name}"


@requirement("003-SDK-07")
def test_every_function_is_fully_annotated():
    assert [place for path in source_files(*PACKAGES) for place in looked_through(path)[1]] == []


def test_every_module_has_tests_of_its_name_or_of_its_folder():
    untested = [
        str(path.relative_to(ROOT))
        for path in source_files(*PACKAGES)
        if not any((ROOT / "tests" / path.parent.relative_to(ROOT)).glob("test_*.py"))
        and not (ROOT / "tests" / path.parent.parent.relative_to(ROOT) / f"test_{path.parent.name}.py").exists()
    ]
    assert [path for path in untested if path.count("/") > 1] == []


def test_no_two_top_level_classes_share_a_name():
    where: dict[str, list[str]] = {}
    for path in source_files(*PACKAGES):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                where.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in where.items() if len(paths) > 1} == {}


def test_no_module_name_stands_in_three_packages_but_those_of_the_roles():
    where: dict[str, list[str]] = {}
    for path in source_files(*PACKAGES):
        where.setdefault(path.stem, []).append(str(path.parent.relative_to(ROOT)))
    roles = {"__init__", "main", "mcp_resources", "service", "tools"}
    assert {name: found for name, found in where.items() if len(found) > 2 and name not in roles} == {}


@requirement("001-DIR-04")
def test_what_a_league_writes_stays_out_of_version_control():
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"/data/*", "/logs/*", "/league-data/"} <= set(ignored)

"""What the layers may know of one another, and what import contracts cannot see."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest

from league_sdk import plugins
from league_sdk.game import MoveSpec

ROOT = Path(__file__).parents[1]
PACKAGES = ("league_sdk", "clients", "servers", "game_rules")

UNKNOWN_TO = {
    "servers.league_manager": ("league_sdk.game", "league_sdk.plugins", "league_sdk.domain.match"),
    "servers.referee": (
        "league_sdk.domain.league",
        "league_sdk.domain.commands",
        "league_sdk.domain.schedule",
        "league_sdk.domain.standings",
        "league_sdk.stores",
    ),
    "servers.player": (
        "league_sdk.domain.league",
        "league_sdk.domain.commands",
        "league_sdk.domain.match",
        "league_sdk.domain.schedule",
        "league_sdk.domain.standings",
    ),
    "clients": ("league_sdk.domain", "league_sdk.stores", "servers", "game_rules"),
    "game_rules": ("league_sdk.protocol", "league_sdk.domain", "league_sdk.ports", "clients", "servers"),
}
"""What each part has no business with."""


@cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def source_files(*packages: str) -> Iterator[Path]:
    for package in packages:
        yield from sorted((ROOT / package).rglob("*.py"))


def test_imports_keep_every_contract():
    # In a process of its own: the linter sets up logging for itself, and would silence that of the other tests.
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("part", UNKNOWN_TO)
def test_a_part_knows_nothing_of_what_is_none_of_its_business(part: str):
    modules = [module for module in graph().modules if within(module, part)]
    assert modules
    imported = {found for module in modules for found in graph().find_modules_directly_imported_by(module)}
    assert [module for module in sorted(imported) for stranger in UNKNOWN_TO[part] if within(module, stranger)] == []


def game_words() -> set[str]:
    """Names of our games, and every spelling in which one of them differs from a game that declares nothing."""
    usual, words = MoveSpec(), {"parity", "drawn_number", "scissors"}
    for name, game in plugins.games().items():
        spec = game.move_spec
        words.add(name)
        words |= {spec.tool, spec.call_type, spec.response_type, spec.choice_field, spec.resolve_tool}
        words |= {spec.resolving_label, spec.invalid_move_name, *spec.tool_aliases, *spec.response_aliases}
    words -= {usual.tool, usual.call_type, usual.response_type, usual.choice_field, usual.resolve_tool}
    return {word.lower() for word in words - {usual.resolving_label, usual.invalid_move_name}}


def spoken(tree: ast.AST) -> Iterator[str]:
    """Every name and text of a module that does something: docstrings and help texts may give examples."""
    examples = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr | ast.keyword)}
    examples -= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg != "help"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in examples:
            yield node.value
        for attribute in ("id", "attr", "arg", "name", "module"):
            value = getattr(node, attribute, None)
            if isinstance(value, str):
                yield value


def words_of_games(source: str) -> list[str]:
    words = game_words()
    return [text for text in spoken(ast.parse(source)) if any(word in text.lower() for word in words)]


def test_no_word_of_a_game_is_spoken_in_league_referee_or_client():
    found = {
        str(path.relative_to(ROOT)): words_of_games(path.read_text(encoding="utf-8"))
        for path in source_files("league_sdk", "clients", "servers")
    }
    assert {path: texts for path, texts in found.items() if texts} == {}


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
    assert words_of_games(source) != []


def test_examples_in_docstrings_and_help_texts_are_no_words_of_a_game():
    assert words_of_games('"""Such as tic_tac_toe."""\nOption(help="such as even_odd")') == []


def unannotated(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            bare = [item.arg for item in arguments if item.annotation is None and item.arg not in ("self", "cls")]
            if bare or (node.returns is None and node.name != "__init__"):
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


def test_every_function_is_fully_annotated():
    assert [place for path in source_files(*PACKAGES) for place in unannotated(path)] == []


def test_what_a_league_writes_stays_out_of_version_control():
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"/data/*", "/logs/*", "/league-data/"} <= set(ignored)

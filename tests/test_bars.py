"""The bars that `make test` and `make coverage` set are set as high as we say."""

import ast
import re
import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path

from tests.requirements.marker import requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def steps_of(target: str) -> str:
    """A target, with what it depends on."""
    found = re.search(rf"^{target}:(.*?)(?=^\S)", MAKEFILE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@requirement("003-COV-01", "project-QUAL-04", "003-COV-02")
def test_make_coverage_measures_the_branches_of_every_package_and_fails_below_95_percent():
    assert "--cov " in steps_of("coverage")
    assert PROJECT["coverage"]["report"]["fail_under"] >= 95
    run = PROJECT["coverage"]["run"]
    assert run["branch"] is True
    assert set(run["source"]) == {"league_sdk", "clients", "servers", "game_rules"}
    assert "omit" not in run


@requirement("project-QUAL-04", "003-COV-03")
def test_make_coverage_fails_when_a_branch_of_domain_or_protocol_is_reached_by_no_test():
    (line,) = [line for line in steps_of("coverage").splitlines() if "coverage report" in line]
    assert '--include="league_sdk/domain/*,league_sdk/protocol/*"' in line
    assert "--fail-under=100" in line


def test_the_continuous_integration_plays_a_league_and_runs_every_check():
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert {"run", "test", "slow-test"} <= set(re.findall(r"^make ([\w-]+)", steps, re.MULTILINE))


def test_every_test_is_run_by_make_test_or_by_make_slow_test():
    assert '-m "not slow"' in steps_of("every-test")
    assert "-m slow" in steps_of("slow-test")


def test_make_test_checks_style_types_and_imports_as_well():
    assert {"lint", "types", "arrows", "every-test"} <= set(steps_of("test").split())


def test_warnings_are_errors():
    assert PROJECT["pytest"]["ini_options"]["filterwarnings"][0] == "error"


PRODUCT = [
    source
    for package in ("league_sdk", "clients", "servers", "game_rules")
    for source in sorted((ROOT / package).rglob("*.py"))
]
QUESTIONS = {"What", "Who", "Whom", "Whose", "Where", "Whether", "How", "Which"}
LONGEST_FUNCTION = 60
LONGEST_MODULE = 400

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def named_nodes(source: Path) -> list[Documented]:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, Documented)]


def code_lines(function: Documented) -> int:
    """Lines from `def` to the end without the docstring, which of a command is its `--help`."""
    first = function.body[0]
    assert not isinstance(function, ast.Module)
    text = (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(function) is not None else 0
    return (function.end_lineno or 0) - function.lineno + 1 - text


def first_lines(source: Path) -> list[str]:
    texts = [ast.get_docstring(node) or "" for node in named_nodes(source)]
    return [text.partition("\n")[0] for text in texts if text]


def constants_texts(source: Path) -> list[str]:
    """Strings below the assignments that they document."""
    return [
        text.value.value
        for node in named_nodes(source)
        for assigned, text in pairwise(node.body)
        if isinstance(assigned, ast.Assign | ast.AnnAssign)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    ]


def asks(line: str) -> bool:
    return re.split(r"\W", line)[0] in QUESTIONS


def test_a_docstring_opens_with_a_line_that_says_what_the_thing_is_or_does():
    lines = [(source.relative_to(ROOT), line) for source in PRODUCT for line in first_lines(source)]
    assert [(str(name), line) for name, line in lines if asks(line) or len(line) >= 80] == []


def test_a_constant_is_described_by_what_it_is_and_not_by_a_question():
    lines = [(source.relative_to(ROOT), line) for source in PRODUCT for line in constants_texts(source)]
    assert [(str(name), line) for name, line in lines if asks(line)] == []


def test_no_function_has_more_than_60_lines_beside_its_docstring():
    functions = [
        (str(source.relative_to(ROOT)), node.name, code_lines(node))
        for source in PRODUCT
        for node in named_nodes(source)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert [function for function in functions if function[2] > LONGEST_FUNCTION] == []


def lines(source: Path) -> int:
    return len(source.read_text(encoding="utf-8").splitlines())


def test_no_module_has_more_than_400_lines():
    sizes = {str(source.relative_to(ROOT)): lines(source) for source in PRODUCT}
    assert {name: size for name, size in sizes.items() if size > LONGEST_MODULE} == {}

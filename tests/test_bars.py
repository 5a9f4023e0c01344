"""The bars that `make test` and `make coverage` set are set as high as we say."""

import ast
import re
import tomllib
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
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [line for line in steps if line.startswith("make ")] == [
        "make run",
        'make test ARGS="--junitxml=$reports/test.xml ${once_more[*]}"',
        'make slow-test ARGS="--junitxml=$reports/slow-test.xml ${once_more[*]}"',
    ]


def test_every_test_is_run_by_make_test_or_by_make_slow_test():
    assert '-m "not slow"' in steps_of("every-test")
    assert "-m slow" in steps_of("slow-test")


def test_make_test_checks_style_types_and_imports_as_well():
    assert {"lint", "types", "arrows", "every-test"} <= set(steps_of("test").split())


def test_warnings_are_errors():
    assert PROJECT["pytest"]["ini_options"]["filterwarnings"][0] == "error"


NOT_YET = ("servers",)
"""Files whose docstrings are still being rewritten."""
QUESTIONS = {"What", "Who", "Whom", "Whose", "Where", "Whether", "How", "Which"}


def first_lines(source: Path) -> list[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [
        ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, documented)
    ]
    return [text.partition("\n")[0] for text in texts if text]


def test_a_docstring_opens_with_a_line_that_says_what_the_thing_is_or_does():
    sources = [
        source
        for package in ("league_sdk", "clients", "servers", "game_rules")
        for source in sorted((ROOT / package).rglob("*.py"))
        if not source.relative_to(ROOT).as_posix().startswith(NOT_YET)
    ]
    lines = [(source.relative_to(ROOT), line) for source in sources for line in first_lines(source)]
    assert [(str(name), line) for name, line in lines if re.split(r"\W", line)[0] in QUESTIONS or len(line) >= 80] == []

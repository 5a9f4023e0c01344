"""Tests that show requirements, read from the markers in their source."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.requirements.model import Requirement

ROOT = Path(__file__).resolve().parents[2]
MARKER = "tests/requirements/marker.py"
"""The module that defines the marker."""

ABOUT_PAGES = (
    "tests/deploy/test_monitoring.py::test_every_alert_says_how_bad_it_is_and_what_it_means_and_stands_in_the_documentation",
    "tests/docs/",
    "tests/game_rules/test_mathematics.py::test_the_chance_of_more_than_60_wins_in_100",
    "tests/game_rules/test_mathematics.py::test_the_expected_points_of_each_pairing",
    "tests/game_rules/test_mathematics.py::test_the_number_of_matches_and_rounds",
    "tests/game_rules/test_mathematics.py::test_the_table_of_choices",
    "tests/league_sdk/protocol/test_catalog.py::test_every_tool_says_what_it_is",
    "tests/league_sdk/protocol/test_catalog.py::test_the_catalogue_holds_the_protocol_s_table",
    "tests/league_sdk/protocol/test_tool_schemas.py::test_examples_and_defaults_are_valid",
    "tests/league_sdk/test_errors.py::test_a_number_that_the_contracts_leave_open_is_the_codes_own",
    "tests/league_sdk/test_errors.py::test_every_error_class_has_a_row",
    "tests/league_sdk/test_errors.py::test_no_two_errors_of_one_request_share_a_number_except_malformed_ones",
    "tests/league_sdk/test_errors.py::test_numbers_are_those_of_the_contracts",
    "tests/league_sdk/test_errors.py::test_the_table_has_the_protocols_codes_and_no_other",
    "tests/security/test_security_page.py",
    "tests/servers/cli/test_export.py::test_the_columns_are_documented",
    "tests/servers/league_manager/test_setbacks.py::test_every_reason_has_a_test_of_what_follows",
    "tests/servers/league_manager/test_setbacks.py::test_every_reason_is_documented_with_who_could_cause_it_and_what_follows",
    "tests/servers/league_manager/test_setbacks.py::test_no_reason_in_the_players_reach_gives_another_try",
    "tests/servers/player/strategies/test_every_strategy.py::test_a_strategy_has_a_page_of_at_most_500_words",
    "tests/servers/player/strategies/test_every_strategy.py::test_every_page_belongs_to_a_strategy",
    "tests/servers/test_contracts.py::test_a_documented_reply_is_one",
    "tests/servers/test_contracts.py::test_a_documented_request_is_taken",
    "tests/servers/test_contracts.py::test_no_example_is_left_out",
    "tests/servers/test_error_codes.py::test_every_number_of_the_contracts_is_there",
    "tests/servers/test_error_codes.py::test_no_code_is_left_out",
)
"""Folders, files and tests that compare pages, examples and tables with one another or with data."""


def is_about_pages(test: str) -> bool:
    """True if a test is about a page, an example or a table, and so shows no behaviour of a program."""
    folders = tuple(name for name in ABOUT_PAGES if name.endswith("/"))
    return test in ABOUT_PAGES or test.partition("::")[0] in ABOUT_PAGES or test.startswith(folders)


@dataclass(frozen=True, slots=True)
class Mark:
    """One `@requirement(…)` in a file of tests.

    Attributes:
        path: The file.
        line: Where the marker stands.
        name: The test, `test_name`, `TestClass` or `TestClass::test_name`. Empty where pytest would collect none.
        ids: What it shows.
    """

    path: str
    line: int
    name: str
    ids: tuple[str, ...]

    @property
    def test(self) -> str:
        """The id of the test, as pytest writes it."""
        return f"{self.path}::{self.name}"

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"


@cache
def all_marks() -> tuple[Mark, ...]:
    """Every marker of every file below tests/, in the order of files and lines."""
    files = sorted((ROOT / "tests").rglob("*.py"))
    return tuple(mark for file in files for mark in _marks_of(file.relative_to(ROOT).as_posix()))


def _marks_of(path: str) -> Iterable[Mark]:
    source = (ROOT / path).read_text(encoding="utf-8")
    return read_marks(path, source) if "requirement(" in source and path != MARKER else ()


def shown_by(marks: Iterable[Mark]) -> Mapping[str, tuple[str, ...]]:
    """The tests that show each requirement."""
    found: dict[str, list[str]] = {}
    for mark in marks:
        for one in mark.ids:
            if mark.name:
                found.setdefault(one, []).append(mark.test)
    return {one: tuple(tests) for one, tests in found.items()}


def read_marks(path: str, source: str) -> list[Mark]:
    """The markers in a file, also those that stand where pytest would find no test."""
    tree = ast.parse(source)
    names = dict(_named(tree.body)) if Path(path).name.startswith("test_") else {}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_marker(node.func)]
    marks = [Mark(path, call.lineno, names.get(call, ""), _ids(call)) for call in calls]
    return sorted(marks, key=lambda mark: mark.line)


def _is_marker(function: ast.expr) -> bool:
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return name == "requirement"


def _ids(call: ast.Call) -> tuple[str, ...]:
    return tuple(str(one.value) if isinstance(one, ast.Constant) else ast.unparse(one) for one in call.args)


def _named(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[ast.expr, str]]:
    """Decorators on each test, or calls that make it, with the test's name."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield from ((decorator, prefix + node.name) for decorator in node.decorator_list)
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from ((decorator, prefix + node.name) for decorator in node.decorator_list)
            yield from _named(node.body, f"{prefix}{node.name}::")
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            targets = [target.id for target in node.targets if isinstance(target, ast.Name)]
            yield from ((node.value.func, name) for name in targets if name.startswith("Test"))


def faults(marks: Iterable[Mark], requirements: Iterable[Requirement]) -> list[str]:
    """Faults of markers, a sentence each with the remedy."""
    rows = {row.id: row for row in requirements}
    marks = list(marks)
    stray = [
        f"{mark.place}: marks no test; put it on a test, or on a class of tests" for mark in marks if not mark.name
    ]
    rows_wrong = [f"{mark.place}: {told}" for mark in marks for one in mark.ids if (told := _fault(mark, one, rows))]
    return [*stray, *rows_wrong, *_repeated([mark for mark in marks if mark.name])]


def _fault(mark: Mark, one: str, rows: Mapping[str, Requirement]) -> str:
    row = rows.get(one)
    if row is None:
        return f"{one} is no id of a requirement; look it up in tests/requirements"
    if row.planned:
        return f"{one} is planned; take its decision away when it is shown"
    if row.kind == "behaviour" and is_about_pages(mark.test):
        return f"{one} is a behaviour, and the test looks at a page or a table; mark a test of the behaviour"
    return ""


def _repeated(marks: list[Mark]) -> Iterator[str]:
    seen: dict[str, Mark] = {}
    for mark in marks:
        if not mark.ids:
            yield f"{mark.place}: names no requirement; give it an id"
        if mark.test in seen:
            yield f"{mark.place}: a second marker on the test; put all ids into one"
        seen[mark.test] = mark
    for mark in marks:
        around = seen.get(mark.test.rpartition("::")[0])
        known = around.ids if around else ()
        twice = {one for one in mark.ids if mark.ids.count(one) > 1 or one in known}
        yield from (f"{mark.place}: {one} is marked twice; take one away" for one in sorted(twice))

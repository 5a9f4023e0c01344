"""SECURITY.md names tests; each of them exists."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


@cache
def functions_in(path: Path) -> set[str]:
    """Functions and methods of a module."""
    inside: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in inside:  # which grows meanwhile
        if isinstance(node, ast.Module | ast.ClassDef):
            inside += node.body
    return {node.name for node in inside if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_test_that_is_named_exists():
    assert NAMED
    assert [(file, name) for file, name in NAMED if name not in functions_in(ROOT / file)] == []


def rows() -> list[list[str]]:
    """The rows of all tables with a column of tests."""
    found: list[list[str]] = []
    inside = False
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("|"):
            inside = False
        elif cells[-1].strip("| ") == "tests":
            inside = True
        elif inside and not set(line) <= set("|- "):
            found.append(cells)
    return found


def test_every_threat_and_every_answer_names_a_test():
    assert len(rows()) > 30
    assert [row for row in rows() if "tests/" not in row[-1]] == []


def test_every_cell_of_the_table_of_roles_names_a_test_or_says_that_it_is_trust():
    table = PAGE.partition("| role | comes with")[2].partition("\n\n")[0]
    lines = [line.strip("|").split(" | ") for line in table.splitlines()[2:]]
    assert len(lines) > 8
    assert [
        (row[0].strip(), cell) for row in lines for cell in row[1:] if not ("tests/" in cell or "by trust" in cell)
    ] == []

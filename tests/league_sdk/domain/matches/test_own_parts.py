"""The table of own parts is what is documented, each row with its test."""

import ast
import re
from pathlib import Path

import pytest

from league_sdk.domain.matches.own_parts import OwnPart

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "explanation" / "blame.md").read_text()


@pytest.mark.parametrize("part", OwnPart, ids=lambda part: part.key)
def test_every_part_is_documented_with_what_follows_its_bound_and_its_tests(part: OwnPart):
    row = f"| {part.text} | {part.then} | {part.bound} |"
    (line,) = [line for line in PAGE.splitlines() if line.startswith(row)]
    named = re.findall(r"`(tests/[^`]+)::(test_\w+)`", line)
    assert named, "it has a test"
    for path, name in named:
        tree = ast.parse((ROOT / path).read_text())
        found = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert name in found, f"{path}::{name}"

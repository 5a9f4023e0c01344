"""The bars that `make test` sets are set as high as we say."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def steps_of_make_test() -> str:
    """The target `test`, with what it depends on."""
    found = re.search(r"^test:(.*?)(?=^\S)", MAKEFILE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_make_test_measures_the_branches_of_every_package_and_fails_below_95_percent():
    assert "--cov " in steps_of_make_test()
    assert PROJECT["coverage"]["report"]["fail_under"] >= 95
    run = PROJECT["coverage"]["run"]
    assert run["branch"] is True
    assert set(run["source"]) == {"league_sdk", "clients", "servers", "game_rules"}
    assert "omit" not in run


def test_make_test_checks_style_types_and_imports_as_well():
    wanted = steps_of_make_test().partition("##")[0].split()
    assert {"lint", "types", "arrows"} <= set(wanted)


def test_warnings_are_errors():
    assert PROJECT["pytest"]["ini_options"]["filterwarnings"][0] == "error"

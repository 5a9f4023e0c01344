"""Settings of leagues for a class: quick, where nobody has said otherwise."""

import json
from pathlib import Path
from typing import Any

import pytest

from servers.cli.class_defaults import CLASS_DEFAULTS, with_class_defaults

MOVE, RETRIES = "timeouts.move_timeout_sec", "retry_policy.max_retries"
GUIDE = (Path(__file__).parents[3] / "docs" / "how_to" / "run_a_class.md").read_text(encoding="utf-8")


def test_a_class_has_five_seconds_for_a_move_and_one_retry_and_the_guide_says_so(tmp_path: Path):
    assert with_class_defaults(tmp_path, {}) == {MOVE: 5, RETRIES: 1}
    for path, value in CLASS_DEFAULTS.items():
        assert f"| `{path}` | {value:g} |" in GUIDE


@pytest.mark.parametrize("given", [{MOVE: 30}, {MOVE: 3, RETRIES: 3}])
def test_what_the_command_line_says_counts_though_it_be_the_usual(tmp_path: Path, given: dict[str, Any]):
    assert with_class_defaults(tmp_path, given) == {**CLASS_DEFAULTS, **given}


def test_what_the_environment_says_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAGUE_TIMEOUTS__MOVE_TIMEOUT_SEC", "30")
    assert with_class_defaults(tmp_path, {}) == {RETRIES: 1}


def test_a_file_counts_where_it_says_something_else_than_the_usual(tmp_path: Path):
    document = {"timeouts": {"move_timeout_sec": 12}, "retry_policy": {"max_retries": 3}}
    (tmp_path / "system.json").write_text(json.dumps(document), encoding="utf-8")
    assert with_class_defaults(tmp_path, {}) == {RETRIES: 1}

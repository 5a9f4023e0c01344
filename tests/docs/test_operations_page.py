"""docs/operations.md says what agents serve, and names files and variables that there are."""

import json
import re

import pytest

from servers.observability import health, telemetry
from tests.docs.markdown import ROOT, blocks
from tests.servers.watched_league import EVERYBODY, watched

pytestmark = pytest.mark.xdist_group("watched")

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def test_the_answer_on_the_page_has_the_form_of_a_real_one():
    (shown,) = (json.loads(block) for block in blocks(PAGE, "json"))
    real = watched().ready["Manager"].json()
    assert list(shown) == list(real)
    assert shown["checks"] == real["checks"]


def test_every_check_of_readiness_is_on_the_page():
    checks = {name for agent in EVERYBODY for name in watched().ready[agent].json()["checks"]}
    assert checks
    assert sorted(name for name in checks if f"| `{name}` |" not in PAGE) == []
    assert f"within {health.CHECK_SEC:g} seconds" in PAGE


def test_the_variables_that_switch_tracing_are_on_the_page():
    for name in (telemetry.EXPORTER, telemetry.ENDPOINTS[1], telemetry.PROTOCOLS[1], telemetry.DISABLED):
        assert f"| `{name}` |" in PAGE


def test_every_file_that_is_named_is_there():
    named = re.findall(r"`((?:deploy/|compose\.yaml|\.env\.example)[\w./]*)`", PAGE)
    assert len(named) >= 4
    assert [name for name in named if not (ROOT / name).exists()] == []

"""Measurements of a league manager in the benchmark."""

from array import array
from types import SimpleNamespace
from typing import Any

import pytest

from servers.bench.bare import Bare
from servers.bench.league_bench import BenchResult, BenchSetup
from servers.bench.measures import Calls, Usage

BARE = Bare(300.0, 3.5, 2.0, 1.5, 4, 700, 300, {"p50_ms": 3.0, "p95_ms": 5.0, "p99_ms": 6.0, "max_ms": 9.0})


def measured(*processes: Usage) -> dict[str, Any]:
    """A league of two matches, in each of which the manager makes three calls and takes one."""
    outcome: Any = SimpleNamespace(
        ending="completed", league=SimpleNamespace(results={1: "", 2: ""}, rounds_completed=1)
    )
    made = Calls({"start_match": array("d", [0.01] * 6)})
    calls = Calls({**made.seconds, "report_match_result": array("d", [0.01] * 2), "choose": array("d", [0.01] * 9)})
    setup = BenchSetup(players=4)
    return BenchResult(setup, outcome, 1.0, 1.0, 2.0, calls, "Boss", made, [*processes], 0.1, [], BARE).as_json()


def test_the_managers_limit_is_its_calls_by_what_the_sdk_alone_takes_for_them():
    found = measured(Usage(1, ["Boss"], 0.02, 0, 0), Usage(2, ["Ada", "Bob"], 0.05, 0, 0))["manager"]
    assert (found["calls_made_per_match"], found["calls_taken_per_match"]) == (3.0, 1.0)
    assert found["sdk_cpu_ms_per_match"] == 3 * 2.0 + 1.5
    assert found["cpu_ms_per_match"] == 10.0
    assert found["full_at_matches_per_sec"] == 100.0
    assert found["sdk_limit_matches_per_sec"] == pytest.approx(1000 / 7.5, abs=0.1)
    assert found["share_of_sdk_limit"] == 0.75


def test_a_manager_that_shares_its_process_has_no_limit_of_its_own():
    assert measured(Usage(1, ["Boss", "Ada"], 0.02, 0, 0))["manager"] is None

from array import array

from servers.bench.measures import Calls, cpu_seconds, memory_bytes, percentiles, usage


def test_percentiles_are_of_the_nearest_rank():
    hundred = [number / 1000 for number in range(100, 0, -1)]
    assert percentiles(hundred) == {"p50_ms": 50.0, "p95_ms": 95.0, "p99_ms": 99.0, "max_ms": 100.0}
    assert percentiles([0.002]) == {"p50_ms": 2.0, "p95_ms": 2.0, "p99_ms": 2.0, "max_ms": 2.0}
    assert percentiles([]) == {"p50_ms": 0.0, "p95_ms": 0.0, "p99_ms": 0.0, "max_ms": 0.0}


def test_calls_of_several_agents_are_summed_up():
    ours, theirs = Calls(), Calls({"b": array("d", [0.5])}, {"b": [100.0]}, {"b": (2, 200, 100)})
    ours.took("a", 0.25)
    ours.add(theirs)
    ours.weigh("a", 1, 40, 20)
    assert (len(ours), ours.total_seconds, ours.sizes) == (2, 0.75, (80, 40))
    assert (ours.request_bytes("a"), ours.request_bytes("b"), ours.request_bytes("c")) == (40, 100, 0)
    assert {tool: (row["calls"], row["failed"]) for tool, row in ours.by_tool().items()} == {"a": (1, 0), "b": (1, 1)}


def test_calls_that_fail_because_the_league_is_stopped_are_no_failures():
    calls = Calls(failed={"a": [100.0, 102.0], "b": [103.0]})
    calls.drop_failures_after(101.0)
    assert calls.failed == {"a": [100.0], "b": []}


def test_agents_of_one_process_are_one_process_from_the_last_registration_to_the_last_end():
    common = {"pid": 7, "memory_before": 50}
    parts = [
        {**common, "name": "Ada", "cpu_before": 1.0, "cpu": 4.0, "memory": 60},
        {**common, "name": "Bob", "cpu_before": 1.5, "cpu": 3.0, "memory": 70},
    ]
    (used,) = usage(parts)
    assert (used.agents, used.cpu_sec, used.memory, used.memory_before) == (["Ada", "Bob"], 2.5, 70, 50)


def test_a_process_knows_its_own_time_and_memory():
    assert cpu_seconds() > 0
    assert memory_bytes() > 1_000_000

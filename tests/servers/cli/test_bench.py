"""`league bench`, with leagues in this process and a player that is served in a thread."""

import pytest

from servers.bench.bare import Bare
from servers.cli.bench import process_size
from tests.league_sdk.testing.compliance.handmade import Handmade, served
from tests.requirements.marker import requirement

BARE = Bare(900.0, 2.0, 1.0, 1.0, 4, 700, 300, {"p50_ms": 3.0, "p95_ms": 5.0, "p99_ms": 6.0, "max_ms": 9.0})


@pytest.fixture
def yardstick(monkeypatch):
    """The bare SDK takes processes of its own; here it is a number."""
    asked: list[tuple[object, ...]] = []

    def measured(*arguments: object) -> Bare:
        asked.append(arguments)
        return BARE

    monkeypatch.setattr("servers.bench.league_bench.measure_bare", measured)
    return asked


@requirement("001-PERF-02", "001-PERF-03", "004-PERF-03", "004-PERF-07", "004-PERF-04", "project-LATER-04")
def test_a_league_is_measured_beside_the_bare_sdk(league, yardstick):
    ran = league("bench", "--players", "3", "--processes", "0", "--referees", "1", "--seconds", "1", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert {"processor", "cores", "python", "libraries"} <= ran.json["machine"].keys()
    (season,) = ran.json["leagues"]
    assert (season["players"], season["matches"], season["ending"], season["failed_calls"]) == (3, 3, "completed", 0)
    # A match is 9 calls; a round is announced to 4 agents, closed to 4, and its table told to 3; the end to 4.
    assert season["calls"] == 3 * 9 + 3 * (4 + 4 + 3) + 4
    assert season["tools"]["choose_parity"]["calls"] == 6
    assert season["tools"]["choose_parity"]["p50_ms"] > 0
    assert season["share_of_bare"] == pytest.approx(season["calls_per_sec"] / 900, abs=0.01)
    assert season["share_of_bare_by_cpu"] == pytest.approx(2.0 / season["cpu_ms_per_call"], abs=0.01)
    ((seconds, concurrency, sizes),) = yardstick
    assert (seconds, concurrency) == (1.0, season["mean_concurrency"])
    assert all(size > 100 for size in sizes)


def test_a_league_is_stopped_after_as_many_rounds_as_are_asked_for(league):
    options = ("--processes", "0", "--referees", "1", "--seconds", "0", "--json")
    ran = league("bench", "--players", "8", "--rounds", "1", *options)
    assert (ran.code, ran.err) == (0, "")
    (season,) = ran.json["leagues"]
    assert (season["rounds"], season["ending"], season["failed_calls"]) == (1, "stopped", 0)
    assert 4 <= season["matches"] < 28
    assert season["tools"]["notify_round_completed"]["calls"] >= 9


@requirement("001-PERF-02")
def test_one_players_latencies_stand_beside_its_deadlines(league):
    with served({"good": Handmade}) as where:
        ran = league("bench", where("good"), "--matches", "3", "--at-once", "2", "--json")
        shown = league("bench", where("good"), "--matches", "1", "--join-timeout", "4")
    assert (ran.code, ran.err, ran.json["refusals"], ran.json["late"]) == (0, "", [], [])
    assert {tool: (row["calls"], row["limit_ms"]) for tool, row in ran.json["tools"].items()} == {
        "notify_round": (3, 10_000),
        "handle_game_invitation": (3, 5000),
        "choose_parity": (3, 30_000),
        "notify_match_result": (3, 10_000),
        "update_standings": (3, 10_000),
        "notify_round_completed": (3, 10_000),
    }
    assert shown.code == 0
    assert "4000" in shown.out
    assert "1 matches over jsonrpc" in shown.out


def test_nobody_at_the_url_is_a_mistake_in_the_command(league):
    ran = league("bench", "http://127.0.0.1:9/mcp")
    assert ran.code == 2
    for url in ("ftp://elsewhere", "http://[::1"):
        ran = league("bench", url)
        told = f"league: {url!r} is no URL; name the agent's endpoint, such as http://localhost:8101/mcp\n"
        assert (ran.code, ran.err) == (2, told)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--processes", "2", "--agents-per-process", "3"), "give --processes or --agents-per-process, not both"),
        (("--players", "3", "--at-once", "1"), "1 matches at once are too few for 2 referees"),
    ],
)
def test_numbers_that_do_not_fit_are_told(league, arguments, why):
    ran = league("bench", *arguments)
    assert (ran.code, why in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("players", "processes", "each", "size"),
    [(4, None, None, 1), (10, None, None, 2), (100, None, None, 13), (100, 4, None, 25), (100, None, 7, 7)],
)
def test_players_share_processes_evenly(players, processes, each, size):
    assert process_size(players, processes, each) == size

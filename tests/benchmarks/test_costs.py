"""Costs of a league, counted and not timed: calls, commits and bytes."""

import json
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import Any

import anyio.lowlevel
import pytest

from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.commands import RecordResult
from league_sdk.domain.league import decide, evolve
from league_sdk.domain.pairings.schedule import round_robin
from servers.league_manager.announcements import Announcements
from tests.benchmarks.test_hot_paths import CODEC, folded, ids, league_of, result, stored_results, table_of
from tests.requirements.marker import requirement
from tests.servers.fakes import OPERATOR, Sent
from tests.servers.league_manager.runner_harness import RunnerHarness, runner_harness

pytestmark = pytest.mark.anyio

IN_A_MATCH = 8
"""GAME_INVITATION, the move call and GAME_OVER to two players each, START_MATCH and MATCH_RESULT_REPORT."""


async def first_round(players: int, referees: int) -> tuple[Counter[str], RunnerHarness, list[int]]:
    """The manager's messages and append sizes in its first round."""
    appends: list[int] = []
    async with runner_harness(players, referees, concurrent=players) as held:
        append = held.store.append

        async def counted(league_id: str, events: Any, **options: Any) -> Any:
            appends.append(len(events))
            await anyio.lowlevel.checkpoint()
            return await append(league_id, events, **options)

        async def unwanted(*_: Any, **__: Any) -> Any:
            raise AssertionError("a league that is being played reads nothing from its store")

        held.store.read = unwanted
        held.store.append = counted
        held.begin()
        await held.manager.ledger.until(lambda league: league.rounds_completed == 1)
        table = [call for call in held.peers.calls if _type(call) == "LEAGUE_STANDINGS_UPDATE"]
        while len(table) < players:
            await anyio.lowlevel.checkpoint()
            table = [call for call in held.peers.calls if _type(call) == "LEAGUE_STANDINGS_UPDATE"]
        sent = Counter(_type(call) for call in held.peers.calls if getattr(call.message, "round_id", 1) == 1)
        assert len({id(call.message) for call in table}) == 1
        return sent, held, appends


def _type(call: Sent) -> str:
    return call.message.message_type


@requirement("004-PERF-03", "project-LATER-04")
async def test_a_match_of_a_hundred_players_is_fourteen_calls_and_the_referees_news():
    sent, _, appends = await first_round(100, 1)
    assert (
        sent
        == {
            "ROUND_ANNOUNCEMENT": 101,
            "START_MATCH": 50,
            "LEAGUE_STANDINGS_UPDATE": 100,
            "ROUND_COMPLETED": 101,
        }
        or sent["ROUND_COMPLETED"] < 101
    )  # the last of them may still be on its way
    broadcast = 3 * 100 + 2 * 1
    of_a_match = IN_A_MATCH + broadcast / 50 + 101 / 4950
    assert of_a_match == pytest.approx(14.06, abs=0.01)
    # Fifty assignments and fifty results: what comes together is one commit.
    assert sum(appends) >= 100
    assert len(appends) <= 20


def test_a_table_for_a_hundred_players_is_as_many_bytes_as_it_has_rows():
    small, large = (len(json.dumps(CODEC.render(table_of(players)))) for players in (10, 100))
    assert large < 10 * small


def test_a_thousand_results_are_kept_in_less_than_two_megabytes():
    stored = stored_results(300)
    league = folded(league_of(10), stored[:200])
    tracemalloc.start()
    try:
        league = folded(league, stored[200:])
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(league.results) == 300
    assert grown / 200 < 2_000


def test_a_match_of_the_schedule_is_kept_in_two_words():
    tracemalloc.start()
    try:
        rounds = round_robin(list(ids(200)))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept / sum(len(scheduled.fixtures) for scheduled in rounds) < 24


@requirement("004-OBJ-09")
@pytest.mark.parametrize("what", ["a result", "a match for a referee"])
def test_work_for_a_match_does_not_grow_with_the_players(what):
    few, many = (_work(what, players) for players in (10, 300))
    assert many <= few + 20


def _work(what: str, players: int) -> int:
    """The number of Python function calls for one match in a league of this size."""
    league = league_of(players)
    fixture = league.fixture("R1M1")
    announcements = Announcements(ManualClock(), ManualIds(), OPERATOR)
    announcements.start_match(league, fixture, 1)

    def record() -> None:
        for event in decide(league, RecordResult(result("R1M1", fixture.players))):
            evolve(league, event)

    def start() -> None:
        announcements.start_match(league, fixture, 1)

    return _calls(record if what == "a result" else start)


def _calls(function: Callable[[], None]) -> int:
    count = 0

    def profile(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count

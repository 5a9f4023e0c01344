"""Faults on our own side: they cost no player a point."""

import anyio
import pytest

from league_sdk.domain.lifecycles import LeagueState
from league_sdk.ports import CallRefused, StoreFailed
from league_sdk.protocol.operator import MatchStatus, StartMatch
from tests.servers.fakes import Manager, begun, result_report, start, status
from tests.servers.league_manager.runner_harness import course_of, runner_harness

pytestmark = pytest.mark.anyio

REPORT = result_report("R1M1", "P01", {"P01": 3, "P02": 0})


async def test_a_full_disk_ends_the_manager_and_the_report_counts_once_it_is_back():
    told: list[str] = []
    stopped = anyio.Event()
    async with runner_harness() as held:
        held.peers.script(StartMatch, begun)

        async def lead() -> None:
            try:
                await held.course.run()
            except* StoreFailed as group:
                told.append(str(group.exceptions))
            stopped.set()

        await start(held.manager.ledger)
        held.tasks.start_soon(lead)
        await held.until("MatchAssigned")
        held.store.full = True
        with pytest.raises(CallRefused) as refused:
            await held.manager.call("report_match_result", REPORT)
        assert refused.value.data is not None
        assert refused.value.data["error_code"] == "E023", "the referee keeps what is refused so, and tries again"
        await stopped.wait()
        assert "the disk is full" in told[0]
        assert not held.manager.league.results

        held.store.full = False
        back = Manager(held.store, held.clock)
        await back.ledger.open()
        held.peers.script(MatchStatus, status("FINISHED"))
        answer = await back.call("report_match_result", REPORT)
        assert answer["status"] == "ACCEPTED"
        await course_of(back, held.peers, held.clock).run()
    assert back.league.state is LeagueState.COMPLETED
    (result,) = back.league.results.values()
    assert (result.winner, result.attempt, result.faults) == ("P01", 1, ())

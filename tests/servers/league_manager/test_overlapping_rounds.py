"""Rounds that overlap: one slow match holds up its two players, and nobody else."""

import anyio
import pytest

from league_sdk.domain.commands import RemovePlayer, ResumeLeague, StopLeague
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import MatchNotFound
from league_sdk.protocol.operator import MatchStatus, StartMatch
from tests.requirements.marker import requirement
from tests.servers.fakes import Sent, begun, settle
from tests.servers.league_manager.runner_harness import RunnerHarness, course_of, runner_harness

pytestmark = pytest.mark.anyio


def with_a_slow_match(held: RunnerHarness, gate: anyio.Event) -> None:
    """The first match waits at a gate; all others are played at once."""
    slow = held.plays_when(gate)
    held.peers.script(StartMatch, lambda call: (slow if call.message.match_id == "R1M1" else held.plays)(call))


def in_order(types: list[str]) -> list[str]:
    return [kind for kind in types if kind in ("RoundStarted", "RoundCompleted")]


@requirement("project-RUN-08")
async def test_a_slow_match_holds_up_its_own_players_alone():
    gate = anyio.Event()
    async with runner_harness(8, 2, overlapping_rounds=True, concurrent=8) as held:
        with_a_slow_match(held, gate)
        held.begin()
        await held.manager.ledger.until(lambda league: league.rounds_started >= 2)
        await settle()
        league = held.manager.league
        waiting = {*league.fixture("R1M1").players}
        ahead = [league.fixture(match_id) for match_id, _, _ in held.started() if match_id[1] != "1"]
        assert ahead
        assert all(waiting.isdisjoint(fixture.players) for fixture in ahead)
        assert (league.rounds_completed, league.current_round) == (0, league.rounds_started)
        assert {fixture.match_id for fixture in league.under_way()} >= {"R1M1"}
        gate.set()
        await held.over.wait()
    league = held.manager.league
    assert league.state is LeagueState.COMPLETED
    assert len(league.results) == len(held.started()) == 28
    assert in_order(held.manager.types)[:2] == ["RoundStarted", "RoundStarted"]
    completed = [record.payload["round_id"] for record in held.manager.records if record.type == "RoundCompleted"]
    assert completed == [1, 2, 3, 4, 5, 6, 7]


async def test_rounds_that_do_not_overlap_wait_for_the_slow_match():
    gate = anyio.Event()
    async with runner_harness(8, 2, concurrent=8) as held:
        with_a_slow_match(held, gate)
        held.begin()
        await held.manager.ledger.until(lambda league: len(league.results) == 3)
        await settle()
        assert {match_id[1] for match_id, _, _ in held.started()} == {"1"}
        gate.set()
        await held.over.wait()
    assert in_order(held.manager.types) == ["RoundStarted", "RoundCompleted"] * 7


@requirement("project-RUN-08")
async def test_a_manager_that_is_restarted_goes_on_with_all_rounds_that_began():
    async with runner_harness(8, 2, overlapping_rounds=True, concurrent=8) as held:
        with_a_slow_match(held, anyio.Event())
        held.begin()
        await held.manager.ledger.until(lambda league: league.rounds_started >= 2)
        await settle()
        await held.manager.ledger.execute(StopLeague("interrupted"))
        await held.over.wait()
        open_then = held.manager.league.open_rounds
        held.peers.script(StartMatch, held.plays)
        held.peers.script(MatchStatus, MatchNotFound("?"))
        await held.manager.ledger.execute(ResumeLeague("by the operator"))
        await course_of(held.manager, held.peers, held.clock).run()
    league = held.manager.league
    assert len(open_then) >= 2
    assert (league.state, len(league.results)) == (LeagueState.COMPLETED, 28)
    assert held.manager.types.count("RoundStarted") == held.manager.types.count("RoundCompleted") == 7
    assert [attempt for _, attempt, _ in held.assigned("R1M1")] == [1, 2]


async def test_a_removed_player_sets_its_opponents_free():
    def plays_others(call: Sent) -> object:
        return begun(call) if call.message.match_id == "R1M1" else held.plays(call)

    async with runner_harness(4, 2, overlapping_rounds=True, concurrent=8) as held:
        held.peers.script(StartMatch, plays_others)
        held.peers.script(MatchStatus, MatchNotFound("?"))
        held.begin()
        await held.manager.ledger.until(lambda league: bool(league.results))
        first = held.manager.league.fixture("R1M1").players[0]
        await held.manager.ledger.execute(RemovePlayer(first, "unwanted"))
        await held.over.wait()
    assert held.manager.league.state is LeagueState.COMPLETED

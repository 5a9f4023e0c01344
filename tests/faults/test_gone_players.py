"""Players that are gone in the middle of a league over sockets: their price, and what the record says of it."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio
import pytest

from league_sdk.audit import audit
from league_sdk.domain.league import League
from league_sdk.domain.model import Cause, Fault, Role, StageRules
from league_sdk.game import Move, PlayerView
from league_sdk.plugins import game
from servers.seats.service import HostedSeats
from tests.faults.league_harness import LEAGUE, OPERATOR, LeagueHarness, free_port, league_harness

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PATIENT: Mapping[str, Any] = {
    "timeouts.game_join_timeout_sec": 30.0,
    "timeouts.move_timeout_sec": 30.0,
    "timeouts.generic_response_timeout_sec": 30.0,
    "retry_policy.max_retries": 3,
}
"""Times that nobody waits for in full, or the test would run out of its own."""


@pytest.fixture(autouse=True)
def quick_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pulse that is over sooner."""
    monkeypatch.setattr("servers.seats.main.HostedSeats", partial(HostedSeats, pulse=1.0))


def faults_by_match(league: League, name: str) -> dict[str, Fault]:
    """A player's faults by match."""
    (player_id,) = [player.agent_id for player in league.players.values() if player.display_name == name]
    return {
        match_id: fault
        for match_id, result in league.results.items()
        for fault in result.faults
        if fault.player_id == player_id
    }


async def seated(held: LeagueHarness, port: int, *names: str, **functions: Any) -> dict[str, anyio.CancelScope]:
    """A seats process, a referee and hosted players; what ends each player."""
    held.start(Role.SEATS, "Seats", port=port, operator_token=OPERATOR, league_id=LEAGUE)
    held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
    return {name: hosted(held, name, functions.get(name)) for name in names}


def hosted(held: LeagueHarness, name: str, function: Any = None) -> anyio.CancelScope:
    return held.start(Role.PLAYER, name, outbound=True, league_id=LEAGUE, function=function or first_move)


def first_move(view: PlayerView) -> Move:
    return view.legal_moves[0]


async def test_a_hosted_player_that_ends_costs_its_league_no_whole_time_and_the_record_says_why(tmp_path):
    port, thinks = free_port(), anyio.Event()

    async def think_for_ever(view: PlayerView) -> Move:
        thinks.set()
        return await anyio.sleep_forever()

    stages = (StageRules("round_robin", {"cycles": 2}),)
    with anyio.fail_after(25):
        async with league_harness(tmp_path, players=3, seats_port=port, settings=PATIENT, stages=stages) as held:
            ends = await seated(held, port, "Ada", "Ben", "Cyd", Cyd=think_for_ever)
            await thinks.wait()
            ends["Cyd"].cancel()
            await held.over()
            league = held.league
            report = audit(held.rows, lambda name, options: game(name, **options))
    faults = [*faults_by_match(league, "Cyd").values()]
    assert [(fault.cause, fault.tries) for fault in faults] == [
        (Cause.CONNECTION_REFUSED, 2),
        (Cause.CONNECTION_REFUSED, 1),
        (Cause.CONNECTION_REFUSED, 1),
        (Cause.SITS_OUT, 0),
    ]
    assert "gone_in" not in faults[0].evidence
    assert [fault.evidence["gone_in"] for fault in faults[1:3]] == [*faults_by_match(league, "Cyd")][:2]
    assert not faults_by_match(league, "Ada")
    assert not faults_by_match(league, "Ben")
    assert report.findings == []


async def test_a_hosted_player_that_is_started_again_before_it_counts_as_gone_loses_nothing(tmp_path):
    port, thinks = free_port(), anyio.Event()

    async def think_for_ever(view: PlayerView) -> Move:
        thinks.set()
        return await anyio.sleep_forever()

    with anyio.fail_after(25):
        async with league_harness(tmp_path, players=3, seats_port=port, settings=PATIENT) as held:
            ends = await seated(held, port, "Ada", "Ben", "Cyd", Cyd=think_for_ever)
            await thinks.wait()
            ends["Cyd"].cancel()
            hosted(held, "Cyd")
            await held.over()
            league = held.league
    assert not [fault for result in league.results.values() for fault in result.faults]

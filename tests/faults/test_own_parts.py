"""Failures of the league's own parts in the middle of a match: no player pays for them."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import SocketStream

from league_sdk import tokens
from league_sdk.domain.events import MatchAssigned
from league_sdk.domain.league import League
from league_sdk.domain.model import HOSTED, ResultStatus, Role
from league_sdk.game import Move, PlayerView
from tests.faults.league_harness import LEAGUE, OPERATOR, LeagueHarness, free_port, league_harness, patient_client

pytestmark = [
    pytest.mark.anyio,
    # What is killed in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SETTINGS = {
    "timeouts.game_join_timeout_sec": 2.0,
    "timeouts.move_timeout_sec": 1.0,
    "timeouts.http_request_timeout_sec": 1.0,
    "retry_policy.max_retries": 1,
}


@dataclass
class SeatsProcess:
    """The seats process of a league, behind a wire that can be frozen."""

    held: LeagueHarness
    port: int
    behind: int = 0
    alive: bool = False
    thawed: anyio.Event = field(default_factory=anyio.Event)
    referee: anyio.CancelScope | None = None
    _life: anyio.CancelScope | None = None
    _connections: set[anyio.CancelScope] = field(default_factory=set[anyio.CancelScope])

    def start(self) -> None:
        """Start it, anew if it was killed."""
        self.behind, self.alive = free_port(), True
        self._life = self.held.start(Role.SEATS, "Seats", port=self.behind, operator_token=OPERATOR, league_id=LEAGUE)
        self.thawed.set()

    def kill(self) -> None:
        """End it with all that it knows; whoever calls finds nobody."""
        assert self._life is not None
        self._life.cancel()
        self.alive = False
        self.thawed.set()
        for connection in self._connections:
            connection.cancel()

    def freeze(self) -> None:
        """From now on it takes connections, and nothing goes in or out."""
        self.thawed = anyio.Event()

    async def pass_on(self) -> None:
        """Be the wire."""
        async with await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=self.port) as listener:
            await listener.serve(self._connect)

    async def _connect(self, caller: SocketStream) -> None:
        async with caller:
            await self.thawed.wait()
            if not self.alive:
                return
            try:
                async with (
                    await anyio.connect_tcp("127.0.0.1", self.behind) as process,
                    anyio.create_task_group() as both,
                ):
                    self._connections.add(both.cancel_scope)
                    both.start_soon(self._pump, caller, process, both.cancel_scope)
                    both.start_soon(self._pump, process, caller, both.cancel_scope)
            except OSError:
                return

    async def _pump(self, source: SocketStream, sink: SocketStream, ended: anyio.CancelScope) -> None:
        try:
            async for data in source:
                await self.thawed.wait()
                await sink.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        ended.cancel()


@asynccontextmanager
async def hosted_league(
    folder: Path, in_its_midst: Callable[[SeatsProcess], Awaitable[None]], **settings: Any
) -> AsyncGenerator[LeagueHarness]:
    """A league of two hosted players, in whose third turn something happens; yielded when it is over."""
    port, midst = free_port(), anyio.Event()

    def choose(view: PlayerView) -> Move:
        if len(view.my_moves) == 2:
            midst.set()
        return view.legal_moves[0]

    with anyio.fail_after(90):
        async with league_harness(
            folder, players=2, game="tic_tac_toe", seats_port=port, settings={**SETTINGS, **settings}
        ) as held:
            seats = SeatsProcess(held, port)
            seats.start()
            held.tasks.start_soon(seats.pass_on)
            seats.referee = held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
            for name in ("Ada", "Ben"):
                held.start(Role.PLAYER, name, outbound=True, function=choose)

            async def act() -> None:
                await midst.wait()
                await in_its_midst(seats)

            held.tasks.start_soon(act)
            await held.over()
            assert midst.is_set()
            yield held
            held.tasks.cancel_scope.cancel()


def nobody_paid(league: League) -> None:
    """Every match was played to its end."""
    assert league.results
    assert not league.voided
    for result in league.results.values():
        assert result.status is not ResultStatus.TECHNICAL_LOSS, result.faults


async def test_a_killed_seats_process_costs_no_player_a_match_and_the_referee_goes_on(tmp_path):
    async def die(seats: SeatsProcess) -> None:
        seats.kill()
        await anyio.sleep(4)  # longer than a player has, tries and all
        seats.start()

    async with hosted_league(tmp_path, die) as held:
        league, events = held.league, held.events
    nobody_paid(league)
    assert [event.attempt for event in events if isinstance(event, MatchAssigned)] == [1], "nothing was played again"


async def test_a_frozen_seats_process_costs_no_player_a_match_and_the_referee_goes_on(tmp_path):
    async def freeze(seats: SeatsProcess) -> None:
        seats.freeze()
        await anyio.sleep(6)
        seats.thawed.set()

    async with hosted_league(tmp_path, freeze) as held:
        league, events = held.league, held.events
    nobody_paid(league)
    assert [event.attempt for event in events if isinstance(event, MatchAssigned)] == [1], "nothing was played again"


async def test_a_seats_process_that_stays_away_makes_the_match_void_and_is_named(tmp_path):
    async def die(seats: SeatsProcess) -> None:
        seats.kill()

    async with hosted_league(tmp_path, die, **{"timeouts.seats_away_sec": 0.5}) as held:
        league, events = held.league, held.events
    assert not league.results
    assert set(league.voided.values()) == {
        "the seats process failed 5 times: REF01 waited for the seats process in vain"
    }
    assert [event.attempt for event in events if isinstance(event, MatchAssigned)] == [1, 2, 3, 4, 5]


async def test_a_referee_that_is_killed_costs_no_player_a_match_and_another_plays_it_again(tmp_path):
    async def die(seats: SeatsProcess) -> None:
        seats.held.start(Role.REFEREE, "Second", max_concurrent_matches=8)
        await seats.held.until(lambda league: len(league.referees) == 2)
        assert seats.referee is not None
        seats.referee.cancel()

    async with hosted_league(tmp_path, die) as held:
        league, events = held.league, held.events
    nobody_paid(league)
    played = [(event.referee_id, event.attempt) for event in events if isinstance(event, MatchAssigned)]
    assert played == [("REF01", 1), ("REF02", 2)]


OVERUSABLE = {"limits.requests_per_sec": 20.0, "limits.request_burst": 60}
"""Bounds that one program can pass while its match lasts, on a machine that has other things to do."""


async def overload(seats: SeatsProcess) -> str:
    """Have Ada ask for more than she may until the seats process ends; her id."""
    player = next(agent for agent in seats.held.league.players.values() if agent.display_name == "Ada")
    own = tokens.seat_token(tokens.seat_key(OPERATOR, LEAGUE), player.endpoint.removeprefix(HOSTED))
    asked = {"seat_token": own, "listener": "flood", "seconds": 0}
    request = {"jsonrpc": "2.0", "id": 1, "method": "wait_for_message", "params": asked}
    async with patient_client() as http:
        while "E023" not in (await http.post(f"http://127.0.0.1:{seats.behind}/mcp", json=request)).text:
            pass
    seats.kill()
    return player.agent_id


async def test_a_losing_player_that_overloads_seats_until_they_fail_loses_as_if_it_were_gone(tmp_path):
    villain = list[str]()

    async def act(seats: SeatsProcess) -> None:
        villain.append(await overload(seats))
        await anyio.sleep(1)
        seats.start()

    async with hosted_league(tmp_path, act, **OVERUSABLE) as held:
        league, events = held.league, held.events
    (result,) = league.results.values()
    assert result.status is ResultStatus.TECHNICAL_LOSS
    assert {fault.player_id for fault in result.faults} == set(villain)
    assert result.winner not in villain
    assert [event.attempt for event in events if isinstance(event, MatchAssigned)] == [1], "it undid nothing"


async def test_and_so_it_does_where_they_never_come_back(tmp_path):
    villain = list[str]()

    async def act(seats: SeatsProcess) -> None:
        villain.append(await overload(seats))

    async with hosted_league(tmp_path, act, **OVERUSABLE, **{"timeouts.seats_away_sec": 0.5}) as held:
        league, events = held.league, held.events
    assert not league.voided
    (result,) = league.results.values()
    assert (result.status, result.not_played) == (ResultStatus.TECHNICAL_LOSS, False)
    assert {fault.player_id for fault in result.faults} == set(villain)
    assert result.winner not in (None, *villain)
    assert {player: out.reason for player, out in league.sitting_out.items()} == {villain[0]: "overstepped"}
    assert [event.attempt for event in events if isinstance(event, MatchAssigned)] == [1], "it undid nothing"

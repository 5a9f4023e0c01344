"""Exceptions that no one foresaw, thrown from below at every place where an agent calls another.

They are faults of ours: they end no manager and no referee, they are tried again, and no player loses a match by one.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState, MatchState
from league_sdk.domain.model import ResultStatus, Role
from league_sdk.errors import InternalError
from league_sdk.ports import UnforeseenError
from league_sdk.protocol.match import GameInvitation, GameOver, MatchResultReport, MoveCall
from league_sdk.protocol.operator import MatchStatus, StartMatch
from league_sdk.protocol.rounds import (
    LeagueCompletedMessage,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundCompletedMessage,
)
from servers.agent import bootstrap
from tests.faults.league_harness import league_harness
from tests.requirements.marker import requirement
from tests.servers.fakes import NATURAL
from tests.servers.league_manager.runner_harness import runner_harness, until_called
from tests.servers.referee.referee_harness import referee_harness

pytestmark = pytest.mark.anyio

OURS = UnforeseenError("KeyError on the calling side")


@dataclass
class Trap:
    """Throws out of every connection what a library might, as often as it was told."""

    times: int = 1
    throws: Callable[[str], bool] = lambda tool: True
    thrown: Counter[str] = field(default_factory=Counter[str])

    @asynccontextmanager
    async def connectors(self, **given: Any) -> AsyncGenerator[tuple[Any, ...]]:
        async with _connectors(**given) as inner:
            yield tuple(_Trapped(connector, self) for connector in inner)

    def spring(self, tool: str, endpoint: str) -> None:
        """Throw, if it is time to."""
        key = f"{tool} {endpoint}"
        if self.throws(tool) and self.thrown[key] < self.times:
            self.thrown[key] += 1
            raise KeyError("from below")  # a new one each time: its traceback and context grow with every raise

    @property
    def tools(self) -> set[str]:
        """Tools that were called when it threw."""
        return {key.partition(" ")[0] for key in self.thrown}


_connectors = bootstrap.connectors


class _Trapped:
    """A connector whose connections throw."""

    def __init__(self, inner: Any, trap: Trap) -> None:
        self._inner, self._trap, self.name = inner, trap, inner.name

    def accepts(self, endpoint: str) -> bool:
        return self._inner.accepts(endpoint)

    def connect(self, endpoint: str) -> AbstractAsyncContextManager[Any]:
        @asynccontextmanager
        async def connected() -> AsyncGenerator[Any]:
            self._trap.spring("connect", endpoint)
            async with self._inner.connect(endpoint) as connection:
                yield _TrappedConnection(connection, self._trap, endpoint)

        return connected()


class _TrappedConnection:
    def __init__(self, inner: Any, trap: Trap, endpoint: str) -> None:
        self._inner, self._trap, self._endpoint = inner, trap, endpoint
        self.dialect = inner.dialect

    async def list_tools(self) -> Any:
        self._trap.spring("list_tools", self._endpoint)
        return await self._inner.list_tools()

    async def call(self, tool: str, arguments: Any, *, timeout: float) -> Any:
        self._trap.spring(tool, self._endpoint)
        return await self._inner.call(tool, arguments, timeout=timeout)

    async def ping(self, *, timeout: float) -> None:
        self._trap.spring("ping", self._endpoint)
        await self._inner.ping(timeout=timeout)


async def played(folder: Path, trap: Trap, monkeypatch: pytest.MonkeyPatch, retries: int) -> League:
    """A league of our own agents, each with the trap under it."""
    monkeypatch.setattr(bootstrap, "connectors", trap.connectors)
    settings = {"timeouts.game_join_timeout_sec": 60.0, "timeouts.move_timeout_sec": 60.0}
    with anyio.fail_after(300):
        async with league_harness(folder, settings={**settings, "retry_policy.max_retries": retries}) as held:
            held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
            for name in ("Ada", "Ben", "Cyd", "Mal"):
                held.start(Role.PLAYER, name, strategy="random")
            await held.over()
            assert held.league.state is LeagueState.COMPLETED, held.failures()
            return held.league


@requirement("project-TRUST-03")
@pytest.mark.usefixtures("caplog")
async def test_thrown_once_at_every_call_of_a_league_they_leave_no_trace_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    trap = Trap()
    league = await played(tmp_path, trap, monkeypatch, retries=5)
    assert trap.tools >= {
        *("connect", "list_tools", "register_referee", "register_player", "notify_round", "start_match"),
        *("handle_game_invitation", "choose_parity", "notify_match_result", "report_match_result"),
        *("update_standings", "notify_round_completed", "notify_league_completed"),
    }
    assert {(result.attempt, result.faults) for result in league.results.values()} == {(1, ())}
    assert (len(league.results), league.voided) == (6, {})


@pytest.mark.usefixtures("caplog")
@pytest.mark.parametrize("tool", ["notify_round", "update_standings", "notify_match_result"])
async def test_thrown_for_ever_where_an_answer_does_not_matter_they_change_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
):
    trap = Trap(times=10**9, throws=lambda called: called == tool)
    league = await played(tmp_path, trap, monkeypatch, retries=1)
    assert trap.tools == {tool}
    assert [result.faults for result in league.results.values()] == [()] * 6


class TestTheReferee:
    @requirement("project-TRUST-03")
    @pytest.mark.parametrize("kind", [GameInvitation, MoveCall])
    async def test_gives_up_a_match_that_it_cannot_ask_for_and_reports_no_loss(self, kind: type[Any]):
        async with referee_harness() as held:
            held.peers.script(kind, OURS, to="P02")
            runner = await held.played()
        assert runner.match.state is MatchState.ABORTED
        assert runner.match.abort_reason == OURS.message
        assert held.peers.sent(MatchResultReport) == []

    @pytest.mark.parametrize("kind", [GameInvitation, MoveCall])
    async def test_also_when_it_can_ask_neither(self, kind: type[Any]):
        async with referee_harness() as held:
            held.peers.script(kind, OURS)
            assert (await held.played()).match.state is MatchState.ABORTED

    async def test_goes_on_with_its_other_matches(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, OURS, OURS, NATURAL[GameInvitation])
            await held.played("R1M1")
            assert (await held.played("R1M2")).match.state is MatchState.REPORTED

    @pytest.mark.parametrize("kind", [GameInvitation, MoveCall])
    async def test_takes_an_e099_that_a_player_answers_for_the_players(self, kind: type[Any]):
        async with referee_harness() as held:
            held.peers.script(kind, InternalError("a bug in the player"), to="P02")
            await held.played()
        (report,) = held.peers.sent(MatchResultReport)
        assert (report.result.status, report.result.winner) == (ResultStatus.TECHNICAL_LOSS, "P01")

    async def test_reports_a_match_whose_end_it_cannot_tell_the_players(self):
        async with referee_harness() as held:
            held.peers.script(GameOver, OURS)
            runner = await held.played()
        assert runner.match.state is MatchState.REPORTED
        assert len(held.peers.sent(MatchResultReport)) == 1

    async def test_keeps_a_result_that_it_cannot_report_and_reports_it_again(self):
        async with referee_harness() as held:
            held.peers.script(MatchResultReport, OURS, OURS, NATURAL[MatchResultReport])
            runner = await held.played()
        assert runner.match.state is MatchState.REPORTED
        assert len(held.peers.sent(MatchResultReport)) == 3


class TestTheManager:
    async def test_gives_a_match_that_it_cannot_assign_to_another_referee(self):
        async with runner_harness(referees=2) as held:
            held.peers.script(StartMatch, OURS, to="REF01")
            await held.course.run()
        assert [referee for _, referee, _ in held.started()] == ["REF01", "REF02"]
        assert [result.faults for result in held.manager.league.results.values()] == [()]

    async def test_voids_a_match_that_it_can_assign_to_no_one(self):
        async with runner_harness(max_attempts=2) as held:
            held.peers.script(StartMatch, OURS)
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(5)  # a heartbeat: its only referee may come back
            await held.over.wait()
        league = held.manager.league
        assert (list(league.voided), dict(league.results)) == (["R1M1"], {})

    @pytest.mark.parametrize(
        "kind", [RoundAnnouncement, LeagueStandingsUpdate, RoundCompletedMessage, LeagueCompletedMessage]
    )
    async def test_goes_on_without_those_that_it_cannot_tell(self, kind: type[Any]):
        async with runner_harness() as held:
            held.peers.script(kind, OURS)
            await held.course.run()
        assert [result.faults for result in held.manager.league.results.values()] == [()]

    async def test_gives_a_match_away_whose_referee_it_cannot_look_at(self):
        async with runner_harness(referees=2) as held:
            held.peers.script(StartMatch, NATURAL[StartMatch], to="REF01")
            held.peers.script(MatchStatus, OURS, to="REF01")
            held.begin()
            await until_called(held, StartMatch)
            await held.clock.pass_by(16)
            await held.over.wait()
        assert [referee for _, referee, _ in held.started()] == ["REF01", "REF02"]

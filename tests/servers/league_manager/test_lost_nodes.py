"""Players that a place lost with their machines, and players that ended by themselves."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from league_sdk.domain.model import Fault
from league_sdk.ports import CallRefused
from league_sdk.protocol.operator import StartMatch
from servers.agent.place_reports import Loss, PlaceReports
from servers.league_manager.lost_nodes import BACK_SEC, REPORT_SEC, LostNodes
from tests.servers.fakes import begun, result_report, settle
from tests.servers.league_manager.runner_harness import RunnerHarness, runner_harness, until_called

pytestmark = pytest.mark.anyio
ABSENT = {"player_id": "P02", "cause": "no_move", "phase": "move", "error_code": "E001", "tries": 4, "description": ""}
LOST = "Player 2"
AGAIN = "a player's machine was lost: P02"


@dataclass
class Placed:
    """A league of two whose players a cluster placed, with its match under way."""

    held: RunnerHarness
    reports: PlaceReports
    nodes: LostNodes

    async def blamed(self, attempt: int = 1, cause: str = "no_move") -> str:
        """Report that P02 lost by its absence; the code of a refusal."""
        body: dict[str, Any] = {"winner": "P01", "score": {"P01": 3, "P02": 0}, "details": {"status": "TECHNICAL_LOSS"}}
        body["faults"] = [{**ABSENT, "cause": cause}]
        try:
            await self.held.manager.call("report_match_result", result_report(attempt=attempt, result=body))
        except CallRefused as error:
            return str((error.data or {})["error_code"])
        return ""

    @property
    def fault(self) -> tuple[Fault, ...] | None:
        """The faults on record, once the match is decided."""
        result = self.held.manager.league.results.get("R1M1")
        return None if result is None else result.faults


@asynccontextmanager
async def placed(
    answers: Callable[[str], str] = lambda endpoint: "", max_attempts: int = 5, attempts: int = 1
) -> AsyncGenerator[Placed]:
    """Such a league; `answers` says what listens at an endpoint now."""

    async def look(endpoint: str) -> str:
        return answers(endpoint)

    reports = PlaceReports()
    nodes = LostNodes(frozenset({"Player 1", LOST}), reports, look=look)
    async with runner_harness(lost_nodes=nodes, max_attempts=max_attempts) as held:
        nodes.clock = held.clock
        held.peers.script(StartMatch, *[lambda call: begun(call)] * 9)
        held.begin()
        await until_called(held, StartMatch, attempts)
        await settle()
        yield Placed(held, reports, nodes)


async def test_a_match_whose_players_machine_is_lost_is_played_again_once_the_player_is_back():
    async with placed() as league:
        assert await league.blamed() == "E023"
        league.reports.lost(LOST, Loss.NODE)
        await settle()
        assert await league.blamed() == "E007"
        assert len(league.held.started()) == 1
        league.reports.back(LOST)
        await until_called(league.held, StartMatch, 2)
        assert [reason for _, _, reason in league.held.assigned("R1M1")] == ["", AGAIN]
        assert league.fault is None


async def test_one_that_never_comes_back_is_waited_for_within_a_bound():
    async with placed() as league:
        league.reports.lost(LOST, Loss.NODE)
        await settle()
        await league.held.clock.pass_by(BACK_SEC - 1)
        assert len(league.held.started()) == 1
        await league.held.clock.pass_by(2)
        assert len(league.held.started()) == 2


async def test_a_process_that_ended_by_itself_is_its_players_fault_at_once():
    async with placed() as league:
        league.reports.lost(LOST, Loss.OWN)
        assert not await league.blamed(cause="connection_refused")
        assert [fault.player_id for fault in league.fault or ()] == ["P02"]


async def test_a_player_that_answers_the_manager_has_lost_no_machine():
    async with placed(lambda endpoint: "mcp") as league:
        assert not await league.blamed()
        assert league.fault is not None


async def test_a_place_that_says_nothing_is_waited_for_within_a_bound():
    async with placed() as league:
        assert await league.blamed() == "E023"
        league.held.clock.advance(REPORT_SEC)
        assert not await league.blamed()
        assert league.fault is not None


async def test_a_fault_that_is_no_absence_waits_for_nothing():
    async with placed() as league:
        assert not await league.blamed(cause="illegal_move")
        assert league.fault is not None


async def test_the_last_attempt_is_decided_as_it_is_reported():
    async with placed(max_attempts=1) as league:
        league.reports.lost(LOST, Loss.NODE)
        await settle()
        assert not await league.blamed()
        assert [fault.player_id for fault in league.fault or ()] == ["P02"]
        assert len(league.held.started()) == 1


async def test_a_loss_before_an_attempt_excuses_nothing_in_it():
    async with placed() as league:
        league.reports.lost(LOST, Loss.NODE)
        await settle()
        league.reports.back(LOST)
        await until_called(league.held, StartMatch, 2)
        await settle()
        assert await league.blamed(attempt=2) == "E023"
        league.reports.lost(LOST, Loss.OWN)
        assert not await league.blamed(attempt=2)


async def test_without_a_place_that_reports_a_result_counts_as_it_comes():
    async with runner_harness() as held:
        held.peers.script(StartMatch, lambda call: begun(call))
        held.begin()
        await until_called(held, StartMatch)
        league = Placed(held, PlaceReports(), LostNodes())
        assert not await league.blamed()
        assert league.fault is not None

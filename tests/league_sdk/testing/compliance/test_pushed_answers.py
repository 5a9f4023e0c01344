"""Players that acknowledge what they are asked, and call their referee with the answer: as in a league."""

import asyncio
from typing import Any

import httpx2
import pytest

from league_sdk.testing.compliance import ComplianceReport, Timeouts, check_agent
from league_sdk.testing.compliance.check_report import ComplianceOutcome
from tests.dialects.bare import Bare, Message, PushingPlayer, Refused
from tests.faults.league_harness import free_port
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

QUICK = Timeouts(join=1.0, move=1.0, response=2.0)


async def checked(player: Bare, **meta: str) -> ComplianceReport:
    """Check a player that registers with the checker as soon as that listens."""
    port = free_port()

    async def register() -> None:
        for _ in range(400):
            try:
                await player.register(f"http://127.0.0.1:{port}/mcp", **meta)
                return
            except httpx2.ConnectError:
                await asyncio.sleep(0.02)

    async with player.serving():
        registering = asyncio.create_task(register())
        report = await check_agent(player.endpoint, manager_port=port, wait=10, timeouts=QUICK, dialects=("jsonrpc",))
        await registering
    return report


@requirement("project-WIRE-11")
async def test_a_player_that_pushes_its_answers_would_play_and_lose_nothing():
    player = PushingPlayer("Mal")
    report = await checked(player, dialect="push")
    assert [(check.title, check.detail) for check in report.failed] == []
    assert report.verdict.outcome is ComplianceOutcome.PLAYS
    assert {answer["message_type"] for answer in player.answers} == {"ANSWER_ACK"}
    passed = {check.name for check in report.checks if check.status == "passed"}
    assert {"GAME_JOIN_ACK: comes to the match", "CHOOSE_PARITY_RESPONSE: a legal move"} <= passed


async def test_a_registered_player_is_champion_of_the_check_by_its_own_name():
    player = PushingPlayer("Mal")
    await checked(player, dialect="push")
    ends = [message for tool, message in player.heard if tool == "notify_league_completed"]
    assert {message["champion"]["display_name"] for message in ends} == {"Mal"}


class Forgetful(PushingPlayer):
    """Acknowledges the call for its move, and leaves it at that."""

    async def on_choose_parity(self, message: Message) -> Any:
        return {"status": "success"}


async def test_one_that_acknowledges_and_never_pushes_loses():
    report = await checked(Forgetful("Mal"), dialect="push")
    assert report.verdict.outcome is ComplianceOutcome.LOSES
    assert "it acknowledged the message, and no answer followed within 1 s" in str(report.verdict)


class Forger(PushingPlayer):
    """Shows a token of its own making."""

    def answer_with(self, kind: str, to: Message, **fields: Any) -> Message:
        return {**super().answer_with(kind, to, **fields), "auth_token": "x" * 43}


async def test_one_that_shows_a_wrong_token_is_refused_as_by_a_league():
    player = Forger("Mal")
    report = await checked(player, dialect="push")
    assert report.verdict.outcome is ComplianceOutcome.LOSES
    refusals = [trouble.error for trouble in player.troubles if isinstance(trouble, Refused)]
    assert {error["data"]["error_code"] for error in refusals} == {"E012"}

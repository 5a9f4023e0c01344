"""Players of `league.v1`: called in it where they register in it, as in a league."""

from typing import Any

import pytest

from league_sdk.testing.compliance.check_report import ComplianceOutcome
from tests.dialects.bare import Message, V1Player
from tests.league_sdk.testing.compliance.test_pushed_answers import checked
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


@requirement("003-PROTO-01")
async def test_a_player_that_speaks_league_v1_alone_would_play_and_lose_nothing():
    player = V1Player("Una")
    report = await checked(player)
    assert [(check.title, check.detail) for check in report.failed] == []
    assert report.verdict.outcome is ComplianceOutcome.PLAYS
    assert {message["protocol"] for _, message in player.heard if "protocol" in message} == {"league.v1"}
    passed = {check.name for check in report.checks if check.status == "passed"}
    assert {"GAME_JOIN_ACK: comes to the match", "CHOOSE_PARITY_RESPONSE: a legal move"} <= passed


class Undecided(V1Player):
    """Never moves legally."""

    async def on_choose_parity(self, message: Message) -> Any:
        return self.message("PARITY_CHOICE", message, choice={"value": "both"})


async def test_one_whose_moves_are_illegal_loses_in_league_v1_too():
    report = await checked(Undecided("Una"))
    assert report.verdict.outcome is ComplianceOutcome.LOSES
    assert "parity_choice is 'both'" in str(report.verdict)


class Modernised(V1Player):
    """Registers in `league.v2`, and answers in `league.v1`."""

    async def answer(self, request: Any) -> Any:
        return await super(V1Player, self).answer(request)

    async def register(self, manager: str, secret: str | None = None, **more: Any) -> Message:
        return await super().register(manager, secret, dialect="jsonrpc/league.v2")

    async def on_handle_game_invitation(self, message: Message) -> Any:
        return self.message("GAME_JOIN_ACK", message)

    async def on_choose_parity(self, message: Message) -> Any:
        return self.message("PARITY_CHOICE", message, choice={"value": "odd"})

    async def on_notify_match_result(self, message: Message) -> Any:
        return {"acknowledged": True}


async def test_answers_in_league_v1_to_messages_of_league_v2_are_read_as_by_a_league():
    report = await checked(Modernised("Una"))
    assert [(check.title, check.detail) for check in report.failed] == []
    assert report.verdict.outcome is ComplianceOutcome.PLAYS

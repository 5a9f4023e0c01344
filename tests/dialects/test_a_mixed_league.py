"""Two dialects under one roof: agents that share neither wire nor protocol nor manner play in one league."""

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk import plugins
from league_sdk.audit import Report, audit, rows_from_jsonl
from league_sdk.domain.league import League
from league_sdk.domain.model import ResultStatus, Role
from tests.dialects.bare import Bare, BarePlayer, PushingPlayer, V1Player
from tests.faults.league_harness import LeagueHarness, league_harness
from tests.requirements.marker import requirement

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
CALM = {
    "timeouts.game_join_timeout_sec": 5.0,
    "timeouts.move_timeout_sec": 5.0,
    "timeouts.generic_response_timeout_sec": 5.0,
}


def audited(held: LeagueHarness) -> Report:
    """The independent audit's report on the stored records."""
    records = [report["record"] for _, report in held.said if report["kind"] == "record"]
    lines = (json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    return audit(rows_from_jsonl("".join(lines).encode()), lambda name, options: plugins.game(name, (), options))


def dialects(league: League) -> dict[str, str]:
    return {agent.display_name: agent.dialect for agent in (*league.players.values(), *league.referees.values())}


def answers_of(league: League, player_id: str) -> list[dict[str, Any]]:
    """A player's answers to invitations and requests for moves, from the log."""
    return [
        dict(entry)
        for result in league.results.values()
        for entry in result.transcript
        if entry.get("from") == player_id and ("choice" in entry or "accept" in entry)
    ]


@dataclass
class Played:
    """A league that is over."""

    league: League
    report: Report
    bare: BarePlayer
    old: V1Player
    pushing: PushingPlayer


@asynccontextmanager
async def serving(*agents: Bare) -> AsyncGenerator[None]:
    async with AsyncExitStack() as stack:
        for agent in agents:
            await stack.enter_async_context(agent.serving())
        yield


async def play(folder: Path) -> Played:
    bare, old, pushing = BarePlayer("Ben"), V1Player("Cyd"), PushingPlayer("Mal")
    with anyio.fail_after(30):
        async with serving(bare, old, pushing), league_harness(folder, settings=CALM) as held:
            held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
            held.start(Role.PLAYER, "Ada", strategy="random")
            await held.until(lambda league: bool(league.players and league.referees))
            for agent in (bare, old):
                await agent.register(held.manager)
            await pushing.register(held.manager, dialect="push")
            await held.over()
        assert (held.failures(), pushing.troubles) == ([], [])
    return Played(held.league, audited(held), bare, old, pushing)


@requirement("001-API-04", "003-PROTO-01")
async def test_a_league_of_four_dialects_is_played_without_a_technical_loss(tmp_path):
    played = await play(tmp_path)
    league = played.league
    assert len(league.results) == 6
    assert {result.status for result in league.results.values()} <= {ResultStatus.WIN, ResultStatus.DRAW}
    assert dialects(league) == {
        "Ada": "mcp/league.v2",
        "Ben": "jsonrpc/league.v2",
        "Cyd": "jsonrpc/league.v1",
        "Mal": "jsonrpc/league.v2/push",
        "Whistle": "mcp/league.v2",
    }
    # Each of them moved as it meant to, and only one of them by calling back.
    choices = {"P02": "even", "P03": "odd", "P04": "odd"}
    for player, choice in choices.items():
        answers = answers_of(league, player)
        assert len(answers) == 6
        assert {answer["choice"] for answer in answers if "choice" in answer} == {choice}
        assert {answer.get("pushed", False) for answer in answers} == {player == "P04"}
    assert {answer["message_type"] for answer in played.pushing.answers} == {"ANSWER_ACK"}
    assert len(played.pushing.answers) == 9  # three invitations, three moves, and each move once more
    # Whoever looks at the records without our rules finds nothing to complain of.
    assert played.report.findings == []
    # Everybody was told how it ended, each in its own words.
    assert played.bare.over.is_set()
    assert played.old.over.is_set()
    kinds = {message["message_type"] for _, message in played.old.heard}
    assert {"GAME_INVITATION", "CHOOSE_PARITY_CALL", "GAME_OVER", "LEAGUE_COMPLETED"} <= kinds

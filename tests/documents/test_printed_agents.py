"""Agents that are the documents' code to the letter, in a real league."""

import anyio
import pytest

from league_sdk.domain.league import League
from league_sdk.domain.model import ResultStatus, Role
from servers.read_model import player_record
from tests.dialects.test_a_mixed_league import CALM, audited, serving
from tests.documents.printed import PrintedPlayer
from tests.faults.league_harness import league_harness
from tests.requirements.marker import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore::ResourceWarning")]
QUERY = {"query_type": "GET_STANDINGS"}


def derived_in(league: League, player_id: str) -> set[str]:
    """The fields that a player's answers in matches left out, from the records."""
    entries = (entry for result in league.results.values() for entry in result.transcript)
    return {name for entry in entries if entry.get("from") == player_id for name in entry.get("derived", ())}


@requirement("003-RES-03", "003-RES-04", "003-RES-05")
async def test_the_players_of_003_as_printed_lose_nothing(tmp_path):
    plain, enveloped = PrintedPlayer("alpha"), PrintedPlayer("beta", enveloped=True)
    with anyio.fail_after(40):
        async with serving(plain, enveloped), league_harness(tmp_path, settings=CALM) as held:  # pyright: ignore[reportArgumentType]
            held.start(Role.REFEREE, "Whistle", max_concurrent_matches=8)
            held.start(Role.PLAYER, "Ada", strategy="random")
            held.start(Role.PLAYER, "Bob", strategy="random")
            await held.until(lambda league: len(league.players) == 2 and bool(league.referees))
            await plain.register(held.manager)
            await enveloped.register(held.manager)
            answer = await plain.ask(held.manager, "LEAGUE_QUERY", QUERY)
            await held.over()
        assert held.failures() == []
    assert answer["result"]["message_type"] == "LEAGUE_QUERY_RESPONSE"
    results = held.league.results.values()
    assert len(results) == 6
    assert {result.status for result in results} <= {ResultStatus.WIN, ResultStatus.DRAW}
    assert audited(held).findings == []
    # What they left out was taken from the call, and is on record with the answer.
    printed = {agent.display_name: agent for agent in held.league.players.values() if agent.derived}
    assert {name: agent.derived for name, agent in printed.items()} == {
        "alpha": ("timestamp", "conversation_id"),
        "beta": ("timestamp", "conversation_id"),
    }
    marks = {name: derived_in(held.league, agent.agent_id) for name, agent in printed.items()}
    assert marks["beta"] == {"protocol", "timestamp", "player_id"}
    record = player_record(held.league, printed["beta"].agent_id)
    assert record.derived["LEAGUE_REGISTER_REQUEST"] == ("timestamp", "conversation_id")
    assert set(record.derived["CHOOSE_PARITY_RESPONSE"]) == {"protocol", "timestamp"}
    assert marks["alpha"] == {*marks["beta"], "jsonrpc", "id", "result"}

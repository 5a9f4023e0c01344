"""The referee's tool table."""

import pytest

from servers.agent.access import Access
from servers.referee.tools import tool_table
from tests.servers.fakes import SPECS
from tests.servers.referee.referee_harness import referee_harness


@pytest.mark.anyio
async def test_what_a_caller_has_to_show_for_each_tool():
    async with referee_harness() as held:
        table = {tool.call.tool: tool.access for tool in tool_table(held.service, SPECS)}
    assert table == {
        "notify_round": Access.MANAGER,
        "notify_round_completed": Access.MANAGER,
        "notify_league_completed": Access.MANAGER,
        "receive_game_join_ack": Access.ANSWER,
        "receive_parity_response": Access.ANSWER,
        "receive_move_response": Access.ANSWER,
        "start_match": Access.MANAGER,
        "match_status": Access.MANAGER,
        "collect_choices": Access.OPERATOR,
        "finalize_match": Access.OPERATOR,
        "draw_number": Access.OPERATOR,
        "resolve_match": Access.OPERATOR,
    }

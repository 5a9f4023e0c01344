"""The player's tool table."""

from servers.agent.access import Access
from servers.player.tools import tool_table
from tests.servers.fakes import SPECS
from tests.servers.player.player_harness import player


def test_what_a_caller_has_to_show_for_each_tool():
    table = {tool.call.tool: tool.access for tool in tool_table(player().service, SPECS)}
    assert table == {
        "notify_round": Access.MANAGER,
        "update_standings": Access.MANAGER,
        "notify_round_completed": Access.MANAGER,
        "notify_league_completed": Access.MANAGER,
        "handle_game_invitation": Access.TICKET,
        "notify_match_result": Access.TICKET,
        "notify_game_error": Access.TICKET,
        "choose_parity": Access.TICKET,
        "choose_move": Access.TICKET,
    }

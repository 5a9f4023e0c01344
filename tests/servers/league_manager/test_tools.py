"""The manager's tool table: nobody gets in by a door that was left open."""

from league_sdk.clock import ManualClock, ManualIds
from league_sdk.net.endpoints import read_endpoint
from league_sdk.stores import MemoryEventStore
from servers.agent.access import Access
from servers.league_manager.ledger import Ledger
from servers.league_manager.service import LeagueManagerService
from servers.league_manager.tools import tool_table
from tests.servers.fakes import LEAGUE, OPERATOR, FakeJournal


def test_what_a_caller_has_to_show_for_each_tool():
    clock = ManualClock()
    service = LeagueManagerService(
        ledger=Ledger(MemoryEventStore(), clock, LEAGUE),
        clock=clock,
        ids=ManualIds(),
        journal=FakeJournal(),
        operator_token=OPERATOR,
        read_endpoint=read_endpoint,
    )
    assert {tool.call.tool: tool.access for tool in tool_table(service)} == {
        "register_referee": Access.PUBLIC,
        "register_player": Access.PUBLIC,
        "withdraw": Access.AGENT,
        "report_match_result": Access.REFEREE,
        "league_query": Access.AGENT,
        "start_league": Access.OPERATOR,
        "create_schedule": Access.OPERATOR,
        "get_standings": Access.OPERATOR,
    }

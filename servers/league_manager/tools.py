"""The league manager's tools: message, method and required caller."""

from league_sdk.domain.model import Role
from league_sdk.protocol.catalog import calls_for
from servers.agent.access import Access
from servers.agent.inbound import Tool
from servers.league_manager.service import LeagueManagerService


def tool_table(service: LeagueManagerService) -> list[Tool]:
    handlers = {
        "register_referee": (service.register_referee, Access.PUBLIC),
        "register_player": (service.register_player, Access.PUBLIC),
        "withdraw": (service.withdraw, Access.AGENT),
        "report_match_result": (service.report_match_result, Access.REFEREE),
        "league_query": (service.league_query, Access.AGENT),
        "start_league": (service.start_league, Access.OPERATOR),
        "create_schedule": (service.create_schedule, Access.OPERATOR),
        "get_standings": (service.get_standings, Access.OPERATOR),
    }
    return [Tool(call, *handlers[call.tool]) for call in calls_for(Role.LEAGUE_MANAGER)]

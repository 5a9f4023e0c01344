"""Table of the player's tools, with their methods and access."""

from collections.abc import Iterable

from league_sdk.domain.model import Role
from league_sdk.game import MoveSpec
from league_sdk.protocol.catalog import calls_for
from servers.agent.access import Access
from servers.agent.inbound import Tool
from servers.player.service import PlayerService


def tool_table(service: PlayerService, specs: Iterable[MoveSpec]) -> list[Tool]:
    handlers = {
        "notify_round": (service.notify_round, Access.MANAGER),
        "update_standings": (service.update_standings, Access.MANAGER),
        "notify_round_completed": (service.notify_round_completed, Access.MANAGER),
        "notify_league_completed": (service.notify_league_completed, Access.MANAGER),
        "handle_game_invitation": (service.handle_game_invitation, Access.TICKET),
        "notify_match_result": (service.notify_match_result, Access.TICKET),
        "notify_game_error": (service.notify_game_error, Access.TICKET),
    }
    move = (service.choose_move, Access.TICKET)
    calls = calls_for(Role.PLAYER, specs)
    return [Tool(call, *(handlers[call.tool] if call.spec is None else move), call.spec) for call in calls]

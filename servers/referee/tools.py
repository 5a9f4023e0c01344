"""The referee's tools: message, method and required caller."""

from collections.abc import Iterable, Mapping

from league_sdk.domain.model import Role
from league_sdk.game import MoveSpec
from league_sdk.protocol.catalog import calls_for
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.match import MoveResponse
from league_sdk.protocol.operator import MatchStep
from servers.agent.access import Access
from servers.agent.inbound import Handler, Tool
from servers.referee.service import RefereeService


def tool_table(service: RefereeService, specs: Iterable[MoveSpec]) -> list[Tool]:
    """Every tool of a referee.

    `specs` matter because a game has a name of its own for the step that resolves a match.
    """
    handlers = {
        "notify_round": (service.notify_round, Access.MANAGER),
        "notify_round_completed": (service.notify_round_completed, Access.MANAGER),
        "notify_league_completed": (service.notify_league_completed, Access.MANAGER),
        "receive_game_join_ack": (service.receive_answer, Access.ANSWER),
        "start_match": (service.start_match, Access.MANAGER),
        "match_status": (service.match_status, Access.MANAGER),
        "collect_choices": (service.collect_choices, Access.OPERATOR),
        "finalize_match": (service.finalize_match, Access.OPERATOR),
    }
    of_games: Mapping[type[Message], tuple[Handler, Access]] = {
        MatchStep: (service.resolve_match, Access.OPERATOR),
        MoveResponse: (service.receive_answer, Access.ANSWER),
    }
    calls = calls_for(Role.REFEREE, specs)
    return [
        Tool(call, *(handlers[call.tool] if call.spec is None else of_games[call.request]), call.spec) for call in calls
    ]

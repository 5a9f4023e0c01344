"""Runs the host of a league's seats."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from league_sdk import tokens
from league_sdk.logs import AgentLogger
from league_sdk.mcp_adapter.server import call_context
from servers.agent import startup_status
from servers.agent.bootstrap import AgentContext, move_specs
from servers.agent.seat_use import USAGE_FILE, SeatUse
from servers.agent.startup_status import ReportTo
from servers.seats.service import HostedSeats
from servers.seats.tools import SEAT_PATH, OwnerTools, PlayerTools
from servers.seats.usage import SeatUsage

USAGE_PATH = "/seats/usage"
"""The counts of overuse, as an answer to the operator and the league manager."""


async def run_seats(tools: AgentContext, report: ReportTo) -> int:
    """Serve seats until cancelled."""
    limits, journal, throttle = tools.system.timeouts, AgentLogger("SEATS", tools.logs), tools.throttle()
    tools.lost_output.log_to(journal)
    longest = max(limits.move_timeout_sec, limits.game_join_timeout_sec, limits.generic_response_timeout_sec)
    key = tokens.seat_key(tools.spec.operator_token or "", tools.spec.league_id)

    def overused(seat_id: str, use: SeatUse) -> None:
        journal.event("SEAT_OVERUSED", "WARNING", seat=seat_id, **asdict(use))
        report(startup_status.note(f"the owner of seat {seat_id} asks more than it may; it is refused, others are not"))

    usage = SeatUsage(tools.clock, tools.workspace.league_dir(tools.spec.league_id) / USAGE_FILE, overused)
    seats = HostedSeats(key, tools.clock, longest, usage)
    owners = OwnerTools(
        seats,
        throttle,
        lambda address, reason: journal.event("CALL_REFUSED", "WARNING", address=address, reason=reason),
    )
    players = PlayerTools(seats, tools.codec, move_specs(tools.games), throttle)
    routes = [Route(USAGE_PATH, usage_page(usage, tools.spec.operator_token), methods=["GET"])]
    async with tools.serve(owners, routes, more={SEAT_PATH: players}) as listener:
        report(startup_status.listening(listener.endpoint))
        await seats.keep_time()
    return 0


def usage_page(usage: SeatUsage, operator_token: str | None) -> Callable[[Request], Awaitable[Response]]:
    """The counts of calls beyond their bounds by seat, for the operator's token."""

    async def answer(request: Request) -> Response:
        token = call_context(request, "").bearer_token
        if not operator_token or not tokens.same(token, operator_token):
            return JSONResponse({"error": "this is for the operator's token"}, 403)
        return JSONResponse(
            {"seats": usage.to_json(), "overused": usage.recent()}, headers={"cache-control": "no-store"}
        )

    return answer

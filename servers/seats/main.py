"""Runs the host of a league's seats."""

import anyio

from league_sdk import tokens
from league_sdk.logs import AgentLogger
from servers.agent import startup_status
from servers.agent.bootstrap import AgentContext, move_specs
from servers.agent.startup_status import ReportTo
from servers.seats.service import HostedSeats
from servers.seats.tools import SEAT_PATH, OwnerTools, PlayerTools


async def run_seats(tools: AgentContext, report: ReportTo) -> int:
    """Serve seats until cancelled."""
    limits, journal, throttle = tools.system.timeouts, AgentLogger("SEATS", tools.logs), tools.throttle()
    tools.lost_output.log_to(journal)
    longest = max(limits.move_timeout_sec, limits.game_join_timeout_sec, limits.generic_response_timeout_sec)
    key = tokens.seat_key(tools.spec.operator_token or "", tools.spec.league_id)
    seats = HostedSeats(key, tools.clock, longest)
    owners = OwnerTools(
        seats,
        throttle,
        lambda address, reason: journal.event("CALL_REFUSED", "WARNING", address=address, reason=reason),
    )
    players = PlayerTools(seats, tools.codec, move_specs(tools.games), throttle)
    async with tools.serve(owners, more={SEAT_PATH: players}) as listener:
        report(startup_status.listening(listener.endpoint))
        await anyio.sleep_forever()
    return 0

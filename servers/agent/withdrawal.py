"""Takes an agent out of its league at its own wish."""

from collections.abc import Awaitable, Callable

from league_sdk.errors import LeagueError
from league_sdk.ports import MalformedReply, Peer
from league_sdk.protocol.envelope import stamp
from league_sdk.protocol.registration import WithdrawRequest, WithdrawResponse
from servers.agent import startup_status
from servers.agent.member import Member


async def withdraw_when_asked(
    member: Member, reason: Awaitable[str], finish: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Withdraw once asked and seated, and end after `finish`; refused, play on."""
    told, tools, seat = await reason, member.tools, member.seat
    while not seat.settled:
        await seat.ready()
    if seat.credentials is None:
        member.over.set()
        return
    manager = Peer("league_manager", tools.spec.manager_url, seat.credentials.auth_token, tools.dialect)
    message = WithdrawRequest(
        **stamp(tools.clock, tools.ids, seat.sender),
        league_id=seat.credentials.league_id,
        reason=told,
    )
    try:
        timeout = tools.system.timeouts.generic_response_timeout_sec
        answer = await member.peers.call(manager, message, WithdrawResponse, timeout=timeout)
    except (LeagueError, MalformedReply) as error:
        member.report(startup_status.note(f"the league manager does not let it withdraw: {error}"))
        return
    number = len(answer.lost_matches)
    lost = f"; it loses {number} open match{'' if number == 1 else 'es'}" if number else ""
    member.report(startup_status.note(f"withdrew from {answer.league_id}{lost}"))
    if finish is not None:
        await finish()
    member.over.set()

"""Asks the league manager if it still knows an agent's token."""

from league_sdk.domain.model import Role
from league_sdk.errors import LeagueError
from league_sdk.ports import Journal, MalformedReply, Peer, PeerCalls
from league_sdk.protocol.envelope import stamp
from league_sdk.protocol.queries import LeagueQuery, LeagueQueryResponse
from servers.agent.bootstrap import AgentContext
from servers.agent.identity import Credentials

ANSWER_SEC = 10.0


async def refusal_of(
    tools: AgentContext,
    role: Role,
    own: Credentials,
    peers: PeerCalls,
    journal: Journal,
    *kinds: type[LeagueError],
) -> LeagueError | None:
    """The manager's refusal of an agent's token, if it is of one of these kinds."""
    manager = Peer("league_manager", tools.spec.manager_url, own.auth_token, tools.dialect)
    sender = stamp(tools.clock, tools.ids, f"{role}:{own.agent_id}")
    message = LeagueQuery(**sender, league_id=own.league_id, query_type="GET_STATUS")
    try:
        await peers.call(manager, message, LeagueQueryResponse, timeout=ANSWER_SEC, retry=False)
    except (LeagueError, MalformedReply) as error:
        if isinstance(error, kinds):
            return error
        journal.event("SEAT_NOT_CONFIRMED", "WARNING", reason=str(error))
    return None

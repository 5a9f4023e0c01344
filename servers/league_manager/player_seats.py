"""Seats of players that cannot be called, and their addresses."""

from collections.abc import Callable
from dataclasses import replace

from league_sdk import tokens
from league_sdk.clock import Ids
from league_sdk.dialect import MCP, V2, Dialect
from league_sdk.domain.model import HOSTED, Agent, Role
from league_sdk.errors import InvalidEndpoint

ID_LENGTH = 12


class PlayerSeats:
    """Gives seats, and knows their URLs; without the URL of a host there are none.

    `current_card` knows the number of a student's card now, by the player's name; 0 for a player of nobody's.
    """

    def __init__(
        self, ids: Ids, host_url: str = "", key: str = "", current_card: Callable[[str], int] = lambda _: 0
    ) -> None:
        self._ids = ids
        self._host_url = host_url
        self._key = key
        self._current_card = current_card

    def with_seat(self, agent: Agent, known: Agent | None, heir_of: Agent | None = None) -> Agent:
        """The player with a seat: its own, that of the player before it, or a new one."""
        if not self._host_url:
            raise _refused("this league has no seats for players that cannot be called; its operator can add --seats")
        if agent.role is not Role.PLAYER or agent.endpoint != HOSTED:
            raise _refused(f"only players get seats, and the league chooses which: ask for one with {HOSTED!r}")
        if known is not None and known.hosted:
            endpoint = known.endpoint
        elif heir_of is not None and heir_of.hosted:
            endpoint = tokens.next_seat(heir_of.endpoint)
        else:
            endpoint = HOSTED + tokens.digest(self._ids.token())[:ID_LENGTH]
        return replace(agent, endpoint=endpoint, dialect=str(Dialect(MCP, V2)))

    def url(self, agent: Agent) -> str:
        """The URL at which an agent is called: its seat's, or its own.

        Once a student has a new card, that of whoever joins with it.
        """
        endpoint = agent.endpoint
        if not agent.hosted or not self._host_url:
            return endpoint
        if agent.card and self._current_card(agent.display_name) > agent.card:
            endpoint = tokens.next_seat(endpoint)
        address = tokens.seat_address(self._key, endpoint.removeprefix(HOSTED))
        return f"{self._host_url.removesuffix('/mcp')}/seat/{address}/mcp"

    def key_of(self, agent: Agent) -> dict[str, str]:
        """Endpoint and token for a hosted player; nothing for others."""
        if not agent.hosted:
            return {}
        token = tokens.seat_token(self._key, agent.endpoint.removeprefix(HOSTED))
        return {"seat_endpoint": self._host_url, "seat_token": token}


def _refused(why: str) -> InvalidEndpoint:
    return InvalidEndpoint(why, field="contact_endpoint", expected="an http or https URL")

"""Admission of referees, by credentials of their own."""

import ipaddress

from league_sdk import tokens
from league_sdk.domain.league import League
from league_sdk.domain.model import Agent, Role
from league_sdk.errors import Forbidden, InvalidEndpoint
from league_sdk.names import name_key
from league_sdk.net.addresses import Endpoint, ReadEndpoint, Resolve, is_loopback, network_of, system_resolve
from servers.agent.access import Caller


class RefereeAdmission:
    """Decides whether a new referee is taken, and by which credential.

    A referee decides results, so no credential of a player makes one, nor does the operator's token. `secret` None
    admits all; so does `own_agents_only` for those that show nothing: all agents are the launcher's, and no stranger
    can come. Where `strangers` may come, an address that one of them has shown is no credential any more.
    """

    def __init__(
        self,
        secret: str | None = None,
        *,
        own_agents_only: bool = False,
        strangers: bool = False,
        resolve: Resolve = system_resolve,
    ) -> None:
        self._secret = secret
        self._own_agents_only = own_agents_only
        self._strangers = strangers
        self._resolve = resolve
        self._shared: set[str] = set()

    def seen(self, caller: Caller) -> None:
        """Note the address of an agent that is not the operator's."""
        self._shared.add(network_of(caller.address))

    async def admit(
        self, league: League, agent: Agent, caller: Caller, shown: str | None, read_endpoint: ReadEndpoint
    ) -> str:
        """The credential that admits a referee, as its record has it; else Forbidden."""
        name = agent.display_name
        if self._secret is None:
            return "open"
        if tokens.same(shown, self._secret):
            return "secret"
        if tokens.matches(shown, league.invited.get(name_key(name), "")):
            return "invitation"
        if shown is None and name in league.rules.referees_expected:
            listed = read_endpoint(league.rules.referees_expected[name])
            if read_endpoint(agent.endpoint).url != listed.url:
                raise _refused(f"{name!r} is expected at another endpoint (participants.referees_expected)")
            await self._check_address(name, caller, listed)
            self._check_no_player_is_there(league, name, listed, read_endpoint)
            return "address"
        if shown is None and self._own_agents_only:
            return "open"
        wrong = "" if shown is None else "; this is neither"
        raise _refused(
            f"a referee of this league shows its referee secret (security.referee_secret) or an invitation for the "
            f"name {name!r}{wrong}"
        )

    def check_endpoint(self, league: League, agent: Agent, endpoint: Endpoint, read_endpoint: ReadEndpoint) -> None:
        """Refuse a player at the port of a referee that is expected there."""
        for listed in league.rules.referees_expected.values():
            if agent.role is Role.PLAYER and _same_port(endpoint, read_endpoint(listed)):
                raise InvalidEndpoint("a referee is expected at this endpoint", field="contact_endpoint")

    async def _check_address(self, name: str, caller: Caller, listed: Endpoint) -> None:
        """Refuse a referee that is not where it is expected, or not alone there."""
        try:
            found = await self._resolve(listed.host, listed.port)
        except (OSError, TimeoutError) as error:
            raise _refused(f"the host of {name!r} cannot be found") from error
        if _address(caller.address) not in map(_address, found):
            raise _refused(f"{name!r} registers from the host of its endpoint, and this is another")
        if self._strangers and (is_loopback(caller.address) or network_of(caller.address) in self._shared):
            raise _refused(
                f"{name!r} is expected by its address, and strangers may come from there too: the league's operator "
                "gives it an invitation"
            )

    def _check_no_player_is_there(
        self, league: League, name: str, listed: Endpoint, read_endpoint: ReadEndpoint
    ) -> None:
        """Refuse a referee at whose port a player has registered."""
        for player in (*league.players.values(), *league.dismissed.values()):
            if not player.hosted and _same_port(read_endpoint(player.endpoint), listed):
                raise _refused(f"the endpoint of {name!r} is that of player {player.agent_id}")


def _same_port(one: Endpoint, other: Endpoint) -> bool:
    """True for the same port of the same host; this machine has many names."""
    same = one.host == other.host or (is_loopback(one.host) and is_loopback(other.host))
    return same and one.port == other.port


def _address(text: str) -> str:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text
    return str(getattr(address, "ipv4_mapped", None) or address)


def _refused(why: str) -> Forbidden:
    return Forbidden(why, field="referee_secret")

"""Decides whether agents and people of somebody else may reach an agent."""

from league_sdk.domain.model import Role
from league_sdk.net.addresses import is_loopback
from league_sdk.settings import SecurityConfig
from servers.agent.agent_spec import AgentSpec

REGISTRATIONS_OF_STRANGERS = 16
"""Agents without a credential of their own from one address: a household, not a flood."""


def strangers_may_come(spec: AgentSpec, settings: SecurityConfig) -> bool:
    """True where coming from this machine proves nothing.

    A proxy on the same machine passes on the requests of the whole world from a loopback address, and nobody can tell
    that there is one. So nothing is trusted for its address where guests, seats or a class are offered, or where an
    agent is known by a name or an address beyond its machine.
    """
    offered = spec.strangers or spec.seats_url or spec.roster or spec.invited or settings.trusted_proxies
    at_home = is_loopback(spec.bind_host) and is_loopback(spec.public_host)
    return bool(offered) or spec.role is Role.SEATS or not at_home


def registrations_per_address(spec: AgentSpec, settings: SecurityConfig) -> int | None:
    """Strangers that one address may register; None for no limit."""
    if settings.registrations_per_address is not None or not strangers_may_come(spec, settings):
        return settings.registrations_per_address
    return REGISTRATIONS_OF_STRANGERS

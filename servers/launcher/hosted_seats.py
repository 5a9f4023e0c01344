"""The host of seats beside a manager."""

from collections.abc import Sequence
from dataclasses import replace

from league_sdk.domain.model import Role
from league_sdk.settings import ConfigLoader
from servers.agent import security
from servers.agent.agent_spec import AgentSpec
from servers.launcher.addresses import ANY_PORTS, HIGHEST_PORT
from servers.launcher.port_check import CheckPorts, free_ports
from servers.launcher.run_options import RunOptions

SEATS_ABOVE = 100
"""The port of the host of seats, above the manager's: between those of referees and of players by default."""


def seats_beside(manager: AgentSpec, taken: Sequence[int] = (), *, anywhere: bool = False) -> AgentSpec:
    """The host of seats of a manager, 100 ports above it or at the next free one."""
    first = manager.port + SEATS_ABOVE
    if anywhere or first > HIGHEST_PORT:
        (first,) = free_ports(manager.bind_host, 1)
    port = next(port for port in range(first, HIGHEST_PORT + 1) if port not in taken)
    return replace(manager, role=Role.SEATS, name="Seats", port=port, rules=None, store_url=None, stdio=False)


def with_seats(manager: AgentSpec, seats: AgentSpec) -> AgentSpec:
    """The manager with its host of seats."""
    system = ConfigLoader(manager.config, overrides=manager.overrides).load_system()
    url = f"{security.scheme(system.security)}://{seats.public_host}:{seats.port}/mcp"
    here = f"{seats.public_host}:{seats.port}"
    return replace(manager, seats_url=url, neighbours=(*manager.neighbours, here))


def hosting(
    options: RunOptions, manager: AgentSpec, taken: Sequence[int], check_ports: CheckPorts | None
) -> tuple[AgentSpec, AgentSpec | None]:
    """The manager and its host of seats, if there is to be one."""
    if not options.seats:
        return manager, None
    seats = seats_beside(manager, taken, anywhere=options.port_base == ANY_PORTS)
    if check_ports is not None:
        check_ports(seats.bind_host, [seats.port])
    return with_seats(manager, seats), seats

"""The addresses that a league's agents listen on."""

from typing import TypeAlias

from league_sdk.settings import NetworkConfig
from servers.launcher.port_check import free_ports
from servers.launcher.run_options import PlanError, RunOptions

HIGHEST_PORT = 65_535
ANY_PORTS = 0
"""The port base that stands for any free ports."""
_Ports: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]
"""The manager's port, those of the referees, and those of the players."""


def addresses(options: RunOptions, configured: NetworkConfig, referees: int, players: int) -> tuple[str, str, _Ports]:
    """The address to listen on, the host name in endpoints, and the ports."""
    network = moved(configured, options.port_base)
    bind_host = options.bind_host or network.bind_host
    if options.port_base == ANY_PORTS:
        return bind_host, network.base_host, _any_ports(bind_host, referees, players)
    return bind_host, network.base_host, _ports(network, referees, players)


def _ports(network: NetworkConfig, referees: int, players: int) -> _Ports:
    try:
        return network.league_manager_port, *network.ports_for(referees, players)
    except ValueError as error:
        raise PlanError(f"{error}; choose a lower --port-base or fewer agents") from error


def _any_ports(bind_host: str, referees: int, players: int) -> _Ports:
    manager, *others = free_ports(bind_host, 1 + referees + players)
    return manager, tuple(others[:referees]), tuple(others[referees:])


def moved(network: NetworkConfig, port_base: int | None) -> NetworkConfig:
    """The ports, moved so that the manager's becomes `port_base`."""
    try:
        return network if port_base in (None, ANY_PORTS) else network.moved_to(port_base)
    except ValueError as error:
        raise PlanError(f"{error}; choose another --port-base") from error

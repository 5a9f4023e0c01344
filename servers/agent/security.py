"""Builds the guards that the settings of security and overload ask for."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from league_sdk.bounds import Bounds
from league_sdk.clock import Clock
from league_sdk.net.addresses import PUBLIC, AddressRule, is_loopback
from league_sdk.net.tls import TlsFiles, client_context, server_context
from league_sdk.settings import LimitsConfig, SecurityConfig
from servers.agent.rate_limit import Rate, Throttle

if TYPE_CHECKING:
    from league_sdk.net.connections import ConnectionLimits


def bounds(security: SecurityConfig) -> Bounds:
    """Size limits of messages."""
    return Bounds(security.max_json_depth, security.max_text_length, security.max_items)


def connection_limits(limits: LimitsConfig) -> "ConnectionLimits":
    from league_sdk.net.connections import ConnectionLimits  # brings a web server, which most commands do without

    return ConnectionLimits(
        limits.max_connections,
        limits.max_connections_per_address,
        limits.max_connections_per_agent,
        limits.client_patience_sec,
    )


def throttle(clock: Clock, limits: LimitsConfig) -> Throttle:
    return Throttle(
        clock,
        Rate(limits.requests_per_sec, limits.request_burst),
        Rate(limits.stranger_requests_per_sec, limits.stranger_burst),
    )


def tls_files(security: SecurityConfig) -> TlsFiles | None:
    """Certificate and key of our servers; None for plain HTTP."""
    if security.tls_cert is None or security.tls_key is None:
        return None
    return TlsFiles(Path(security.tls_cert).expanduser(), Path(security.tls_key).expanduser())


def authorities(security: SecurityConfig) -> Path | None:
    """CA certificates that our clients trust; None for the system's."""
    return None if security.tls_ca is None else Path(security.tls_ca).expanduser()


def check_tls(security: SecurityConfig) -> None:
    """Check that the TLS files can be used."""
    files, trusted = tls_files(security), authorities(security)
    if files is not None:
        server_context(files)
    if trusted is not None:
        client_context(trusted)


def scheme(security: SecurityConfig) -> str:
    return "http" if security.tls_cert is None else "https"


def token_ttl(security: SecurityConfig) -> timedelta | None:
    """Lifetime of a token; None for no limit."""
    return None if security.token_ttl_sec is None else timedelta(seconds=security.token_ttl_sec)


def address_rule(
    security: SecurityConfig, bind_host: str, neighbours: Iterable[str], invited: Iterable[str]
) -> AddressRule:
    """Endpoints that a league manager may call: configured or invited.

    Only a manager is told by strangers whom to call; a referee is told by its manager, a player calls its manager.
    """
    from league_sdk.net.endpoints import is_endpoint

    local = is_loopback(bind_host) and not security.trusted_proxies
    if not security.allowed_endpoints and local:
        return AddressRule()
    # A league from before may have one that cannot be called; who cannot be called need not be allowed.
    named = map(_host_and_port, filter(is_endpoint, invited))
    return AddressRule((*(security.allowed_endpoints or (PUBLIC,)), *neighbours, *named), local=local)


def _host_and_port(url: str) -> str:
    """An endpoint as an entry of the list of allowed hosts."""
    from league_sdk.net.endpoints import read_endpoint  # the HTTP client, which most commands do without

    endpoint = read_endpoint(url)
    return f"[{endpoint.host}]:{endpoint.port}" if ":" in endpoint.host else f"{endpoint.host}:{endpoint.port}"

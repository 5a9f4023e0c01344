"""Transports, a file each, with a serving and a calling half.

This package puts them together; the files do not import each other.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from starlette.routing import BaseRoute

from league_sdk.net.addresses import AddressRule
from league_sdk.net.connections import ConnectionLimits
from league_sdk.net.proxies import TrustedProxies
from league_sdk.net.replies import MAX_BODY
from league_sdk.net.serving import AddressUnusable
from league_sdk.net.tls import TlsFiles
from league_sdk.ports import Connector, ToolHost
from league_sdk.transports.http import HttpConnector, HttpListener, client_over, open_http, serve_http
from league_sdk.transports.jsonrpc import AcceptJsonRpc, JsonRpcConnector, OnRefused

__all__ = ["AddressUnusable", "HttpListener", "connectors", "serve"]


def serve(
    host: ToolHost,
    *,
    bind_host: str = "127.0.0.1",
    port: int = 0,
    public_host: str | None = None,
    more: Mapping[str, ToolHost] | None = None,
    extra_routes: Sequence[BaseRoute] = (),
    allowed_hosts: Sequence[str] = (),
    grace: float = 1.0,
    limits: ConnectionLimits | None = None,
    max_body: int = MAX_BODY,
    tls: TlsFiles | None = None,
    on_refused: OnRefused | None = None,
    proxies: TrustedProxies | None = None,
) -> AbstractAsyncContextManager[HttpListener]:
    """Serve an agent over HTTP: MCP and bare JSON-RPC at the same `/mcp`.

    See `serve_http` for arguments and errors, and `AcceptJsonRpc` for `on_refused`.
    """
    return serve_http(
        host,
        bind_host=bind_host,
        port=port,
        public_host=public_host,
        wrap=lambda app, served: AcceptJsonRpc(app, served, max_body=max_body, on_refused=on_refused),
        more=more,
        extra_routes=extra_routes,
        allowed_hosts=allowed_hosts,
        grace=grace,
        limits=limits,
        max_body=max_body,
        tls=tls,
        proxies=proxies,
    )


@asynccontextmanager
async def connectors(
    *,
    max_body: int = MAX_BODY,
    authorities: Path | None = None,
    rule: AddressRule | None = None,
    lenient: bool = True,
) -> AsyncGenerator[tuple[Connector, ...]]:
    """One process's connectors, MCP first, over a shared pool of HTTP connections.

    See `open_http` for arguments and errors, and `JsonRpcConnection` for `lenient`.
    """
    async with open_http(max_body=max_body, authorities=authorities, rule=rule) as http:
        yield HttpConnector(http), JsonRpcConnector(client_over(http), max_body=max_body, lenient=lenient)

"""Operations routes of an agent: liveness, readiness and metrics.

`GET /healthz` and `GET /readyz` say nothing that a stranger may not know. `GET /metrics` tells who calls whom, so it is
for the networks in `security.metrics_readers`, for whoever shows `security.metrics_token` or the operator's token, and
for this machine, but only where no strangers may come: a proxy on it would ask for the whole world.
"""

import ipaddress
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

import anyio
import anyio.lowlevel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from league_sdk import tokens
from league_sdk.clock import Clock
from league_sdk.domain.model import PROTOCOL_VERSION, Role
from league_sdk.release import release
from servers.observability.metrics import CONTENT_TYPE, INFO, READY, AgentMetrics

HEALTH, READINESS, METRICS_PAGE = "/healthz", "/readyz", "/metrics"

OK = "ok"
CHECK_SEC = 2.0
"""Time limit of a check."""
LOOK_AGAIN_SEC = 1.0
"""Time for which the checks' answer is cached."""

Check: TypeAlias = Callable[[], Awaitable[str]]
"""Looks whether something is as it should be: `ok`, or in words why not. It tells no secret, path or address."""

_NO_STORE = {"cache-control": "no-store"}


class Operations:
    """The routes by which one agent is looked after."""

    def __init__(
        self,
        role: Role,
        name: str,
        clock: Clock,
        metrics: AgentMetrics,
        readers: Sequence[str] = (),
        operator_token: str | None = None,
        metrics_token: str | None = None,
        *,
        trusts_own_machine: bool = True,
    ) -> None:
        self.metrics = metrics
        self.operator_token = operator_token
        self._metrics_token = metrics_token
        self._role = role
        self._clock = clock
        self._trusts_own_machine = trusts_own_machine
        self._readers = tuple(ipaddress.ip_network(reader, strict=False) for reader in readers)
        self._checks: dict[str, Check] = {}
        self._state: Callable[[], str] = lambda: ""
        self._found: Mapping[str, str] = {}
        self._looked = float("-inf")
        self._looking = anyio.Lock()
        metrics.read(INFO, lambda: {(str(role), name, release(), PROTOCOL_VERSION): 1.0})
        metrics.read(READY, lambda: {(): float(_all_fine(self._found))})

    def require(self, name: str, check: Check) -> None:
        """Let the agent be ready only when this is as it should be."""
        self._checks[name] = check

    def tell_state(self, state: Callable[[], str]) -> None:
        """Add a state to the readiness answer, for information only."""
        self._state = state

    def routes(self) -> list[BaseRoute]:
        return [
            Route(HEALTH, self._health, methods=["GET"]),
            Route(READINESS, self._readiness, methods=["GET"]),
            Route(METRICS_PAGE, self._metrics, methods=["GET"]),
        ]

    async def look(self) -> Mapping[str, str]:
        """Results of all checks, cached for `LOOK_AGAIN_SEC`."""
        async with self._looking:
            if self._clock.monotonic() - self._looked >= LOOK_AGAIN_SEC:
                self._found = {name: await _within_time(check) for name, check in self._checks.items()}
                self._looked = self._clock.monotonic()
        return self._found

    async def _health(self, request: Request) -> Response:
        del request
        return _json({"status": "alive", "role": str(self._role), "protocol_version": PROTOCOL_VERSION})

    async def _readiness(self, request: Request) -> Response:
        del request
        found = await self.look()
        ready = _all_fine(found)
        said: dict[str, Any] = {"status": "ready" if ready else "not ready", "role": str(self._role), "checks": found}
        if state := self._state():
            said["state"] = state
        return _json(said, 200 if ready else 503)

    async def _metrics(self, request: Request) -> Response:
        if not self._may_read(request):
            own = "for this machine, " if self._trusts_own_machine else ""
            named = "security.metrics_readers, security.metrics_token and the operator's token"
            said = f"the metrics are {own}for {named}"
            return _json({"error": said}, 403)
        await self.look()
        parts: list[bytes] = []
        for part in self.metrics.page():
            parts.append(part)
            await anyio.lowlevel.checkpoint()
        return Response(b"".join(parts), media_type=CONTENT_TYPE, headers=_NO_STORE)

    def _may_read(self, request: Request) -> bool:
        scheme, _, shown = request.headers.get("authorization", "").partition(" ")
        opening = [token for token in (self.operator_token, self._metrics_token) if token]
        if scheme.lower() == "bearer" and any(tokens.same(shown.strip(), token) for token in opening):
            return True
        try:
            address = ipaddress.ip_address((request.client.host if request.client else "").partition("%")[0])
        except ValueError:
            return False
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        own = self._trusts_own_machine and address.is_loopback
        return own or any(address in network for network in self._readers)


async def _within_time(check: Check) -> str:
    try:
        with anyio.fail_after(CHECK_SEC):
            return await check()
    except TimeoutError:
        return f"no answer within {CHECK_SEC:g} s"


def _all_fine(found: Mapping[str, str]) -> bool:
    return all(said == OK for said in found.values())


def _json(content: Mapping[str, Any], status: int = 200) -> Response:
    return JSONResponse(content, status, _NO_STORE)

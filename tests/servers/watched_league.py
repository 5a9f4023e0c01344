"""A league that is played once, over real sockets, while somebody looks after it; what was seen is for many tests."""

import functools
import json
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.shared import _otel
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from league_sdk import tracing
from tests.security.leagues import SmallLeague

NAMES = ("Ada", "Bea", "Cid", "Dot")
EVERYBODY = ("Manager", "Referee", *NAMES)


@dataclass
class WatchedLeague:
    """Observations of a league.

    Attributes:
        pages: The metrics in the end, by agent's name.
        types: Their content types.
        alive: The answers of `/healthz`, by agent's name.
        ready: Status and content of `/readyz`, by agent's name, while the league was open.
        over: The same of the manager and the referee when it was over.
        logs: Every line of every log.
        spans: The traced spans.
    """

    pages: dict[str, str] = field(default_factory=dict[str, str])
    types: dict[str, str] = field(default_factory=dict[str, str])
    alive: dict[str, httpx2.Response] = field(default_factory=dict[str, httpx2.Response])
    ready: dict[str, httpx2.Response] = field(default_factory=dict[str, httpx2.Response])
    over: dict[str, httpx2.Response] = field(default_factory=dict[str, httpx2.Response])
    logs: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    spans: list[ReadableSpan] = field(default_factory=list[ReadableSpan])

    def samples(self, name: str) -> Iterator[Any]:
        """Every value that an agent served."""
        for family in text_string_to_metric_families(self.pages[name]):
            yield from family.samples

    def trace(self, match_id: str) -> list[ReadableSpan]:
        """The spans of the trace that a match is, by their beginning."""
        (match,) = [s for s in self.spans if s.name == "match" and attributes(s)["league.match_id"] == match_id]
        mine = [s for s in self.spans if context(s).trace_id == context(match).trace_id]
        return sorted(mine, key=lambda span: span.start_time or 0)

    def value(self, name: str, metric: str, **labels: str) -> float:
        """The sum of the values of a metric whose labels are these."""
        found = [s.value for s in self.samples(name) if s.name == metric and labels.items() <= s.labels.items()]
        assert found, f"{name} serves no {metric} {labels}"
        return sum(found)


def context(span: ReadableSpan) -> Any:
    """The ids of a span."""
    assert span.context is not None
    return span.context


def attributes(span: ReadableSpan) -> dict[str, Any]:
    """The attributes of a span."""
    return dict(span.attributes or {})


@contextmanager
def traced() -> Generator[InMemorySpanExporter]:
    """Trace what happens meanwhile. Afterwards nobody finds a tracer provider, so no other league is traced."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "_TRACER_PROVIDER", provider)
        # A tracer that was asked for before there was a provider keeps the first one it meets.
        for holder in (_otel, tracing):
            patch.setattr(holder, "_tracer", provider.get_tracer(holder.__name__))
        tracing.switch(True)
        try:
            yield exporter
        finally:
            tracing.switch(False)
            provider.shutdown()


@functools.cache
def watched() -> WatchedLeague:
    """The league, played when it is first asked for."""
    with tempfile.TemporaryDirectory() as folder, traced() as exporter:
        seen = anyio.run(_play, Path(folder))
        seen.spans = list(exporter.get_finished_spans())
        for file in Path(folder).rglob("*.jsonl"):
            seen.logs += [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return seen


async def _play(workspace: Path) -> WatchedLeague:
    seen, league = WatchedLeague(), SmallLeague(workspace, names=NAMES)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks, httpx2.AsyncClient(trust_env=False) as browser:

            async def get(name: str, page: str) -> httpx2.Response:
                return await browser.get(league.endpoints[name].replace("/mcp", page))

            await league.open(tasks, stay=True)
            seen.ready["Manager"] = await get("Manager", "/readyz")
            await _call_badly(browser, league.endpoints["Manager"])
            await league.join(tasks, stay=True)
            for name in EVERYBODY:
                seen.alive[name] = await get(name, "/healthz")
            for name in ("Referee", *NAMES):
                await league.heard(name, "registered", "agent_id")
                seen.ready[name] = await get(name, "/readyz")
                while (await get(name, "/readyz")).json()["state"] != "SHUTDOWN":  # noqa: ASYNC110 - only the page tells
                    await anyio.sleep(0.05)
            for name in EVERYBODY:
                page = await get(name, "/metrics")
                assert page.status_code == 200
                seen.pages[name], seen.types[name] = page.text, page.headers["content-type"]
                seen.over[name] = await get(name, "/readyz")
            tasks.cancel_scope.cancel()
    return seen


async def _call_badly(browser: httpx2.AsyncClient, manager: str) -> None:
    """The call of a stranger who has not read what belongs into a message."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "league_query", "params": {}}
    assert "error" in (await browser.post(manager, json=call)).json()

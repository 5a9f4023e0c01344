"""OpenTelemetry's own variables decide about tracing."""

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace

from league_sdk import tracing
from league_sdk.domain.model import Role
from league_sdk.settings import ConfigError
from servers.observability import telemetry
from servers.observability.telemetry import send_traces, start_tracing
from tests.servers.watched_league import traced

OTLP = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The tracer providers that were given to OpenTelemetry, in a process that had none."""
    providers: list[Any] = []
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: trace.ProxyTracerProvider())
    monkeypatch.setattr(trace, "set_tracer_provider", providers.append)
    yield providers
    for provider in providers:
        provider.shutdown()
    tracing.switch(False)


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OTEL_TRACES_EXPORTER": "none", **OTLP},
        {"OTEL_SDK_DISABLED": "TRUE", **OTLP},
        {"OTEL_SERVICE_NAME": "league"},
    ],
)
def test_nothing_is_traced_unless_somebody_asks_for_it(given: list[Any], environ: dict[str, str]):
    assert start_tracing(Role.PLAYER, environ) is False
    assert given == []
    assert not tracing.is_on()


@pytest.mark.parametrize("environ", [OTLP, {"OTEL_TRACES_EXPORTER": "otlp"}, {"OTEL_TRACES_EXPORTER": "console"}])
def test_an_exporter_or_an_endpoint_switches_it_on_once(given: list[Any], environ: dict[str, str]):
    assert start_tracing(Role.REFEREE, environ) is True
    assert start_tracing(Role.PLAYER, environ) is True
    (provider,) = given
    assert provider.resource.attributes["service.name"] == "league-referee"


def test_the_service_has_the_name_that_it_is_given(given: list[Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OTEL_SERVICE_NAME", "thursday")
    assert start_tracing(Role.PLAYER, {"OTEL_SERVICE_NAME": "thursday", **OTLP})
    assert given[0].resource.attributes["service.name"] == "thursday"


def test_a_provider_of_somebody_else_is_used(given: list[Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: trace.NoOpTracerProvider())
    assert start_tracing(Role.PLAYER, {}) is True
    assert given == []


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({"OTEL_TRACES_EXPORTER": "otpl"}, 'OTEL_TRACES_EXPORTER is "otpl"; expected an exporter that is installed'),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json", **OTLP}, "expected one of http/protobuf, grpc"),
    ],
)
def test_what_cannot_be_used_is_said_with_what_to_do(given: list[Any], environ: dict[str, str], told: str):
    with pytest.raises(ConfigError, match=told):
        start_tracing(Role.PLAYER, environ)
    assert not tracing.is_on()


def test_what_a_test_traces_is_not_traced_for_ever():
    with traced():
        assert start_tracing(Role.PLAYER, {})
    assert not start_tracing(Role.PLAYER, {})
    assert not tracing.is_on()


class Provider(trace.NoOpTracerProvider):
    """A tracer provider whose collector takes spans when it is told to."""

    def __init__(self) -> None:
        self.taken = 0
        self.there = threading.Event()

    def force_flush(self) -> None:
        self.there.wait(10)
        self.taken += 1

    def shutdown(self) -> None:
        """Nothing."""


@pytest.mark.anyio
async def test_what_was_traced_is_sent_before_an_agent_ends_and_nobody_waits_for_long(
    given: list[Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    provider = Provider()
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    await send_traces()
    assert provider.taken == 0, "nothing was traced"
    tracing.switch(True)
    monkeypatch.setattr(telemetry, "SEND_SEC", 0.01)
    await send_traces()
    assert "check that the collector is running" in caplog.text
    caplog.clear()
    provider.there.set()
    monkeypatch.setattr(telemetry, "SEND_SEC", 10)
    await send_traces()
    assert provider.taken >= 1
    assert caplog.text == ""


def test_without_the_extra_it_says_what_to_install(given: list[Any], monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in sys.modules if name.startswith("opentelemetry.sdk")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", None)
    with pytest.raises(ConfigError, match=r"pip install 'mcp-agent-league\[otel\]'"):
        start_tracing(Role.PLAYER, {"OTEL_TRACES_EXPORTER": "console"})
    monkeypatch.setattr(telemetry.metadata, "entry_points", lambda **_: [])
    with pytest.raises(ConfigError, match=r"pip install 'mcp-agent-league\[otel\]'"):
        start_tracing(Role.PLAYER, {"OTEL_TRACES_EXPORTER": "otlp"})

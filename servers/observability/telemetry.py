"""Tracing, configured by OpenTelemetry's environment variables.

`OTEL_TRACES_EXPORTER` (otlp, console) or an endpoint of OTLP switches tracing on, `OTEL_SDK_DISABLED=true` off. A
process in which a tracer provider is set already uses that one.
"""

import logging
import os
import threading
from collections.abc import Mapping
from importlib import import_module, metadata
from typing import Any

import anyio
import anyio.to_thread
from opentelemetry import trace

from league_sdk import tracing
from league_sdk.domain.model import Role
from league_sdk.settings import ConfigError, Problem

EXPORTER = "OTEL_TRACES_EXPORTER"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
DISABLED = "OTEL_SDK_DISABLED"
SEND_SEC = 2.0
INSTALL = "an exporter that is installed, such as otlp by pip install 'mcp-agent-league[otel]'; or none"

logger = logging.getLogger(__name__)

_GROUP = "opentelemetry_traces_exporter"
_OTLP = {"http/protobuf": "otlp_proto_http", "grpc": "otlp_proto_grpc"}


def start_tracing(role: Role, environ: Mapping[str, str] | None = None) -> bool:
    """Start tracing once per process, if the environment asks for it."""
    environ = os.environ if environ is None else environ
    if tracing.is_on() or environ.get(DISABLED, "").strip().lower() == "true":
        return tracing.is_on()
    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        tracing.switch(True)
        return True
    names = _exporters(environ)
    if names:
        # A collector that is away is told of once it has cost spans, and not at every try.
        logging.getLogger("opentelemetry.exporter").setLevel(logging.ERROR)
        trace.set_tracer_provider(_provider(names, role, environ))
        tracing.switch(True)
    return bool(names)


async def send_traces() -> None:
    """Flush traces, for at most `SEND_SEC`: our processes may end abruptly."""
    provider: Any = trace.get_tracer_provider()
    if tracing.is_on() and hasattr(provider, "force_flush"):
        # A thread that nobody has to wait for: an exporter keeps trying for longer than that.
        sending = threading.Thread(target=provider.force_flush, name="traces", daemon=True)
        sending.start()
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(sending.join, SEND_SEC)
        if sending.is_alive():
            logger.warning("traces were not accepted within %g s; check that the collector is running", SEND_SEC)


def _exporters(environ: Mapping[str, str]) -> list[str]:
    """The names of the exporters that are wanted."""
    wanted = environ.get(EXPORTER, "").strip()
    if not wanted and any(environ.get(name) for name in ENDPOINTS):
        wanted = "otlp"
    names = [name.strip() for name in wanted.split(",")]
    return [name for name in names if name not in ("", "none")]


def _provider(names: list[str], role: Role, environ: Mapping[str, str]) -> Any:
    exporters = [_exporter(name, environ) for name in names]
    try:
        resources = import_module("opentelemetry.sdk.resources")
        sdk = import_module("opentelemetry.sdk.trace")
        export = import_module("opentelemetry.sdk.trace.export")
    except ImportError as error:
        raise _unusable(EXPORTER, ",".join(names), INSTALL) from error
    named = environ.get("OTEL_SERVICE_NAME") or "service.name=" in environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    attributes = {} if named else {"service.name": f"league-{str(role).removeprefix('league_')}"}
    provider = sdk.TracerProvider(resource=resources.Resource.create(attributes), shutdown_on_exit=False)
    for exporter in exporters:
        provider.add_span_processor(export.BatchSpanProcessor(exporter))
    return provider


def _exporter(name: str, environ: Mapping[str, str]) -> Any:
    """An exporter by its name, from whichever distribution brings it."""
    entry = name
    if name == "otlp":
        protocol = next((environ[variable] for variable in PROTOCOLS if environ.get(variable)), "http/protobuf")
        if protocol not in _OTLP:
            raise _unusable(PROTOCOLS[1], protocol, f"one of {', '.join(_OTLP)}")
        entry = _OTLP[protocol]
    found = list(metadata.entry_points(group=_GROUP, name=entry))
    if not found:
        raise _unusable(EXPORTER, name, INSTALL)
    try:
        return found[0].load()()
    except ImportError as error:
        raise _unusable(EXPORTER, name, INSTALL) from error


def _unusable(variable: str, value: str, expected: str) -> ConfigError:
    return ConfigError([Problem(f"environment variable {variable}", "", value, expected)])

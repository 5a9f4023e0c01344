"""Optional traces: a match is one trace, from its assignment to its report.

Between agents the trace travels as in the MCP SDK, in the `_meta` of a call; in the bare JSON-RPC dialect as the header
`traceparent`. While tracing is off, a call here costs no more than the test of a flag.
"""

from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

from opentelemetry import propagate, trace
from opentelemetry.trace import SpanKind

_tracer = trace.get_tracer("mcp-agent-league")
_NOTHING = nullcontext()


class _Switch:
    on = False


def switch(on: bool) -> None:
    """Switch tracing on or off; a tracer provider must have been set before."""
    _Switch.on = on


def is_on() -> bool:
    return _Switch.on


def span(name: str, **attributes: str | int | None) -> AbstractContextManager[object]:
    """A span, current until the context ends; the name is one of few, so without ids.

    Attributes get the prefix `league.`; None is left out.
    """
    if not _Switch.on:
        return _NOTHING
    return _tracer.start_as_current_span(name, attributes=_named(attributes))


def annotate(**attributes: str | int | None) -> None:
    """Add attributes to the current span; see `span`."""
    if _Switch.on:
        trace.get_current_span().set_attributes(_named(attributes))


def trace_id() -> str | None:
    """The current trace's id, in hexadecimal; None if there is none."""
    if not _Switch.on:
        return None
    context = trace.get_current_span().get_span_context()
    return trace.format_trace_id(context.trace_id) if context.is_valid else None


def headers() -> dict[str, str]:
    """HTTP headers that carry the current trace; empty while tracing is off."""
    carrier: dict[str, str] = {}
    if _Switch.on:
        propagate.inject(carrier)
    return carrier


def served(tool: str, received: Mapping[str, str]) -> AbstractContextManager[object]:
    """A span for a call over HTTP, in the trace that its (lower-case) headers carry."""
    return _served(tool, received) if _Switch.on else _NOTHING


@contextmanager
def _served(tool: str, received: Mapping[str, str]) -> Generator[None]:
    context = propagate.extract({name: received[name] for name in ("traceparent", "tracestate") if name in received})
    attributes = {"rpc.system": "jsonrpc", "rpc.method": tool}
    with _tracer.start_as_current_span(f"tools/call {tool}", context, SpanKind.SERVER, attributes):
        yield


def _named(attributes: Mapping[str, str | int | None]) -> dict[str, str | int]:
    return {f"league.{name}": value for name, value in attributes.items() if value is not None}

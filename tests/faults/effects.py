"""Effects of a misbehaving agent: functions of a call that give the answer's bytes."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import anyio

from league_sdk.clock import SystemClock
from tests.faults.rogue import Call, Effect, behave, http, mcp_result


async def silent(call: Call) -> bytes:
    """Says nothing until the caller gives up."""
    await call.gone()
    return b""


def slow(seconds: float) -> Effect:
    """Answers well, after a time."""

    async def effect(call: Call) -> bytes:
        await anyio.sleep(seconds)
        return await behave(call)

    return effect


async def dripping(call: Call) -> bytes:
    """Begins to answer, and never comes to an end; nothing more is sent, so that it never gets too long either."""
    await call.send(http(b"{", length=1000))
    await call.gone()
    return b""


async def closes(call: Call) -> bytes:
    """Closes the connection instead of answering."""
    return b""


async def closes_in_the_head(call: Call) -> bytes:
    """Closes the connection in the middle of the HTTP head."""
    return b"HTTP/1.1 200 OK\r\ncontent-ty"


async def cut(call: Call) -> bytes:
    """Closes the connection in the middle of the JSON."""
    body = call.result(call.good()).partition(b"\r\n\r\n")[2]
    return http(body[: len(body) // 2], length=len(body))


def raw(body: bytes, status: str = "200 OK", *headers: str) -> Effect:
    """Answers with this body, whatever is asked."""

    async def effect(call: Call) -> bytes:
        return http(body, status, *headers)

    return effect


def replies(reply: Any) -> Effect:
    """Answers with this JSON in the place of a message."""

    async def effect(call: Call) -> bytes:
        return call.result(reply)

    return effect


def changed(**changes: Any) -> Effect:
    """Answers well but for some fields; None leaves one out."""

    async def effect(call: Call) -> bytes:
        return call.result(call.good(**changes))

    return effect


def error(number: int, message: str, data: Any = None) -> Effect:
    """Answers with a JSON-RPC error."""

    async def effect(call: Call) -> bytes:
        return call.error(number, message, data)

    return effect


async def wrong_id(call: Call) -> bytes:
    """Answers another request than the one it got."""
    return call.result(call.good(), id=99_999)


def enveloped(**beside: Any) -> Effect:
    """Answers well, with something more around the reply."""

    async def effect(call: Call) -> bytes:
        return call.result(call.good(), **beside)

    return effect


async def text_id(call: Call) -> bytes:
    """Answers well, and gives the id back as a text."""
    return call.result(call.good(), id=str(call.request_id))


def in_mcp(effect: Effect) -> Effect:
    """Answers as an MCP server where the effect answers with the bare message."""

    async def wrapped(call: Call) -> bytes:
        plain = call.good
        call.good = lambda **changes: mcp_result(plain(**changes))
        return await effect(call)

    return wrapped


async def null_beside_the_error(call: Call) -> bytes:
    """Refuses as frameworks do that write every field of a response."""
    error = {"code": -32602, "message": "not today"}
    return http(json.dumps({"jsonrpc": "2.0", "id": call.request_id, "result": None, "error": error}).encode())


def structured(call: Call) -> Any:
    """The good reply as structuredContent, with nothing in its content."""
    return {"content": [], "structuredContent": call.good()}


async def redirects(call: Call) -> bytes:
    """Sends the caller in a circle."""
    return http(b"", "307 Temporary Redirect", f"location: {call.rogue.endpoint}")


async def huge(call: Call) -> bytes:
    """Answers with more than anybody has to read."""
    return call.result(call.good(padding="x" * 400_000))


async def endless(call: Call) -> bytes:
    """Streams for ever; the caller has to hang up."""
    await call.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
    chunk = b"2000\r\n" + b" " * 0x2000 + b"\r\n"
    while True:
        await call.send(chunk)


async def deep(call: Call) -> bytes:
    """Answers with JSON that is nested beyond what a parser can follow."""
    return http(b"[" * 50_000 + b"]" * 50_000)


async def twice(call: Call) -> bytes:
    """Answers, and answers again with something else on the same connection."""
    return call.result(call.good()) + call.result(call.good(parity_choice="odd", accept=False))


def first(effect: Effect, times: int = 1) -> Effect:
    """Does this the first times, and is good from then on."""

    async def both(call: Call) -> bytes:
        return await (effect if call.number <= times else behave)(call)

    return both


async def dies(call: Call) -> bytes:
    """Goes away for good in the middle of a call."""
    call.rogue.vanish()
    return b""


async def answers_and_dies(call: Call) -> bytes:
    """Answers, and is gone."""
    call.rogue.vanish()
    return await behave(call)


async def restarts(call: Call) -> bytes:
    """Goes away in the middle of its first call, and is back at once."""
    if call.number > 1:
        return await behave(call)
    call.rogue.vanish()
    await call.rogue.listen()
    return b""


def skewed(hours: float) -> Effect:
    """Answers by a clock that is wrong."""

    async def effect(call: Call) -> bytes:
        at = SystemClock().now() + timedelta(hours=hours)
        stamp = at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        return call.result(call.good(timestamp=stamp, arrival_timestamp=stamp))

    return effect


def tool_result(make: Callable[[Call], Any]) -> Effect:
    """Answers as an MCP server with this result."""

    async def effect(call: Call) -> bytes:
        return call.result(make(call))

    return effect


def said(text: str) -> Any:
    """An MCP result that has this text alone."""
    return {"content": [{"type": "text", "text": text}]}


def as_text(call: Call) -> Any:
    """The good reply as text alone, which older servers send."""
    return said(json.dumps(call.good()))


def flagged(call: Call) -> Any:
    """The good reply, flagged as an error."""
    return {**mcp_result(call.good()), "isError": True}

"""Bounds and checks on a peer's replies, before an MCP client sees them."""

import errno
import json
import re
import secrets
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, cast

import httpx2
from mcp_types import CONNECTION_CLOSED, PARSE_ERROR
from pydantic_core import from_json

from league_sdk.net.redirects import redirect_refused

MAX_BODY = 4 * 1024 * 1024  # largest request or reply that is read, in bytes

_UNREACHABLE_STATUS = (502, 503, 504)
_OUR_MARK = secrets.token_hex()
_NO_FILES = (errno.EMFILE, errno.ENFILE)


class FailuresAsReplies(httpx2.AsyncBaseTransport):
    """Turns a failed exchange of an MCP client into a JSON-RPC error reply.

    An exception out of the HTTP layer ends an MCP client and every call under way on it. As a reply it ends only the
    call that it belongs to. Requests that do not ask for an event stream are not MCP's, and pass untouched.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, *, max_body: int = MAX_BODY) -> None:
        self._inner = inner
        self._max_body = max_body

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request`; an MCP client gets a reply in every case but cancellation."""
        if "text/event-stream" not in request.headers.get("accept", ""):
            return await self._inner.handle_async_request(request)
        try:
            response = await self._inner.handle_async_request(request)
            return await self._checked(request, response)
        except httpx2.TransportError as error:
            detail = f": {error}" if str(error) else ""
            text = f"{request.url}: {type(error).__name__}{detail}"
            data: dict[str, Any] = {"dropped": was_dropped(error)}
            if out_of_files(error):
                data["ours"] = _OUR_MARK
            if name_not_found(error):
                data["name"] = _OUR_MARK
            return _error_reply(503, CONNECTION_CLOSED, text, data)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _checked(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        status = response.status_code
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            # We never ask for compression, and a few compressed bytes may expand to any number.
            await response.aclose()
            return _error_reply(status, PARSE_ERROR, "the reply is compressed, which was not asked for")
        if request.method != "POST" or kind == "text/event-stream":
            stream = _Bounded(response, self._max_body, await _too_long(request, self._max_body))
            return httpx2.Response(status, headers=response.headers, stream=stream, extensions=response.extensions)
        if status == 202:
            return response
        if 300 <= status < 400:
            await response.aclose()
            return _error_reply(status, PARSE_ERROR, redirect_refused(response), {"redirect": _OUR_MARK})
        body = await self._read(response)
        if status in _UNREACHABLE_STATUS:
            return _error_reply(status, CONNECTION_CLOSED, f"{request.url} answered HTTP {status}", {"dropped": True})
        if body is None:
            return _error_reply(status, PARSE_ERROR, f"the reply is longer than {self._max_body} bytes")
        if status < 400 and kind != "application/json":
            return _error_reply(status, PARSE_ERROR, f"the reply is {kind or 'of no type'}, not application/json")
        if status < 400 and _misaddressed(await request.aread(), body):
            return _error_reply(status, PARSE_ERROR, "the reply bears another id than the request")
        if isinstance(response.stream, httpx2.ByteStream):
            return response
        return httpx2.Response(status, headers=response.headers, stream=httpx2.ByteStream(body))

    async def _read(self, response: httpx2.Response) -> bytes | None:
        if isinstance(response.stream, httpx2.ByteStream):
            there = b"".join(response.stream)
            return there if len(there) <= self._max_body else None
        body = bytearray()
        try:
            async for chunk in response.aiter_raw():
                body.extend(chunk)
                if len(body) > self._max_body:
                    return None
        finally:
            await response.aclose()
        return bytes(body)


class _Bounded(httpx2.AsyncByteStream):
    """A body without a length, cut off after `limit` bytes and closed with `ending`."""

    def __init__(self, response: httpx2.Response, limit: int, ending: bytes) -> None:
        self._response = response
        self._limit = limit
        self._ending = ending

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for chunk in self._response.aiter_raw():
            left -= len(chunk)
            if left < 0:
                yield self._ending
                return
            yield chunk

    async def aclose(self) -> None:
        await self._response.aclose()


async def _too_long(request: httpx2.Request, limit: int) -> bytes:
    """The event that ends an endless stream: an error reply if the request has an id."""
    try:
        asked = json.loads(await request.aread())
    except ValueError:
        return b""
    if not isinstance(asked, dict) or "id" not in asked:
        return b""
    error = {"code": PARSE_ERROR, "message": f"the reply is longer than {limit} bytes"}
    reply = {"jsonrpc": "2.0", "id": cast("dict[str, Any]", asked)["id"], "error": error}
    # The blank line in front ends an event that was being sent.
    return b"\n\nevent: message\ndata: " + json.dumps(reply).encode() + b"\n\n"


def was_dropped(error: httpx2.TransportError) -> bool:
    """True if an established connection broke."""
    return not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)


def out_of_files(error: BaseException | None) -> bool:
    """True if a failure's cause is our own limit of open files or sockets."""
    return any(isinstance(cause, OSError) and cause.errno in _NO_FILES for cause in _causes(error))


def name_not_found(error: BaseException | None) -> bool:
    """True if a failure's cause is a host name without an address."""
    return any(isinstance(cause, socket.gaierror) for cause in _causes(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
                yield from _causes(inner)
            return
        error = error.__cause__ or error.__context__


def is_ours(data: Mapping[str, Any]) -> bool:
    """True if an error reply says that we were out of files; no peer can forge it."""
    return data.get("ours") == _OUR_MARK


def is_name_not_found(data: Mapping[str, Any]) -> bool:
    """True if an error reply says that a host has no address; no peer can forge it."""
    return data.get("name") == _OUR_MARK


def is_redirect(data: Mapping[str, Any]) -> bool:
    """True if an error reply reports a refused redirect; no peer can forge it."""
    return data.get("redirect") == _OUR_MARK


def _error_reply(status: int, code: int, message: str, data: dict[str, Any] | None = None) -> httpx2.Response:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return httpx2.Response(max(status, 400), json={"jsonrpc": "2.0", "id": None, "error": error})


_ID = re.compile(rb'\{"jsonrpc":"2\.0",(?:"method":"[^"\\]*",)?"id":(\d+),')
"""The beginning of messages that the SDK writes: their id can be read without parsing the rest."""


def _misaddressed(request: bytes, reply: bytes) -> bool:
    """True if a reply bears another id than its request: the SDK would wait for ever."""
    sent, came = _ID.match(request), _ID.match(reply)
    if sent is not None and came is not None:
        return sent[1] != came[1]
    try:
        asked, answered = from_json(request), from_json(reply)
    except ValueError:
        return False
    if not isinstance(asked, dict) or not isinstance(answered, dict) or "id" not in asked:
        return False
    return str(cast("dict[str, Any]", answered).get("id")) != str(cast("dict[str, Any]", asked)["id"])

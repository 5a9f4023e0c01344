"""One JSON-RPC request, one HTTP POST, one reply: what MCP consists of since its revisions have no handshake.

The MCP SDK's client sends each request through a session, a dispatcher, streams between tasks and an HTTP client that
puts every request together anew. That is what negotiation, notifications and subscriptions need; the call of a tool,
once the revision is known, needs none of it. The bytes on the wire are the same.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import httpx2
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR
from pydantic_core import from_json

Json: TypeAlias = Any
"""A JSON value."""

ID_CHECKED = "id_checked"
"""Marks a request whose sender looks by itself whether the reply is meant for it."""

_HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
_MOST_IN_AN_EVENT = 1024 * 1024


class Exchange:
    """Exchanges requests for replies with one endpoint.

    Args:
        transport: Sends an HTTP request; what goes wrong with one comes back as a JSON-RPC error.
        url: The endpoint.
        headers: What every request bears.
    """

    def __init__(self, transport: httpx2.AsyncBaseTransport, url: str, headers: Mapping[str, str]) -> None:
        self._transport = transport
        self._url = httpx2.URL(url)
        self._headers = [*_HEADERS.items(), *headers.items()]

    async def __call__(self, headers: Mapping[str, str], body: bytes, request_id: int) -> dict[str, Json]:
        """Send a request, and return its reply: an object with `result` or `error`.

        Cancelled, it closes the connection, which is how a request is called off.

        Args:
            headers: What the request bears beside the others.
            body: The request as JSON.
            request_id: The id in it.
        """
        request = httpx2.Request(
            "POST",
            self._url,
            headers=[*self._headers, *headers.items()],
            content=body,
            extensions={ID_CHECKED: True},
        )
        response = await self._transport.handle_async_request(request)
        response.request = request
        try:
            return await _reply(response, request_id)
        except httpx2.TransportError as error:
            return _error(CONNECTION_CLOSED, f"{self._url}: {type(error).__name__}: {error}", {"dropped": True})
        finally:
            await response.aclose()


async def _reply(response: httpx2.Response, request_id: int) -> dict[str, Json]:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream" and response.status_code < 400:
        return await _streamed(response, request_id)
    if response.status_code == 202:
        return _error(INVALID_REQUEST, "server answered a request with 202 Accepted")
    reply = _parsed(await whole(response))
    if response.status_code >= 400:
        if reply is not None and "error" in reply:
            return reply
        not_found = response.status_code == 404
        code, text = (METHOD_NOT_FOUND, "Not Found") if not_found else (INTERNAL_ERROR, f"HTTP {response.status_code}")
        return _error(code, text)
    if reply is None or not _answers(reply):
        return _error(PARSE_ERROR, "the reply is not a JSON-RPC response")
    if str(reply.get("id")) != str(request_id):
        return _error(PARSE_ERROR, "the reply bears another id than the request")
    return reply


async def whole(response: httpx2.Response) -> bytes:
    """The body of a reply as it came. One that is there already is taken without a decoder's detours."""
    if isinstance(response.stream, httpx2.ByteStream):
        return b"".join(response.stream)
    return b"".join([chunk async for chunk in response.aiter_raw()])


async def _streamed(response: httpx2.Response, request_id: int) -> dict[str, Json]:
    """The reply out of an event stream, which may tell other things before."""
    try:
        async for event in httpx2.EventSource(response, max_event_size=_MOST_IN_AN_EVENT):
            message = _parsed(event.data.encode()) if event.event == "message" and event.data else None
            if message is not None and _answers(message) and str(message.get("id")) == str(request_id):
                return message
    except httpx2.SSEError as error:
        return _error(PARSE_ERROR, f"the event stream cannot be read: {error}")
    return _error(PARSE_ERROR, "the event stream ended without a reply")


def _answers(message: Mapping[str, Json]) -> bool:
    return message.get("jsonrpc") == "2.0" and ("result" in message or "error" in message)


def _parsed(text: bytes) -> dict[str, Json] | None:
    try:
        value = from_json(text)
    except ValueError:
        return None
    return cast("dict[str, Json]", value) if isinstance(value, dict) else None


def _error(code: int, message: str, data: dict[str, Json] | None = None) -> dict[str, Json]:
    return {"error": {"code": code, "message": message, "data": data}}

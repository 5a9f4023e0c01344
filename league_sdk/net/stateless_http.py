"""Stateless streamable HTTP (MCP from 2026-07-28 on) under the SDK's client.

The SDK's own transport serves every revision, so two tasks, a task group and an `httpx2.AsyncClient` stand between a
request and its bytes. A modern revision has no sessions, no stream beside the requests and no notifications to the
server, and a request is cancelled by giving up its POST: it is sent in the task that waits for the reply (ADR 0096).
"""

import asyncio
from collections import deque
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Self

import httpx2
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

_EVENTS = "text/event-stream"


class _Stream:
    """The common part of the SDK's two stream protocols."""

    async def aclose(self) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()


class _Inbox(_Stream):
    """The SDK's `ReadStream` of incoming messages, for one reading task."""

    def __init__(self) -> None:
        self._messages = deque[SessionMessage]()
        self._closed = False
        self._waiter: asyncio.Future[None] | None = None

    def put(self, message: JSONRPCMessage) -> None:
        self._messages.append(SessionMessage(message))
        self._wake()

    async def aclose(self) -> None:
        self._closed = True
        self._wake()

    def __aiter__(self) -> Self:
        return self

    async def receive(self) -> SessionMessage | Exception:
        return await self.__anext__()

    async def __anext__(self) -> SessionMessage | Exception:
        while not self._messages:
            if self._closed:
                raise StopAsyncIteration
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return self._messages.popleft()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class _Outbox(_Stream):
    """The SDK's `WriteStream`: `send` returns when the reply is in the inbox."""

    def __init__(self, endpoint: str, http: httpx2.AsyncBaseTransport, inbox: _Inbox) -> None:
        self._url = httpx2.URL(endpoint)
        self._http = http
        self._inbox = inbox
        self._headers = [
            (b"host", self._url.netloc),
            (b"accept", f"application/json, {_EVENTS}".encode()),
            (b"accept-encoding", b"identity"),
            (b"content-type", b"application/json"),
        ]

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        if not isinstance(message, JSONRPCRequest):
            return  # a cancellation, whose POST has been given up already
        body = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        headers = [*self._headers, (b"content-length", b"%d" % len(body))]
        if isinstance(item.metadata, ClientMessageMetadata) and item.metadata.headers:
            headers += [(name.encode(), value.encode()) for name, value in item.metadata.headers.items()]
        request = httpx2.Request("POST", self._url, headers=headers, stream=httpx2.ByteStream(body))
        response = await self._http.handle_async_request(request)
        response.request = request
        try:
            self._inbox.put(await self._reply(message, response))
        finally:
            await response.aclose()

    async def _reply(self, request: JSONRPCRequest, response: httpx2.Response) -> JSONRPCMessage:
        status = response.status_code
        if status == 202:
            return _failure(request, INVALID_REQUEST, "server answered a request with 202 Accepted")
        if status < 400 and response.headers.get("content-type", "").lower().startswith(_EVENTS):
            return await self._last_event(request, response)
        stream = response.stream
        body = b"".join(stream) if isinstance(stream, httpx2.ByteStream) else await response.aread()
        if status < 400:
            try:
                return JSONRPCResponse.model_validate_json(body, by_name=False)
            except ValidationError:
                otherwise = _failure(request, PARSE_ERROR, "the response is not a JSON-RPC response of MCP")
        elif status == 404:
            otherwise = _failure(request, METHOD_NOT_FOUND, "Not Found")
        else:
            otherwise = _failure(request, INTERNAL_ERROR, "Server returned an error response")
        try:
            error = JSONRPCError.model_validate_json(body, by_name=False).error
        except ValidationError:
            return otherwise
        return JSONRPCError(jsonrpc="2.0", id=request.id, error=error)

    async def _last_event(self, request: JSONRPCRequest, response: httpx2.Response) -> JSONRPCMessage:
        """The reply at the end of a stream of notifications, which go into the inbox."""
        try:
            async for event in httpx2.EventSource(response):
                if event.event != "message" or not event.data:
                    continue
                message = jsonrpc_message_adapter.validate_json(event.data, by_name=False)
                if isinstance(message, JSONRPCResponse | JSONRPCError):
                    return message.model_copy(update={"id": request.id})
                self._inbox.put(message)
        except (httpx2.SSEError, ValidationError):
            return _failure(request, PARSE_ERROR, "an event of the stream is not a JSON-RPC message of MCP")
        except httpx2.TransportError as error:
            return _failure(request, CONNECTION_CLOSED, f"SSE stream broke: {error}")
        return _failure(request, CONNECTION_CLOSED, "SSE stream ended without a response")


class StatelessHttp(AbstractAsyncContextManager[tuple[_Inbox, _Outbox]]):
    """A `Transport` of the SDK's client for one endpoint, over a shared pool."""

    def __init__(self, endpoint: str, http: httpx2.AsyncBaseTransport) -> None:
        self._inbox = _Inbox()
        self._outbox = _Outbox(endpoint, http, self._inbox)

    async def __aenter__(self) -> tuple[_Inbox, _Outbox]:
        return self._inbox, self._outbox

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._inbox.aclose()


def _failure(request: JSONRPCRequest, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request.id, error=ErrorData(code=code, message=message))

"""The contract of a transport: its calls behave like those of all others."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TypeAlias

import anyio

from league_sdk.errors import INVALID_PARAMS, PeerUnreachable, ResponseTimeout
from league_sdk.json_value import Json
from league_sdk.ports import CallContext, CallRefused, Connection, Connector, ToolDescriptor
from league_sdk.testing.contract import ContractBroken, require

ServeEchoHost: TypeAlias = Callable[[], AbstractAsyncContextManager[str]]
"""Serves a new `EchoHost` until the context ends, and yields its endpoint."""

PATIENCE = 10.0
"""Seconds for anything that has to happen."""

UNKNOWN_TOOL = (INVALID_PARAMS, -32601)
"""The JSON-RPC numbers for an unknown tool: MCP's, and that of a dialect whose methods are the tools."""

_TEXT: dict[str, Json] = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_ECHO: dict[str, Json] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "bearer": {"type": ["string", "null"]},
        "address": {"type": "string"},
        "dialect": {"type": "string"},
    },
    "required": ["text", "bearer", "address", "dialect"],
}


class EchoHost:
    """A `ToolHost` for trying a transport.

    Its tools: `echo` returns its text and the transport's knowledge of the caller; `refuse` ends in an error of the
    league with data; `wait` answers once `release` has been called with the same text.
    """

    name = "echo"
    version = "1.0.0"
    instructions = "Says what it is told."
    resources = None

    def __init__(self) -> None:
        self._released: dict[str, anyio.Event] = {}

    def tools(self) -> Sequence[ToolDescriptor]:
        return [
            ToolDescriptor("echo", "Echo", "Says the text.", _TEXT, _ECHO, read_only=True, idempotent=True),
            ToolDescriptor("refuse", "Refuse", "Refuses the text as an illegal move.", _TEXT),
            ToolDescriptor("wait", "Wait", "Answers once the text is released.", _TEXT, _TEXT),
            ToolDescriptor("release", "Release", "Releases the text.", _TEXT, _TEXT),
        ]

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        text = arguments.get("text")
        if not isinstance(text, str):
            data = {"error_code": "E003", "context": {"field": "text", "expected": "string"}}
            raise CallRefused(INVALID_PARAMS, "text is missing", data)
        match tool:
            case "refuse":
                raise CallRefused(4004, "INVALID_MOVE", {"error_code": "E004", "context": {"value": text}})
            case "wait":
                await self._event(text).wait()
            case "release":
                self._event(text).set()
            case _:
                return {
                    "text": text,
                    "bearer": context.bearer_token,
                    "address": context.address,
                    "dialect": context.dialect,
                }
        return {"text": text}

    def _event(self, text: str) -> anyio.Event:
        return self._released.setdefault(text, anyio.Event())


async def check_transport(serve: ServeEchoHost, connector: Connector, *, nowhere: str | None = None) -> None:
    """Put a transport through the contract of `ToolHost` and `Connector`.

        async def serve():
            async with my_transport.serve(EchoHost()) as listener:
                yield listener.endpoint

        await check_transport(asynccontextmanager(serve), MyConnector())

    Args:
        serve: Serves an `EchoHost`.
        connector: The calling half.
        nowhere: An endpoint without a server; None for the served one, after its end.

    Raises:
        ContractBroken: The transport breaks the contract; the message says how.
    """
    async with serve() as endpoint:
        require(connector.accepts(endpoint), f"{connector.name} has to accept the endpoint {endpoint} that it serves")
        require(not connector.accepts("nonsense"), f"{connector.name} must not accept an endpoint of another form")
        async with connector.connect(endpoint) as connection:
            for check in CHECKS:
                with anyio.fail_after(PATIENCE):
                    await check(connection)
        async with connector.connect(endpoint) as connection:
            with anyio.fail_after(PATIENCE):
                await check_tools(connection)
    with anyio.fail_after(PATIENCE):
        await check_nobody_there(connector, nowhere or endpoint)


async def check_tools(connection: Connection) -> None:
    """The host's tools are listed as the host describes them, or not at all."""
    listed = await connection.list_tools()
    require(connection.dialect != "", "a connection says in `dialect` what it speaks")
    require(not listed or listed == list(EchoHost().tools()), f"the tools arrive as the host has them, not {listed}")


async def check_calls(connection: Connection) -> None:
    """A reply arrives as the host gave it, for any text."""
    for text in ("hello", "", 'a "quote", \\, \n, \x00, \u2028, é, 好, 🎲', "x" * 100_000):
        arguments = {"text": text, "ignored": [1, 2.5, None, {"deep": True}]}
        reply = await connection.call("echo", arguments, timeout=PATIENCE)
        require(reply["text"] == text, f"echo gives back {text[:40]!r}")


async def check_refusals(connection: Connection) -> None:
    """A refusal arrives with number, message and data; the connection lives on."""
    for tool, arguments, number, code in (
        ("refuse", {"text": "odd"}, 4004, "E004"),
        ("echo", {}, INVALID_PARAMS, "E003"),
    ):
        refused = await _refused(connection, tool, arguments)
        require(refused.number == number, f"{tool} is refused with {number}, not {refused.number}")
        require((refused.data or {}).get("error_code") == code, f"{tool} is refused with {code}, not {refused.data}")
    refused = await _refused(connection, "no_such_tool", {"text": "x"})
    require(refused.number in UNKNOWN_TOOL, f"an unknown tool is refused with one of {UNKNOWN_TOOL}")
    await connection.call("echo", {"text": "still here"}, timeout=PATIENCE)


async def check_overlap(connection: Connection) -> None:
    """Calls overlap: one that waits does not hold up the next."""
    answers: list[Json] = []

    async def wait(text: str) -> None:
        answers.append(await connection.call("wait", {"text": text}, timeout=PATIENCE))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait, "first")
        tasks.start_soon(wait, "second")
        await connection.call("release", {"text": "second"}, timeout=PATIENCE)
        await connection.call("release", {"text": "first"}, timeout=PATIENCE)
    require(sorted(answer["text"] for answer in answers) == ["first", "second"], "each call gets its own answer")


async def check_timeout(connection: Connection) -> None:
    """A call without an answer ends in ResponseTimeout, and the connection lives on."""
    try:
        await connection.call("wait", {"text": "never"}, timeout=0.05)
    except ResponseTimeout:
        await connection.call("echo", {"text": "still here"}, timeout=PATIENCE)
        await connection.ping(timeout=PATIENCE)
    else:
        raise ContractBroken("a call without an answer ends in ResponseTimeout")


async def check_nobody_there(connector: Connector, endpoint: str) -> None:
    """Without a server, connecting or else the first call ends in PeerUnreachable."""
    try:
        async with connector.connect(endpoint) as connection:
            await connection.call("echo", {"text": "hello"}, timeout=PATIENCE)
    except PeerUnreachable:
        return
    raise ContractBroken(f"nobody listens at {endpoint}, and that has to end in PeerUnreachable")


CHECKS = (check_tools, check_calls, check_refusals, check_overlap, check_timeout)
"""Every check that a connection is put through."""


async def _refused(connection: Connection, tool: str, arguments: Mapping[str, Json]) -> CallRefused:
    try:
        await connection.call(tool, arguments, timeout=PATIENCE)
    except CallRefused as refused:
        return refused
    raise ContractBroken(f"{tool} with {arguments} has to end in CallRefused")

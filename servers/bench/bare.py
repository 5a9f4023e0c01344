"""Baseline: `tools/call` of the bare MCP SDK between two processes."""

import json
import multiprocessing
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from servers.bench.measures import cpu_seconds, percentiles

TOOL = "echo"
_FIELDS = {"protocol": "league.v2", "message_type": "ECHO", "conversation_id": "c"}
WARM_UP_SEC = 0.5
"""Time for opening connections and warming up code before anything is counted."""


@dataclass(frozen=True, slots=True)
class Bare:
    """Result of the baseline."""

    calls_per_sec: float
    cpu_ms_per_call: float  # processor time of both ends together, in milliseconds a call
    client_cpu_ms: float  # the caller's part
    server_cpu_ms: float  # the server's part
    concurrency: int
    request_bytes: int  # of the arguments
    reply_bytes: int  # of the result
    latency: dict[str, float]  # percentiles in milliseconds

    def as_json(self) -> dict[str, Any]:
        return {
            "calls_per_sec": round(self.calls_per_sec, 1),
            "cpu_ms_per_call": round(self.cpu_ms_per_call, 3),
            "client_cpu_ms": round(self.client_cpu_ms, 3),
            "server_cpu_ms": round(self.server_cpu_ms, 3),
            "concurrency": self.concurrency,
            "request_bytes": self.request_bytes,
            "reply_bytes": self.reply_bytes,
            **self.latency,
        }


def measure_bare(seconds: float, concurrency: int, sizes: tuple[int, int]) -> Bare:
    with _child(_serve, sizes[1]) as server:
        port = server.recv()
        with _child(_call, port, seconds, concurrency, sizes[0]) as client:
            client.send("begin")
            server.send("count")
            times, elapsed, client_cpu = client.recv()
            server.send("count")
            server.recv()
            server_cpu = server.recv()
    count = len(times)
    return Bare(
        calls_per_sec=count / elapsed,
        cpu_ms_per_call=(client_cpu + server_cpu) / count * 1000,
        client_cpu_ms=client_cpu / count * 1000,
        server_cpu_ms=server_cpu / count * 1000,
        concurrency=concurrency,
        request_bytes=sizes[0],
        reply_bytes=sizes[1],
        latency=percentiles(times),
    )


@contextmanager
def _child(target: Any, *args: Any) -> Generator[Connection]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs, *args), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours
    finally:
        ours.close()
        process.join(5)
        if process.exitcode is None:
            process.kill()
            process.join()


def padded(size: int) -> dict[str, str]:
    """A message of about `size` bytes as JSON."""
    bare = len(json.dumps({**_FIELDS, "padding": ""}, separators=(",", ":")))
    return {**_FIELDS, "padding": "x" * max(0, size - bare)}


def _serve(pipe: Connection, reply_bytes: int) -> None:
    """Server process: the SDK's server on uvicorn, stateless, with JSON replies."""
    import asyncio
    import socket

    import mcp_types as types
    import uvicorn
    from mcp.server import Server

    reply = padded(reply_bytes)

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        del ctx, params
        return types.ListToolsResult(tools=[types.Tool(name=TOOL, input_schema={"type": "object"})])

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        del ctx, params
        text = json.dumps(reply, separators=(",", ":"))
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=dict(reply))

    async def main() -> None:
        server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
        app = server.streamable_http_app(json_response=True, stateless_http=True)
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as sock:
            sock.bind(("127.0.0.1", 0))
            # As the SDK is installed: without the parser and the event loop in C that uvicorn takes where they are.
            config = uvicorn.Config(app, http="h11", loop="asyncio", log_level="error", access_log=False)
            running = uvicorn.Server(config)
            serving = asyncio.create_task(running.serve(sockets=[sock]))
            while not running.started:  # noqa: ASYNC110 - uvicorn has no event for it
                await asyncio.sleep(0.01)
            pipe.send(sock.getsockname()[1])
            asyncio.get_running_loop().add_reader(pipe.fileno(), heed, running)
            await serving

    marks: list[float] = []

    def heed(running: uvicorn.Server) -> None:
        try:
            pipe.recv()
        except (EOFError, OSError):
            asyncio.get_running_loop().remove_reader(pipe.fileno())
            running.should_exit = True
            return
        marks.append(cpu_seconds())
        pipe.send(marks[-1] - marks[0])

    asyncio.run(main())


def _call(pipe: Connection, port: int, seconds: float, concurrency: int, request_bytes: int) -> None:
    """Client process: the SDK's client over one HTTP pool, with a pinned revision."""
    import anyio
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    arguments, times = padded(request_bytes), list[float]()

    async def main() -> None:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=256)
        url = f"http://127.0.0.1:{port}/mcp"
        async with (
            httpx2.AsyncClient(limits=limits, trust_env=False, timeout=None) as pool,
            Client(streamable_http_client(url, http_client=pool)) as client,
        ):

            async def work(until: float) -> None:
                while time.perf_counter() < until:
                    started = time.perf_counter()
                    await client.call_tool(TOOL, dict(arguments))
                    times.append(time.perf_counter() - started)

            async def together(duration: float) -> float:
                began = time.perf_counter()
                async with anyio.create_task_group() as tasks:
                    for _ in range(concurrency):
                        tasks.start_soon(work, began + duration)
                return time.perf_counter() - began

            await together(WARM_UP_SEC)
            times.clear()
            pipe.recv()
            before = cpu_seconds()
            elapsed = await together(seconds)
            pipe.send((times, elapsed, cpu_seconds() - before))

    anyio.run(main)

"""MCP Inspector's command-line mode, as a person types it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from tests.hosts.node import environment, node, package

DRIVER = Path(__file__).with_name("inspector.mjs")


@dataclass(frozen=True)
class Outcome:
    """The outcome of one command line.

    Attributes:
        result: The result, or None.
        error: The JSON-RPC error, or None.
    """

    result: Any = None
    error: Mapping[str, Any] | None = None

    @property
    def code(self) -> str:
        """The league's error code, or else the number; empty when it was answered."""
        if self.error is None:
            return ""
        data: Any = self.error["data"] or {}
        return str(data.get("error_code", self.error["code"]))


async def inspect(lines: Sequence[Sequence[str]], home: Path) -> list[Outcome]:
    """The outcome of each command line, in order.

    Args:
        lines: Each names its agent first.
        home: A folder instead of the user's home.
    """
    client = package("@modelcontextprotocol/inspector") / "clients" / "cli" / "build" / "index.js"
    done = await anyio.run_process(
        [str(node()), str(DRIVER), str(client)],
        input=json.dumps(lines).encode(),
        env=environment(home),
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return [Outcome(**outcome) for outcome in json.loads(done.stdout)]


def listing(what: str) -> list[str]:
    """List tools, resources, resources/templates or prompts."""
    return ["--method", f"{what}/list"]


def call(tool: str, arguments: Mapping[str, Any]) -> list[str]:
    """Call a tool."""
    return ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments)]


def reading(uri: str) -> list[str]:
    """Read a resource."""
    return ["--method", "resources/read", "--uri", uri]


def prompting(name: str, arguments: Mapping[str, str]) -> list[str]:
    """Get a prompt."""
    pairs = [f"{key}={value}" for key, value in arguments.items()]
    return ["--method", "prompts/get", "--prompt-name", name, *(["--prompt-args", *pairs] if pairs else [])]

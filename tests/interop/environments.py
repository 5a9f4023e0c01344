"""Environments of other people's frameworks: made once, and kept in the user's cache."""

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.hosts.node import npm_install

PATIENCE: Final = 240.0
PYTHON: Final[Mapping[str, Sequence[str]]] = {
    # The first with streamable HTTP; it reaches into pydantic's insides, which moved later.
    "mcp 1.8": ("mcp==1.8.1", "pydantic<2.12"),
    "mcp 1": ("mcp<2", "fastapi-mcp", "fastapi", "uvicorn"),
    "fastmcp 2": ("fastmcp>=2.14,<3",),
    "fastmcp 3": ("fastmcp>=3,<4",),
    "fastmcp 4": ("fastmcp>=4",),
    "clients": ("langchain-mcp-adapters", "openai-agents", "pydantic-ai-slim[mcp]", "mcp-use"),
}
"""Environments by name, and what each needs: the newest where no version is named."""
NODE: Final = (
    "@modelcontextprotocol/sdk@1",
    "@modelcontextprotocol/server@2",
    "@modelcontextprotocol/node@2",
    "fastmcp@4",
    "zod@4",
)


def cache_folder(name: str, needs: Sequence[str]) -> Path:
    """The folder of an environment, by its needs."""
    mark = hashlib.sha256(repr((name, *needs, sys.version_info[:2])).encode()).hexdigest()[:12]
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "mcp-agent-league" / f"{name.replace(' ', '-')}-{mark}"


@cache
def python(name: str) -> Path:
    """The interpreter of an environment; skips the test where its packages cannot be had."""
    folder = cache_folder(name, PYTHON[name])
    program = folder / "bin" / "python"
    with _made_once(folder) as missing:
        if missing:
            _run(name, sys.executable, "-m", "venv", "--clear", str(folder))
            _run(name, str(program), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PYTHON[name])
    return program


@cache
def node_modules() -> Path:
    """The folder in which the packages of Node.js are installed."""
    folder = cache_folder("interop-node", NODE)
    with _made_once(folder) as missing:
        if missing:
            npm_install(folder, NODE)
    return folder / "node_modules"


@contextmanager
def _made_once(folder: Path) -> Generator[bool]:
    """Hold an environment's lock; true if it is still to be made, which is noted unless that fails."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    complete = folder.with_suffix(".complete")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = not complete.exists()
        yield missing
        complete.touch()


def _run(name: str, *command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"the environment of {name} was not made within {PATIENCE:g} s")
    if done.returncode:
        pytest.skip(f"the environment of {name} cannot be had: {done.stderr[-300:]}")

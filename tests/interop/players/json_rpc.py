# type: ignore  (its framework is in an environment of its own)
"""Bare JSON-RPC in a dozen lines, for Starlette and FastAPI."""

import inspect

from even_odd import TOOLS

BY_NAME = {tool.__name__: tool for tool in TOOLS}


def answer(call: dict) -> dict:
    tool = BY_NAME.get(call.get("method"))
    if tool is None:
        return {"jsonrpc": "2.0", "id": call.get("id"), "error": {"code": -32601, "message": "Method not found"}}
    known = {name: value for name, value in call["params"].items() if name in inspect.signature(tool).parameters}
    return {"jsonrpc": "2.0", "id": call["id"], "result": tool(**known)}

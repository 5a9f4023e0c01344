"""Writes down what the SDK's servers take and give: `sitecustomize` of every process of a league that is captured.

Each call of a tool is a line of JSON, appended at once. A few answers of players are spoiled on the way out, each once
in the whole league, so that what is said when things go wrong is captured too. Which player is hit is left to chance.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
from mcp.server.lowlevel import Server

_FOLDER = Path(os.environ["WIRE_RECORDS"])
_OUT = os.open(_FOLDER / "records.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
_SPOILED: dict[str, str] = {}
"""Match to what is done to this player's answers in it."""
_TOLD: dict[str, anyio.Event] = {}
"""Match to the word that an answer was too late."""


def _taken(name: str) -> bool:
    """True if this process is the first of the league that asks."""
    try:
        os.close(os.open(_FOLDER / name, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


async def _recorded(context: Any, call_next: Any) -> Any:
    if context.method != "tools/call":
        return await call_next(context)
    params = json.loads(json.dumps(context.params))
    line: dict[str, Any] = {"tool": params["name"], "request": params.get("arguments") or {}}
    try:
        result = await call_next(context)
    except Exception as error:
        refusal = getattr(error, "error", None)
        if refusal is not None:
            line["error"] = {"code": refusal.code, "message": refusal.message, "data": refusal.data}
        raise
    else:
        wire = result if isinstance(result, Mapping) else result.model_dump(by_alias=True, mode="json")
        line["reply"] = wire["structuredContent"]
        line["text"] = wire["content"][0]["text"]
        return await _spoiled(line["request"], result)
    finally:
        os.write(_OUT, (json.dumps(line) + "\n").encode())


async def _spoiled(request: Mapping[str, Any], result: Any) -> Any:
    match, kind = str(request.get("match_id")), request.get("message_type")
    if match.startswith("R9"):  # led by hand, and to its end
        return result
    if kind == "GAME_ERROR" and match in _TOLD:
        _TOLD.pop(match).set()
    if kind == "GAME_INVITATION" and _taken("late"):
        _TOLD[match] = told = anyio.Event()
        with contextlib.suppress(anyio.get_cancelled_exc_class()):
            await told.wait()
    if kind == "CHOOSE_PARITY_CALL":
        for trick in ("illegal once", "illegal always"):
            if match not in _SPOILED and _taken(trick):
                _SPOILED[match] = trick
        trick = _SPOILED.get(match)
        if trick == "illegal always" or (trick == "illegal once" and "attempt" not in request):
            return _illegal(result)
    return result


def _illegal(result: Any) -> Any:
    wire = dict(result) if isinstance(result, Mapping) else result.model_dump(by_alias=True, mode="json")
    answer = {**wire["structuredContent"], "parity_choice": "seven"}
    return {**wire, "structuredContent": answer, "content": [{"type": "text", "text": json.dumps(answer)}]}


_init = Server.__init__


def _made(self: Any, *args: Any, **options: Any) -> None:
    _init(self, *args, **options)
    self.middleware.append(_recorded)


Server.__init__ = _made

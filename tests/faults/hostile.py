"""Generator of hostile replies: arbitrary JSON, with extremes at every place of every reply."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.faults.rogue import Call, Rogue, http

BEYOND: Final = "number beyond floats"
"""Stands for 1e400, which JSON can spell and Python's writer of JSON cannot."""
EXTREMES: Final[tuple[Callable[[], Any], ...]] = (
    lambda: None,
    lambda: True,
    lambda: "",
    lambda: 10**30,
    lambda: -(10**30),
    lambda: 2**63,
    lambda: 10**400,
    lambda: 10**4400,  # more digits than Python reads or writes
    lambda: 1e308,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: -float("inf"),
    lambda: BEYOND,
    lambda: -0.0,
    lambda: 1.0,
    lambda: "\ud800",
    lambda: "a\udfffb",
    lambda: "\x00\x1b[31m\x7f\u202e\u2028\r\n",
    lambda: "\N{GRINNING FACE}" * 2000,
    lambda: "x" * 70_000,
    lambda: "<script>alert(1)</script>{{7*7}}%s",
    list,
    dict,
    lambda: nested(7),
    lambda: nested(30),
    lambda: nested(400),
    lambda: {f"k{number}": number for number in range(3000)},
    lambda: {"\ud800": {"\x00": [10**30]}},
    lambda: {"x" * 3000: 1},
    lambda: {"auth_token": "stolen", "error_code": "E023"},
    lambda: [{"a": [10**20, "\x00"]}] * 3,
    lambda: list(range(2000)),
)
"""Values at the edge of what JSON, Python, our bounds or a terminal can bear."""
CODES: Final = ("E001", "E002", "E004", "E007", "E008", "E009", "E012", "E023", "E099", "E777", "", 7, None)
NUMBERS: Final = (10**30, -(10**30), -32602, -32601, -32700, -32000, -32603, 1, 12, 2**63, 1.5, "7", None, True)
FAMILIAR: Final = ("context", "error_code", "error_description", "message_type", "draw_nonce", "sender", "auth_token")
"""Names of fields that mean something to somebody."""


def nested(levels: int) -> Any:
    """Lists inside one another."""
    value: Any = 7
    for _ in range(levels):
        value = [value]
    return value


@dataclass(frozen=True)
class HostileReply:
    """A hostile player's answer to a call.

    Attributes:
        kind: `result`, `error` or `body`: the place of `value` in the JSON-RPC response.
        value: The JSON of it.
    """

    kind: str
    value: Any

    def body(self, request_id: Any) -> bytes:
        """The HTTP body."""
        whole = self.value if self.kind == "body" else {"jsonrpc": "2.0", "id": request_id, self.kind: self.value}
        return written(whole)


def hostile_player(name: str, rng: random.Random, game: str, *, mcp: bool) -> Rogue:
    """A player whose every answer may be anything, or a good one now and then, so that its matches get anywhere."""

    async def answer(call: Call) -> bytes:
        good = call.good()
        reply = HostileReply("result", good) if rng.random() < 0.3 else hostile_reply(rng, good)
        if mcp and reply.kind == "result":
            reply = _as_mcp(rng, reply.value)
        return http(reply.body(call.request_id))

    return Rogue(name, dict.fromkeys(("join", "move", "notice"), answer), mcp=mcp, game=game)


def _as_mcp(rng: random.Random, value: Any) -> HostileReply:
    """A reply as the result of an MCP tool, now and then with a place of that changed."""
    result = {"structuredContent": value, "isError": rng.random() < 0.1}
    if rng.random() < 0.5:
        result = {"content": [{"type": "text", "text": written(value).decode()}], "isError": rng.random() < 0.1}
    else:
        result["content"] = []
    return HostileReply("result", _spoilt(rng, result) if rng.random() < 0.1 else result)


def hostile_reply(rng: random.Random, good: Mapping[str, Any]) -> HostileReply:
    """A reply that may be anything: nearly as it should be, an error, or nothing like either."""
    shape = rng.random()
    if shape < 0.55:
        reply: Any = dict(good)
        for _ in range(rng.randint(1, 3)):
            reply = _spoilt(rng, reply)
        return HostileReply("result", reply)
    if shape < 0.65:
        return HostileReply("result", _league_error(rng))
    if shape < 0.75:
        return HostileReply("result", junk(rng))
    if shape < 0.95:
        error = {"code": rng.choice(NUMBERS), "message": rng.choice(("no", junk(rng)))}
        data = rng.choice((None, junk(rng), _league_error(rng)))
        return HostileReply("error", error if data is None else {**error, "data": data})
    return HostileReply("body", junk(rng))


def junk(rng: random.Random) -> Any:
    """Any JSON, mostly one extreme."""
    if rng.random() < 0.8:
        return rng.choice(EXTREMES)()
    return {rng.choice((*FAMILIAR, "k")): rng.choice(EXTREMES)() for _ in range(rng.randint(0, 4))}


def written(value: Any) -> bytes:
    """JSON as bytes, whatever it holds; NaN and the like as Python and many others write them."""
    try:
        text = json.dumps(value)
    except ValueError:  # a number of more digits than Python writes
        text = json.dumps(value, default=str) if not _has_giant(value) else "[" + "9" * 4401 + "]"
    return text.replace(f'"{BEYOND}"', "1e400").encode()


def _has_giant(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_giant, value.values()))
    if isinstance(value, list):
        return any(map(_has_giant, value))
    return isinstance(value, int) and abs(value) > 10**4000


def _league_error(rng: random.Random) -> dict[str, Any]:
    said = {"message_type": "LEAGUE_ERROR", "error_code": rng.choice(CODES), "error_description": junk(rng)}
    return {**said, "context": junk(rng)}


def _spoilt(rng: random.Random, reply: Any) -> Any:
    """A message with one place changed, left out or added."""
    name = rng.choice((*reply, *reply, rng.choice(FAMILIAR), "extra"))
    if name in reply and rng.random() < 0.2:
        return {known: value for known, value in reply.items() if known != name}
    return {**reply, name: junk(rng)}

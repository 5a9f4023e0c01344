"""The table of players that break the protocol, each in one place, and the check that has to say so."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from starlette.responses import HTMLResponse, Response

from league_sdk.testing.compliance import Timeouts
from tests.league_sdk.testing.compliance.handmade import Behaviour, Call, error

LIMITS = Timeouts(join=0.25, move=0.25, response=1.0)
JOIN, MOVE, OVER, ERROR = "handle_game_invitation", "choose_parity", "notify_match_result", "notify_game_error"
ROUND, TABLE, LAST = "notify_round", "update_standings", "notify_league_completed"


@dataclass(frozen=True)
class Fault:
    """A planted fault.

    Attributes:
        name: What the player does.
        behaviour: How.
        check: The check that names it.
        mcp: Whether it speaks MCP, and not bare JSON-RPC.
        advice: Whether it complies in spite of it, and is told so.
    """

    name: str
    behaviour: Behaviour
    check: str
    mcp: bool = False
    advice: bool = False


def at(method: str, make: Callable[[Call], Any], *, first: int = 1) -> Behaviour:
    """Does this at calls of a method, from the one of this number on."""

    async def behaviour(call: Call) -> Any:
        return make(call) if call.method == method and call.number >= first else call.good

    return behaviour


def again(method: str, make: Callable[[Call], Any]) -> Behaviour:
    """Does this where a method is called a second time for the same match."""
    seen: set[str] = set()

    async def behaviour(call: Call) -> Any:
        match_id = call.params.get("match_id") if isinstance(call.params, dict) else None
        if call.method != method or not isinstance(match_id, str) or "result" not in call.good:
            return call.good
        known = match_id in seen
        seen.add(match_id)
        return make(call) if known else call.good

    return behaviour


def at_first(method: str, make: Callable[[Call], Any]) -> Behaviour:
    """Does this at the first call of a method alone."""

    async def behaviour(call: Call) -> Any:
        return make(call) if call.method == method and call.number == 1 else call.good

    return behaviour


def changed(method: str, **changes: Any) -> Behaviour:
    """Changes fields of its replies; None leaves one out."""
    return at(method, lambda call: call.reply(**changes))


def said(method: str, reply: Any) -> Behaviour:
    """Gives this for a reply."""
    return at(method, lambda call: {**call.good, "result": reply} if "result" in call.good else call.good)


def late(method: str, *, times: int = 1_000) -> Behaviour:
    """Answers well, twice the time limit later, so many times."""

    async def behaviour(call: Call) -> Any:
        if call.method == method and call.number <= times:
            await anyio.sleep(2 * LIMITS.join)
        return call.good

    return behaviour


def refusing(code: str, make: Callable[[Call], Any], method: str = JOIN) -> Behaviour:
    """Does this where a message has to be refused with this code."""

    async def behaviour(call: Call) -> Any:
        data: Any = call.good.get("error", {}).get("data") or {}
        return make(call) if call.method == method and data.get("error_code") == code else call.good

    return behaviour


def takes(code: str, method: str = JOIN) -> Behaviour:
    """Takes what has to be refused with this code."""
    return refusing(code, lambda call: {"jsonrpc": "2.0", "id": call.request_id, "result": accepted(call)}, method)


def accepted(call: Call) -> dict[str, Any]:
    """Some good reply, to a message that deserves none."""
    return {"protocol": "league.v2", "message_type": "GAME_JOIN_ACK", "accept": True}


def unknown(make: Callable[[Call], Any]) -> Behaviour:
    """Does this where it is asked for a tool that nobody has."""
    return at("a_tool_that_nobody_has", make)


def crash(call: Call) -> Any:
    return error(call.request_id, -32603, "KeyError: 'match_id'")


def oops(call: Call) -> Response:
    return HTMLResponse("<h1>Internal Server Error</h1>", 500)


def not_a_number(call: Call) -> Response:
    return Response(json.dumps({**call.good, "time": float("nan")}), media_type="application/json")


def streamed(call: Call) -> Response:
    """An event stream, which only MCP has."""
    return Response(f"data: {json.dumps(call.good)}\n\n", media_type="text/event-stream")


async def strict(call: Call) -> Any:
    if isinstance(call.params, dict) and "a_field_of_the_future" in call.params:
        return error(call.request_id, -32602, "unexpected field")
    return call.good


async def fixed_zone(call: Call) -> Any:
    if isinstance(call.params, dict) and str(call.params.get("timestamp")).endswith("+00:00"):
        return error(call.request_id, -32602, "timestamp")
    return call.good


async def any_game(call: Call) -> Any:
    return call.reply(accept=True) if call.method == JOIN else call.good


async def numbered(call: Call) -> Any:
    return {**call.good, "id": 1} if isinstance(call.request_id, str) else call.good


async def confused(call: Call) -> Any:
    """Forgets its match when it is told of an error."""
    if call.method == ERROR:
        call.player.invited.clear()
    return call.good


async def in_a_wrapper(call: Call) -> Any:
    return {**call.good, "result": {"message": call.good["result"]}} if "result" in call.good else call.good


async def list_taken(call: Call) -> Any:
    return oops(call) if isinstance(call.params, list) else call.good


class Hiding:
    """Leaves tools out of its list."""

    def __init__(self, *hidden: str) -> None:
        self.hidden = hidden

    async def __call__(self, call: Call) -> Any:
        return call.good


def tool_result(make: Callable[[dict[str, Any]], Mapping[str, Any]]) -> Behaviour:
    """Answers invitations in MCP with this result around the reply."""

    def result(call: Call) -> Any:
        return {**call.good, "result": make(call.good["result"])} if "result" in call.good else call.good

    return at(JOIN, result)


def text(value: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": value}]


FAULTS: tuple[Fault, ...] = (
    # Time.
    Fault("accepts too late", late(JOIN), "GAME_INVITATION: answered in time"),
    Fault("moves after the deadline", late(MOVE), "CHOOSE_PARITY_CALL: answered in time"),
    Fault("accepts too late once", late(JOIN, times=2), "GAME_INVITATION: answered at the first try", advice=True),
    Fault(
        "moves after the deadline once",
        late(MOVE, times=1),
        "CHOOSE_PARITY_CALL: answered at the first try",
        advice=True,
    ),
    # Moves.
    Fault(
        "moves illegally once",
        at_first(MOVE, lambda call: call.reply(parity_choice="maybe")),
        "CHOOSE_PARITY_CALL: answered at the first try",
        advice=True,
    ),
    Fault("moves in upper case", changed(MOVE, parity_choice="EVEN"), "CHOOSE_PARITY_RESPONSE: a legal move"),
    Fault("moves illegally", changed(MOVE, parity_choice="maybe"), "CHOOSE_PARITY_RESPONSE: a legal move"),
    Fault("moves a list", changed(MOVE, parity_choice=["even"]), "CHOOSE_PARITY_RESPONSE: a legal move"),
    Fault("leaves out its move", changed(MOVE, parity_choice=None), "CHOOSE_PARITY_RESPONSE: parity_choice"),
    Fault(
        "moves in a match it was never invited to",
        refusing("E008", lambda call: {"jsonrpc": "2.0", "id": call.request_id, "result": accepted(call)}, MOVE),
        "a CHOOSE_PARITY_CALL for a match without invitation is refused",
        advice=True,
    ),
    Fault(
        "forgets its match after an error",
        confused,
        "CHOOSE_PARITY_CALL after a GAME_ERROR gets a move again",
        advice=True,
    ),
    # The envelope.
    Fault(
        "writes timestamps of its own zone",
        changed(JOIN, timestamp="2026-01-15T10:30:00+02:00"),
        "GAME_JOIN_ACK: timestamp",
    ),
    Fault(
        "writes timestamps without a zone", changed(JOIN, timestamp="2026-01-15T10:30:00"), "GAME_JOIN_ACK: timestamp"
    ),
    Fault("leaves out the timestamp", changed(MOVE, timestamp=None), "CHOOSE_PARITY_RESPONSE: timestamp", advice=True),
    Fault(
        "answers in another conversation", changed(JOIN, conversation_id="another"), "GAME_JOIN_ACK: conversation_id"
    ),
    Fault("signs with its bare name", changed(JOIN, sender="Ada"), "GAME_JOIN_ACK: sender", advice=True),
    Fault("signs as a referee", changed(MOVE, sender="referee:REF01"), "CHOOSE_PARITY_RESPONSE: sender", advice=True),
    Fault(
        "answers with another type of message",
        changed(JOIN, message_type="GAME_OVER_ACK"),
        "GAME_JOIN_ACK: message_type",
    ),
    Fault("leaves out the message type", changed(OVER, message_type=None), "GAME_OVER_ACK: message_type", advice=True),
    Fault("answers in another protocol", changed(OVER, protocol="chess.v9"), "GAME_OVER_ACK: protocol", advice=True),
    Fault("leaves out the protocol", changed(JOIN, protocol=None), "GAME_JOIN_ACK: protocol", advice=True),
    # Fields.
    Fault("answers for another match", changed(JOIN, match_id="R9M9"), "GAME_JOIN_ACK: match_id"),
    Fault(
        "answers as another player", changed(MOVE, player_id="P09"), "CHOOSE_PARITY_RESPONSE: player_id", advice=True
    ),
    Fault("accepts with a text", changed(JOIN, accept="yes"), "GAME_JOIN_ACK: accept"),
    Fault("leaves out when it arrived", changed(JOIN, arrival_timestamp=None), "GAME_JOIN_ACK: arrival_timestamp"),
    Fault("declines every invitation", changed(JOIN, accept=False), "GAME_JOIN_ACK: comes to the match"),
    Fault("acknowledges another round", changed(ROUND, round_id=99), "ROUND_ANNOUNCEMENT_ACK: round_id", advice=True),
    Fault("acknowledges without a round", changed(TABLE, round_id=None), "STANDINGS_UPDATE_ACK: round_id", advice=True),
    Fault("writes a number as a text", changed(ROUND, round_id="1"), "ROUND_ANNOUNCEMENT_ACK: round_id", advice=True),
    Fault("acknowledges with OK", changed(ERROR, status="OK"), "GAME_ERROR_ACK: status", advice=True),
    Fault(
        "acknowledges with a word",
        said(TABLE, {"status": "ok"}),
        "STANDINGS_UPDATE_ACK: a whole message",
        advice=True,
    ),
    Fault("accepts with a word", said(JOIN, {"status": "ok"}), "GAME_INVITATION: answered in time"),
    # The same once more.
    Fault("crashes at a second invitation", at(JOIN, crash, first=3), "GAME_INVITATION in the second seat is accepted"),
    Fault(
        "crashes at a second result",
        at(OVER, crash, first=2),
        "a GAME_OVER a second time is acknowledged again",
        advice=True,
    ),
    Fault("crashes at a second call", at(MOVE, crash, first=2), "CHOOSE_PARITY_CALL in a second match is answered"),
    Fault(
        "crashes when it is asked again",
        again(MOVE, crash),
        "CHOOSE_PARITY_CALL a second time gets a move again",
        advice=True,
    ),
    Fault(
        "crashes when it is invited again",
        again(JOIN, crash),
        "a GAME_INVITATION a second time is accepted again",
        advice=True,
    ),
    # What has to be refused, and what has not.
    Fault("crashes at an unknown method", unknown(oops), "a tool that does not exist is refused", advice=True),
    Fault(
        "answers an unknown method",
        unknown(lambda call: {**call.good, "error": None, "result": {}}),
        "a tool that does not exist is refused",
        advice=True,
    ),
    Fault(
        "crashes without a match id",
        refusing("E003", crash),
        "a GAME_INVITATION without match_id is refused",
        advice=True,
    ),
    Fault(
        "takes a message without its fields",
        takes("E003"),
        "a GAME_INVITATION without match_id is refused",
        advice=True,
    ),
    Fault(
        "takes fields of the wrong type",
        takes("E002"),
        "a GAME_INVITATION with a number as match_id is refused",
        advice=True,
    ),
    Fault(
        "takes timestamps without a zone",
        takes("E021"),
        "a GAME_INVITATION without a zone in its timestamp is refused",
        advice=True,
    ),
    Fault("takes another protocol", takes("E018"), "a GAME_INVITATION in another protocol is refused", advice=True),
    Fault(
        "refuses without an error code",
        refusing("E018", lambda call: error(call.request_id, -32602, "no")),
        "a GAME_INVITATION in another protocol is refused",
        advice=True,
    ),
    Fault(
        "refuses without a LEAGUE_ERROR",
        refusing("E003", lambda call: error(call.request_id, -32602, "Invalid params")),
        "LEAGUE_ERROR: is there",
        advice=True,
    ),
    Fault(
        "refuses with the wrong number",
        refusing("E021", lambda call: {**call.good, "error": {**call.good["error"], "code": 400}}),
        "a GAME_INVITATION with a timestamp of another zone is refused",
        advice=True,
    ),
    Fault("refuses what it does not know", strict, "a field that nobody knows is ignored", advice=True),
    Fault("reads no +00:00", fixed_zone, "a timestamp that ends in +00:00 is read", advice=True),
    Fault("comes to every game", any_game, "an invitation to another game is declined", advice=True),
    # JSON-RPC and HTTP.
    Fault(
        "writes ids as texts",
        at(JOIN, lambda call: {**call.good, "id": str(call.request_id)}),
        "GAME_INVITATION: a well-formed response",
        advice=True,
    ),
    Fault(
        "puts a null beside each result",
        at(JOIN, lambda call: {"error": None, "result": None, **call.good}),
        "GAME_INVITATION: a well-formed response",
        advice=True,
    ),
    Fault("makes numbers of ids", numbered, "a text as the id of a request comes back", advice=True),
    Fault(
        "answers another request",
        at(ROUND, lambda call: {**call.good, "id": 99_999}),
        "ROUND_ANNOUNCEMENT: a well-formed response",
        advice=True,
    ),
    Fault("moves with NaN beside its move", at(MOVE, not_a_number), "CHOOSE_PARITY_CALL: a well-formed response"),
    Fault("moves in an event stream without MCP", at(MOVE, streamed), "CHOOSE_PARITY_CALL: a well-formed response"),
    Fault("answers with HTML", at(ERROR, oops), "GAME_ERROR: a well-formed response", advice=True),
    Fault(
        "has no method for a message",
        at(LAST, lambda call: error(call.request_id, -32601, "Method not found")),
        "LEAGUE_COMPLETED: a reply, and no error",
        advice=True,
    ),
    Fault("puts the reply into a wrapper", in_a_wrapper, "GAME_JOIN_ACK: accept"),
    Fault("crashes at a list", list_taken, "a list in the place of a message is refused", advice=True),
    Fault(
        "says nothing of JSON-RPC",
        at(OVER, lambda call: {name: part for name, part in call.good.items() if name != "jsonrpc"}),
        "GAME_OVER: a well-formed response",
        advice=True,
    ),
    # MCP.
    Fault("lists no tool for moves", Hiding(MOVE), "tools/list: choose_parity", mcp=True),
    Fault(
        "answers in MCP with structuredContent alone",
        tool_result(lambda reply: {"content": [], "structuredContent": reply}),
        "GAME_INVITATION: the reply is there twice",
        mcp=True,
        advice=True,
    ),
    Fault(
        "says two things at once",
        tool_result(lambda reply: {"content": text("{}"), "structuredContent": reply}),
        "GAME_INVITATION: the reply is there twice",
        mcp=True,
        advice=True,
    ),
    Fault(
        "answers in MCP with a sentence",
        tool_result(lambda reply: {"content": text("I am coming!")}),
        "GAME_INVITATION: a well-formed response",
        mcp=True,
    ),
    Fault(
        "moves in upper case in MCP",
        changed(MOVE, parity_choice="ODD"),
        "CHOOSE_PARITY_RESPONSE: a legal move",
        mcp=True,
    ),
)

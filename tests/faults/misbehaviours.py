"""The table of misbehaving players. A new misbehaviour is one entry."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from league_sdk.domain.model import Cause
from tests.faults import effects as do
from tests.faults.league_harness import JOIN, MOVE
from tests.faults.rogue import Effect


@dataclass(frozen=True)
class Misbehaviour:
    """A player that breaks a rule, and what comes of it.

    Attributes:
        name: What it does; the name of the test.
        effects: By phase: `join`, `move`, `notice` (anything it is told), `other` (an unknown method).
        causes: What it is blamed for; it is blamed for nothing else, and in each of its matches. Empty: it plays.
        matches: In how many of its three matches it is at fault.
        mcp: Whether it speaks MCP.
        deaf: Whether its port is closed from the start.
        alone: Whether it needs a league of its own, since what it does lasts beyond the call or the match.
    """

    name: str
    effects: Mapping[str, Effect] = field(default_factory=dict[str, Effect])
    causes: frozenset[Cause] = frozenset()
    matches: int = 3
    mcp: bool = False
    deaf: bool = False
    alone: bool = False


def plays(name: str, *, mcp: bool = False, alone: bool = False, **effects: Effect) -> Misbehaviour:
    """It does that, and plays all the same."""
    return Misbehaviour(name, effects, mcp=mcp, matches=0, alone=alone)


def loses(
    name: str, *causes: Cause, mcp: bool = False, matches: int = 3, alone: bool = False, **effects: Effect
) -> Misbehaviour:
    """It does that, and is blamed for it."""
    return Misbehaviour(name, effects, frozenset(causes), matches, mcp, alone=alone)


C = Cause
NOT_A_MESSAGE: Final = b'{"jsonrpc": "2.0", "id": 1, "result": '

TABLE: Final[tuple[Misbehaviour, ...]] = (
    # Good, each in its own way.
    plays("is a good player of bare JSON-RPC", alone=True),
    plays("is a good player of MCP", mcp=True, alone=True),
    plays("answers in MCP with text alone", mcp=True, join=do.tool_result(do.as_text), move=do.tool_result(do.as_text)),
    plays(
        "adds fields that nobody knows", join=do.changed(mood="fine", nested={"a": [1]}), move=do.changed(mood="bad")
    ),
    plays(
        "leaves out the conversation id", join=do.changed(conversation_id=None), move=do.changed(conversation_id=None)
    ),
    plays("shows a wrong token in its replies", join=do.changed(auth_token="stolen"), move=do.changed(auth_token="x")),
    plays("has a clock that is an hour fast", join=do.skewed(1), move=do.skewed(1)),
    plays("has a clock that is an hour slow", join=do.skewed(-1), move=do.skewed(-1)),
    plays("takes half its time to join and to move", join=do.slow(JOIN / 2), move=do.slow(MOVE / 2)),
    plays("answers twice", join=do.twice, move=do.twice),
    plays("never acknowledges what it is told", notice=do.silent, alone=True),
    plays("answers what it is told with rubbish", notice=do.raw(b"\xff\x00 rubbish"), alone=True),
    plays("restarts when it is invited", join=do.restarts, alone=True),
    plays("restarts when it is asked for its move", move=do.restarts, alone=True),
    plays("restarts when it is told something", notice=do.restarts, alone=True),
    plays("is late once, and then in time", move=do.first(do.silent), alone=True),
    plays("moves illegally once, and then legally", move=do.first(do.changed(parity_choice="maybe")), alone=True),
    plays("reports PARITY_CHOICE, the old name of its answer", move=do.changed(message_type="PARITY_CHOICE")),
    plays("puts a null beside each result", join=do.enveloped(error=None), move=do.enveloped(error=None)),
    plays("writes ids as texts", join=do.text_id, move=do.text_id),
    plays("writes ids as texts in MCP", mcp=True, join=do.in_mcp(do.text_id), move=do.in_mcp(do.text_id)),
    plays("refuses with a null beside the error", notice=do.null_beside_the_error, alone=True),
    plays(
        "answers in MCP with structuredContent alone",
        mcp=True,
        join=do.tool_result(do.structured),
        move=do.tool_result(do.structured),
    ),
    # Silent or late.
    loses("is silent when it is invited", C.NO_JOIN, join=do.silent),
    loses("is silent when it is asked for its move", C.NO_MOVE, move=do.silent),
    loses("accepts too late", C.NO_JOIN, join=do.slow(JOIN * 1.5)),
    loses("moves after the deadline", C.NO_MOVE, move=do.slow(MOVE * 1.5)),
    loses("begins an answer and never ends it", C.NO_MOVE, move=do.dripping),
    # Gone.
    loses("closes the connection when it is invited", C.CONNECTION_DROPPED, join=do.closes),
    loses("closes the connection when it is asked for its move", C.CONNECTION_DROPPED, move=do.closes, alone=True),
    loses("closes the connection in the head of its answer", C.CONNECTION_DROPPED, move=do.closes_in_the_head),
    loses("closes the connection in the middle of its answer", C.CONNECTION_DROPPED, move=do.cut),
    loses("dies when it is invited", C.CONNECTION_REFUSED, join=do.dies, alone=True),
    loses("dies when it is asked for its move", C.CONNECTION_REFUSED, move=do.dies, alone=True),
    loses("dies after its first move", C.CONNECTION_REFUSED, matches=2, move=do.answers_and_dies, alone=True),
    loses("dies when the round is announced", C.CONNECTION_REFUSED, notice=do.dies, alone=True),
    Misbehaviour("has nobody at its endpoint", causes=frozenset({C.CONNECTION_REFUSED}), deaf=True, alone=True),
    # No HTTP, no JSON, no message.
    loses("answers with something that is no JSON", C.MALFORMED_REPLY, join=do.raw(b"certainly!"), alone=True),
    loses("answers with JSON that is no object", C.MALFORMED_REPLY, move=do.raw(b'["even"]')),
    loses("answers with JSON nested very deeply", C.MALFORMED_REPLY, move=do.deep),
    loses("answers with bytes that are no text", C.MALFORMED_REPLY, move=do.raw(b"\xff\xfe\x00{")),
    loses("answers with an empty body", C.MALFORMED_REPLY, move=do.raw(b"")),
    loses("answers with a text in the place of a message", C.MALFORMED_REPLY, move=do.replies("even")),
    loses("answers with an empty message", C.MALFORMED_REPLY, move=do.replies({})),
    loses("answers with HTTP 404", C.MALFORMED_REPLY, move=do.raw(b"<h1>Not found</h1>", "404 Not Found")),
    loses("answers with HTTP 500", C.CRASHED_HANDLER, move=do.raw(b"<h1>Oops</h1>", "500 Internal Server Error")),
    loses("redirects in a circle", C.MALFORMED_REPLY, move=do.redirects),
    loses("answers with far too much", C.MALFORMED_REPLY, move=do.huge),
    loses("streams for ever", C.MALFORMED_REPLY, move=do.endless),
    loses("answers another request than the one it got", C.MALFORMED_REPLY, move=do.wrong_id),
    loses(
        "answers with the error of a crash", C.CRASHED_HANDLER, move=do.error(-32603, "ZeroDivisionError"), alone=True
    ),
    loses("answers with an error of its own", C.CRASHED_HANDLER, move=do.error(-32050, "not today")),
    loses("answers with an error that is no object", C.MALFORMED_REPLY, move=do.raw(b'{"error": 5, "id": 1}')),
    loses("knows no such method", C.CRASHED_HANDLER, move=do.error(-32601, "Method not found")),
    # Messages that break the protocol.
    plays("leaves out the match id", join=do.changed(match_id=None)),
    loses("leaves out its move", C.MALFORMED_REPLY, move=do.changed(parity_choice=None)),
    loses("accepts with a text in the place of a truth value", C.MALFORMED_REPLY, join=do.changed(accept="perhaps")),
    loses("answers with another type of message", C.MALFORMED_REPLY, join=do.changed(message_type="GAME_OVER_ACK")),
    loses("answers in another protocol", C.MALFORMED_REPLY, join=do.changed(protocol="chess.v9")),
    loses("answers in another conversation", C.MALFORMED_REPLY, move=do.changed(conversation_id="conv-of-others")),
    loses("answers for another match", C.MALFORMED_REPLY, move=do.changed(match_id="R9M9")),
    plays("answers as another player", join=do.changed(sender="player:P01"), move=do.changed(player_id="P02")),
    loses(
        "writes timestamps of its own zone", C.MALFORMED_REPLY, join=do.changed(timestamp="2026-01-15T10:30:00+02:00")
    ),
    loses("writes timestamps without a zone", C.MALFORMED_REPLY, join=do.changed(timestamp="2026-01-15T10:30:00")),
    # Moves.
    loses("declines every invitation", C.DECLINED, join=do.changed(accept=False), alone=True),
    loses(
        "declines every invitation, and gives a nonce",
        C.DECLINED,
        join=do.changed(accept=False, draw_nonce="c0ffee"),
        alone=True,
    ),
    loses("moves illegally every time", C.ILLEGAL_MOVE, move=do.changed(parity_choice="maybe"), alone=True),
    loses("moves in upper case", C.ILLEGAL_MOVE, move=do.changed(parity_choice="EVEN")),
    loses("moves a list", C.ILLEGAL_MOVE, C.MALFORMED_REPLY, move=do.changed(parity_choice=["even"])),
    loses("moves a text of 100 kB", C.ILLEGAL_MOVE, C.MALFORMED_REPLY, move=do.changed(parity_choice="e" * 100_000)),
    # MCP, broken.
    loses(
        "answers in MCP with text that is no JSON",
        C.MALFORMED_REPLY,
        mcp=True,
        move=do.tool_result(lambda _: do.said("hm")),
    ),
    loses(
        "answers in MCP with no content", C.MALFORMED_REPLY, mcp=True, move=do.tool_result(lambda _: {"content": []})
    ),
    loses(
        "leaves content out of its results in MCP",
        C.MALFORMED_REPLY,
        mcp=True,
        move=do.tool_result(lambda call: {"structuredContent": call.good()}),
    ),
    loses("answers in MCP with something that is no result", C.MALFORMED_REPLY, mcp=True, move=do.replies([1, 2])),
    loses("flags its answer in MCP as an error", C.CRASHED_HANDLER, mcp=True, move=do.tool_result(do.flagged)),
    loses("is silent in MCP", C.NO_MOVE, mcp=True, move=do.silent),
    loses("closes the connection in MCP", C.CONNECTION_DROPPED, mcp=True, move=do.closes),
    loses("answers in MCP with far too much", C.MALFORMED_REPLY, mcp=True, move=do.huge),
    loses("answers in MCP another request", C.MALFORMED_REPLY, mcp=True, move=do.wrong_id),
    loses("redirects in a circle in MCP", C.MALFORMED_REPLY, mcp=True, move=do.redirects),
    loses(
        "answers with HTTP 500 in MCP", C.CRASHED_HANDLER, mcp=True, move=do.raw(b"Oops", "500 Internal Server Error")
    ),
)

"""Responses, read as in each dialect: a message, a refusal, or neither."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeGuard, cast

from mcp_types import CallToolResult
from pydantic import ValidationError

from league_sdk.bounds import shorten
from league_sdk.json_value import Json
from league_sdk.mcp_adapter.client import reply_in
from league_sdk.ports import CallRefused, MalformedReply
from league_sdk.transports.jsonrpc import missing_envelope, plain_refusal

Object: TypeAlias = dict[str, Any]


class AgentGone(Exception):
    """There is no connection to the agent."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A JSON-RPC error, or a tool result flagged as one, which has no number."""

    number: int | None
    message: str
    data: Json = None

    @property
    def code(self) -> str | None:
        code: Json = as_object(self.data).get("error_code")
        return code if isinstance(code, str) else None

    @property
    def text(self) -> str:
        said = shorten(self.message, 300)
        return (
            f"a result that is flagged as an error: {said}" if self.number is None else f"error {self.number}: {said}"
        )


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """The outcome of one call: a message, a refusal, or the reason for neither.

    `odd` is a breach of JSON-RPC that a league tolerates, and `result` the tool result around a message of MCP.
    """

    sent: Json
    received: Json = None
    seconds: float = 0.0
    reply: Json = None
    error: Refusal | None = None
    broken: str = ""
    odd: str = ""
    late: bool = False
    dropped: bool = False
    crashed: bool = False
    result: Object | None = None


@dataclass(frozen=True, slots=True)
class HttpExchange:
    """One HTTP request and its response, as far as it came."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Json = None
    broken: str = ""
    late: bool = False
    gone: bool = False
    seconds: float = 0.0


def read_response(request: Json, exchange: HttpExchange, number: Json, *, mcp: bool = False) -> CallAnswer:
    """Read an HTTP response as JSON-RPC, exactly as strict as a league's client.

    Raises AgentGone if there is no server at the URL.
    """
    if exchange.gone:
        raise AgentGone(exchange.broken)

    def answer(**found: Any) -> CallAnswer:
        return CallAnswer(sent=request, received=exchange.body, seconds=exchange.seconds, **found)

    if exchange.broken:
        dropped = not exchange.status and not exchange.late
        return answer(broken=exchange.broken, late=exchange.late, dropped=dropped, crashed=exchange.status >= 500)
    body = exchange.body
    if not is_object(body):
        return answer(broken=f"HTTP {exchange.status}, and no JSON-RPC object")
    oddities: list[str] = []
    if not mcp and exchange.status < 400:
        body = _with_envelope(body, number, oddities)
    broken = _envelope_problem(body, mcp, oddities)
    refused = body.get("error") is not None
    if not broken:
        # In an event stream the SDK's client takes whatever response comes for the one that it waits for.
        streamed = mcp and exchange.headers.get("content-type", "").startswith("text/event-stream")
        broken = _id_problem(body, number, oddities, lenient=streamed or (refused and not mcp))
    if broken:
        return answer(broken=broken)
    odd = "; ".join(oddities)
    if not refused:
        return answer(reply=body["result"], odd=odd)
    error: Object = body["error"]
    return answer(error=Refusal(error["code"], str(error.get("message") or "no message"), error.get("data")), odd=odd)


def _with_envelope(body: Object, number: Json, oddities: list[str]) -> Object:
    """The response with the parts of its envelope that a league's client derives."""
    refusal, missing = plain_refusal(body), missing_envelope(body)
    if refusal is not None:
        oddities.append("the error is a text: send an object with code and message")
        return {"jsonrpc": "2.0", "id": number, "error": {"code": refusal.number, "message": refusal.message}}
    if missing and body.get("error") is None:
        oddities.append(f"{', '.join(missing)} missing: a league derives what is missing, with a warning; send it")
        result = body if "result" in missing else body.get("result")
        return {"jsonrpc": "2.0", "id": number, "result": result}
    return body


def _envelope_problem(body: Object, mcp: bool, oddities: list[str]) -> str:
    """The reason why a response cannot be read; harmless faults go to `oddities`."""
    if body.get("jsonrpc") != "2.0":
        text = f'"jsonrpc" is {body.get("jsonrpc")!r}, not "2.0"'
        if mcp:
            return text
        oddities.append(text)
    error: Json = body.get("error")
    if error is None:
        if "error" in body:
            oddities.append("a result stands beside an error that is null")
        return "there is neither a result nor an error" if body.get("result") is None else ""
    code: Json = error.get("code") if is_object(error) else None
    if not is_object(error) or isinstance(code, bool) or not isinstance(code, int):
        return "the error is no object with a whole number as its code"
    problems = {
        "the error has no message": not isinstance(error.get("message"), str),
        "there is a result and an error as well": body.get("result") is not None,
    }
    found = [text for text, wrong in problems.items() if wrong]
    if mcp and found:
        return found[0]
    oddities += found
    if "result" in body and not found:
        oddities.append("an error stands beside a result that is null")
    return ""


def _id_problem(body: Object, number: Json, oddities: list[str], *, lenient: bool) -> str:
    said: Json = body.get("id")
    kind = "error" if body.get("error") is not None else "response"
    text = f"the {kind} bears the id {said!r}, the request {number!r}"
    if type(said) is type(number) and said == number:
        return ""
    same = str(said) == str(number) or (said is None and kind == "error")
    if not (same or lenient):
        return text
    if said is not None:
        oddities.append(text)
    return ""


def read_tool_result(answer: CallAnswer) -> CallAnswer:
    def found(**changes: Any) -> CallAnswer:
        return CallAnswer(answer.sent, answer.received, answer.seconds, odd=answer.odd, result=result, **changes)

    result = answer.reply if is_object(answer.reply) else None
    if result is None:
        return found(broken="the result is no object")
    try:
        return found(reply=reply_in(CallToolResult.model_validate(result, by_name=False)))
    except CallRefused as refused:
        text = _text_of(result)
        return found(error=Refusal(None, text or "no text says why", refused.data))
    except MalformedReply as malformed:
        return found(broken=str(malformed))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return found(broken=f"it is no result of an MCP tool: {where}: {first['msg']}")


def _text_of(result: Object) -> str | None:
    content: Json = result.get("content")
    first: Json = cast("list[Any]", content)[0] if isinstance(content, list) and content else None
    text: Json = first.get("text") if is_object(first) else None
    return text if isinstance(text, str) else None


def said_twice(answer: CallAnswer) -> str:
    """The difference between the two copies of the reply in a tool result, or empty."""
    result = answer.result or {}
    text = _text_of(result)
    if text is None:
        return "content[0] has no text"
    try:
        told = json.loads(text)
    except ValueError:
        return "the text in content[0] is no JSON"
    if result.get("structuredContent") is None:
        return "there is no structuredContent"
    return "" if told == result["structuredContent"] else "structuredContent and the text in content[0] differ"


def as_object(value: Json) -> Object:
    return value if is_object(value) else {}


def is_object(value: object) -> TypeGuard[Object]:
    return isinstance(value, dict)

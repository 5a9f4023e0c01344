"""What came back, read as the dialects say it has to be: a message, a refusal, or neither."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeGuard, cast

from league_sdk.ports import Json

Object: TypeAlias = dict[str, Any]


class Gone(Exception):
    """There is no connection to the agent."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A JSON-RPC error, or a tool result that is flagged as one.

    Attributes:
        number: Its code; None where a flagged result has none.
        message: Its message.
        data: Its data, or what the flagged result holds.
    """

    number: int | None
    message: str
    data: Json = None

    @property
    def code(self) -> str | None:
        """The E-code in its data, if there is one."""
        code: Json = as_object(self.data).get("error_code")
        return code if isinstance(code, str) else None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one call.

    Attributes:
        sent: The request.
        received: What came back: JSON, or text.
        seconds: How long it took.
        reply: The message, when there is one.
        error: The refusal, when there is one.
        broken: Why what came is no answer; empty when it is one.
        late: Whether nothing came in time.
        result: The tool result around the message, in MCP.
    """

    sent: Json
    received: Json = None
    seconds: float = 0.0
    reply: Json = None
    error: Refusal | None = None
    broken: str = ""
    late: bool = False
    result: Object | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP request and its response, as far as that came."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Json = None
    broken: str = ""
    late: bool = False
    gone: bool = False
    seconds: float = 0.0


def read_response(request: Json, exchange: Exchange, number: Json) -> Answer:
    """An HTTP response as what JSON-RPC makes of it.

    Raises:
        Gone: Nobody listens at the URL.
    """
    if exchange.gone:
        raise Gone(exchange.broken)

    def answer(**found: Any) -> Answer:
        return Answer(sent=request, received=exchange.body, seconds=exchange.seconds, **found)

    if exchange.broken:
        return answer(broken=exchange.broken, late=exchange.late)
    body = exchange.body
    if not is_object(body):
        return answer(broken=f"HTTP {exchange.status}, and no JSON-RPC object")
    if body.get("jsonrpc") != "2.0":
        return answer(broken=f'"jsonrpc" is {body.get("jsonrpc")!r}, not "2.0"')
    if "result" in body and body.get("error") is not None:
        return answer(broken="there is a result and an error as well")
    if body.get("error") is not None:
        return _read_error(body, answer, number)
    if body.get("id") != number or type(body.get("id")) is not type(number):
        return answer(broken=f"the response bears the id {body.get('id')!r}, the request {number!r}")
    if body.get("result") is None:
        return answer(broken="there is neither a result nor an error")
    return answer(reply=body["result"])


def _read_error(body: Object, answer: Any, number: Json) -> Answer:
    error: Json = body["error"]
    code: Json = error.get("code") if is_object(error) else None
    if not is_object(error) or isinstance(code, bool) or not isinstance(code, int):
        return answer(broken="the error is no object with a whole number as its code")
    if not isinstance(error.get("message"), str):
        return answer(broken="the error has no message")
    if body.get("id") is not None and (body["id"] != number or type(body["id"]) is not type(number)):
        return answer(broken=f"the error bears the id {body['id']!r}, the request {number!r}")
    return answer(error=Refusal(code, error["message"], error.get("data")))


def read_tool_result(answer: Answer) -> Answer:
    """The message inside a tool result."""

    def found(**changes: Any) -> Answer:
        return Answer(answer.sent, answer.received, answer.seconds, result=result, **changes)

    result = answer.reply if is_object(answer.reply) else None
    if result is None:
        return found(broken="the result is no object")
    text = _text_of(result)
    told: Json = result.get("structuredContent")
    if told is None and text is not None:
        try:
            told = json.loads(text)
        except ValueError:
            told = text
    if result.get("isError"):
        return found(error=Refusal(None, text or "the result is flagged as an error", told))
    if told is None:
        return found(broken="the result has neither structuredContent nor a text in content[0]")
    if isinstance(told, str):
        return found(broken="the text in content[0] is no JSON")
    return found(reply=told)


def _text_of(result: Object) -> str | None:
    content: Json = result.get("content")
    first: Json = cast("list[Any]", content)[0] if isinstance(content, list) and content else None
    text: Json = first.get("text") if is_object(first) else None
    return text if isinstance(text, str) else None


def said_twice(answer: Answer) -> str:
    """What is wrong with the two places in which a tool result has to hold the reply; empty when nothing is."""
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
    """JSON as the object that it is; an empty one when it is none."""
    return value if is_object(value) else {}


def is_object(value: object) -> TypeGuard[Object]:
    """Whether it is a JSON object."""
    return isinstance(value, dict)

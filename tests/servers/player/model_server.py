"""A server that speaks the wire formats of three providers of language models, and says what it is told to."""

import asyncio
import json
import ssl
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from league_sdk.game import PlayerView
from servers.agent import untrusted

PROVIDERS = ("openai", "anthropic", "google")
MODELS = {
    "openai": "openai:gpt-6-luna",
    "anthropic": "anthropic:claude-haiku-4-5",
    "google": "google:gemini-3.5-flash-lite",
}
INPUT_TOKENS, OUTPUT_TOKENS = 1000, 20


@dataclass(frozen=True)
class Asked:
    """One request, in whichever format it came."""

    provider: str
    model: str
    system: str
    user: str
    key: str
    body: dict[str, Any]

    @property
    def data(self) -> dict[str, Any]:
        """The situation in the question."""
        quoted = self.user.rpartition(f"\n{untrusted.OPEN}\n")[2].partition(f"\n{untrusted.CLOSE}")[0]
        return json.loads(quoted)["untrusted"]


def first_move(asked: Asked) -> str:
    """The answer of a model that understands its task, and no more."""
    return json.dumps({"move": asked.data["legal_moves"][0]})


@dataclass
class FakeModel:
    """A language model without a wire: a `LanguageModel` that a test tells what to answer."""

    answer: Callable[[Asked], str] = first_move
    prompt: str = ""
    known_rules: str = "Take what is left."
    asked: list[Asked] = field(default_factory=list[Asked])

    def rules(self, game_type: str) -> str:
        return self.known_rules

    async def ask(self, view: PlayerView, instructions: str, question: str) -> str:
        self.asked.append(Asked("fake", "fake", instructions, question, "", {}))
        return self.answer(self.asked[-1])


@dataclass
class ModelServer:
    """A language model's server, with its answers and requests.

    Attributes:
        answer: The model's words.
        status: The HTTP status; of several, one a request, and the last one from then on.
        delay: Seconds before it answers.
        usage: True to report the tokens used.
        raw: Sent in place of everything else.
        url: Its URL.
        asked: The requests.
    """

    answer: Callable[[Asked], str] = first_move
    status: tuple[int, ...] = (200,)
    delay: float = 0.0
    usage: bool = True
    raw: bytes | None = None
    url: str = ""
    asked: list[Asked] = field(default_factory=list[Asked])

    def reset(self) -> None:
        """As if nothing had been told it, and nothing asked."""
        self.answer, self.status, self.delay, self.usage, self.raw = first_move, (200,), 0.0, True, None
        self.asked.clear()

    def base_url(self, provider: str) -> str:
        return f"{self.url}/v1" if provider == "openai" else self.url

    async def reply(self, asked: Asked, wrap: Callable[[str], dict[str, Any]], error: dict[str, Any]) -> Response:
        number = len(self.asked)
        self.asked.append(asked)
        if self.delay:
            await asyncio.sleep(self.delay)
        status = self.status[min(number, len(self.status) - 1)]
        if status != 200:
            return JSONResponse(error, status, {"retry-after": "0"})
        if self.raw is not None:
            return Response(self.raw, media_type="application/json")
        return JSONResponse(wrap(self.answer(asked)))

    async def openai(self, request: Request) -> Response:
        body = await request.json()
        said = {message["role"]: message["content"] for message in body["messages"]}
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        asked = Asked("openai", body["model"], said.get("system", said.get("developer", "")), said["user"], key, body)

        def wrap(text: str) -> dict[str, Any]:
            message = {"role": "assistant", "content": text, "refusal": None}
            usage = {
                "prompt_tokens": INPUT_TOKENS,
                "completion_tokens": OUTPUT_TOKENS,
                "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
            }
            reply = {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1_700_000_000,
                "model": body["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}],
            }
            return {**reply, "usage": usage} if self.usage else reply

        return await self.reply(asked, wrap, {"error": {"message": f"no, {key}", "type": "x", "code": None}})

    async def anthropic(self, request: Request) -> Response:
        body = await request.json()
        (message,) = body["messages"]
        key = request.headers.get("x-api-key", "") or request.headers.get("authorization", "").removeprefix("Bearer ")
        asked = Asked("anthropic", body["model"], _text(body.get("system", "")), _text(message["content"]), key, body)

        def wrap(text: str) -> dict[str, Any]:
            reply = {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "stop_sequence": None,
            }
            usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS}
            return {**reply, "usage": usage} if self.usage else reply

        error = {"type": "error", "error": {"type": "x", "message": f"no, {key}"}}
        return await self.reply(asked, wrap, error)

    async def google(self, request: Request) -> Response:
        body = await request.json()
        model, _, method = request.path_params["call"].partition(":")
        assert method == "generateContent"
        (content,) = body["contents"]
        key = request.headers.get("x-goog-api-key", "")
        system = _text(body.get("systemInstruction", {}).get("parts", ""))
        asked = Asked("google", model, system, _text(content["parts"]), key, body)

        def wrap(text: str) -> dict[str, Any]:
            content = {"role": "model", "parts": [{"text": text}]}
            reply = {
                "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
                "modelVersion": model,
                "responseId": "r1",
            }
            usage = {
                "promptTokenCount": INPUT_TOKENS,
                "candidatesTokenCount": OUTPUT_TOKENS,
                "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
            }
            return {**reply, "usageMetadata": usage} if self.usage else reply

        return await self.reply(asked, wrap, {"error": {"code": 1, "message": f"no, {key}", "status": "X"}})

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self.openai, methods=["POST"]),
                Route("/v1/messages", self.anthropic, methods=["POST"]),
                Route("/v1beta/models/{call}", self.google, methods=["POST"]),
            ]
        )


@contextmanager
def running() -> Generator[ModelServer]:
    """A server on a free port, in a thread of its own. Meanwhile clients load no authorities: over plain HTTP none are
    needed, and each client would take a fifth of a second to read them."""
    told = ModelServer()
    server = uvicorn.Server(uvicorn.Config(told.app(), host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < until
        time.sleep(0.01)
    told.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
            yield told
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(20)


def _text(parts: Any) -> str:
    return parts if isinstance(parts, str) else "\n".join(part["text"] for part in parts)

"""Language models of any provider, by the extra `llm`, imported on demand."""

import contextlib
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from league_sdk.bounds import shorten
from league_sdk.plugins import PluginError
from league_sdk.settings import LanguageModelSettings
from league_sdk.spending import dollars

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

EXTRA = 'pip install "mcp-agent-league[llm]"'
DEFAULT_MODELS: Mapping[str, str] = {
    "ANTHROPIC_API_KEY": "anthropic:claude-haiku-4-5",
    "OPENAI_API_KEY": "openai:gpt-6-luna",
    "GOOGLE_API_KEY": "google:gemini-3.5-flash-lite",
    "GEMINI_API_KEY": "google:gemini-3.5-flash-lite",
}
"""The model that is meant when none is named, by the variable of the key that is there; the first one counts."""
_KEYS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
_NO_KEY = "not-needed"
"""API key sent to a local server that needs none: the libraries insist on one."""
_ENVELOPE_TOKENS = 200
"""Tokens of a request beside its texts, generously."""


class ModelUnusable(PluginError):
    """There is no language model to ask; the message says what to do."""


class ModelRefused(Exception):
    """The provider answered with an error, which costs nothing.

    Attributes:
        passing: Whether it may be another answer in a moment.
        retry_after: Seconds to wait before that, where the provider says.
    """

    def __init__(self, text: str, *, passing: bool, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.passing = passing
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of a model."""

    text: str
    input_tokens: int | None  # tokens that went out; None when the provider does not say
    output_tokens: int | None  # tokens that came back
    cost: float | None  # US dollars; None when the price is not known, or the tokens are not


class ProviderModel:
    """One model of one provider. See `open_model`.

    Attributes:
        name: Provider and model, such as `anthropic:claude-haiku-4-5`.
    """

    def __init__(self, name: str, model: "Model[Any]", settings: LanguageModelSettings, secrets: Sequence[str]) -> None:
        # Here, not in the middle of a move: it takes its time to load.
        from pydantic_ai.direct import model_request

        self.name = name
        self._ask = model_request
        self._model = model
        self._settings = settings
        self._secrets = secrets

    def at_most(self, instructions: str, question: str) -> float | None:
        """Upper bound of a request's cost in US dollars: a token has at least a byte."""
        size = len(instructions.encode()) + len(question.encode()) + _ENVELOPE_TOKENS
        return self._cost(size, self._settings.max_tokens)

    async def request(self, instructions: str, question: str) -> Answer:
        from httpx2 import ConnectError, ConnectTimeout
        from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
        from pydantic_ai.messages import ModelRequest

        try:
            response = await self._ask(
                self._model,
                [ModelRequest.user_text_prompt(question, instructions=instructions)],
                model_settings=self._wishes(),
            )
        except ModelHTTPError as error:
            passing = error.status_code in (408, 409, 429) or error.status_code >= 500
            text = f"{self.name} answered with HTTP status {error.status_code}{self._explained(error.body)}"
            raise ModelRefused(text, passing=passing, retry_after=error.retry_after) from error
        except ModelAPIError as error:
            if any(isinstance(cause, ConnectError | ConnectTimeout) for cause in _causes(error)):
                raise ModelRefused(f"{self.name} cannot be reached", passing=True) from error
            raise
        return self._answer(response)

    def _wishes(self) -> "ModelSettings":
        given = self._settings
        wishes: ModelSettings = {"max_tokens": given.max_tokens, "max_retries": 0}
        if given.temperature is not None:
            wishes["temperature"] = given.temperature
        if given.thinking is not None:
            wishes["thinking"] = False if given.thinking == "off" else given.thinking
        return wishes

    def _answer(self, response: "ModelResponse") -> Answer:
        used = response.usage
        if used.unmeasured_requests or not (used.input_tokens or used.output_tokens):
            return Answer(response.text or "", None, None, None)
        cost = self._cost(used.input_tokens, used.output_tokens)
        if self._settings.input_price is None:
            with contextlib.suppress(LookupError, ValueError, AssertionError):
                cost = float(response.cost().total_price)  # more exactly: it knows of caches, and of the hour
        return Answer(response.text or "", used.input_tokens, used.output_tokens, cost)

    def _explained(self, body: object) -> str:
        """The provider's error as the end of a sentence, without any key."""
        inner = cast("Mapping[str, Any]", body).get("error", body) if isinstance(body, Mapping) else None
        said = cast("Mapping[str, Any]", inner).get("message") if isinstance(inner, Mapping) else None
        if not isinstance(said, str) or not said:
            return ""
        for secret in self._secrets:
            said = said.replace(secret, "[the key]")
        return f": {shorten(' '.join(said.split()), 160)}"

    def _cost(self, input_tokens: int, output_tokens: int) -> float | None:
        given = self._settings
        if given.input_price is not None and given.output_price is not None:
            return (input_tokens * given.input_price + output_tokens * given.output_price) / 1_000_000
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        try:
            price = calc_price(usage, self._model.model_name, provider_id=self.name.partition(":")[0])
        except LookupError:
            return None
        return float(price.total_price)


@contextlib.asynccontextmanager
async def open_model(
    settings: LanguageModelSettings, environ: Mapping[str, str] | None = None
) -> AsyncGenerator[ProviderModel]:
    """The configured model, with a client that is closed in the end."""
    model = check_model(settings, os.environ if environ is None else environ)
    async with model._model:  # pyright: ignore[reportPrivateUsage]
        yield model


def check_model(settings: LanguageModelSettings, environ: Mapping[str, str] | None = None) -> ProviderModel:
    """Check that the configured model is usable and its price known."""
    environ = os.environ if environ is None else environ
    name = settings.model or _model_for(environ)
    if find_spec("pydantic_ai") is None:
        raise ModelUnusable(f"a language model needs the extra `llm`: {EXTRA}")
    prompt_of(settings)
    secrets = [environ[variable] for variables in _KEYS.values() for variable in variables if environ.get(variable)]
    model = ProviderModel(name, _provided(name, settings, environ), settings, secrets)
    cap = settings.max_cost_per_league
    if cap is not None and model.at_most("", "") is None:
        raise ModelUnusable(
            f"the price of {name} is not known, so that the cap of {dollars(cap)} a league cannot be kept: set "
            "player.llm.input_price and player.llm.output_price, in US dollars for a million tokens (0 for a model of "
            "your own)"
        )
    return model


def prompt_of(settings: LanguageModelSettings) -> str:
    """The configured prompt; empty for the strategy's own."""
    given = settings.prompt or ""
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelUnusable(f"player.llm.prompt: {given[1:]} cannot be read: {error}") from error


def _model_for(environ: Mapping[str, str]) -> str:
    for variable, model in DEFAULT_MODELS.items():
        if environ.get(variable):
            return model
    raise ModelUnusable(
        "a language model needs a key: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY in the environment, or "
        "name a server of your own with player.llm.model and player.llm.base_url"
    )


def _provided(name: str, settings: LanguageModelSettings, environ: Mapping[str, str]) -> "Model[Any]":
    from pydantic_ai.exceptions import UserError

    provider, _, model = name.partition(":")
    try:
        if provider not in _KEYS:
            return _other(name, settings)
        key = next((environ[variable] for variable in _KEYS[provider] if environ.get(variable)), None)
        if key is None and settings.base_url is None:
            raise ModelUnusable(f"{name} needs a key: set {' or '.join(_KEYS[provider])} in the environment")
        return _ours(provider, model, key or _NO_KEY, settings.base_url)
    except (UserError, ImportError) as error:
        raise ModelUnusable(f"{name} cannot be asked: {error}") from error


def _ours(provider: str, model: str, key: str, base_url: str | None) -> "Model[Any]":
    """A model of one of the three providers whose wire formats are tested."""
    if provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return cast("Model[Any]", AnthropicModel(model, provider=AnthropicProvider(api_key=key, base_url=base_url)))
    if provider == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return cast("Model[Any]", GoogleModel(model, provider=GoogleProvider(api_key=key, base_url=base_url)))
    # Chat completions, which is what servers speak that call themselves compatible.
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return cast("Model[Any]", OpenAIChatModel(model, provider=OpenAIProvider(api_key=key, base_url=base_url)))


def _other(name: str, settings: LanguageModelSettings) -> "Model[Any]":
    """A model of any other provider of the library, which finds its key itself."""
    from pydantic_ai.models import infer_model

    if settings.base_url is not None:
        raise ModelUnusable(
            f"player.llm.base_url goes with {', '.join(_KEYS)}: for a server that speaks OpenAI's protocol, call the "
            f"model openai:{name.partition(':')[2]}"
        )
    return infer_model(name)


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return found

"""Any provider's model, over the wire: three formats, and everything that can come back."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from league_sdk.plugins import PluginError
from league_sdk.settings import ConfigLoader, LanguageModelSettings
from servers.player import language_model
from servers.player.language_model import (
    Answer,
    ModelRefused,
    ModelUnusable,
    check_model,
    open_model,
    prompt_of,
)
from servers.player.strategy_check import check_strategy_named
from tests.servers.player.model_server import INPUT_TOKENS, MODELS, OUTPUT_TOKENS, PROVIDERS, ModelServer, running

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.xdist_group("language models"),  # the libraries take seconds to load
]

KEYS = {"OPENAI_API_KEY": "sk-o-secret", "ANTHROPIC_API_KEY": "sk-a-secret", "GEMINI_API_KEY": "sk-g-secret"}
KEY_OF = {"openai": "sk-o-secret", "anthropic": "sk-a-secret", "google": "sk-g-secret"}
COSTS = {"openai": 0.00011, "anthropic": 0.0011, "google": 0.00035}

needs_extra = pytest.mark.skipif(
    importlib.util.find_spec("pydantic_ai") is None, reason='needs the extra: pip install "mcp-agent-league[llm]"'
)


@pytest.fixture(scope="module")
def shared() -> Iterator[ModelServer]:
    with running() as server:
        yield server


@pytest.fixture
def server(shared: ModelServer) -> ModelServer:
    """One server for all of them, as if it were new."""
    shared.reset()
    return shared


def settings(server: ModelServer, provider: str, **changes: Any) -> LanguageModelSettings:
    given: dict[str, Any] = {"model": MODELS[provider], "base_url": server.base_url(provider), **changes}
    return LanguageModelSettings(**given)


async def ask(server: ModelServer, provider: str, **changes: Any) -> Answer:
    async with open_model(settings(server, provider, **changes), KEYS) as model:
        return await model.request("Be brief.", "Well?")


@needs_extra
@pytest.mark.parametrize("provider", PROVIDERS)
class TestOverTheWire:
    async def test_a_good_answer_comes_with_its_tokens_and_its_cost(self, server: ModelServer, provider: str):
        server.answer = lambda _: "42"
        answer = await ask(server, provider)
        assert (answer.text, answer.input_tokens, answer.output_tokens) == ("42", INPUT_TOKENS, OUTPUT_TOKENS)
        assert answer.cost == pytest.approx(COSTS[provider])

    async def test_prices_of_ones_own_count_more_than_published_ones(self, server: ModelServer, provider: str):
        server.answer = lambda _: "42"
        answer = await ask(server, provider, input_price=3.0, output_price=50.0)
        assert answer.cost == pytest.approx((3 * INPUT_TOKENS + 50 * OUTPUT_TOKENS) / 1e6)

    async def test_it_is_asked_as_configured(self, server: ModelServer, provider: str):
        server.answer = lambda _: "42"
        await ask(server, provider, temperature=0.5, max_tokens=77, thinking="off")
        (asked,) = server.asked
        assert (asked.provider, f"{provider}:{asked.model}") == (provider, MODELS[provider])
        assert (asked.system, asked.user, asked.key) == ("Be brief.", "Well?", KEY_OF[provider])
        wishes = asked.body.get("generationConfig", asked.body)
        limit = {"openai": "max_completion_tokens", "anthropic": "max_tokens", "google": "maxOutputTokens"}[provider]
        assert (wishes["temperature"], wishes[limit]) == (0.5, 77)

    @pytest.mark.parametrize("status", [429, 500, 503])
    async def test_a_busy_provider_costs_nothing_and_may_be_asked_again(
        self, server: ModelServer, provider: str, status: int
    ):
        server.status = (status,)
        with pytest.raises(ModelRefused, match=f"answered with HTTP status {status}: no, ") as refused:
            await ask(server, provider)
        assert refused.value.passing
        assert len(server.asked) == 1, "the library itself tries again"

    async def test_a_refusal_for_good_is_told_without_the_key(self, server: ModelServer, provider: str):
        server.status = (401,)
        with pytest.raises(ModelRefused, match=r"HTTP status 401: no, \[the key\]") as refused:
            await ask(server, provider)
        assert not refused.value.passing
        assert "secret" not in str(refused.value)

    @pytest.mark.parametrize("raw", [b"garbage", b"", b'{"a": 1}', b"[]", b"null"])
    async def test_garbage_is_an_error_or_an_empty_answer_whose_cost_is_not_known(
        self, server: ModelServer, provider: str, raw: bytes
    ):
        server.raw = raw
        try:
            answer = await ask(server, provider)
        except ModelRefused as error:
            raise AssertionError("it may have cost something") from error
        except Exception:
            return
        assert answer == Answer("", None, None, None)

    async def test_an_answer_without_usage_has_no_known_cost(self, server: ModelServer, provider: str):
        server.answer, server.usage = (lambda _: "42"), False
        try:
            answer = await ask(server, provider)
        except ModelRefused as error:
            raise AssertionError("it may have cost something") from error
        except Exception:
            assert provider == "anthropic", "where it is never missing, the library insists on it"
            return
        assert answer == Answer("42", None, None, None)

    async def test_nobody_there_costs_nothing(self, server: ModelServer, provider: str):
        with pytest.raises(ModelRefused, match="cannot be reached") as refused:
            await ask(server, provider, base_url="http://127.0.0.1:9/v1")
        assert refused.value.passing

    async def test_the_most_that_a_request_can_cost_is_more_than_it_does(self, server: ModelServer, provider: str):
        async with open_model(settings(server, provider), KEYS) as model:
            at_most = model.at_most("x" * INPUT_TOKENS, "")
        assert at_most is not None
        assert COSTS[provider] < at_most < 0.02


@needs_extra
class TestWhichModel:
    @pytest.mark.parametrize(
        ("keys", "name"),
        [
            ({"ANTHROPIC_API_KEY": "k"}, "anthropic:claude-haiku-4-5"),
            ({"OPENAI_API_KEY": "k"}, "openai:gpt-6-luna"),
            ({"GEMINI_API_KEY": "k"}, "google:gemini-3.5-flash-lite"),
            ({"GOOGLE_API_KEY": "k", "ANTHROPIC_API_KEY": ""}, "google:gemini-3.5-flash-lite"),
        ],
    )
    def test_a_key_in_the_environment_is_enough(self, keys: dict[str, str], name: str):
        model = check_model(LanguageModelSettings(), keys)
        assert model.name == name
        assert model.at_most("", "") is not None, "its price has to be known"

    def test_a_server_of_ones_own_needs_no_key_but_a_price(self):
        own = LanguageModelSettings(model="openai:llama3", base_url="http://localhost:11434/v1")
        with pytest.raises(ModelUnusable, match=r"price of openai:llama3 is not known.*player\.llm\.input_price"):
            check_model(own, {})
        free = own.model_copy(update={"input_price": 0.0, "output_price": 0.0})
        assert check_model(free, {}).at_most("x", "y") == 0.0
        uncapped = own.model_copy(update={"max_cost_per_league": None})
        assert check_model(uncapped, {}).at_most("x", "y") is None

    def test_another_provider_of_the_library_finds_its_key_by_itself(self, monkeypatch: pytest.MonkeyPatch):
        own = LanguageModelSettings(model="deepseek:deepseek-chat", max_cost_per_league=None)
        monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
        with pytest.raises(ModelUnusable, match=r"deepseek:deepseek-chat cannot be asked: .*DEEPSEEK_API_KEY"):
            check_model(own, {})
        monkeypatch.setenv("DEEPSEEK_API_KEY", "k")
        assert check_model(own, {}).name == "deepseek:deepseek-chat"

    def test_an_unknown_provider_is_named(self):
        with pytest.raises(ModelUnusable, match="nobody:x cannot be asked"):
            check_model(LanguageModelSettings(model="nobody:x"), KEYS)

    def test_an_address_goes_with_the_formats_that_are_known(self):
        own = LanguageModelSettings(model="groq:x", base_url="http://localhost:1/v1")
        with pytest.raises(ModelUnusable, match="call the model openai:x"):
            check_model(own, KEYS)

    def test_the_key_of_another_provider_does_not_help(self):
        with pytest.raises(ModelUnusable, match="google:x needs a key: set GOOGLE_API_KEY or GEMINI_API_KEY"):
            check_model(LanguageModelSettings(model="google:x"), {"OPENAI_API_KEY": "k"})


class TestBeforeAnythingStarts:
    def test_without_a_key_it_is_said_which_ones_there_are(self):
        with pytest.raises(ModelUnusable, match="set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY"):
            check_model(LanguageModelSettings(), {})

    def test_without_the_extra_it_is_said_how_to_get_it(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(language_model, "find_spec", lambda name: None)
        with pytest.raises(ModelUnusable) as raised:
            check_model(LanguageModelSettings(), KEYS)
        assert str(raised.value) == ('a language model needs the extra `llm`: pip install "mcp-agent-league[llm]"')

    def test_a_prompt_is_read_from_a_file(self, tmp_path: Path):
        file = tmp_path / "prompt.txt"
        file.write_text("Play like a pirate.", encoding="utf-8")
        assert prompt_of(LanguageModelSettings(prompt=f"@{file}")) == "Play like a pirate."
        assert prompt_of(LanguageModelSettings(prompt="Play.")) == "Play."
        assert prompt_of(LanguageModelSettings()) == ""

    def test_a_prompt_that_cannot_be_read_is_named(self, tmp_path: Path):
        with pytest.raises(ModelUnusable, match=r"player\.llm\.prompt: .*none\.txt cannot be read"):
            prompt_of(LanguageModelSettings(prompt=f"@{tmp_path / 'none.txt'}"))

    def test_strategies_without_a_model_are_looked_at_as_ever(self, tmp_path: Path):
        config = ConfigLoader(environ={}, cwd=tmp_path)
        check_strategy_named("frequency", (), config)
        with pytest.raises(PluginError, match="there is no strategy"):
            check_strategy_named("clever", (), config)

    def test_a_strategy_with_one_needs_it_to_be_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        for name in language_model.DEFAULT_MODELS:
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(ModelUnusable, match="needs a key"):
            check_strategy_named("llm", (), ConfigLoader(environ={}, cwd=tmp_path))


def test_nothing_imports_the_library_before_a_model_is_wanted():
    code = """
import sys
import servers.launcher.agents, servers.cli
from league_sdk import plugins
assert "llm" in plugins.strategies()
print(sorted({"pydantic_ai", "genai_prices", "openai", "anthropic", "google.genai"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert (done.stdout, done.stderr) == ("[]\n", "")

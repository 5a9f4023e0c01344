"""Leagues with a player that asks a language model: what a person sees, what is kept, and what is refused early."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from league_sdk.spending import Spent
from league_sdk.stores import SpendingRepository
from servers.launcher.supervisor import RunEnding, RunOutcome, Supervisor
from servers.player import language_model
from tests.ports import free_base
from tests.requirements.marker import requirement
from tests.servers.player.model_server import INPUT_TOKENS, OUTPUT_TOKENS, ModelServer, running

pytestmark = pytest.mark.xdist_group("language models")

needs_extra = pytest.mark.skipif(
    importlib.util.find_spec("pydantic_ai") is None, reason='needs the extra: pip install "mcp-agent-league[llm]"'
)
ADA, BOB = ("--player", "name=Ada,strategy=llm"), ("--player", "name=Bob,strategy=frequency")


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    """Whatever keys there are outside, only this one is here."""
    for name in language_model.DEFAULT_MODELS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-a-secret")


@pytest.fixture(scope="module")
def shared() -> Iterator[ModelServer]:
    with running() as server:
        yield server


@pytest.fixture
def server(shared: ModelServer) -> ModelServer:
    shared.reset()
    return shared


@pytest.fixture
def run(league, server, tmp_path):
    """Play a league of two, with the model at our own server."""

    def play(*arguments: object):
        where = f"player.llm.base_url={server.base_url('anthropic')}"
        model = "player.llm.model=anthropic:claude-haiku-4-5"
        own = ("--in-process", "--port-base", free_base(), "--set", where, "--set", model)
        return league("run", *own, *ADA, *BOB, "--referees", 1, *arguments)

    return play


@needs_extra
class TestALeague:
    @pytest.mark.slow
    @requirement("000-PL-STRAT-02", "project-LATER-06")
    def test_the_model_plays_and_what_it_took_is_shown_and_kept(self, run, league, server, workspace):
        ran = run("--game", "tic_tac_toe")
        assert (ran.code, ran.err) == (0, "")
        assert "Ada: asks anthropic:claude-haiku-4-5, for at most $1.00 a league" in ran.out
        asked = len(server.asked)
        assert 3 <= asked <= 5
        took = Spent(asked, asked * INPUT_TOKENS, asked * OUTPUT_TOKENS, asked * 0.0011)
        line = f"Language model of Ada: {took}"
        assert line in ran.out
        assert line in league("show", "R1M1").out
        shown = league("show", "R1M1", "--json").json["spending"]
        assert shown["Ada"]["requests"] == asked
        assert "Bob" not in shown
        history = json.loads((workspace.data / "players" / "P01" / "history.json").read_text(encoding="utf-8"))
        (match,) = history["matches"]
        assert match["spent"]["input_tokens"] == asked * INPUT_TOKENS
        logs = "".join(path.read_text(encoding="utf-8") for path in workspace.logs.rglob("*.jsonl"))
        assert logs.count('"MODEL_ASKED"') == asked
        assert "FALLBACK" not in logs
        everything = [path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()]
        assert not any(b"sk-a-secret" in content for content in everything)

    def test_beyond_the_cap_the_fallback_plays_and_the_log_says_so(self, run, server, workspace):
        spent = SpendingRepository("league_even_odd", workspace.data)
        before = spent.reserve("Ada", "R9M9", "anthropic:claude-haiku-4-5", 0.5, None)
        spent.settle(before, "answered", Spent(1, 1, 1, 0.5))
        ran = run("--game", "even_odd", "--set", "player.llm.max_cost_per_league=0.5", "--json")
        assert ran.code == 0
        assert ran.json["state"] == "COMPLETED"
        assert ran.json["spending"]["Ada"]["cost_usd"] == 0.5
        assert server.asked == []
        logs = "".join(path.read_text(encoding="utf-8") for path in workspace.logs.rglob("*.jsonl"))
        assert "the cap of $0.5000 on what this league may spend is reached" in logs


@needs_extra
def test_an_interrupted_league_does_not_go_on_without_the_key(league, monkeypatch):
    async def interrupted(_: Supervisor) -> RunOutcome:
        return RunOutcome(RunEnding.INTERRUPTED)

    monkeypatch.setattr(Supervisor, "run", interrupted)
    assert league("run", "--in-process", *ADA, *BOB).code == 130
    assert league("resume", "--in-process").code == 130
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    ran = league("resume", "--in-process")
    assert ran.code == 2
    assert "a language model needs a key" in ran.err


class TestRefusedEarly:
    @requirement("project-LATER-06")
    @pytest.mark.parametrize("command", [("run", *ADA, *BOB), ("player", "--name", "Ada", "--strategy", "llm")])
    def test_without_a_key(self, league, monkeypatch, command, workspace):
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        ran = league(*command)
        assert (ran.code, ran.out) == (2, "")
        assert "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY in the environment" in ran.err
        assert not (workspace.data / "leagues").exists()

    @pytest.mark.parametrize("command", [("run", *ADA, *BOB), ("player", "--name", "Ada", "--strategy", "llm")])
    def test_without_the_extra(self, league, monkeypatch, command):
        monkeypatch.setattr(language_model, "find_spec", lambda name: None)
        ran = league(*command)
        assert ran.code == 2
        assert 'pip install "mcp-agent-league[llm]"' in ran.err

    def test_with_half_a_setting(self, league):
        ran = league("run", *ADA, *BOB, "--set", "player.llm.base_url=http://localhost:1/v1")
        assert ran.code == 2
        assert "a model as well, where there is a base_url" in ran.err

    def test_with_a_model_that_is_not_spelled_like_one(self, league):
        ran = league("run", *ADA, *BOB, "--set", "player.llm.model=gpt")
        assert ran.code == 2
        assert "a provider and a model, such as anthropic:claude-haiku-4-5" in ran.err

    @needs_extra
    def test_with_a_prompt_that_is_not_there(self, league, tmp_path: Path):
        ran = league("run", *ADA, *BOB, "--set", f"player.llm.prompt=@{tmp_path / 'none'}")
        assert ran.code == 2
        assert "player.llm.prompt" in ran.err


def test_the_command_loads_no_library_for_players_that_ask_no_model(league, monkeypatch):
    monkeypatch.setattr(language_model, "check_model", lambda *_: pytest.fail("nobody asked for a model"))
    ran = league("run", "--players", 2, "--game", "nothing")
    assert ran.code == 2

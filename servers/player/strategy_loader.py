"""Builds a player's strategy: guarded, with a language model if it needs one."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from league_sdk import plugins
from league_sdk.game import PlayerView, StrategyFunction
from league_sdk.ports import Journal
from league_sdk.stores import SpendingRepository
from servers.agent import startup_status
from servers.agent.bootstrap import AgentContext
from servers.agent.startup_status import ReportTo
from servers.player.language_model import open_model, prompt_of
from servers.player.move_substitution import Guarded
from servers.player.paid_model import AccountedMemory, PaidModel
from servers.player.ports import Chooser, Memory


@dataclass(frozen=True, slots=True)
class LoadedStrategy:
    """A guarded strategy, and its language model's costs."""

    choose: Chooser
    model: PaidModel | None = None  # the language model that is asked, if one is

    def accounted(self, memory: Memory, tell: Callable[[str], None]) -> Memory:
        """A memory that also keeps the spending on each match."""
        return memory if self.model is None else AccountedMemory(memory, self.model, tell)


@asynccontextmanager
async def load_strategy(
    tools: AgentContext, journal: Journal, report: ReportTo, own: Chooser | None = None
) -> AsyncGenerator[LoadedStrategy]:
    """Open the strategy of a player for as long as it plays."""
    spec = tools.spec
    if own is not None:
        yield LoadedStrategy(own)
        return
    if spec.function is not None or plugins.named_strategy(spec.strategy, spec.plugins)[0].make_with_model is None:
        yield LoadedStrategy(_guarded(tools, spec.function or plugins.strategy(spec.strategy, spec.plugins)))
        return
    settings = tools.config.load_player_defaults().default_settings.llm
    async with open_model(settings) as provider:
        model = PaidModel(
            player=spec.name,
            provider=provider,
            ledgers=lambda league_id: SpendingRepository(league_id, tools.workspace.data, tools.clock, tools.ids),
            rules={name: game.description for name, game in tools.games.items()},
            clock=tools.clock,
            journal=journal,
            prompt=prompt_of(settings),
            timeout=settings.timeout_sec,
            cap=settings.max_cost_per_league,
        )
        report(startup_status.note(model.terms))
        function = plugins.strategy(spec.strategy, spec.plugins, model)
        try:
            # The model keeps its time by itself; the guard is there in case it does not.
            yield LoadedStrategy(_guarded(tools, function, settings.timeout_sec + 1, "player.llm.timeout_sec"), model)
        finally:
            for line in model.accounts():
                report(startup_status.match_news(line))


def _guarded(
    tools: AgentContext, function: StrategyFunction, seconds: float | None = None, source: str = ""
) -> Guarded:
    """A guarded strategy: a random legal move replaces a failure or delay.

    `seconds` is its own time limit, and `source` where it comes from; else that of the player, or of the settings.
    """
    if seconds is None:
        seconds, source = tools.spec.time_limit, "the player's time_limit"
    if seconds is None:
        seconds = tools.config.load_player_defaults().default_settings.response_timeout_sec
        source = "the setting player.response_timeout_sec"
    return Guarded(function, seconds, _any_move, clock=tools.clock, source=source)


def _any_move(view: PlayerView) -> object:
    return view.rng.choice(view.legal_moves)

"""A metered language model: each request within its time and budget, recorded."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from league_sdk.clock import Clock
from league_sdk.game import ChoiceTooLate, PastMatch, PlayerView
from league_sdk.ports import Journal
from league_sdk.spending import Spent, dollars
from servers.player.language_model import Answer, ModelRefused
from servers.player.ports import Memory

PATIENCE = 0.75
"""The part of what a referee grants that a model gets: a little less than any strategy, so that it can say what was."""
PAUSE_SEC = 1.0
"""The wait before a request that was refused is made once more, unless the provider names another."""


class Provider(Protocol):
    """A language model that answers."""

    @property
    def name(self) -> str: ...

    def at_most(self, instructions: str, question: str) -> float | None:
        """The most that a request can cost; None when prices are not known."""
        ...

    async def request(self, instructions: str, question: str) -> Answer:
        """Ask once; raises ModelRefused when nothing came of it that costs."""
        ...


class SpendingLedger(Protocol):
    """Spending in one league."""

    def reserve(self, player: str, match_id: str, model: str, at_most: float | None, cap: float | None) -> str:
        """Reserve a request's cost and return its name; raises beyond the cap."""
        ...

    def settle(self, request: str, outcome: str, spent: Spent) -> None:
        """Record the request's actual cost."""
        ...

    def total(self) -> Spent: ...

    def of_player(self, player: str) -> Spent: ...

    def of_match(self, match_id: str, player: str | None = None) -> Spent: ...


class ModelFailed(Exception):
    """There is no answer; the message says why."""


class ModelTooSlow(ModelFailed, ChoiceTooLate):
    """There was no answer in time."""


class PaidModel:
    """Implements `LanguageModel` for one player."""

    def __init__(
        self,
        *,
        player: str,
        provider: Provider,
        ledgers: Callable[[str], SpendingLedger],
        rules: Mapping[str, str],
        clock: Clock,
        journal: Journal,
        prompt: str = "",
        timeout: float = 20.0,
        cap: float | None = None,
    ) -> None:
        self._player = player
        self._provider = provider
        self._open = ledgers
        self._ledgers: dict[str, SpendingLedger] = {}
        self._rules = rules
        self._clock = clock
        self._journal = journal
        self._prompt = prompt
        self._timeout = timeout
        self._cap = cap

    @property
    def prompt(self) -> str:
        """Prompt in place of the strategy's own."""
        return self._prompt

    @property
    def terms(self) -> str:
        """The model and its budget, for a person."""
        limit = "without a limit on spending" if self._cap is None else f"for at most {dollars(self._cap)} a league"
        return f"asks {self._provider.name}, {limit}"

    def rules(self, game_type: str) -> str:
        return self._rules.get(game_type, "")

    async def ask(self, view: PlayerView, instructions: str, question: str) -> str:
        """Ask the model; see `LanguageModel`."""
        ledger, name = self._ledger(view.league_id), self._provider.name
        at_most = self._provider.at_most(instructions, question)
        entry = ledger.reserve(self._player, view.match_id, name, at_most, self._cap)
        begun, limit = self._clock.monotonic(), self._seconds(view)
        outcome = "cancelled"
        # Whoever is cut short may have to be paid all the same.
        spent = Spent(1, unpriced=1) if at_most is None else Spent(1, cost=at_most, estimated=1)
        try:
            async with asyncio.timeout(limit):
                answer = await self._patiently(instructions, question, begun + limit)
            outcome, spent = "answered", _spent(answer, spent)
        except TimeoutError as error:
            outcome = "too slow"
            raise ModelTooSlow(f"{name} did not answer within {limit:.1f} s") from error
        except ModelRefused as error:
            outcome, spent = str(error), Spent(1)
            raise ModelFailed(str(error)) from error
        except Exception as error:
            outcome = type(error).__name__
            raise ModelFailed(f"{name} gave no answer: {outcome}") from error
        finally:
            self._settle(ledger, entry, outcome, spent, view.match_id, self._clock.monotonic() - begun)
        return answer.text

    def of_match(self, league_id: str, match_id: str) -> Spent:
        """Spending of this player on a match."""
        return self._ledger(league_id).of_match(match_id, self._player)

    def accounts(self) -> list[str]:
        """Spending of this player, a line per league, for a person."""
        lines: list[str] = []
        for league_id, ledger in self._ledgers.items():
            own, every = ledger.of_player(self._player), ledger.total()
            cap = "" if self._cap is None else f" of {dollars(self._cap)}"
            lines.append(f"spent in {league_id or 'no league'}: {own}; by all players {every.price}{cap}")
        return lines

    def _ledger(self, league_id: str) -> SpendingLedger:
        if league_id not in self._ledgers:
            self._ledgers[league_id] = self._open(league_id)
        return self._ledgers[league_id]

    def _seconds(self, view: PlayerView) -> float:
        if view.deadline is None:
            return self._timeout
        left = (view.deadline - self._clock.now()).total_seconds()
        return max(0.0, min(self._timeout, PATIENCE * left))

    async def _patiently(self, instructions: str, question: str, end: float) -> Answer:
        """Ask, and once more when the provider is busy and there is time for it."""
        try:
            return await self._provider.request(instructions, question)
        except ModelRefused as refused:
            pause = PAUSE_SEC if refused.retry_after is None else refused.retry_after
            if not refused.passing or self._clock.monotonic() + pause >= end:
                raise
        await self._clock.sleep(pause)
        return await self._provider.request(instructions, question)

    def _settle(
        self, ledger: SpendingLedger, entry: str, outcome: str, spent: Spent, match_id: str, seconds: float
    ) -> None:
        facts: dict[str, Any] = {"model": self._provider.name, "outcome": outcome, "seconds": round(seconds, 3)}
        self._journal.event("MODEL_ASKED", match_id=match_id, **facts, **spent.to_json())
        try:
            ledger.settle(entry, outcome, spent)
        except OSError as error:  # then it stays entered with the most that it may have cost
            self._journal.event("SPENDING_NOT_SAVED", "ERROR", match_id=match_id, reason=str(error))


class AccountedMemory:
    """A player's memory with the spending of each match."""

    def __init__(self, memory: Memory, model: PaidModel, tell: Callable[[str], None]) -> None:
        self._memory = memory
        self._model = model
        self._tell = tell

    def remember(self, past: PastMatch, *, round_id: int, timestamp: str) -> None:
        """Keep a finished match; the same match again changes nothing."""
        spent = self._model.of_match(past.league_id, past.match_id)
        if spent.requests:
            self._tell(f"{past.match_id}: {spent}")
            past = replace(past, spent=spent.to_json())
        self._memory.remember(past, round_id=round_id, timestamp=timestamp)

    def keep_head(self, league_id: str, sequence: int, digest: str) -> None:
        """Keep the last record of a league's log."""
        self._memory.keep_head(league_id, sequence, digest)

    def past_matches(
        self, league_id: str | None = None, opponents: Mapping[str, str] | None = None
    ) -> tuple[PastMatch, ...]:
        return self._memory.past_matches(league_id, opponents)


def _spent(answer: Answer, unknown: Spent) -> Spent:
    """Cost of an answer; `unknown` when it doesn't say."""
    if answer.input_tokens is None or answer.output_tokens is None:
        return unknown
    known = answer.cost is not None
    return Spent(1, answer.input_tokens, answer.output_tokens, answer.cost or 0.0, unpriced=0 if known else 1)

"""Every request within its time and its money, and every one accounted for."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from league_sdk.clock import ManualClock
from league_sdk.game import PastMatch, PlayerView
from league_sdk.spending import Spent
from league_sdk.stores import CapReached, SpendingRepository
from servers.player.language_model import Answer, ModelRefused
from servers.player.paid_model import PAUSE_SEC, AccountedMemory, ModelFailed, PaidModel
from tests.requirements.marker import requirement
from tests.servers.fakes import FakeJournal
from tests.servers.player.player_harness import FakeMemory

pytestmark = pytest.mark.anyio

VIEW = PlayerView("a_game", "L1", "R1M1", 1, "P01", "P02", legal_moves=("even", "odd"))
GOOD = Answer("even", 100, 5, 0.002)


class FakeProvider:
    """Answers what a test has laid ready, the last of it again and again."""

    name = "fake:model"

    def __init__(self, *replies: Answer | Exception | float, at_most: float | None = 0.01) -> None:
        self.replies = list(replies) or [GOOD]
        self.price = at_most
        self.asked: list[tuple[str, str]] = []

    def at_most(self, instructions: str, question: str) -> float | None:
        return self.price

    async def request(self, instructions: str, question: str) -> Answer:
        self.asked.append((instructions, question))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Answer):
            return reply
        await anyio.sleep(reply)
        return GOOD


class Bench:
    """A paid model, and all that a test looks at."""

    def __init__(self, folder: Path, provider: FakeProvider, *, cap: float | None = 1.0, timeout: float = 20.0) -> None:
        self.provider, self.journal, self.clock, self.folder = provider, FakeJournal(), ManualClock(), folder
        self.model = PaidModel(
            player="Ada",
            provider=provider,
            ledgers=lambda league_id: SpendingRepository(league_id, folder, self.clock),
            rules={"a_game": "Take what is left."},
            clock=self.clock,
            journal=self.journal,
            timeout=timeout,
            cap=cap,
        )

    async def ask(self, view: PlayerView = VIEW) -> str:
        with anyio.fail_after(30):
            return await self.model.ask(view, "Be brief.", "Well?")

    @property
    def spent(self) -> Spent:
        return SpendingRepository("L1", self.folder).total()

    @property
    def noted(self) -> list[object]:
        return [details["outcome"] for _, details in self.journal.named("MODEL_ASKED")]


async def test_an_answer_is_handed_on_and_paid_for(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider())
    assert await bench.ask() == "even"
    assert bench.provider.asked == [("Be brief.", "Well?")]
    assert bench.spent == Spent(1, 100, 5, 0.002)
    assert bench.journal.named("MODEL_ASKED") == [
        (
            "INFO",
            {
                "match_id": "R1M1",
                "model": "fake:model",
                "outcome": "answered",
                "seconds": 0.0,
                **Spent(1, 100, 5, 0.002).to_json(),
            },
        )
    ]


async def test_it_knows_the_rules_of_the_games_that_are_installed(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider())
    assert (bench.model.rules("a_game"), bench.model.rules("Ignore all rules"), bench.model.prompt) == (
        "Take what is left.",
        "",
        "",
    )


async def test_an_answer_that_comes_too_late_is_cut_short_and_counted_with_the_most(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(60.0), timeout=0.05)
    with pytest.raises(ModelFailed, match=r"fake:model did not answer within 0\.1 s"):
        await bench.ask()
    assert bench.spent == Spent(1, cost=0.01, estimated=1)
    assert bench.noted == ["too slow"]


async def test_it_has_most_of_the_time_that_the_referee_grants(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(60.0))
    view = replace(VIEW, deadline=bench.clock.now() + timedelta(seconds=0.1))
    with pytest.raises(ModelFailed, match=r"within 0\.1 s"):
        await bench.ask(view)
    late = replace(VIEW, deadline=bench.clock.now() - timedelta(seconds=1))
    with pytest.raises(ModelFailed, match=r"within 0\.0 s"):
        await bench.ask(late)


async def test_when_the_player_gives_up_first_it_is_counted_with_the_most(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(60.0))
    with anyio.move_on_after(0.05):
        await bench.ask()
    assert bench.spent == Spent(1, cost=0.01, estimated=1)
    assert bench.noted == ["cancelled"]


async def test_a_busy_provider_is_asked_once_more_within_the_time(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(ModelRefused("busy", passing=True), GOOD))
    assert await bench.ask() == "even"
    assert bench.clock.slept == [PAUSE_SEC]
    assert bench.spent == Spent(1, 100, 5, 0.002)


async def test_it_waits_as_long_as_the_provider_says(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(ModelRefused("busy", passing=True, retry_after=3.0), GOOD))
    await bench.ask()
    assert bench.clock.slept == [3.0]


async def test_it_does_not_wait_in_vain(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(ModelRefused("HTTP status 429", passing=True, retry_after=60.0)))
    with pytest.raises(ModelFailed, match="HTTP status 429"):
        await bench.ask()
    assert bench.clock.slept == []
    assert bench.spent == Spent(1)


async def test_a_provider_that_stays_busy_costs_nothing(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(ModelRefused("HTTP status 429", passing=True)))
    with pytest.raises(ModelFailed, match="HTTP status 429"):
        await bench.ask()
    assert len(bench.provider.asked) == 2
    assert bench.spent == Spent(1)
    assert bench.noted == ["HTTP status 429"]


async def test_a_refusal_for_good_is_not_tried_again(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(ModelRefused("HTTP status 401", passing=False)))
    with pytest.raises(ModelFailed, match="HTTP status 401"):
        await bench.ask()
    assert len(bench.provider.asked) == 1


async def test_any_other_error_is_counted_with_the_most_and_tells_no_more_than_its_kind(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(LookupError("a text with sk-secret in it")))
    with pytest.raises(ModelFailed, match=r"^fake:model gave no answer: LookupError$"):
        await bench.ask()
    assert bench.spent == Spent(1, cost=0.01, estimated=1)


async def test_an_answer_that_does_not_say_what_it_took_is_counted_with_the_most(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(Answer("even", None, None, None)))
    assert await bench.ask() == "even"
    assert bench.spent == Spent(1, cost=0.01, estimated=1)


async def test_where_no_price_is_known_only_tokens_are_counted(tmp_path: Path):
    replies = Answer("even", 100, 5, None), Answer("even", None, None, None)
    bench = Bench(tmp_path, FakeProvider(*replies, at_most=None), cap=None)
    await bench.ask()
    await bench.ask()
    assert bench.spent == Spent(2, 100, 5, unpriced=2)
    assert bench.model.terms == "asks fake:model, without a limit on spending"


@requirement("project-LATER-06")
async def test_when_the_cap_is_reached_nobody_is_asked(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(), cap=0.013)
    await bench.ask()
    await bench.ask()
    with pytest.raises(CapReached, match=r"the cap of \$0\.0130 .* is reached: \$0\.0040 are spent"):
        await bench.ask()
    assert len(bench.provider.asked) == 2
    again = Bench(tmp_path, FakeProvider(), cap=0.013)
    with pytest.raises(CapReached):
        await again.ask()
    assert again.provider.asked == []
    other_league = replace(VIEW, league_id="L2")
    assert await again.ask(other_league) == "even"


async def test_requests_under_way_at_once_keep_within_the_cap_together(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider(0.05), cap=0.035)
    ended = await asyncio.gather(*(bench.ask() for _ in range(8)), return_exceptions=True)
    assert sum(answer == "even" for answer in ended) == 3
    assert sum(isinstance(answer, CapReached) for answer in ended) == 5


async def test_what_cannot_be_entered_is_not_asked(tmp_path: Path):
    (tmp_path / "spending").write_text("a file where a folder should be")
    bench = Bench(tmp_path, FakeProvider())
    with pytest.raises(OSError, match="spending"):
        await bench.ask()
    assert bench.provider.asked == []


async def test_what_cannot_be_settled_stays_with_the_most_and_the_answer_counts(tmp_path: Path):
    class Full(SpendingRepository):
        def settle(self, request: str, outcome: str, spent: Spent) -> None:
            raise OSError("disk full")

    bench = Bench(tmp_path, FakeProvider())
    bench.model._open = lambda league_id: Full(league_id, tmp_path)
    assert await bench.ask() == "even"
    assert bench.spent == Spent(1, cost=0.01, estimated=1)
    assert bench.journal.named("SPENDING_NOT_SAVED") == [("ERROR", {"match_id": "R1M1", "reason": "disk full"})]


async def test_a_match_is_remembered_with_what_it_took(tmp_path: Path):
    bench, memory, told = Bench(tmp_path, FakeProvider()), FakeMemory(), list[str]()
    await bench.ask()
    await bench.ask()
    accounted = AccountedMemory(memory, bench.model, told.append)
    accounted.remember(PastMatch("R1M1", "L1", "P02", "Bea", "WIN"), round_id=1, timestamp="now")
    accounted.remember(PastMatch("R2M1", "L1", "P03", "Cid", "WIN"), round_id=2, timestamp="now")
    first, second = accounted.past_matches("L1")
    assert first.spent == Spent(2, 200, 10, 0.004).to_json()
    assert second.spent == {}
    assert told == ["R1M1: 2 requests to a model, 200 + 10 tokens, $0.0040"]


async def test_in_the_end_it_says_what_each_league_took(tmp_path: Path):
    bench = Bench(tmp_path, FakeProvider())
    assert bench.model.accounts() == []
    assert bench.model.terms == "asks fake:model, for at most $1.00 a league"
    await bench.ask()
    await bench.ask(replace(VIEW, league_id=""))
    other = SpendingRepository("L1", tmp_path)
    other.settle(other.reserve("Bob", "R1M1", "x", 0.01, None), "answered", Spent(1, 1, 1, 0.003))
    assert bench.model.accounts() == [
        "spent in L1: 1 request to a model, 100 + 5 tokens, $0.0020; by all players $0.0050 of $1.00",
        "spent in no league: 1 request to a model, 100 + 5 tokens, $0.0020; by all players $0.0020 of $1.00",
    ]

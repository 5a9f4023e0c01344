import asyncio
import enum
import gc
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import anyio
import anyio.lowlevel
import pytest

from league_sdk import plugins
from league_sdk.clock import ManualClock
from league_sdk.domain.model import SubstitutionReason
from league_sdk.game import Move, PlayerView, StrategyFunction
from servers.player.move_substitution import MARGIN_SEC, MARGIN_SHARE, Decision, Guarded, first_legal
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

SOON = 0.02
"""A time limit, in seconds, for what is going to exceed it anyway."""
LONG = 30.0
"""A time limit that nothing here comes near."""


def view(*legal: Move) -> PlayerView:
    return PlayerView("a_game", "L", "R1M1", 1, "P01", "P02", legal_moves=legal or ("even", "odd"))


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Keeps threads waiting until the test opens it, at its end at the latest."""
    event = threading.Event()
    yield event
    event.set()


async def ended(guarded: Guarded) -> None:
    """Wait until no call is under way any more."""
    while guarded.running:
        await anyio.lowlevel.checkpoint()


async def last(shown: PlayerView) -> Move:
    await asyncio.sleep(0)
    return shown.legal_moves[-1]


class Caller:
    """An object whose call is async."""

    async def __call__(self, shown: PlayerView) -> Move:
        return shown.legal_moves[-1]


@pytest.mark.parametrize("name", ["random", "alternating", "frequency", "always-odd"])
async def test_a_strategy_of_ours_is_called_without_a_thread(name, monkeypatch):
    monkeypatch.setattr(threading, "Thread", None)
    assert (await Guarded(plugins.strategy(name), LONG)(view())).trouble is None


async def test_any_other_plain_strategy_gets_a_thread_of_its_own():
    threads: list[int] = []

    def foreign(shown: PlayerView) -> Move:
        threads.append(threading.get_ident())
        return shown.legal_moves[0]

    await Guarded(foreign, LONG)(view())
    assert threads != [threading.get_ident()]


async def test_a_deadline_that_comes_before_the_time_limit_is_kept(gate):
    clock = ManualClock()
    shown = replace(view(), deadline=clock.now() + timedelta(seconds=SOON / (1 - MARGIN_SHARE)))
    with anyio.fail_after(30):
        decision = await Guarded(lambda _: gate.wait() and "odd", LONG, clock=clock)(shown)
    assert decision.move == "even"
    assert decision.trouble is SubstitutionReason.LATE
    assert decision.detail == "the strategy took longer than 0.02 s"
    assert "the referee's 0.025 s less a margin" in decision.reason


@pytest.mark.parametrize(("granted", "left"), [(30.0, 29.0), (10.0, 9.0), (2.0, 1.6), (0.5, 0.4)])
async def test_a_strategy_has_the_referees_time_less_a_margin_and_is_told_so(granted: float, left: float):
    clock, seen = ManualClock(), list[PlayerView]()
    shown = replace(view(), deadline=clock.now() + timedelta(seconds=granted))
    await Guarded(lambda told: seen.append(told) or "odd", None, clock=clock)(shown)
    assert seen[0].deadline == clock.now() + timedelta(seconds=left)
    assert granted - left <= MARGIN_SEC


async def test_a_shorter_time_limit_moves_the_deadline_and_is_named_by_the_message(gate):
    clock, seen = ManualClock(), list[PlayerView]()
    shown = replace(view(), deadline=clock.now() + timedelta(seconds=30))
    guarded = Guarded(lambda told: seen.append(told) or gate.wait(), SOON, clock=clock, source="the setting of a test")
    with anyio.fail_after(30):
        decision = await guarded(shown)
    assert seen[0].deadline == clock.now() + timedelta(seconds=SOON)
    assert decision.reason.startswith("the strategy took longer than 0.02 s, the setting of a test")


async def test_a_longer_time_limit_than_the_referees_changes_nothing():
    clock, seen = ManualClock(), list[PlayerView]()
    shown = replace(view(), deadline=clock.now() + timedelta(seconds=10))
    await Guarded(lambda told: seen.append(told) or "odd", LONG, clock=clock)(shown)
    assert seen[0].deadline == clock.now() + timedelta(seconds=9)


async def test_without_deadline_and_time_limit_a_strategy_has_all_the_time_it_takes():
    assert await Guarded(last, None, clock=ManualClock())(view()) == Decision("odd")


async def test_a_deadline_that_is_over_leaves_no_time_at_all(gate):
    clock = ManualClock()
    shown = replace(view(), deadline=clock.now() - timedelta(seconds=1))
    with anyio.fail_after(30):
        assert (await Guarded(lambda _: gate.wait(), LONG, clock=clock)(shown)).trouble is SubstitutionReason.LATE


@pytest.mark.parametrize(
    "strategy",
    [lambda shown: shown.legal_moves[-1], last, lambda shown: last(shown), Caller()],
    ids=["plain", "async", "plain that returns a coroutine", "object"],
)
async def test_a_good_strategy_is_left_alone(strategy: StrategyFunction):
    with anyio.fail_after(30):
        assert await Guarded(strategy, LONG)(view()) == Decision("odd")


def crash(shown: PlayerView) -> Move:
    raise ZeroDivisionError("division by zero")


async def crash_async(shown: PlayerView) -> Move:
    raise ZeroDivisionError("division by zero")


@requirement("000-PL-CALL-03", "000-PL-FAIL-03", "project-AGENT-03")
@pytest.mark.parametrize("strategy", [crash, crash_async, lambda shown: crash_async(shown)])
async def test_a_strategy_that_raises_is_replaced(strategy: StrategyFunction):
    with anyio.fail_after(30):
        decision = await Guarded(strategy, LONG)(view())
    assert (decision.move, decision.trouble) == ("even", SubstitutionReason.RAISED)
    assert decision.reason == ("the strategy raised ZeroDivisionError: division by zero")
    assert isinstance(decision.error, ZeroDivisionError)


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), TimeoutError(), StopIteration()])
@pytest.mark.parametrize("kind", ["plain", "async"])
async def test_not_even_a_strategy_that_wants_to_leave_takes_the_player_along(error: BaseException, kind: str):
    def leave(shown: PlayerView) -> Move:
        raise error

    async def leave_async(shown: PlayerView) -> Move:
        raise error

    with anyio.fail_after(30):
        decision = await Guarded(leave if kind == "plain" else leave_async, LONG)(view())
    assert (decision.move, decision.trouble) == ("even", SubstitutionReason.RAISED)


@requirement("000-PL-CALL-02")
@pytest.mark.parametrize("choice", ["Even", None, 1, "", ["even"], object(), float("nan"), {1, 2}])
async def test_an_illegal_move_is_replaced(choice: Move):
    with anyio.fail_after(30):
        decision = await Guarded(lambda _: choice, LONG)(view())
    assert (decision.move, decision.trouble) == ("even", SubstitutionReason.ILLEGAL)
    assert "not one of the legal moves" in decision.reason


class Word(enum.StrEnum):
    ODD = "odd"


@pytest.mark.parametrize(
    ("legal", "choice", "played"),
    [
        (("even", "odd"), Word.ODD, "odd"),
        ((0, 1), True, 0),
        ((0, 1), 1.0, 0),
        ((0, 1), 1, 1),
        (([1, 2], [3]), (3,), [3]),
        (({"a": 1, "b": 2}, 0), {"b": 2, "a": 1}, {"a": 1, "b": 2}),
    ],
)
async def test_moves_are_compared_as_they_travel(legal: tuple[Move, ...], choice: Move, played: Move):
    with anyio.fail_after(30):
        decision = await Guarded(lambda _: choice, LONG)(view(*legal))
    assert decision.move == played
    assert type(decision.move) is type(played)


@requirement("000-PL-CALL-04", "000-PL-FAIL-03", "001-LAYER-03", "project-AGENT-03")
async def test_a_plain_strategy_that_blocks_is_replaced_and_does_not_freeze_the_loop(gate: threading.Event):
    beats = 0

    async def heart() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0)
            beats += 1

    heartbeat = asyncio.ensure_future(heart())
    with anyio.fail_after(30):
        guarded = Guarded(lambda _: gate.wait(), SOON)
        decision = await guarded(view())
    heartbeat.cancel()
    assert (decision.move, decision.trouble) == ("even", SubstitutionReason.LATE)
    assert decision.reason == "the strategy took longer than 0.02 s"
    assert beats > 10
    assert guarded.running == 1
    gate.set()
    with anyio.fail_after(30):
        await ended(guarded)


async def test_threads_that_never_end_do_not_pile_up(gate: threading.Event):
    threads: set[threading.Thread] = set()

    def hang(shown: PlayerView) -> Move:
        threads.add(threading.current_thread())
        gate.wait()
        return shown.legal_moves[0]

    guarded = Guarded(hang, SOON, max_running=2)
    with anyio.fail_after(30):
        troubles = [(await guarded(view())).trouble for _ in range(5)]
        assert troubles == [SubstitutionReason.LATE] * 2 + [SubstitutionReason.BUSY] * 3
        assert guarded.running == 2
        gate.set()
        await ended(guarded)
    assert len(threads) == 2
    assert all(thread.daemon for thread in threads)


async def test_once_it_comes_back_the_strategy_is_asked_again(gate: threading.Event):
    asked = 0

    def slow_at_first(shown: PlayerView) -> Move:
        nonlocal asked
        asked += 1
        if asked == 1:
            gate.wait()
        return shown.legal_moves[-1]

    guarded = Guarded(slow_at_first, SOON, max_running=1)
    with anyio.fail_after(30):
        assert (await guarded(view())).trouble is SubstitutionReason.LATE
        assert (await guarded(view())).trouble is SubstitutionReason.BUSY
        gate.set()
        await ended(guarded)
        guarded_again = Guarded(slow_at_first, LONG)
        assert await guarded_again(view()) == Decision("odd")


@requirement("000-PL-CALL-04", "000-PL-FAIL-03", "001-LAYER-03", "project-AGENT-03")
async def test_an_async_strategy_that_is_late_is_cancelled():
    cancelled = asyncio.Event()

    async def dawdle(shown: PlayerView) -> Move:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    guarded = Guarded(dawdle, SOON)
    with anyio.fail_after(30):
        assert (await guarded(view())).trouble is SubstitutionReason.LATE
        await cancelled.wait()
        await ended(guarded)


async def test_an_async_strategy_that_will_not_be_cancelled_is_left_behind():
    let_go = asyncio.Event()

    async def stubborn(shown: PlayerView) -> Move:
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        raise RuntimeError("too late to matter")

    guarded = Guarded(stubborn, SOON, max_running=1)
    with anyio.fail_after(30):
        assert (await guarded(view())).trouble is SubstitutionReason.LATE
        assert (await guarded(view())).trouble is SubstitutionReason.BUSY
        let_go.set()
        await ended(guarded)


async def test_a_coroutine_that_comes_too_late_is_closed(gate: threading.Event):
    async def never_awaited() -> Move:
        return "odd"

    def late(shown: PlayerView) -> Move:
        gate.wait()
        return never_awaited()

    guarded = Guarded(late, SOON)
    with anyio.fail_after(30):
        assert (await guarded(view())).trouble is SubstitutionReason.LATE
        gate.set()
        await ended(guarded)
        await asyncio.sleep(0)
    gc.collect()  # an unclosed coroutine would warn here, and warnings are errors


async def test_when_the_player_gives_up_the_strategy_is_cancelled_too():
    started = asyncio.Event()
    cancelled = asyncio.Event()

    async def dawdle(shown: PlayerView) -> Move:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    call = asyncio.ensure_future(Guarded(dawdle, LONG)(view()))
    with anyio.fail_after(30):
        await started.wait()
        call.cancel()
        await cancelled.wait()
        with pytest.raises(asyncio.CancelledError):
            await call


@requirement("000-PL-CALL-03")
@pytest.mark.parametrize(("fallback", "move"), [(lambda shown: shown.legal_moves[1], "odd"), (first_legal, "even")])
async def test_the_fallback_chooses(fallback: Callable[[PlayerView], Move], move: Move):
    with anyio.fail_after(30):
        assert (await Guarded(crash, LONG, fallback)(view())).move == move


@requirement("000-PL-CALL-03")
@pytest.mark.parametrize("fallback", [crash, lambda _: "neither"])
async def test_when_the_fallback_fails_as_well_the_first_legal_move_is_played(
    fallback: Callable[[PlayerView], Move],
):
    with anyio.fail_after(30):
        decision = await Guarded(crash, LONG, fallback)(view())
    assert decision.move == "even"
    assert "; the fallback failed too (" in decision.reason


async def test_no_thread_to_be_had_is_a_trouble_like_others(monkeypatch: pytest.MonkeyPatch):
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    guarded = Guarded(lambda _: "odd", LONG)
    with monkeypatch.context() as patch, anyio.fail_after(30):
        patch.setattr(threading.Thread, "start", refuse)
        decision = await guarded(view())
    assert decision.trouble is SubstitutionReason.RAISED
    assert guarded.running == 0


async def test_many_at_once_each_get_their_own_answer():
    guarded = Guarded(lambda shown: shown.legal_moves[-1], LONG, max_running=50)
    with anyio.fail_after(30):
        decisions = await asyncio.gather(*(guarded(view("no", number)) for number in range(50)))
    assert [decision.move for decision in decisions] == list(range(50))
    assert guarded.running == 0


@pytest.mark.parametrize(("time_limit", "max_running"), [(0, 1), (-1, 1), (1, 0)])
def test_limits_have_to_be_positive(time_limit: float, max_running: int):
    with pytest.raises(ValueError, match="positive"):
        Guarded(first_legal, time_limit, max_running=max_running)

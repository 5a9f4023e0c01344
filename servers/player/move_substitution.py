"""Substitutes a legal move for a strategy that is late or fails.

How each kind of strategy is bounded:

* A plain function runs in a daemon thread of its own, so it cannot freeze the player's event loop. Python cannot
  stop a thread: one that never returns runs on and stays counted, and while `max_running` calls are under way further
  ones are answered by the fallback at once. So a player never holds more than `max_running` threads, and none of
  them keeps the process from ending. Those shipped in `strategies` are quick, and run on the event loop.
* An async function runs on the event loop and is cancelled when its time is up. It has to give way while it waits:
  one that computes without an `await` holds up the whole player, and nothing on the same loop could stop it. Heavy
  computing belongs in a plain function. One that ignores its cancellation is left behind and stays counted, too.
"""

import asyncio
import contextlib
import inspect
import json
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from league_sdk.bounds import repr_of, shorten
from league_sdk.clock import Clock
from league_sdk.domain.model import SubstitutionReason
from league_sdk.game import ChoiceTooLate, IllegalChoice, Move, PlayerView, StrategyFunction
from league_sdk.protocol.substituted import LONGEST_DETAIL
from league_sdk.spending import OverBudget

MARGIN_SEC = 1.0
"""Seconds of the referee's time that are left for the answer's way: a busy machine needs tenths of one."""
MARGIN_SHARE = 0.2
"""The most of a short time that is left for it."""

_SHIPPED = "servers.player.strategies."  # strategies shipped with the project, which are quick

Fallback: TypeAlias = Callable[[PlayerView], Move]
"""A plain function that answers at once."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A legal move, and how it came about."""

    move: Move  # the move, one of the view's legal moves
    trouble: SubstitutionReason | None = None  # why the fallback chose it; None when the strategy did
    reason: str = ""  # a sentence about the trouble, for the log; empty without
    detail: str = ""  # the trouble in few words, with nothing in it that the strategy said; empty without
    error: BaseException | None = None  # what the strategy raised, if it did
    chosen: Any = None  # what the strategy chose in place of a legal move


class _Raised(Exception):
    """Wraps a strategy's exception, to tell it from our own."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class _TooSlow(Exception):
    """The time was up."""


def first_legal(view: PlayerView) -> Move:
    """The first legal move: the plainest fallback there is, and always the same."""
    return view.legal_moves[0]


class _Limit(NamedTuple):
    """Seconds for one choice, None for no limit, and the place that set them."""

    seconds: float | None
    source: str


class Guarded:
    """A strategy that cannot fail: a call gives a `Decision`, never an exception.

    A choice has the time until the view's deadline, less a margin for the answer's way. `time_limit` shortens it, and
    `source` says where that was set.
    """

    def __init__(
        self,
        strategy: StrategyFunction,
        time_limit: float | None,
        fallback: Fallback = first_legal,
        *,
        max_running: int = 8,
        clock: Clock | None = None,
        source: str = "",
    ) -> None:
        if (time_limit is not None and time_limit <= 0) or max_running < 1:
            raise ValueError(f"time_limit and max_running have to be positive, got {time_limit} and {max_running}")
        self._strategy = strategy
        self._async = _is_async(strategy)
        self._quick = not self._async and getattr(strategy, "__module__", "").startswith(_SHIPPED)
        self._time_limit = _Limit(time_limit, source)
        self._fallback = fallback
        self._max_running = max_running
        self._clock = clock
        self._calls: set[asyncio.Future[Any]] = set()

    @property
    def running(self) -> int:
        return len(self._calls)

    async def __call__(self, view: PlayerView) -> Decision:
        """Ask the strategy, and the fallback if need be."""
        if self.running >= self._max_running:
            detail = f"{self.running} calls of the strategy are still running"
            return self._fall_back(view, SubstitutionReason.BUSY, detail, detail)
        limit = self._limit(view)
        try:
            choice = await self._choose(self._told(view, limit.seconds), limit.seconds)
        except _TooSlow:
            detail = f"the strategy took longer than {limit.seconds:.3g} s"
            reason = f"{detail}, {limit.source}" if limit.source else detail
            return self._fall_back(view, SubstitutionReason.LATE, reason, detail)
        except _Raised as raised:
            reason, detail = f"the strategy raised {_words(raised.error)}", place_of(raised.error)
            return self._fall_back(view, reason_of(raised.error), reason, detail, raised.error)
        try:
            return Decision(legal_move(view, choice))
        except ValueError as error:
            told, detail = f"the strategy chose {error}", shorten(repr_of(choice), LONGEST_DETAIL)
            return replace(self._fall_back(view, SubstitutionReason.ILLEGAL, told, detail), chosen=choice)

    def _limit(self, view: PlayerView) -> _Limit:
        own = self._time_limit
        if self._clock is None or view.deadline is None:
            return own
        left = max(0.0, (view.deadline - self._clock.now()).total_seconds())
        granted = left - min(MARGIN_SEC, MARGIN_SHARE * left)
        if own.seconds is not None and own.seconds <= granted:
            return own
        return _Limit(granted, f"the referee's {left:.3g} s less a margin for the answer's way")

    def _told(self, view: PlayerView, seconds: float | None) -> PlayerView:
        """The view with the deadline at which the choice is ended."""
        if self._clock is None or seconds is None:
            return view
        return replace(view, deadline=self._clock.now() + timedelta(seconds=seconds))

    async def _choose(self, view: PlayerView, seconds: float | None) -> Move:
        if self._quick:
            try:
                return self._strategy(view)
            except Exception as error:
                raise _Raised(error) from error
        deadline = None if seconds is None else asyncio.get_running_loop().time() + seconds
        if self._async:
            return await self._within(deadline, asyncio.ensure_future(_ask(self._strategy, view)))
        choice = await self._within(deadline, _in_thread(self._strategy, view))
        if inspect.isawaitable(choice):  # a plain function that hands back a coroutine, such as a lambda
            choice = await self._within(deadline, asyncio.ensure_future(_finish(choice)))
        return choice

    async def _within(self, deadline: float | None, call: asyncio.Future[Any]) -> Any:
        """The result of `call`, unless the loop's clock reaches `deadline` first."""
        left = None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        try:
            await asyncio.wait({call}, timeout=left)
        finally:
            if not call.done():
                call.add_done_callback(_drop)
                if isinstance(call, asyncio.Task):  # a thread cannot be cancelled, only waited for
                    call.cancel()
        if not call.done():
            raise _TooSlow
        if call.cancelled():
            raise _Raised(asyncio.CancelledError("the strategy cancelled itself"))
        return call.result()

    def _fall_back(
        self,
        view: PlayerView,
        trouble: SubstitutionReason,
        reason: str,
        detail: str,
        error: BaseException | None = None,
    ) -> Decision:
        try:
            move = legal_move(view, self._fallback(view))
        except Exception as failure:
            move = first_legal(view)
            reason = f"{reason}; the fallback failed too ({_words(failure)})"
        return Decision(move, trouble, reason, detail, error)


async def _ask(strategy: StrategyFunction, view: PlayerView) -> Move:
    """Call an async strategy on this event loop."""
    try:
        return await strategy(view)
    except (Exception, SystemExit) as error:
        raise _Raised(error) from error


async def _finish(choice: Awaitable[Move]) -> Move:
    """Await the awaitable that a plain strategy returned."""
    try:
        return await choice
    except (Exception, SystemExit) as error:
        raise _Raised(error) from error


def _in_thread(strategy: StrategyFunction, view: PlayerView) -> asyncio.Future[Any]:
    """Call a plain strategy in a new daemon thread."""
    loop = asyncio.get_running_loop()
    call: asyncio.Future[Any] = loop.create_future()

    def settle(choice: Any, error: BaseException | None) -> None:
        if error is None:
            call.set_result(choice)
        else:
            call.set_exception(_Raised(error))

    def work() -> None:
        choice, failure = None, None
        try:
            choice = strategy(view)
        except BaseException as error:  # it belongs to whoever waits, not to this thread
            failure = error
        # A closed loop means that the player has shut down, and nobody waits any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, choice, failure)

    try:
        threading.Thread(target=work, name="strategy", daemon=True).start()
    except RuntimeError as error:  # the machine has no thread left
        settle(None, error)
    return call


def _drop(call: asyncio.Future[Any]) -> None:
    """Retrieve a late result, so that Python does not warn of an unread one."""
    if call.cancelled() or call.exception() is not None:
        return
    if inspect.iscoroutine(call.result()):
        call.result().close()


def _is_async(strategy: StrategyFunction) -> bool:
    return inspect.iscoroutinefunction(strategy) or inspect.iscoroutinefunction(type(strategy).__call__)


def legal_move(view: PlayerView, choice: Move) -> Move:
    """The legal move that looks like `choice` on the wire."""
    try:
        text = json.dumps(choice, sort_keys=True)
    except (TypeError, ValueError):
        text = ""
    for move in view.legal_moves:
        if json.dumps(move, sort_keys=True) == text:
            return move
    raise ValueError(f"{choice!r}, which is not one of the legal moves")


_REASONS: Mapping[type[BaseException], SubstitutionReason] = {
    OverBudget: SubstitutionReason.OVER_BUDGET,
    ChoiceTooLate: SubstitutionReason.LATE,
    IllegalChoice: SubstitutionReason.ILLEGAL,
}


def reason_of(error: BaseException) -> SubstitutionReason:
    """The reason that an exception's type tells: budget, time or legality."""
    found = (reason for kind, reason in _REASONS.items() if isinstance(error, kind))
    return next(found, SubstitutionReason.RAISED)


def place_of(error: BaseException) -> str:
    """The type of an exception and the line that raised it: `ada.py:12: KeyError`.

    Its text stays with the player: it may hold paths and keys, and the referee may be a stranger's.
    """
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}: " if frames else ""
    return shorten(where + type(error).__name__, LONGEST_DETAIL)


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__

"""Turns of the hosted player: moves asked for by a referee, chosen by the host.

A referee waits for a while only. Shortly before its deadline a strategy chooses instead, and it is told to all who ask:
a person who thinks for long loses no match technically.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from league_sdk.clock import Clock
from league_sdk.domain.model import SubstitutionReason
from league_sdk.game import Move, PlayerView, StrategyFunction
from servers.agent.untrusted import identifier
from servers.host.moves import find_move, labels
from servers.player.move_substitution import Decision, Guarded

RESERVE = 0.2
"""The part of a turn's time that is kept for the strategy that steps in, and for the way of its answer."""
RESERVE_MAX_SEC = 3.0
REMEMBERED = 50
"""Number of finished turns that can be asked about."""


class NoTurn(Exception):
    """Nothing is to be chosen; the message says why."""


class NotLegal(Exception):
    """Illegal move; the message names the legal ones."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A move to be chosen."""

    number: int  # counts the turns of this seat, from 1
    view: PlayerView
    ends: float  # when the strategy steps in, on the monotonic clock
    deadline: float  # when the referee stops waiting, on the monotonic clock
    chosen: anyio.Event  # set once a move is chosen

    @property
    def match_id(self) -> str:
        return self.view.match_id


@dataclass(frozen=True, slots=True)
class Settled:
    """Result of a turn."""

    turn: Turn
    move: Move
    reason: str = ""  # why the strategy chose it; empty when the host did


class Turns:
    """All turns of the hosted player; a `Chooser` that waits for the host."""

    def __init__(
        self,
        clock: Clock,
        limit: float,
        strategy: StrategyFunction,
        strategy_name: str,
        on_change: Callable[["Settled | None"], None] = lambda _: None,
    ) -> None:
        self.strategy_name = strategy_name
        self._clock = clock
        self._limit = limit
        self._strategy = strategy
        self._on_change = on_change
        self._open: dict[str, Turn] = {}
        self._moves: dict[int, Move] = {}
        self._settled: deque[Settled] = deque(maxlen=REMEMBERED)
        self._count = 0
        self._shown = ""

    async def __call__(self, view: PlayerView) -> Decision:
        """Wait for the host's choice; decide without it when the time is up."""
        turn, settled = self._begin(view), None
        try:
            await within(self._clock, turn.ends - self._clock.monotonic(), turn.chosen.wait)
            decision = Decision(self._moves[turn.number]) if turn.chosen.is_set() else await self._step_in(turn)
            settled = Settled(turn, decision.move, self._told(turn, decision))
            self._settled.append(settled)
            return decision
        finally:
            self._end(turn, settled)

    def current(self, match_id: str | None = None) -> Turn | None:
        """The open turn of a match, or the most urgent one; None without."""
        if match_id is not None:
            turn = self._open.get(match_id)
            return None if turn is None or turn.chosen.is_set() else turn
        waiting = (turn for turn in self._open.values() if not turn.chosen.is_set())
        return min(waiting, key=lambda turn: turn.ends, default=None)

    def show(self, turn: Turn) -> None:
        """Note the turn shown last: a choice without a match id is for that match."""
        self._shown = turn.match_id

    def seconds_left(self, turn: Turn) -> float:
        return max(0.0, turn.ends - self._clock.monotonic())

    def past_turns(self) -> tuple[Settled, ...]:
        """The turns that are over, the last one last."""
        return tuple(self._settled)

    def choose(self, said: object, match_id: str | None = None, number: int | None = None) -> Turn:
        turn = self.current(match_id)
        if turn is None or (number is not None and turn.number != number):
            raise NoTurn(self._why_not(match_id))
        if match_id is None and self._shown not in ("", turn.match_id):
            raise NoTurn(self._elsewhere(turn))
        move = find_move(said, turn.view.legal_moves)
        if move is None:
            raise NotLegal(
                f"{said!r} is not a legal move in {identifier(turn.match_id)}. "
                f"Legal moves: {', '.join(labels(turn.view))}. "
                f"Choose one of them within {self.seconds_left(turn):.0f} s."
            )
        self._moves[turn.number] = move[0]
        turn.chosen.set()
        return turn

    def _begin(self, view: PlayerView) -> Turn:
        now, left = self._clock.monotonic(), self._limit
        if view.deadline is not None:
            left = max(0.0, (view.deadline - self._clock.now()).total_seconds())
        self._count += 1
        reserve = min(RESERVE * left, RESERVE_MAX_SEC)
        turn = Turn(self._count, view, now + left - reserve, now + left, anyio.Event())
        self._open[view.match_id] = turn
        self._on_change(None)
        return turn

    def _end(self, turn: Turn, settled: Settled | None) -> None:
        self._moves.pop(turn.number, None)
        if self._open.get(turn.match_id) is turn:
            del self._open[turn.match_id]
        self._on_change(settled)

    async def _step_in(self, turn: Turn) -> Decision:
        """Ask the fallback strategy; half of the reserve is for sending the answer."""
        spare = max(0.01, (turn.deadline - self._clock.monotonic()) / 2)
        decision = await Guarded(self._strategy, spare, lambda view: view.rng.choice(view.legal_moves))(turn.view)
        reason = ": ".join(filter(None, ("no move was chosen shortly before the deadline", decision.reason)))
        return Decision(decision.move, SubstitutionReason.LATE, reason, "no move was chosen in time")

    def _told(self, turn: Turn, decision: Decision) -> str:
        """The reason of a move that the host did not choose, and the move; else nothing."""
        if decision.trouble is None:
            return ""
        (label,) = labels(turn.view, (decision.move,))
        return f"{decision.reason}; the strategy {self.strategy_name!r} played {label}"

    def _elsewhere(self, turn: Turn) -> str:
        """Refusal of a choice without a match id for a turn not shown yet."""
        shown = self._shown
        over = "" if shown in self._open else f" {self._why_not(shown)}"
        return (
            f"Nothing was chosen: you were last shown {identifier(shown)}, and it is your turn in "
            f"{identifier(turn.match_id)} now.{over} Look with whose_turn, or name the match in match_id."
        )

    def _why_not(self, match_id: str | None) -> str:
        """Refusal of a choice without an open turn, with the move played instead."""
        last = next((item for item in reversed(self._settled) if match_id in (None, item.turn.match_id)), None)
        if last is not None and last.reason:
            return f"It is not your turn. In {identifier(last.turn.match_id)} {last.reason}."
        if match_id is not None and (turn := self.current()) is not None:
            return f"It is your turn in {identifier(turn.match_id)}, and not in {identifier(match_id)}."
        return "It is not your turn; wait for it with wait_for_my_turn."


async def within(clock: Clock, seconds: float, wait: Callable[[], Awaitable[object]]) -> None:
    """Wait for something, but not longer than this."""
    if seconds <= 0:
        return
    async with anyio.create_task_group() as tasks:

        async def end() -> None:
            await clock.sleep(seconds)
            tasks.cancel_scope.cancel()

        tasks.start_soon(end)
        await wait()
        tasks.cancel_scope.cancel()

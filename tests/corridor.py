"""Count the product's files between the referee's question and the player's strategy.

    python -m tests.corridor

A league of three is played in this process, over real sockets, and the interpreter's profiling hook follows its moves.
The corridor is what a call is *inside of* when the strategy is asked: each file with a function that is entered and
not yet left, on both sides of the wire (a queue's turn is held, a breaker guards). Beside it stand the files that are
entered at all, such as the clock's, the log's and the game's, which says what moves are legal. A file that only some
moves meet belongs to something that went on beside them, and does not count.
"""

import dis
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import anyio

from tests.security.leagues import SmallLeague

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("league_sdk", "servers", "clients", "game_rules")
QUESTION, ANSWER = "MatchRunner._ask", "MatchRunner._feed"
STRATEGIES = "servers/player/strategies/"
_SUSPENDING = (dis.opmap["YIELD_VALUE"], dis.opmap["RETURN_GENERATOR"])


@dataclass
class Move:
    """The files that one move crosses, in the order in which they are entered."""

    inside: list[str] = field(default_factory=list[str])  # with an unfinished function when the strategy is asked
    out: list[str] = field(default_factory=list[str])  # entered until then
    both_ways: list[str] = field(default_factory=list[str])  # entered until the referee has the answer

    def common(self, other: "Move") -> "Move":
        """The files that another move crosses too."""
        return Move(
            [file for file in self.inside if file in other.inside],
            [file for file in self.out if file in other.out],
            [file for file in self.both_ways if file in other.both_ways],
        )


class Hook:
    """A profiling hook that follows each of the referee's questions to its answer."""

    def __init__(self) -> None:
        self.moves: list[Move] = []
        self._entered: list[str] = []
        self._open: dict[FrameType, str] = {}
        self._known: dict[str, str] = {}
        self._now: Move | None = None

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Follow a function's beginning or end."""
        del argument
        code = frame.f_code
        if event == "return" and code.co_code[max(0, frame.f_lasti)] not in _SUSPENDING:
            self._open.pop(frame, None)
        if event != "call" or not (file := self._file(code.co_filename)):
            return
        if self._now is None and code.co_qualname == QUESTION and frame.f_lineno == code.co_firstlineno:
            self._now, self._entered = Move(), []
            self._open.clear()
        if self._now is None:
            return
        self._entered.append(file)
        self._open[frame] = file
        if file.startswith(STRATEGIES):
            self._now.inside, self._now.out = _distinct(self._open.values()), _distinct(self._entered)
        elif self._now.inside and code.co_qualname == ANSWER:
            self._now.both_ways = _distinct(self._entered)
            self.moves.append(self._now)
            self._now = None

    def _file(self, name: str) -> str:
        """A file's path in the tree; empty outside of the product."""
        if name not in self._known:
            path = Path(name)
            inside = path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PRODUCT
            self._known[name] = str(path.relative_to(ROOT)) if inside else ""
        return self._known[name]


def _distinct(files: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(files))


async def _play(folder: Path) -> None:
    league = SmallLeague(folder, names=("Ada", "Bea", "Cid"))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            await league.open(tasks)
            await league.join(tasks)
            await league.ended()
            tasks.cancel_scope.cancel()


def trace() -> Move:
    """The files that every move of a league crosses."""
    hook, earlier = Hook(), sys.getprofile()
    with tempfile.TemporaryDirectory() as folder:
        sys.setprofile(hook)
        try:
            anyio.run(_play, Path(folder))
        finally:
            sys.setprofile(earlier)
    *others, last = hook.moves
    for move in others:
        last = last.common(move)
    return last


def rooms(files: list[str]) -> set[str]:
    """The folders of some files."""
    return {str(Path(file).parent) for file in files}


if __name__ == "__main__":
    found = trace()
    for heading, files in (
        ("inside of, when the strategy is asked", found.inside),
        ("entered until the strategy is asked", found.out),
        ("entered until the referee has the answer", found.both_ways),
    ):
        print(f"{heading}: {len(files)} files of {len(rooms(files))} rooms", *files, sep="\n  ")

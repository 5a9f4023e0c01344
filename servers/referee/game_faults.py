"""Tells a fault in a game's rules from one of the referee."""

import sys
import traceback
from pathlib import Path
from typing import Any

from league_sdk.bounds import shorten
from league_sdk.domain.matches import match
from league_sdk.domain.ranking import places
from league_sdk.game import Game

LONGEST = 300
"""Characters of a fault that are told."""
LONGEST_TRACEBACK = 8000
_CONTRACT = frozenset({match.__file__, places.__file__})
"""Modules that refuse results and moves of a game that breaks its contract."""


def game_fault(game: Game[Any], error: BaseException) -> str:
    """The game's own line that raised, with its message; empty for a fault of ours.

    The file is told by its name alone: where it lies is nobody's business but its owner's.
    """
    said = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    own = {_file_of(kind) for kind in type(game).__mro__ if kind.__module__.partition(".")[0] not in _NOT_A_GAMES}
    lines = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames if frame.filename in own]
    if lines:
        return shorten(f"{lines[-1]}: {said}", LONGEST)
    broken = isinstance(error, ValueError) and frames and frames[-1].filename in _CONTRACT
    return shorten(str(error), LONGEST) if broken else ""


def traceback_of(error: BaseException) -> str:
    """The end of a traceback, which names the place."""
    return "".join(traceback.format_exception(error))[-LONGEST_TRACEBACK:]


_NOT_A_GAMES = frozenset({"league_sdk", "abc", "builtins", "typing"})


def _file_of(kind: type) -> str:
    return getattr(sys.modules.get(kind.__module__), "__file__", None) or ""

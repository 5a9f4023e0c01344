"""Labels of moves: their text, or JSON for other values.

Legal moves come from a referee. A label that is no short word is marked as what others said.
"""

import json
import re
from collections.abc import Sequence
from typing import TypeAlias

from league_sdk.game import Move, PlayerView
from servers.agent.untrusted import CLOSE, OPEN, identifier

Found: TypeAlias = tuple[Move]
"""A move that was found, in a tuple: a move may be null."""

_COMPACT = re.compile(r"[A-Za-z0-9_.:{}\[\]\",+-]{1,80}")


def label(move: Move) -> str:
    spelt = _spelt(move)
    compact = not isinstance(move, str) and _COMPACT.fullmatch(spelt.replace(": ", ":").replace(", ", ","))
    return spelt if compact else identifier(spelt)


def labels(view: PlayerView, moves: Sequence[Move] | None = None) -> list[str]:
    """Labels of these moves, by default of the legal ones."""
    return [label(move) for move in (view.legal_moves if moves is None else moves)]


def find_move(said: object, legal: Sequence[Move]) -> Found | None:
    """Find a legal move by its label; case matters only between equal ones."""
    wanted = _bare(_spelt(said).strip().strip("\"'`"))
    for same in (str, str.casefold):
        found = [move for move in legal if same(wanted) in (same(_spelt(move)), same(_bare(label(move))))]
        if len(found) == 1:
            return (found[0],)
    return None


def move_in(text: str, legal: Sequence[Move]) -> Found | None:
    """Find the legal move in a model's answer: all of it, or its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return None
    exact = find_move(lines[-1].rstrip("."), legal)
    if exact is not None:
        return exact
    words = {word.strip(".,;:!?()[]*\"'`").casefold() for word in lines[-1].split()}
    found = [move for move in legal if _spelt(move).casefold() in words]
    return (found[0],) if len(found) == 1 else None


def _spelt(move: object) -> str:
    return move if isinstance(move, str) else json.dumps(move, sort_keys=True)


def _bare(text: str) -> str:
    return text.removeprefix(OPEN).removesuffix(CLOSE)

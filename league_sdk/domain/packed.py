"""JSON that few ever ask for, kept packed until they do: a tenth of the memory, and equal to what it was made from."""

import json
import marshal
import zlib
from collections.abc import ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import replace
from functools import lru_cache
from sys import intern
from typing import overload

from league_sdk.domain.model import MatchResult
from league_sdk.json_value import Json

WORTH_COMPRESSING = 1024
"""What takes so many bytes is compressed."""
OPEN_AT_ONCE = 16
"""So many are kept unpacked as well, since who asks for one goes on asking for it."""
_AS_IT_IS, _COMPRESSED = b"=", b"z"


class PackedObject(Mapping[str, Json]):
    """A JSON object. What is taken out of it is not to be changed.

    Args:
        value: The object.
    """

    __slots__ = ("_kept",)

    def __init__(self, value: Mapping[str, Json]) -> None:
        self._kept = _packed({**value})

    def __getitem__(self, key: str) -> Json:
        return _unpacked(self._kept)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_unpacked(self._kept))

    def __len__(self) -> int:
        return len(_unpacked(self._kept))

    def __repr__(self) -> str:
        return repr(_unpacked(self._kept))

    def keys(self) -> KeysView[str]:
        """The keys, in their order."""
        return _unpacked(self._kept).keys()

    def values(self) -> ValuesView[Json]:
        """The values, in the order of the keys."""
        return _unpacked(self._kept).values()

    def items(self) -> ItemsView[str, Json]:
        """The pairs of key and value, in the order of the keys."""
        return _unpacked(self._kept).items()


class PackedList(Sequence[Json]):
    """A JSON array. It is equal to a tuple or list of the same values; what is taken out of it is not to be changed.

    Args:
        values: The values.
    """

    __slots__ = ("_kept",)

    def __init__(self, values: Sequence[Json]) -> None:
        self._kept = _packed([*values])

    @overload
    def __getitem__(self, index: int) -> Json: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Json]: ...

    def __getitem__(self, index: int | slice) -> Json:
        return _unpacked(self._kept)[index]

    def __iter__(self) -> Iterator[Json]:
        return iter(_unpacked(self._kept))

    def __len__(self) -> int:
        return len(_unpacked(self._kept))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedList):
            return self._kept == other._kept or _unpacked(self._kept) == _unpacked(other._kept)
        return isinstance(other, tuple | list) and _unpacked(self._kept) == [*other]

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return repr(tuple(_unpacked(self._kept)))


def packed(result: MatchResult) -> MatchResult:
    """The same result in as little memory as can be: ids are shared, and what is only told to who asks is packed."""
    return replace(
        result,
        match_id=intern(result.match_id),
        players=tuple(map(intern, result.players)),
        winner=None if result.winner is None else intern(result.winner),
        score={intern(player): points for player, points in result.score.items()},
        referee_id=intern(result.referee_id),
        details=PackedObject(result.details),
        lifecycle=PackedObject(result.lifecycle),
        transcript=PackedList(result.transcript),
    )


def _packed(value: Json) -> bytes:
    try:
        dumped = marshal.dumps(value)
    except ValueError:  # what only looks like JSON, such as a member of an enumeration
        dumped = marshal.dumps(json.loads(json.dumps(value)))
    if len(dumped) < WORTH_COMPRESSING:
        return _AS_IT_IS + dumped
    # To prepare as much memory as zlib does by itself would take longer than to compress so little.
    press = zlib.compressobj(1, zlib.DEFLATED, 12, 5)
    return _COMPRESSED + press.compress(dumped) + press.flush()


@lru_cache(maxsize=OPEN_AT_ONCE)
def _unpacked(kept: bytes) -> Json:
    dumped = zlib.decompress(kept[1:]) if kept.startswith(_COMPRESSED) else kept[1:]
    return marshal.loads(dumped)  # noqa: S302 - it was made here, and never leaves this process's memory

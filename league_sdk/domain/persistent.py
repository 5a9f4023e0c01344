"""A mapping that never changes and still costs little to extend."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class _Log(Generic[K, V]):
    """Every entry ever made, and where the entries of a key are."""

    def __init__(self) -> None:
        self.entries: list[tuple[K, V]] = []
        self.places: dict[K, list[int]] = {}


class PersistentMap(Mapping[K, V]):
    """An immutable mapping whose `set` returns a new one in O(1), amortised.

    The versions share one append-only log, and each sees as much of it as there was when it was made. Only when a
    version that is no longer the newest is extended does that branch copy what it sees. So a league's state can be
    a value, and a fold over n events still costs O(n).

    Iteration is in the order in which keys first came in.

    Args:
        items: Pairs of key and value to begin with.
    """

    __slots__ = ("_log", "_seen", "_size")

    def __init__(self, items: Iterable[tuple[K, V]] = ()) -> None:
        self._log: _Log[K, V] = _Log()
        self._seen = 0
        self._size = 0
        for key, value in items:
            self._append(key, value)

    def set(self, key: K, value: V) -> "PersistentMap[K, V]":
        """A mapping like this one in which `key` has `value`."""
        if self._seen == len(self._log.entries):
            extended: PersistentMap[K, V] = PersistentMap()
            extended._log, extended._seen, extended._size = self._log, self._seen, self._size
        else:
            extended = PersistentMap(self.items())
        extended._append(key, value)
        return extended

    def __getitem__(self, key: K) -> V:
        for place in reversed(self._log.places[key]):
            if place < self._seen:
                return self._log.entries[place][1]
        raise KeyError(key)

    def __iter__(self) -> Iterator[K]:
        for place in range(self._seen):
            key = self._log.entries[place][0]
            if self._log.places[key][0] == place:
                yield key

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"PersistentMap({dict(self)!r})"

    def _append(self, key: K, value: V) -> None:
        places = self._log.places.setdefault(key, [])
        self._size += not places
        places.append(len(self._log.entries))
        self._log.entries.append((key, value))
        self._seen = len(self._log.entries)

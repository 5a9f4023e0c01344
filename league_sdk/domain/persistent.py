"""An immutable mapping that is cheap to extend."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class _Log(Generic[K, V]):
    """Every entry ever made, and the place or places of each key's entries."""

    def __init__(self) -> None:
        self.keys: list[K] = []
        self.values: list[V] = []
        self.places: dict[K, int | list[int]] = {}


class PersistentMap(Mapping[K, V]):
    """An immutable mapping whose `set` returns a new one in O(1), amortised.

    The versions share one append-only log, and each sees as much of it as there was when it was made. Only when a
    version that is no longer the newest is extended does that branch copy its entries. So a league's state can be a
    value, and a fold over n events still costs O(n). Iteration is in the order in which keys were first set.
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
        if self._seen == len(self._log.keys):
            extended: PersistentMap[K, V] = PersistentMap.__new__(type(self))
            extended._log, extended._seen, extended._size = self._log, self._seen, self._size
        else:
            extended = PersistentMap(self.items())
        extended._append(key, value)
        return extended

    def __getitem__(self, key: K) -> V:
        places = self._log.places[key]
        for place in reversed(places) if isinstance(places, list) else (places,):
            if place < self._seen:
                return self._log.values[place]
        raise KeyError(key)

    def __iter__(self) -> Iterator[K]:
        for place in range(self._seen):
            key = self._log.keys[place]
            places = self._log.places[key]
            if (places[0] if isinstance(places, list) else places) == place:
                yield key

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"PersistentMap({dict(self)!r})"

    def _append(self, key: K, value: V) -> None:
        log, place = self._log, len(self._log.keys)
        places = log.places.get(key)
        if places is None:
            log.places[key] = place
            self._size += 1
        elif isinstance(places, list):
            places.append(place)
        else:
            log.places[key] = [places, place]
        log.keys.append(key)
        log.values.append(value)
        self._seen = place + 1

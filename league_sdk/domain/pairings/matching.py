"""Maximum matching in a general graph, by the blossom algorithm.

J. Edmonds, "Paths, trees, and flowers", Canadian Journal of Mathematics 17 (1965). A matching is enlarged along a path
between two free vertices whose edges are in turn outside and inside it; odd cycles on the way are contracted.
"""

from collections import deque
from collections.abc import Callable, Iterable

FREE = -1
"""The mate of a vertex that has none."""


def augment(mate: list[int], root: int, neighbours: Callable[[int], Iterable[int]]) -> bool:
    """Enlarge a matching by a path from a free vertex, if there is one.

    Args:
        mate: The mate of every vertex, or FREE; changed in place.
        root: A free vertex.
        neighbours: The vertices that a vertex may be matched with, the most wanted first.

    Returns:
        False when the matching cannot be enlarged from `root`; it is unchanged then.
    """
    return _Search(mate, root, neighbours).run()


class _Search:
    """The alternating tree that grows from one free vertex."""

    def __init__(self, mate: list[int], root: int, neighbours: Callable[[int], Iterable[int]]) -> None:
        self._mate = mate
        self._root = root
        self._neighbours = neighbours
        self._parent = [FREE] * len(mate)
        self._base = list(range(len(mate)))
        self._outer = [False] * len(mate)
        self._queue = deque([root])
        self._tree = [root]

    def run(self) -> bool:
        """Grow the tree until it reaches a free vertex, and enlarge the matching."""
        self._outer[self._root] = True
        while self._queue:
            vertex = self._queue.popleft()
            for other in self._neighbours(vertex):
                if self._base[vertex] == self._base[other] or self._mate[vertex] == other:
                    continue
                if other == self._root or (self._mate[other] != FREE and self._parent[self._mate[other]] != FREE):
                    self._contract(vertex, other)
                elif self._parent[other] == FREE:
                    self._parent[other] = vertex
                    if self._mate[other] == FREE:
                        self._flip(other)
                        return True
                    self._tree += [other, self._mate[other]]
                    self._reach(self._mate[other])
        return False

    def _reach(self, vertex: int) -> None:
        self._outer[vertex] = True
        self._queue.append(vertex)

    def _contract(self, one: int, other: int) -> None:
        """Contract the odd cycle that an edge between two outer vertices closes."""
        base = self._common_base(one, other)
        inside: set[int] = set()
        self._mark(one, base, other, inside)
        self._mark(other, base, one, inside)
        for vertex in self._tree:
            if self._base[vertex] in inside:
                self._base[vertex] = base
                if not self._outer[vertex]:
                    self._reach(vertex)

    def _common_base(self, one: int, other: int) -> int:
        """The nearest vertex of the tree above both."""
        above: set[int] = set()
        while True:
            one = self._base[one]
            above.add(one)
            if self._mate[one] == FREE:
                break
            one = self._parent[self._mate[one]]
        while (other := self._base[other]) not in above:
            other = self._parent[self._mate[other]]
        return other

    def _mark(self, vertex: int, base: int, child: int, inside: set[int]) -> None:
        while self._base[vertex] != base:
            inside |= {self._base[vertex], self._base[self._mate[vertex]]}
            self._parent[vertex] = child
            child = self._mate[vertex]
            vertex = self._parent[child]

    def _flip(self, end: int) -> None:
        """Swap the matching along the path from a free vertex back to the root."""
        while end != FREE:
            before = self._parent[end]
            after = self._mate[before]
            self._mate[end], self._mate[before] = before, end
            end = after

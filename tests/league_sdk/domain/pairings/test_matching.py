"""Maximum matchings, beside an exhaustive search."""

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.pairings.matching import FREE, augment


def matching(edges, size):
    near = {vertex: [b if a == vertex else a for a, b in edges if vertex in (a, b)] for vertex in range(size)}
    mate = [FREE] * size
    for vertex in range(size):
        if mate[vertex] == FREE:
            augment(mate, vertex, near.__getitem__)
    return mate


def largest(edges):
    """The size of a maximum matching, by trying every edge in and out."""

    @cache
    def best(index, used):
        if index == len(edges):
            return 0
        one, other = edges[index]
        without = best(index + 1, used)
        if used & {one, other}:
            return without
        return max(without, 1 + best(index + 1, used | {one, other}))

    return best(0, frozenset())


graphs = st.integers(2, 8).flatmap(
    lambda size: st.tuples(
        st.just(size),
        st.sets(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)).filter(lambda edge: edge[0] < edge[1])),
    )
)


@given(graphs)
def test_a_matching_is_as_large_as_any(graph):
    size, edges = graph
    mate = matching(sorted(edges), size)
    pairs = {(one, other) for one, other in enumerate(mate) if FREE < other > one}
    assert pairs <= edges
    assert all(mate[other] == one for one, other in pairs)
    assert len(pairs) == largest(tuple(sorted(edges)))


def test_an_odd_cycle_is_no_obstacle():
    # A triangle with a tail at each corner, taken in the order that leads a search without blossoms astray.
    edges = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 4), (2, 5)]
    assert FREE not in matching(edges, 6)

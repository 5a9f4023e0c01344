"""The persistent mapping against plain dictionaries, along any branches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.persistent import PersistentMap

KEYS = st.sampled_from("abcdef")


@given(st.lists(st.tuples(st.integers(0, 1000), KEYS, st.integers())))
def test_every_version_stays_what_it_was_whatever_grows_out_of_it(steps):
    versions = [(PersistentMap(), {})]
    for choice, key, value in steps:
        parent, model = versions[choice % len(versions)]
        versions.append((parent.set(key, value), {**model, key: value}))
    for version, model in versions:
        assert dict(version) == model
        assert len(version) == len(model)
        assert list(version) == list(model)
        assert version == model
        assert all((key in version) == (key in model) for key in "abcdef")


@given(st.lists(st.tuples(KEYS, st.integers())))
def test_it_begins_with_the_pairs_it_is_given(pairs):
    assert dict(PersistentMap(pairs)) == dict(pairs)


def test_a_missing_key_is_a_key_error_even_when_another_version_has_it():
    empty: PersistentMap[str, int] = PersistentMap()
    grown = empty.set("a", 1)
    assert grown["a"] == 1
    for key in ("a", "b"):
        with pytest.raises(KeyError):
            empty[key]


def test_extending_the_newest_version_shares_its_log():
    first: PersistentMap[str, int] = PersistentMap([("a", 1)])
    second = first.set("b", 2)
    branch = first.set("c", 3)
    assert second._log is first._log
    assert branch._log is not first._log


def test_a_key_that_is_set_again_keeps_its_place_and_every_version_its_value():
    first: PersistentMap[str, int] = PersistentMap([("a", 1), ("b", 2)])
    second = first.set("a", 3)
    third = second.set("a", 4)
    assert [list(version.items()) for version in (first, second, third)] == [
        [("a", 1), ("b", 2)],
        [("a", 3), ("b", 2)],
        [("a", 4), ("b", 2)],
    ]
    assert [len(version) for version in (first, second, third)] == [2, 2, 2]
    assert third._log is first._log


def test_it_shows_its_content():
    assert repr(PersistentMap([("a", 1)])) == "PersistentMap({'a': 1})"

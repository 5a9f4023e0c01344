"""Tests that share what is dear to make run on one worker."""

from pathlib import Path

from tests.conftest import ROOT, Together, group_of

SHARING = [
    path.relative_to(ROOT).as_posix() for path in Path(__file__).parent.rglob("test_*.py")
    if path != Path(__file__) and "xdist_group" in path.read_text(encoding="utf-8")
]  # fmt: skip


def test_every_file_that_asks_for_one_worker_is_understood():
    assert len(SHARING) >= 4
    assert all(group_of(file) for file in SHARING)


def unit_of(test: str) -> str:
    return Together.__new__(Together)._split_scope(test)


def test_all_tests_of_such_a_file_are_one_unit():
    assert {unit_of(f"{file}::test_{name}[{name}@x]") for file in SHARING for name in "ab"} == {*map(group_of, SHARING)}


def test_quick_tests_come_a_file_at_a_time_and_those_that_may_take_long_one_by_one():
    assert unit_of("tests/test_conftest.py::test_any[a]") == "tests/test_conftest.py"
    faults, spoken = "tests/faults/test_players.py::test_any[a]", "tests/docs/test_readme.py::test_any"
    assert (unit_of(faults), unit_of(spoken)) == (faults, spoken)

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


def test_all_tests_of_such_a_file_are_one_unit_and_all_others_are_on_their_own():
    split = Together._split_scope
    together = {
        split(Together.__new__(Together), f"{file}::test_{name}[{name}@x]") for file in SHARING for name in "ab"
    }
    assert together == {group_of(file) for file in SHARING}
    alone = "tests/test_conftest.py::test_any[a]"
    assert split(Together.__new__(Together), alone) == alone

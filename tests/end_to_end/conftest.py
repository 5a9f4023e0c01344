"""Towns for the tests that start what a user starts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.program_harness import ProgramHarness, program_harness
from tests.league_sdk.stores.conftest import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder starts processes."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.end_to_end)
            if not Path("/proc/net/tcp").exists():
                item.add_marker(pytest.mark.skip(reason="/proc, where processes are looked for, is not there"))


@pytest.fixture(name="programs")
def a_program_harness(tmp_path: Path) -> Iterator[ProgramHarness]:
    """Programs of the test's own."""
    with program_harness(tmp_path) as place:
        yield place

"""One finished league for all that only look at it: making it takes longer than looking."""

from collections.abc import Iterator

import pytest
from anyio.from_thread import start_blocking_portal

from tests.hosts.finished_league import FinishedLeague, finished_league
from tests.hosts.node import node


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FinishedLeague]:
    """A league that is over, and its agents; none where there is no Node.js to look at it with."""
    node()
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(finished_league(tmp_path_factory.mktemp("finished_league"))) as made,
    ):
        yield made

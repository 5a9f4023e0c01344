"""Fixtures for every test, and which of them run on one worker."""

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parents[1]

# A loaded machine is slow, not wrong: what a property costs is not what it asserts. `make soak` tries more examples.
settings.register_profile("league", deadline=None, max_examples=200 if "LEAGUE_SOAK" in os.environ else 50)
settings.load_profile("league")


class Together(LoadScopeScheduling):
    """`--dist loadgroup` by the text of the files: pytest-xdist 3.8 cannot add groups to the names of pytest 9.2."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid.partition("::")[0]) or nodeid


@cache
def group_of(file: str) -> str | None:
    """The group that a file puts all of its tests in, so that what they share is made once."""
    text = (ROOT / file).read_text(encoding="utf-8")
    found = re.search(r'^pytestmark\b[\s\S]*?xdist_group\("(.+?)"\)', text, re.MULTILINE)
    return None if found is None else found[1]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together | None:
    """Who decides which worker runs what."""
    return Together(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first, so that no worker is left with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("end_to_end") is None)


@pytest.fixture
def anyio_backend() -> str:
    """The one event loop we run on."""
    return "asyncio"

"""Fixtures for every test, and which of them run on one worker."""

import os
import re
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from shutil import disk_usage, rmtree
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from tests.every_league import in_memory, under, watched_stores

ROOT = Path(__file__).parents[1]

# A loaded machine is slow, not wrong: what a property costs is not what it asserts. `make soak` tries more examples.
settings.register_profile("league", deadline=None, max_examples=200 if "LEAGUE_SOAK" in os.environ else 30)
settings.load_profile("league")


MEMORY = Path("/dev/shm")
"""Linux's folder of files in memory."""
ROOM = 2**31
"""So many bytes have to be free there; a whole run takes a tenth of a gigabyte."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Prepare the run."""
    _keep_files_in_memory(config)


def _keep_files_in_memory(config: pytest.Config) -> None:
    """Put what tests write where no disk is waited for, unless a folder is named by `--basetemp`."""
    if config.option.basetemp is None and MEMORY.is_dir() and disk_usage(MEMORY).free > ROOM:
        config.option.basetemp = mkdtemp(prefix="league-tests-", dir=MEMORY)
        config.add_cleanup(partial(rmtree, config.option.basetemp, ignore_errors=True))


ONE_BY_ONE = ("tests/end_to_end/", "tests/faults/", "tests/hosts/", "tests/servers/")
"""Folders with tests of several seconds. Elsewhere a worker gets a whole file at a time, with fewer messages."""


class Together(LoadScopeScheduling):
    """`--dist loadgroup` by the text of the files: pytest-xdist 3.8 cannot add groups to the names of pytest 9.2."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return group_of(file) or (nodeid if file.startswith(ONE_BY_ONE) or has_processes(file) else file)


@cache
def text_of(file: str) -> str:
    """The text of a test file."""
    return (ROOT / file).read_text(encoding="utf-8")


def group_of(file: str) -> str | None:
    """The group that a file puts all of its tests in, so that what they share is made once."""
    found = re.search(r'^pytestmark\b[\s\S]*?xdist_group\("(.+?)"\)', text_of(file), re.MULTILINE)
    return None if found is None else found[1]


def has_processes(file: str) -> bool:
    """True if some of its tests start processes, and so take long."""
    return "mark.end_to_end" in text_of(file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together | None:
    """The schedule of tests over workers."""
    return Together(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests begin first, so that no worker is left with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("end_to_end") is None)


AUDITED = ("dialects", "end_to_end", "faults", "hosts", "security", "servers", "soak")
PLAYS_LEAGUES = tuple(f"tests/{folder}/" for folder in AUDITED)
"""Folders whose leagues are played as a user's are: with villains, kills and cut networks."""


@pytest.fixture(autouse=True)
def every_league_holds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Audit every league that a test has played; one that tampers with records says so by its mark."""
    if not request.node.nodeid.startswith(PLAYS_LEAGUES) or request.node.get_closest_marker("tampers"):
        yield
        return
    folder: Path | None = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    played = watched_stores(monkeypatch)
    yield
    wrong = [*in_memory(played), *(under(folder) if folder else ())]
    if wrong:
        pytest.fail("the audit of a league that nobody changed finds:\n" + "\n".join(wrong), pytrace=False)


@pytest.fixture
def anyio_backend() -> str:
    """The one event loop we run on."""
    return "asyncio"

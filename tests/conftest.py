"""Fixtures for every test."""

import pytest
from hypothesis import settings

# A loaded machine is slow, not wrong: what a property costs is not what it asserts.
settings.register_profile("league", deadline=None)
settings.load_profile("league")


@pytest.fixture
def anyio_backend() -> str:
    """The one event loop we run on."""
    return "asyncio"

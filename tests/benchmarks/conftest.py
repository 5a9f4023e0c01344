"""Micro-benchmarks: `make bench` measures them, and a plain run of the tests goes through each once."""

from collections.abc import Callable
from typing import Any

import pytest


def once(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Stands in for the benchmark when nothing is measured."""
    return function(*arguments, **options)


class _Once:
    def pytest_configure(self) -> None: ...

    @pytest.fixture
    def benchmark(self) -> Callable[..., Any]:
        """Calls a function once."""
        return once


def pytest_configure(config: pytest.Config) -> None:
    if not config.pluginmanager.hasplugin("pytest_benchmark.plugin"):
        config.pluginmanager.register(_Once(), "benchmark-once")

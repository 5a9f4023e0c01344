"""A small Ray cluster on this machine, of several nodes."""

import os
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from unittest import mock

import pytest

SLOW_MACHINE_SEC = "150"


@contextmanager
def ray_nodes(*processors: int) -> Generator[Any]:
    """Nodes with so many processors each, the head first; RAY_ADDRESS leads there."""
    environment = {"RAY_raylet_start_wait_time_s": SLOW_MACHINE_SEC, "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    with mock.patch.dict(os.environ, environment), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own
        # Imported here: Ray reads its variables as it is loaded.
        pytest.importorskip("ray", reason="Ray is not installed: requirements/slow.txt has it")
        cluster: Any = import_module("ray.cluster_utils").Cluster()
        try:
            for count in processors:
                cluster.add_node(num_cpus=count, include_dashboard=False, object_store_memory=80_000_000)
            os.environ["RAY_ADDRESS"] = cluster.address
            yield cluster
        finally:
            cluster.shutdown()

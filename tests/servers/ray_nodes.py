"""A small Ray cluster on this machine, of several nodes."""

import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

SLOW_MACHINE_SEC = "150"


class RayNodes:
    """A running cluster, whose actors can be killed and whose nodes can be lost."""

    def __init__(self, cluster: Any, folder: Path) -> None:
        self._cluster, self._folder = cluster, folder
        self._nodes: list[Any] = []

    def add(self, processors: float, **options: Any) -> Any:
        """Add a node; a folder for temporary files of its own stands for its disk."""
        own = tempfile.mkdtemp(dir=self._folder)
        plain = {"include_dashboard": False, "object_store_memory": 80_000_000, "env_vars": {"TMPDIR": own}}
        self._nodes.append(self._cluster.add_node(num_cpus=processors, **plain, **options))
        return self._nodes[-1]

    def actors(self) -> dict[str, Any]:
        """The live actors by their names, without the league's."""
        states = import_module("ray._private.state").actors()
        return {str(it["Name"]).rpartition("/")[2]: it for it in states.values() if it["State"] == "ALIVE"}

    def pid(self, actor: str) -> int:
        """The process of an actor; 0 for one that does not live."""
        return self.actors().get(actor, {"Pid": 0})["Pid"]

    def kill(self, actor: str) -> None:
        """Kill the process of an actor."""
        os.kill(self.pid(actor), signal.SIGKILL)

    def lose_node_of(self, actor: str) -> None:
        """Kill the node that an actor lives on, with all that is there."""
        lost = self.actors()[actor]["Address"]["NodeID"]
        (node,) = (node for node in self._nodes if node.node_id == lost)
        self._lose(node)

    def lose_last(self) -> None:
        """Kill the node that was added last."""
        self._lose(self._nodes[-1])

    def _lose(self, node: Any) -> None:
        self._nodes.remove(node)
        self._cluster.remove_node(node, allow_graceful=False)


@contextmanager
def ray_nodes(*processors: float, **of_head: Any) -> Generator[RayNodes]:
    """Nodes with so many processors each, the head first, with options; RAY_ADDRESS leads there."""
    environment = {
        "RAY_raylet_start_wait_time_s": SLOW_MACHINE_SEC,
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        # Ray's workers have the lowest priority by default: beside other tests they wait for minutes.
        "RAY_worker_niceness": "0",
        # Packages that can't be installed can't be installed the third time, either.
        "RUNTIME_ENV_RETRY_TIMES": "1",
    }
    with (
        mock.patch.dict(os.environ, environment),
        warnings.catch_warnings(),
        tempfile.TemporaryDirectory(prefix="ray-nodes-") as folder,
    ):
        warnings.simplefilter("ignore")  # Ray's own
        # Imported here: Ray reads its variables as it is loaded.
        ray: Any = pytest.importorskip("ray", reason="Ray is not installed: requirements/slow.txt has it")
        cluster: Any = import_module("ray.cluster_utils").Cluster()
        try:
            nodes = RayNodes(cluster, Path(folder))
            for number, count in enumerate(processors):
                nodes.add(count, **({} if number else of_head))
            os.environ["RAY_ADDRESS"] = cluster.address
            ray.init(cluster.address, log_to_driver=False, logging_level="ERROR")
            yield nodes
        finally:
            # A copy of this environment for each set of packages would stay there, 1.7 GB of it.
            session = cluster.head_node.get_session_dir_path() if cluster.head_node else None
            ray.shutdown()
            cluster.shutdown()
            if session is not None:
                shutil.rmtree(session, ignore_errors=True)

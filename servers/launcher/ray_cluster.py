"""The connection to a Ray cluster."""

import ipaddress
import logging
import os
import re
import socket
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from servers.launcher.run_options import PlanError

PLACES = "processes, ray, or ray://HOST:10001"
CLIENT = re.compile(r"ray://([^/@:\[\]]+|\[[0-9a-fA-F:]+\]):[0-9]{1,5}")
"""The address of a cluster for programs outside of it."""
ANSWER_SEC = 5.0
"""Limit of a cluster's first answer; Ray itself tries for minutes."""
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""The preface of HTTP/2 with an empty SETTINGS frame, which every gRPC server answers with its own."""


def is_ray(place: str) -> bool:
    """True for a place that is a Ray cluster; `processes` is none."""
    if place not in ("processes", "ray") and not CLIENT.fullmatch(place):
        raise PlanError(f"--on {place!r}: expected {PLACES}")
    return place != "processes"


@contextmanager
def ray_cluster(place: str, namespace: str) -> Generator[Any]:
    """Connect to a running cluster: its address, or RAY_ADDRESS, or this machine's."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # what Ray will do by itself; it warns until then
    try:
        ray: Any = import_module("ray")
    except ImportError as error:
        raise PlanError(f"--on {place} needs Ray: pip install 'mcp-agent-league[ray]'") from error
    _silence_daemons()
    address = place if place != "ray" else os.environ.get("RAY_ADDRESS", "auto")
    try:
        _knock(address)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the error says the same
            ray.init(address, namespace=namespace, log_to_driver=False, logging_level=logging.ERROR)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        if isinstance(error, ImportError) or "ray[client]" in str(error):
            raise PlanError(
                f"--on {place} needs Ray's client: pip install 'ray[client]', or run the command with --on ray on a "
                "node of the cluster"
            ) from error
        reason = str(error).splitlines()[0].rstrip(".")
        raise PlanError(
            f"no Ray cluster answers at {address}: {reason}. Start one with 'ray start --head', or name its address "
            "in RAY_ADDRESS or with --on ray://HOST:10001"
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Raise an OSError if no gRPC server answers at `HOST:PORT`."""
    # Other addresses, such as `auto`, are for Ray to know.
    host, _, port = address.rpartition("/")[2].rpartition(":")
    if not (host and port.isdecimal()):
        return
    with socket.create_connection((host.strip("[]"), int(port)), ANSWER_SEC) as connection:
        connection.sendall(GREETING)
        if connection.recv(4)[3:] != b"\4":
            raise ConnectionError("what listens there is no part of Ray")


def _silence_daemons() -> None:
    """Keep messages of Ray's daemons off standard output."""
    # `log_to_driver` does not; the supervisor tells of losses.
    worker: Any = import_module("ray._private.worker")
    worker.print_to_stdstream = lambda *_, **__: None  # pyright: ignore[reportUnknownLambdaType]


def node_addresses(ray: Any) -> list[str]:
    """The addresses of the cluster's live nodes, its head first."""
    nodes = [node for node in ray.nodes() if node["Alive"]]
    nodes.sort(key=lambda node: "node:__internal_head__" not in node["Resources"])
    return [str(ipaddress.ip_address(node["NodeManagerAddress"])) for node in nodes]

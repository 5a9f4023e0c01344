"""Port of the hosted player, kept across restarts as part of its endpoint."""

import hashlib
import socket
from contextlib import suppress
from pathlib import Path

from league_sdk.names import slug
from servers.agent.agent_spec import AgentSpec


class KeptPort:
    """File with the port of one player in one manager's leagues."""

    def __init__(self, spec: AgentSpec) -> None:
        key = hashlib.sha256(f"{spec.name} {spec.manager_url}".encode()).hexdigest()[:12]
        self._spec = spec
        self._file = Path(spec.workspace) / "data" / "hosts" / f"{slug(spec.name)}-{key}.port"

    def choose(self) -> int:
        """The given port, else the kept one if free, else any free one.

        Where nothing can be listened on it is 0: the listener then says why.
        """
        if self._spec.port:
            return self._spec.port
        with suppress(OSError, ValueError, OverflowError):
            return _bound(self._spec.bind_host, int(self._file.read_text(encoding="utf-8")))
        with suppress(OSError):
            return _bound(self._spec.bind_host, 0)
        return 0

    def keep(self, port: int) -> None:
        """Remember it; a seat that cannot be taken again after a restart is still a seat."""
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(str(port), encoding="utf-8")


def _bound(host: str, port: int) -> int:
    """The port, if it can be listened on; 0 takes a free one."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))
        probe.listen()
        return int(probe.getsockname()[1])

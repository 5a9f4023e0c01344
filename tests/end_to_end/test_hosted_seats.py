"""A player in a network that nobody can call into plays a league through a hosted seat."""

import contextlib
import ctypes
import os
import re
import shutil
import socket
import subprocess
import threading
import uuid
from collections.abc import Generator

import pytest

from tests.end_to_end.program_harness import LEAGUE, QUICK, ProgramHarness, program_harness
from tests.requirements.marker import requirement

CLONE_NEWNET = 0x40000000


def _reason_to_skip() -> str:
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "network namespaces need iproute2 (`ip`)"
    made = subprocess.run(["ip", "netns", "add", "league-probe"], capture_output=True, text=True, check=False)
    subprocess.run(["ip", "netns", "del", "league-probe"], capture_output=True, check=False)
    return "" if made.returncode == 0 else f"no network namespace can be made: {made.stderr.strip()}"


@contextlib.contextmanager
def isolated_network(*ports: int) -> Generator[str]:
    """A namespace with a loopback of its own and no other interface; only these ports lead out of it.

    That is a router's one-way door without a router: programs inside can call the league, and there is no address at
    which anything inside could be called.
    """
    name = f"league-{uuid.uuid4().hex[:8]}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    doors: list[socket.socket] = []
    try:
        subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
        for port in ports:
            doors.append(_listening_inside(name, port))
            threading.Thread(target=_accept, args=(doors[-1], port), daemon=True).start()
        yield name
    finally:
        for door in doors:
            door.close()
        subprocess.run(["ip", "netns", "del", name], check=True)


def _listening_inside(name: str, port: int) -> socket.socket:
    """A socket that listens inside the namespace, of a process outside: a namespace is a property of the thread."""
    found: list[socket.socket] = []

    def listen() -> None:
        with open(f"/var/run/netns/{name}") as inside:  # noqa: PTH123 - a descriptor is what setns wants
            assert ctypes.CDLL(None, use_errno=True).setns(inside.fileno(), CLONE_NEWNET) == 0
        found.append(socket.create_server(("127.0.0.1", port)))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    return found[0]


def _accept(door: socket.socket, port: int) -> None:
    with contextlib.suppress(OSError):
        while True:
            inner, _ = door.accept()
            outer = socket.create_connection(("127.0.0.1", port))
            for source, target in ((inner, outer), (outer, inner)):
                threading.Thread(target=_copy, args=(source, target), daemon=True).start()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _listening(place: ProgramHarness, namespace: str) -> set[int]:
    """The ports that are listened on inside of the namespace."""
    shown = subprocess.run(
        ["ip", "netns", "exec", namespace, "cat", "/proc/net/tcp", "/proc/net/tcp6"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert place.folder.is_dir()
    return {int(port, 16) for port in re.findall(r":([0-9A-F]{4}) 0+:0000 0A ", shown.stdout)}


@pytest.mark.slow
@pytest.mark.end_to_end
@requirement("project-AGENT-06")
def test_a_player_that_nobody_can_call_into_plays_a_league_to_its_end(tmp_path):
    if reason := _reason_to_skip():
        pytest.skip(reason)
    with program_harness(tmp_path) as place:
        league = place.start(
            "run", "--players", 4, "--guests", 1, "--seats", "--referees", 1, "--port-base", place.base, *QUICK
        )
        join = league.says(r"join with: league (player .* --outbound)")[1].replace("NAME", "Ada")
        with isolated_network(place.base, place.base + 100) as namespace:
            player = subprocess.Popen(
                ["ip", "netns", "exec", namespace, str(LEAGUE), *join.split(), "--data", str(tmp_path / "ada")],
                env=place.environment,
                stderr=subprocess.PIPE,
                text=True,
            )
            league.says(r"round 1 of 3 started")
            listening = _listening(place, namespace)
            assert player.wait(60) == 0, player.stderr.read() if player.stderr else ""
        assert listening == {place.base, place.base + 100}  # the way out, and nothing of the player's
        assert league.end() == 0, league.err
        (ada,) = [row for row in place.look("standings", "--json")["standings"] if row["display_name"] == "Ada"]
        assert (ada["played"], ada["technical_losses"]) == (3, 0)
        assert "hosted seat" in league.out
        assert place.run("audit").end() == 0

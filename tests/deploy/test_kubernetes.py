"""The manifests for Kubernetes: what they ask for, who reaches whom, and that their commands play a league.

They are never applied: there is no cluster. Their pods' commands run as processes, each on an address of its own.
"""

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from docs.generators.commands import commands
from league_sdk.settings import ConfigLoader
from servers.observability import health
from tests.deploy.files import DEPLOY, PROJECT_VERSION
from tests.requirements.marker import requirement

FOLDER = DEPLOY / "kubernetes"
SECRETS = {
    "join-secret": "correct horse battery staple",
    "referee-secret": "another horse's staple",
    "operator-token": "an operator's token of more than 32 characters",
    "metrics-token": "a token for the metrics",
    "postgres-password": "another secret",
    "store-url": "postgresql://league:another@postgres/league",
}
PROGRAM = Path(sys.executable).with_name("league")
PATIENCE = 240.0


@cache
def documents(name: str = "") -> list[dict[str, Any]]:
    """The objects of one file, or of all that hold objects of Kubernetes."""
    names = (
        [name]
        if name
        else sorted({path.name for path in FOLDER.glob("*.yaml")} - {"metrics_adapter.yaml", "prometheus.yaml"})
    )
    return [found for each in names for found in yaml.safe_load_all((FOLDER / each).read_text(encoding="utf-8"))]


def pods() -> dict[str, dict[str, Any]]:
    """Every pod's specification by its label `app`."""
    found: dict[str, dict[str, Any]] = {}
    for document in documents():
        spec = document.get("spec", {})
        spec = spec.get("jobTemplate", {}).get("spec", spec)
        if "template" in spec:
            found[spec["template"]["metadata"]["labels"]["app"]] = spec["template"]["spec"]
    return found


def container(app: str) -> dict[str, Any]:
    (only,) = pods()[app]["containers"]
    return only


def variables(app: str, fields: dict[str, str], secrets: dict[str, str] = SECRETS) -> dict[str, str]:
    """The environment of a container, as the kubelet makes it."""
    (settings,) = [found["data"] for found in documents("settings.yaml")]
    made = dict(settings) if "envFrom" in container(app) else {}
    for entry in container(app).get("env", ()):
        source = entry.get("valueFrom", {})
        if "fieldRef" in source:
            made[entry["name"]] = fields[source["fieldRef"]["fieldPath"]]
        elif "secretKeyRef" in source:
            made[entry["name"]] = secrets[source["secretKeyRef"]["key"]]
        elif "configMapKeyRef" in source:
            made[entry["name"]] = settings[source["configMapKeyRef"]["key"]]
        else:
            made[entry["name"]] = expanded(entry["value"], made)
    return made


def expanded(text: str, values: dict[str, str]) -> str:
    """A text with its `$(NAME)` replaced."""
    return re.sub(r"\$\((\w+)\)", lambda name: values[name[1]], text)


def fields(name: str = "referees-7d9f-x2k", address: str = "10.1.2.3") -> dict[str, str]:
    return {"metadata.name": name, "status.podIP": address}


AGENTS = ("manager", "referee", "player", "nightly")


class TestThePods:
    @pytest.mark.parametrize("app", [*AGENTS, "postgres"])
    @requirement("004-DEP-07", "004-DEP-09")
    def test_a_pod_has_few_rights_and_bounds_on_what_it_uses(self, app: str):
        pod, only = pods()[app], container(app)
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert only["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"cpu", "memory"} <= only["resources"]["limits"].keys() & only["resources"]["requests"].keys()
        mounts = {mount["name"] for mount in only["volumeMounts"]}
        claims = {claim["metadata"]["name"] for found in documents() for claim in claims_of(found)}
        assert mounts <= {volume["name"] for volume in pod["volumes"]} | claims

    @pytest.mark.parametrize("app", AGENTS)
    def test_its_image_is_this_release(self, app: str):
        assert container(app)["image"] == f"mcp-agent-league:{PROJECT_VERSION}"

    @pytest.mark.parametrize("app", AGENTS)
    def test_its_settings_exist(self, app: str, tmp_path: Path):
        loader = ConfigLoader(None, variables(app, fields()), cwd=tmp_path)
        loader.validate()
        assert loader.warnings == []

    @pytest.mark.parametrize("app", AGENTS)
    def test_its_command_line_is_one_that_league_takes(self, app: str):
        said = [expanded(part, variables(app, fields())) for part in container(app)["args"]]
        assert_taken(said)

    def test_a_referee_withdraws_before_it_is_stopped(self):
        shell, flag, line = container("referee")["lifecycle"]["preStop"]["exec"]["command"]
        assert (shell, flag) == ("sh", "-c")
        assert_taken(shlex.split(line)[1:])
        assert pods()["referee"]["terminationGracePeriodSeconds"] >= 60

    def test_a_manager_needs_no_volume_and_is_started_elsewhere_before_its_agents_give_it_up(self):
        (deployment,) = [found for found in documents("manager.yaml") if found["kind"] == "Deployment"]
        assert deployment["spec"]["strategy"] == {"type": "Recreate"}
        assert {name for volume in pods()["manager"]["volumes"] for name in volume if name != "name"} == {"emptyDir"}
        absence = ConfigLoader(None, {}).load_system().manager_absence_sec
        assert all(found["tolerationSeconds"] < absence / 4 for found in pods()["manager"]["tolerations"])

    def test_a_player_keeps_its_token_when_its_pod_does_not(self):
        (players,) = [found for found in documents("players.yaml") if found["kind"] == "StatefulSet"]
        (claim,) = claims_of(players)
        assert {mount["name"]: mount["mountPath"] for mount in container("player")["volumeMounts"]}[
            claim["metadata"]["name"]
        ] == "/var/lib/league"

    def test_the_database_is_not_drained_and_has_time_to_recover(self):
        (budget,) = [found["spec"] for found in documents("postgres.yaml") if found["kind"] == "PodDisruptionBudget"]
        assert budget["maxUnavailable"] == 0
        assert budget["selector"]["matchLabels"] == {"app": "postgres"}
        probe = container("postgres")["startupProbe"]
        assert probe["periodSeconds"] * probe["failureThreshold"] >= 300

    def test_secrets_come_from_one_secret_that_is_no_file_here(self):
        asked = {
            entry["valueFrom"]["secretKeyRef"]["name"] + "/" + entry["valueFrom"]["secretKeyRef"]["key"]
            for app in pods()
            for entry in container(app).get("env", ())
            if "secretKeyRef" in entry.get("valueFrom", {})
        }
        assert asked == {f"league/{key}" for key in SECRETS}
        assert not [found for found in documents() if found["kind"] == "Secret"]


def claims_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    return document.get("spec", {}).get("volumeClaimTemplates", [])


def assert_taken(arguments: list[str]) -> None:
    """Hold that `league` takes this line, with the values of its options."""
    name, *words = arguments
    commands()[name].make_context(name, words).close()


def ray_cluster() -> dict[str, Any]:
    """The object that KubeRay makes a cluster of."""
    (cluster,) = [found for found in documents("ray_cluster.yaml") if found["kind"] == "RayCluster"]
    return cluster


def ray_pods() -> dict[str, dict[str, Any]]:
    """The templates of a Ray cluster's pods, by group."""
    groups = [ray_cluster()["spec"]["headGroupSpec"], *ray_cluster()["spec"]["workerGroupSpecs"]]
    return {group.get("groupName", "head"): group["template"] for group in groups}


class TestTheRayCluster:
    @pytest.mark.parametrize("group", ["head", "agents"])
    @requirement("004-DEP-07")
    def test_its_pods_have_few_rights_bounds_and_this_release(self, group: str):
        spec = ray_pods()[group]["spec"]
        (only,) = spec["containers"]
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert only["securityContext"] == container("manager")["securityContext"]
        assert only["resources"]["limits"] == only["resources"]["requests"]
        assert only["image"] == f"mcp-agent-league-ray:{PROJECT_VERSION}"
        assert {mount["name"] for mount in only["volumeMounts"]} == {volume["name"] for volume in spec["volumes"]}

    def test_its_head_has_no_agents_and_is_not_drained_while_a_league_runs(self):
        head = ray_cluster()["spec"]["headGroupSpec"]
        assert head["rayStartParams"]["num-cpus"] == "0"
        (budget,) = [found["spec"] for found in documents("ray_cluster.yaml") if found["kind"] == "PodDisruptionBudget"]
        assert budget["maxUnavailable"] == 0
        assert budget["selector"]["matchLabels"].items() <= head["template"]["metadata"]["labels"].items()

    def test_its_settings_exist_and_lead_to_the_database(self, tmp_path: Path):
        (only,) = ray_pods()["head"]["spec"]["containers"]
        named = {entry["name"] for entry in only["env"] if entry["name"].startswith("LEAGUE_")}
        values = {name: "/tmp" if name == "LEAGUE_DATA" else SECRETS["store-url"] for name in named}
        loader = ConfigLoader(None, values, cwd=tmp_path)
        loader.validate()
        assert loader.warnings == []
        assert loader.load_system().store_url == SECRETS["store-url"]

    def test_it_is_the_ray_that_is_tested(self):
        pins = (DEPLOY.parent / "requirements/slow.txt").read_text(encoding="utf-8").splitlines()
        assert f"ray=={ray_cluster()['spec']['rayVersion']}" in pins


class TestTheNetwork:
    @requirement("004-DEP-07")
    def test_players_reach_the_manager_and_the_referees_and_nobody_else(self):
        reached = {(source, target) for source, target, _ in allowed()}
        assert {target for source, target in reached if source == "player"} == {"manager", "referee"}
        assert {source for source, target in reached if target == "player"} == {"manager", "referee"}
        assert {source for source, target in reached if target == "postgres"} == {"manager", "nightly"}

    def test_nodes_of_a_ray_cluster_reach_one_another_and_the_database_and_nobody_reaches_them(self):
        (policy,) = [found["spec"] for found in documents("ray_cluster.yaml") if found["kind"] == "NetworkPolicy"]
        ray, postgres = ({"podSelector": {"matchLabels": {"app": name}}} for name in ("ray", "postgres"))
        assert policy["ingress"] == [{"from": [ray]}]
        assert policy["egress"] == [{"to": [ray]}, {"to": [postgres], "ports": [{"port": 5432}]}]
        entering = [rule for found in documents("network.yaml") for rule in found["spec"].get("ingress", ())]
        assert [rule for rule in entering if ray in rule["from"]] == [
            rule for rule in entering if rule["ports"] == [{"port": 5432}]
        ]

    def test_every_port_that_is_let_through_is_one_that_is_served(self):
        for _, target, port in allowed():
            assert port in [served["containerPort"] for served in container(target)["ports"]]

    def test_what_nobody_allows_is_refused(self):
        (nothing,) = [found for found in documents("network.yaml") if found["metadata"]["name"] == "nothing"]
        assert nothing["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def allowed() -> set[tuple[str, str, int]]:
    """Source, target and port of every connection that one pod may open to another: both sides have to allow it."""
    leaving, entering = set[tuple[str, str, int]](), set[tuple[str, str, int]]()
    for policy in documents("network.yaml"):
        app = policy["spec"]["podSelector"].get("matchLabels", {}).get("app")
        for rule in policy["spec"].get("egress", ()):
            leaving |= {(app, other, port) for other, port in _peers(rule, "to")}
        for rule in policy["spec"].get("ingress", ()):
            entering |= {(other, app, port) for other, port in _peers(rule, "from")}
    return leaving & entering


def _peers(rule: dict[str, Any], side: str) -> Iterator[tuple[str, int]]:
    for peer in rule[side]:
        if "podSelector" in peer:
            for port in rule["ports"]:
                yield peer["podSelector"]["matchLabels"]["app"], port["port"]


class TestScaling:
    @requirement("004-DEP-07")
    def test_referees_follow_a_metric_that_the_manager_has(self):
        (scaler,) = [found for found in documents("referees.yaml") if found["kind"] == "HorizontalPodAutoscaler"]
        (metric,) = scaler["spec"]["metrics"]
        adapter = yaml.safe_load((FOLDER / "metrics_adapter.yaml").read_text(encoding="utf-8"))
        (rule,) = adapter["rules"]["custom"]
        assert metric["object"]["metric"]["name"] == rule["name"]["as"]
        name, label, value = re.match(r"(\w+)\{(\w+)=\"(\w+)\"", rule["seriesQuery"]).groups()  # pyright: ignore[reportOptionalMemberAccess]
        page = (DEPLOY.parent / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert f"`{label}`" in row
        assert value in row

    def test_prometheus_reads_the_metrics_by_a_token_of_its_own_and_players_do_not(self, tmp_path: Path):
        watched = yaml.safe_load_all((FOLDER / "prometheus.yaml").read_text(encoding="utf-8"))
        for found, app in zip(watched, ("manager", "referee"), strict=True):
            assert found["spec"]["selector"] == {"matchLabels": {"app": app}}
            (page,) = found["spec"].get("endpoints", found["spec"].get("podMetricsEndpoints"))
            assert (page["port"], page["path"]) == (container(app)["ports"][0]["name"], health.METRICS_PAGE)
            shown = page["authorization"]["credentials"]
            assert variables(app, fields())["LEAGUE_SECURITY__METRICS_TOKEN"] == SECRETS[shown["key"]]
        (service,) = [found for found in documents("manager.yaml") if found["kind"] == "Service"]
        assert service["metadata"]["labels"] == {"app": "manager"}
        for app in ("manager", "referee", "player"):
            loader = ConfigLoader(None, variables(app, fields()), cwd=tmp_path)
            assert loader.load_system().security.metrics_readers == ()
        assert "LEAGUE_SECURITY__METRICS_TOKEN" not in variables("player", fields())
        assert [app for app in AGENTS if "LEAGUE_OPERATOR_TOKEN" in variables(app, fields())] == ["manager"]

    def test_the_job_that_the_alerts_look_for_is_the_one_that_the_monitors_give(self):
        alerts = (DEPLOY / "prometheus/alerts.yml").read_text(encoding="utf-8")
        watched = yaml.safe_load_all((FOLDER / "prometheus.yaml").read_text(encoding="utf-8"))
        for found in watched:
            (page,) = found["spec"].get("endpoints", found["spec"].get("podMetricsEndpoints"))
            assert page["relabelings"] == [{"targetLabel": "job", "replacement": "league"}]
        assert set(re.findall(r'job="(\w+)"', alerts)) == {"league"}

    def test_only_the_autoscaler_says_how_many_referees_there_are(self):
        (deployment,) = [found for found in documents("referees.yaml") if found["kind"] == "Deployment"]
        assert "replicas" not in deployment["spec"]

    def test_a_referee_keeps_room_while_another_one_starts(self):
        (scaler,) = [found for found in documents("referees.yaml") if found["kind"] == "HorizontalPodAutoscaler"]
        at_once = ConfigLoader(None, {}).load_agents().referees[0].max_concurrent_matches
        assert int(scaler["spec"]["metrics"][0]["object"]["target"]["averageValue"]) < at_once


@pytest.mark.slow
class TestWithTheToolsOfTheField:
    @requirement("004-DEP-07")
    def test_every_object_is_valid_for_kubernetes(self):
        validator = importlib.import_module("kubernetes_validate")
        for document in documents():
            if document["kind"] == "RayCluster":  # its own schema is the operator's; its pods are anybody's
                for pod in ray_pods().values():
                    validator.validate({"apiVersion": "v1", "kind": "Pod", **pod}, "1.34", strict=True)
            elif document["kind"] != "Kustomization":
                validator.validate(document, "1.34", strict=True)

    def test_kubectl_puts_them_together(self):
        program = shutil.which("kubectl")
        if program is None:
            pytest.skip("there is no kubectl; Debian's package kubernetes-client brings it")
        done = subprocess.run(
            [program, "kustomize", str(FOLDER)], capture_output=True, text=True, check=True, timeout=60
        )
        made = list(yaml.safe_load_all(done.stdout))
        assert {found["metadata"].get("namespace", "league") for found in made} == {"league"}
        assert {"StatefulSet", "Deployment", "NetworkPolicy", "HorizontalPodAutoscaler"} <= {
            found["kind"] for found in made
        }


def test_the_page_names_files_objects_and_secrets_that_there_are():
    page = (DEPLOY.parent / "docs/how_to/many_machines.md").read_text(encoding="utf-8").partition("## Kubernetes")[2]
    assert set(re.findall(r"--from-literal=([\w-]+)=", page)) == set(SECRETS)
    files = set(re.findall(r"`(\w+\.yaml)`", page))
    assert files == {path.name for path in FOLDER.glob("*.yaml")} - {
        "kustomization.yaml",
        "namespace.yaml",
        "settings.yaml",
    }
    (service,) = re.findall(r"port-forward .* service/(\w+) \d+", page)
    assert service in {found["metadata"]["name"] for found in documents() if found["kind"] == "Service"}


class Pod:
    """A container's command as a process, on an address of its own in the loopback network."""

    def __init__(self, app: str, address: str, manager: str, folder: Path, name: str) -> None:
        self.app, self.address, self.name = app, address, name
        secrets = {**SECRETS, "store-url": f"sqlite:///{folder / 'league.sqlite'}"}
        values = variables(app, fields(name, address), secrets)
        home = folder / name
        home.mkdir(exist_ok=True)  # what is there is the volume of a pod before it
        # The names of services are the cluster's; here they are addresses.
        moved = {key: value.replace("manager:8000", f"{manager}:8000") for key, value in values.items()}
        moved["LEAGUE_SECURITY__ALLOWED_ENDPOINTS"] = '["127.0.0.0/8"]'
        clean = {key: value for key, value in os.environ.items() if not key.startswith("LEAGUE_")}
        path = f"{PROGRAM.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        image = {"LEAGUE_DATA": str(home), "LEAGUE_NETWORK__BIND_HOST": address, "PATH": path}
        self.environment = {**clean, **image, **moved}
        arguments = [expanded(part, values).replace("manager", manager) for part in container(app)["args"][1:]]
        self._out = (home / "out.txt").open("a+")
        command = [str(PROGRAM), container(app)["args"][0], *arguments]
        self.process = subprocess.Popen(
            command,
            cwd=home,
            env=self.environment,
            stdout=self._out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )

    def probed(self, kind: str) -> httpx2.Response | None:
        """The answer to a probe, as the kubelet asks; None while nothing listens."""
        probe = container(self.app)[kind]["httpGet"]
        host = next((header["value"] for header in probe.get("httpHeaders", ())), f"{self.address}:{self.port}")
        host = host.replace("manager", self.address) if self.app == "manager" else host
        try:
            return httpx2.get(f"http://{self.address}:{self.port}{probe['path']}", headers={"host": host})
        except httpx2.TransportError:
            return None

    @property
    def port(self) -> int:
        return container(self.app)["ports"][0]["containerPort"]

    def says(self, text: str) -> None:
        """Wait until it has printed something."""
        wait(lambda: text in self.printed, f"{self.name}: {text}", lambda: self.printed)

    @property
    def printed(self) -> str:
        return Path(self._out.name).read_text(encoding="utf-8")

    def stop(self) -> None:
        """The end of a pod: its hook, then SIGTERM."""
        hook = container(self.app).get("lifecycle", {}).get("preStop")
        if hook is not None:
            done = subprocess.run(
                hook["exec"]["command"],
                env={**self.environment, "POD_NAME": self.name},
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            assert done.returncode == 0, done.stderr
        self.process.terminate()
        self.process.wait(PATIENCE)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        self._out.close()


def wait(condition: Any, what: str, told: Any = lambda: "") -> None:
    """Look until something holds that other processes do."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not within {PATIENCE:g} s: {what}\n{told()}"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the whole network 127.0.0.0/8 on its loopback")
@requirement("004-DEP-07")
def test_the_commands_of_the_pods_play_a_league_while_referees_come_and_go(tmp_path: Path):
    network = f"127.{os.getpid() % 200 + 20}.{os.getpid() // 200 % 250}"
    home = f"{network}.1"
    pods: list[Pod] = []

    def start(app: str, number: int, name: str) -> Pod:
        pods.append(Pod(app, f"{network}.{number}", home, tmp_path, name))
        return pods[-1]

    try:
        manager = start("manager", 1, "manager-0")
        wait(
            lambda: (answer := manager.probed("startupProbe")) and answer.status_code == 200,
            "ready",
            lambda: manager.printed,
        )
        first = start("referee", 11, "referees-a")
        start("referee", 12, "referees-b")
        manager.says("referees-b")
        for number in range(3):
            start("player", 21 + number, f"players-{number}")
        manager.says("3 of 4 players")
        pods[-1].close()  # its node is lost: another pod has its volume, and another address
        start("player", 31, "players-2")
        manager.says("is back")
        first.stop()
        manager.says("referees-a")
        third = start("referee", 13, "referees-c")
        manager.says("referees-c")
        start("player", 24, "players-3")
        manager.says("the league is complete")
        for kind in ("readinessProbe", "livenessProbe"):
            answer = third.probed(kind)
            assert answer is None or answer.status_code == 200
        text = httpx2.get(f"http://{home}:8000/metrics", headers={"host": f"{home}:8000"}).text
        families = {family.name: family for family in text_string_to_metric_families(text)}
        assert {sample.labels["state"] for sample in families["league_matches"].samples} >= {"under_way", "win"}
        over = start("player", 32, "players-3")  # as after an upgrade of the image
        wait(lambda: over.probed("readinessProbe") is not None, "it stays", lambda: over.printed)
    finally:
        for pod in pods:
            pod.close()

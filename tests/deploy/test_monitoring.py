"""Dashboard, Prometheus and alert rules fit the metrics that agents serve."""

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from servers.observability.metrics import METRICS
from tests.deploy.files import (
    ALERTS,
    DASHBOARD,
    DEPLOY,
    PROMETHEUS,
    ROOT,
    agents,
    compose,
    expressions,
    panels,
    read_yaml,
    rules,
)
from tests.requirements.marker import requirement
from tests.servers.watched_league import EVERYBODY, watched

pytestmark = pytest.mark.xdist_group("watched")

OF_PROMETHEUS = {"up": {"job", "instance"}}
BY_SCRAPING = {"job", "instance"}
ENDINGS: Mapping[str, tuple[str, ...]] = {
    "counter": ("_total",),
    "gauge": ("",),
    "histogram": ("_bucket", "_sum", "_count"),
    "summary": ("_sum", "_count"),
}
WORDS = {"and", "histogram_quantile", "increase", "or", "rate", "sum", "topk", "vector"}
_SELECTOR = re.compile(r"([a-z_][a-z0-9_]*)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')


@cache
def served() -> dict[str, set[str]]:
    """The names of the series that agents of a real league serve, each with its labels."""
    labels = {spec.name.removesuffix("_total"): set(spec.labels) for spec in METRICS}
    found: dict[str, set[str]] = dict(OF_PROMETHEUS)
    for name in EVERYBODY:
        for family in text_string_to_metric_families(watched().pages[name]):
            for ending in ENDINGS[family.type]:
                more = {"le"} if ending == "_bucket" else set[str]()
                found[family.name + ending] = labels.get(family.name, set()) | BY_SCRAPING | more
    return found


def asked(expression: str) -> dict[str, str]:
    """The series that an expression asks for, each with its matchers; labels, functions and durations left out."""
    bare = re.sub(r"\b(by|on)\s*\([^)]*\)|\[[^\]]*\]", "", expression)
    names = {found[1]: found[2] or "" for found in _SELECTOR.finditer(bare)}
    return {name: matchers for name, matchers in names.items() if name not in WORDS}


QUERIES = sorted(set(expressions()))


@requirement("project-LATER-07")
def test_every_metric_that_is_asked_for_is_served_by_a_real_agent():
    assert QUERIES
    for where, expression in QUERIES:
        names = asked(expression)
        assert names, where
        for name, matchers in names.items():
            assert name in served(), f"{where} asks for {name}"
            labels = {label for label, _, _ in _MATCHER.findall(matchers)}
            assert labels <= served()[name], f"{where}: {name} has no such label"


def test_what_is_told_apart_are_labels_that_there_are():
    for where, expression in QUERIES:
        labels = set().union(*(served()[name] for name in asked(expression)))
        for wanted in re.findall(r"\bby\s*\(([^)]*)\)", expression):
            assert {label.strip() for label in wanted.split(",")} <= labels, (where, expression)


def test_values_that_are_asked_for_are_values_that_there_are():
    known = {
        "league_matches": {"waiting", "under_way", "win", "draw", "technical_loss", "void"},
        "league_rounds": {"planned", "started", "completed"},
        "league_state": {"STOPPED", "RUNNING"},
        "league_breakers": {"OPEN", "CLOSED"},
        "league_referee_matches": {"REPORTED", "ABORTED"},
    }
    for where, expression in expressions():
        for name, matchers in asked(expression).items():
            for label, _, value in _MATCHER.findall(matchers):
                if label == "state":
                    assert set(value.split("|")) <= known[name], where
                    told = {s.labels["state"] for n in EVERYBODY for s in watched().samples(n) if s.name == name}
                    assert set(value.split("|")) <= told, where


def test_every_metric_is_shown_or_guarded():
    seen = {name for _, expression in expressions() for name in asked(expression)}
    families = {re.sub(r"_(bucket|sum|count)$", "", name) for name in seen}
    # Who is there is what the dashboard's list of agents is made from; a seat is not a thing that changes.
    rest = {spec.name for spec in METRICS} - families
    assert rest == {"league_agent_info", "league_registered_agents"}


def test_the_panels_of_the_dashboard_stand_side_by_side_and_say_what_they_are():
    assert len({panel["id"] for panel in panels()}) == len(panels())
    assert [title for title, times in Counter(panel["title"] for panel in panels()).items() if times > 1] == []
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, panel["title"]
        taken |= cells
        assert panel["description"].endswith(".")
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}


def test_the_variables_that_the_dashboard_uses_are_declared():
    text = DASHBOARD.read_text(encoding="utf-8")
    declared = {variable["name"] for variable in json.loads(text)["templating"]["list"]}
    assert set(re.findall(r"\$\{?(\w+)", text)) - {"__rate_interval", "__all"} == declared


def test_every_alert_says_how_bad_it_is_and_what_it_means_and_stands_in_the_documentation():
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    for rule in rules():
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"]["summary"]
        assert f"| `{rule['alert']}` |" in page


def test_prometheus_looks_at_every_agent_of_the_compose_file_and_knows_the_rules():
    config = read_yaml(PROMETHEUS)
    (job,) = [job for job in config["scrape_configs"] if job["job_name"] == "league"]
    targets = [target for part in job["static_configs"] for target in part["targets"]]
    ports = {name: service["command"][service["command"].index("--port") + 1] for name, service in agents().items()}
    assert targets == [f"{name}:{port}" for name, port in ports.items()]
    assert config["rule_files"] == [ALERTS.name]


def test_grafana_finds_prometheus_and_the_dashboard():
    services = compose()["services"]
    (source,) = read_yaml(DEPLOY / "grafana/provisioning/datasources/prometheus.yml")["datasources"]
    assert source["url"] == "http://prometheus:9090"
    (provider,) = read_yaml(DEPLOY / "grafana/provisioning/dashboards/league.yml")["providers"]
    mounted = dict(mount.split(":")[:2] for mount in services["grafana"]["volumes"])
    assert mounted["./deploy/grafana/dashboards"] == provider["options"]["path"]
    home = services["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert home == f"{provider['options']['path']}/{DASHBOARD.name}"


def promtool(*arguments: str, given: str | None = None) -> Any:
    """Run Prometheus' own checks."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("there is no promtool; Debian's package prometheus has it")
    return subprocess.run([program, *arguments], input=given, capture_output=True, text=True, check=False, timeout=240)


@requirement("project-LATER-07")
@pytest.mark.parametrize("arguments", [("config", str(PROMETHEUS)), ("rules", str(ALERTS))], ids=lambda a: a[0])
def test_promtool_takes_the_configuration_and_the_rules(arguments: tuple[str, ...]):
    done = promtool("check", *arguments)
    assert done.returncode == 0, done.stderr


def test_the_alerts_fire_when_they_should_and_are_silent_when_they_should():
    done = promtool("test", "rules", str(ROOT / "tests" / "deploy" / "alerts_test.yml"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["Manager", "Referee", "Ada"])
def test_promtool_has_nothing_against_what_agents_serve(name: str):
    done = promtool("check", "metrics", given=watched().pages[name])
    assert done.returncode == 0, done.stderr + done.stdout

"""The files by which a league is deployed, read."""

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = ROOT / "Dockerfile"
COMPOSE_FILE = ROOT / "compose.yaml"
ALERTS = DEPLOY / "prometheus" / "alerts.yml"
PROMETHEUS = DEPLOY / "prometheus" / "prometheus.yml"
DASHBOARD = DEPLOY / "grafana" / "dashboards" / "league.json"
PROJECT_VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
OTHERS = ("postgres", "prometheus", "grafana")


@cache
def read_yaml(path: Path) -> Any:
    """A YAML file's content, cached: callers must not change it."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def compose() -> dict[str, Any]:
    """The compose file, its anchors resolved and its variables not."""
    return read_yaml(COMPOSE_FILE)


def agents() -> dict[str, dict[str, Any]]:
    """The services that are agents, by name."""
    return {name: service for name, service in compose()["services"].items() if name not in OTHERS}


def filled(text: str, variables: dict[str, str]) -> str:
    """A text of the compose file with its variables filled in, as compose does it.

    Raises:
        KeyError: One that has to be set is not.
    """

    def value(found: re.Match[str]) -> str:
        name, how, otherwise = re.fullmatch(r"(\w+)(?:(:-|:\?)(.*))?", found[1]).groups()  # pyright: ignore[reportOptionalMemberAccess]
        if variables.get(name):
            return variables[name]
        if how == ":-":
            return str(otherwise)
        raise KeyError(f"{name}: {otherwise}")

    return re.sub(r"\$\{([^}]*)\}", value, text)


def panels() -> list[dict[str, Any]]:
    """The panels of the dashboard, without the headings between them."""
    shown = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    return [panel for panel in shown if panel["type"] != "row"]


def rules() -> list[dict[str, Any]]:
    """The alert rules."""
    return [rule for group in read_yaml(ALERTS)["groups"] for rule in group["rules"]]


def expressions() -> Iterator[tuple[str, str]]:
    """Every query of the dashboard and of the alert rules, under what it stands under."""
    for panel in panels():
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for rule in rules():
        yield rule["alert"], rule["expr"]

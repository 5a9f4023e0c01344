"""Requirements of players on the nodes that they run on."""

from collections.abc import Mapping, Sequence
from typing import Any

from servers.agent.agent_spec import AgentSpec


class PlanError(Exception):
    """The options can't be fulfilled; the message says why and what can."""


def is_requirement(key: str) -> bool:
    """True for `gpu`, `pip`, `resource.NAME` and `label.NAME`."""
    return key in ("gpu", "pip") or key.startswith(("resource.", "label."))


def checked_requirements(texts: Sequence[str]) -> tuple[str, ...]:
    """The checked requirements of a player, sorted."""
    for text in texts:
        key, _, value = text.partition("=")
        name = key.partition(".")[2]
        counted = key == "gpu" or key.startswith("resource.")
        amount = value.replace(".", "", 1)
        if not is_requirement(key) or not value or ("." in key and not name):
            raise PlanError(
                f"requirement {text!r}: expected gpu=1, resource.NAME=1, label.NAME=VALUE or pip=PACKAGE==VERSION"
            )
        if counted and not (amount.isdecimal() and float(value) > 0):
            raise PlanError(f"requirement {text!r}: expected a number above 0 after {key}=")
    return tuple(sorted(texts))


def ray_options(requirements: Sequence[str]) -> dict[str, Any]:
    """Ray's options of a worker by its players' requirements."""
    options: dict[str, Any] = {}
    for text in requirements:
        key, _, value = text.partition("=")
        kind, _, name = key.partition(".")
        match kind:
            case "gpu":
                options["num_gpus"] = float(value)
            case "pip":
                options.setdefault("runtime_env", {}).setdefault("pip", []).append(value)
            case "resource":
                options.setdefault("resources", {})[name] = float(value)
            case _:
                options.setdefault("label_selector", {})[name] = value
    return options


def packages(requirements: Sequence[str]) -> list[str]:
    """The packages that a player brings, as pip takes them."""
    return [text.removeprefix("pip=") for text in requirements if text.startswith("pip=")]


def not_installed(requirements: Sequence[str], failure: str) -> str:
    """A sentence on packages that a node could not install, with pip's own reason."""
    lines = [line.strip() for line in failure.splitlines() if line.strip()]
    reasons = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    reason = reasons[-1] if reasons else lines[-1]
    if "install virtualenv" in failure:
        reason = "Ray needs virtualenv there: pip install 'mcp-agent-league[ray]' on every node"
    return (
        f"{', '.join(packages(requirements))} could not be installed on a node: {reason.rstrip('.')}. "
        "Ray tries the same packages again after ten minutes"
    )


def without_a_node(specs: Sequence[AgentSpec], nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sentences on players that no live node, as Ray lists them, can take."""
    living = [node for node in nodes if node["Alive"]]
    return [
        f"{spec.name} waits for a node with {', '.join(spec.requirements)}: none of the cluster's {len(living)} has it"
        for spec in specs
        if not any(_fits(ray_options(spec.requirements), node) for node in living)
    ]


def _fits(options: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    wanted = {"GPU": options.get("num_gpus", 0.0), **options.get("resources", {})}
    has, labels = node["Resources"], node.get("Labels", {})
    selected = options.get("label_selector", {}).items()
    plain = {name: value for name, value in selected if not value.startswith(("!", "in("))}  # Ray's operators
    return all(has.get(name, 0.0) >= amount for name, amount in wanted.items()) and plain.items() <= labels.items()


def check_here(players: Sequence[AgentSpec]) -> None:
    """Refuse players that need a node of their choice, where there is one machine."""
    for spec in players:
        if spec.requirements:
            raise PlanError(
                f"{spec.name} needs {', '.join(spec.requirements)}: only a Ray cluster places players by what they "
                "need; add --on ray, or leave the requirement out"
            )

"""Write docs/reference/layers.md from the import contracts and the modules' docstrings."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.generators.tables import table

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "reference" / "layers.md"

HEAD = """\
# Layers, drawn from the code

Made by `docs/generators/layers.py` from the contracts in `pyproject.toml` and the docstrings; change those, not this
page.

A part may import what is below it, and nothing above it or beside it. `make arrows` checks that, so the pictures are
true. Games are below the servers, and yet the servers do not import them: a game is found by its name.
[Architecture](../ARCHITECTURE.md) says why it is so.
"""


def contracts() -> dict[str, list[list[str]]]:
    """The layers of each contract about layers, the highest first; parts of one layer do not know one another."""
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        contract["name"]: [[part.strip() for part in layer.split("|")] for layer in contract["layers"]]
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    }


def render() -> str:
    """The page as Markdown."""
    layers = contracts()
    parts = [HEAD, "## Packages\n", _picture(layers["Roots point inward"])]
    parts += ["## Within league_sdk\n", _picture(layers["SDK layers"])]
    for package in ("league_sdk", "clients", "servers", "game_rules"):
        parts.append(f"## Modules of {package}\n\n{_says(ROOT / package / '__init__.py')}\n")
        parts.append(table(("module", "what it says of itself"), _modules(package)))
    return "\n".join(parts)


def _picture(layers: list[list[str]]) -> str:
    """The layers from top to bottom, each a box, and an arrow from a layer to the next one."""
    lines = ["flowchart TD"]
    for number, layer in enumerate(layers):
        lines.append(f'    layer{number}["{" · ".join(layer)}"]')
    lines += [f"    layer{number} --> layer{number + 1}" for number in range(len(layers) - 1)]
    return "```mermaid\n" + "".join(f"{line}\n" for line in lines) + "```\n"


def _modules(package: str) -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / package).iterdir()):
        source = path / "__init__.py" if path.is_dir() else path
        if source.is_file() and source.suffix == ".py" and path.stem != "__init__":
            yield f"`{package}.{path.stem}`", _says(source)


def _says(source: Path) -> str:
    """The first sentence of a module's docstring."""
    said = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return " ".join(said.partition("\n\n")[0].split())

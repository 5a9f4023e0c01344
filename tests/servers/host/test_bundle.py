"""The bundle with which desktop hosts install a seat."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import typer

from servers.cli.app import command_line
from tests.hosts import node
from tests.servers.host.seat_harness import hosted, seat_harness

ROOT = Path(__file__).parents[3]
BUILD = ROOT / "mcpb" / "build.py"
MANIFEST = json.loads((ROOT / "mcpb" / "manifest.json").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKER = re.search(r'^PACKER = "(.+)@(.+)"$', BUILD.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.anyio
async def test_the_manifest_names_every_tool_of_the_seat(tmp_path: Path):
    async with seat_harness(tmp_path) as made, hosted(made, "auto") as client:
        tools = (await client.list_tools()).tools
    assert [tool["name"] for tool in MANIFEST["tools"]] == [tool.name for tool in tools]
    for named, tool in zip(MANIFEST["tools"], tools, strict=True):
        assert (tool.description or "").startswith(named["description"].removesuffix("."))


def test_the_manifest_has_the_version_and_the_python_of_the_project():
    assert MANIFEST["version"] == PROJECT["version"]
    assert MANIFEST["compatibility"]["runtimes"]["python"] == PROJECT["requires-python"]


def test_the_command_is_one_that_the_program_takes_and_all_that_it_asks_for_is_declared():
    config = MANIFEST["server"]["mcp_config"]
    arguments: list[str] = config["args"]
    asked = set(re.findall(r"\$\{user_config\.(\w+)\}", " ".join([*arguments, *config["env"].values()])))
    assert asked == set(MANIFEST["user_config"])
    assert MANIFEST["user_config"]["join_secret"]["sensitive"]
    given = arguments[arguments.index(MANIFEST["server"]["entry_point"]) + 1 :]
    command: Any = typer.main.get_command(command_line())
    with command.commands["host"].make_context("host", list(given)) as context:
        assert context.params["name"] == "${user_config.display_name}"


def test_the_official_packer_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert PACKER is not None
    monkeypatch.setattr(node, "PACKAGES", {PACKER[1]: PACKER[2]})
    program = node.package(PACKER[1]) / "dist" / "cli" / "cli.js"
    done = subprocess.run(
        [sys.executable, BUILD, "--out", tmp_path, "--packer", node.node(), program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (bundle,) = tmp_path.iterdir()
    assert bundle.name == f"league-seat-{PROJECT['version']}.mcpb"
    with zipfile.ZipFile(bundle) as archive:
        names = set(archive.namelist())
        project = tomllib.loads(archive.read("pyproject.toml").decode())
        packed = json.loads(archive.read("manifest.json"))
    wheel = project["tool"]["uv"]["sources"][PROJECT["name"]]["path"]
    assert names == {"manifest.json", "pyproject.toml", "src/server.py", wheel}
    assert packed == MANIFEST


def test_without_node_it_is_skipped_with_a_message(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, BUILD, "--out", tmp_path],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "skipped, since Node.js is missing" in done.stdout
    assert not list(tmp_path.iterdir())

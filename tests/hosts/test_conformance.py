"""The official conformance suite of MCP, on every agent and in both eras."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk import transports
from league_sdk.resource_provider import APP, TEXT, Argument, Prompt, Resource, Shown, View
from servers.agent.resource_registry import Page, PromptSpec, ResourceRegistry, Window
from servers.ui import mcp_apps
from tests.hosts.finished_league import FinishedLeague
from tests.hosts.node import environment, node, package
from tests.hosts.scenarios import APPLY, DO_NOT_APPLY, FIXTURES, REQUIRED, UNTESTABLE, WITH_SESSIONS
from tests.servers.fakes import manager

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.xdist_group("hosts")]
ROLES = ("manager", "referee", "player")
HANDSHAKE, MODERN = REQUIRED


@dataclass(frozen=True)
class Way:
    """A revision and a path for trying an agent.

    Attributes:
        revision: The revision whose requirements hold.
        path: Added to the agent's endpoint.
    """

    revision: str
    path: str = ""


STATELESS, SESSIONS = Way(HANDSHAKE), Way(HANDSHAKE, "/session")
WAYS = (STATELESS, SESSIONS, Way(MODERN))


@dataclass(frozen=True)
class Check:
    """One check of a scenario.

    Attributes:
        name: The suite's id of it.
        passed: Whether it passed; None when the suite only says something.
        error: Why it did not.
    """

    name: str
    passed: bool | None
    error: str


async def run(url: str, home: Path, *options: str) -> Mapping[str, list[Check]]:
    """Run scenarios against a server: the checks of each."""
    results = home / re.sub(r"\W+", "-", f"{url} {' '.join(options)}")
    program = package("@modelcontextprotocol/conformance") / "dist" / "index.js"
    command = [str(node()), str(program), "server", "--url", url, *options, "--output-dir", str(results)]
    done = await anyio.run_process(command, env=environment(home), check=False)
    assert results.is_dir(), done.stdout.decode() + done.stderr.decode()
    found: dict[str, list[Check]] = {}
    for file in sorted(results.glob("*/checks.json")):
        scenario = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", file.parent.name)
        found[scenario] = [_check(told) for told in json.loads(file.read_text(encoding="utf-8"))]
    return found


def _check(told: Mapping[str, Any]) -> Check:
    passed = {"SUCCESS": True, "FAILURE": False}.get(told["status"])
    return Check(told["id"], passed, told.get("errorMessage", ""))


def failures(found: Mapping[str, list[Check]]) -> dict[str, list[Check]]:
    """The checks that failed, but those that cannot be tried, by scenario."""
    failed = {
        name: [check for check in checks if check.passed is False and check.name not in UNTESTABLE]
        for name, checks in found.items()
    }
    return {name: checks for name, checks in failed.items() if checks}


def passed(found: Mapping[str, list[Check]], scenario: str) -> bool:
    """True if something of a scenario was tried, and nothing failed."""
    checks = found[scenario]
    return any(check.passed for check in checks) and scenario not in failures(found)


async def test_every_agent_passes_every_scenario_that_applies_to_it(tmp_path: Path, place: FinishedLeague):
    package("@modelcontextprotocol/conformance")
    found: dict[tuple[str, Way], Mapping[str, list[Check]]] = {}
    with anyio.fail_after(120):
        limit = anyio.CapacityLimiter(2)

        async def collect(role: str, way: Way, endpoint: str) -> None:
            async with limit:
                found[role, way] = await run(endpoint + way.path, tmp_path, "--requirements", way.revision)

        async with anyio.create_task_group() as tasks:
            for role in ROLES:
                for way in WAYS:
                    tasks.start_soon(collect, role, way, place.named(role))
    for (role, way), scenarios in found.items():
        assert set(scenarios) <= {*APPLY, *FIXTURES, *DO_NOT_APPLY}, f"{role}, {way}: a scenario that is new to us"
        expected = {scenario for scenario, revisions in APPLY.items() if way.revision in revisions}
        if way == STATELESS:
            expected -= set(WITH_SESSIONS)
        assert expected == {scenario for scenario in expected if passed(scenarios, scenario)}, (role, way, scenarios)


@pytest.mark.parametrize("revision", REQUIRED)
async def test_what_the_suite_asks_of_a_test_server_passes_on_a_shelf_of_ours(tmp_path: Path, revision: str):
    package("@modelcontextprotocol/conformance")
    made = await manager()
    made.agent.resources = shelf()
    with anyio.fail_after(60):
        async with transports.serve(made.agent, grace=0) as listener:
            found = await run(listener.endpoint, tmp_path, "--requirements", revision)
    for scenario, revisions in FIXTURES.items():
        if revision in revisions:
            assert passed(found, scenario), found[scenario]


def test_no_scenario_is_in_two_lists():
    assert not set(APPLY) & set(FIXTURES)
    assert not (set(APPLY) | set(FIXTURES)) & set(DO_NOT_APPLY)


def shelf() -> ResourceRegistry:
    """The resources that the suite demands of a test server, as far as our agents have such."""
    arguments = (Argument("arg1", "The first."), Argument("arg2", "The second."))
    return ResourceRegistry(
        root=lambda: "test://nothing",
        pages=[
            Page(Resource("test://static-text", "text", "Text", "A text.", TEXT), lambda: "A static text."),
            Page(
                Resource("test://template/{id}/data", "data", "Data", "Data of an id."),
                lambda **names: {"id": names["id"], "templateTest": True},
            ),
            Page(Resource(mcp_apps.STANDINGS, "app", "App", "A page.", APP), lambda: mcp_apps.page("standings")),
        ],
        questions=[
            PromptSpec(Prompt("test_simple_prompt", "Simple", "A prompt."), "Say something.", dict),
            PromptSpec(
                Prompt("test_prompt_with_arguments", "Arguments", "A prompt.", arguments),
                "Say {arg1} and {arg2}.",
                lambda **given: given,
                {"arg1": lambda: ["testing", "tested"]},
            ),
        ],
        windows=[
            Window(
                View("test_simple_text", "Text", "Says something.", mcp_apps.STANDINGS), lambda: Shown("A text.", {})
            )
        ],
    )


def test_the_documentation_lists_what_applies_and_why_the_rest_does_not():
    page = (Path(__file__).parents[2] / "docs" / "conformance.md").read_text(encoding="utf-8")
    for scenario, revisions in APPLY.items():
        assert all(revision in _row(page, scenario) for revision in revisions)
    for scenario, reason in (*UNTESTABLE.items(), *DO_NOT_APPLY.items()):
        assert _row(page, scenario) == f"| {scenario} | {reason} |"
    assert all(f"\n- {scenario}\n" in page for scenario in FIXTURES)


def _row(page: str, name: str) -> str:
    (row,) = [line for line in page.splitlines() if line.startswith(f"| {name} |")]
    return row

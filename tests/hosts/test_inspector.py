"""MCP Inspector from the command line: every tool called, every resource read, every prompt asked."""

import re
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from tests.hosts.calls import calls
from tests.hosts.inspecting import Inspector, call, listing, prompting, reading
from tests.hosts.node import node, package
from tests.hosts.village import village

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hosts")]
ROLES = ("manager", "referee", "player")
CHOICES = {
    "manager": {"match_id": "R1M1", "player_id": "P01", "round_id": "1"},
    "referee": {"match_id": "R7M1"},
    "player": {"opponent_id": "P02"},
}
"""What is filled in for the names in templates and for the arguments of prompts."""


def filled(template: str, choices: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda name: choices[name[1]], template)


async def sweep(inspector: Inspector, role: str, wanted: Mapping[str, tuple[dict[str, object], str]]) -> None:
    """List everything, call every tool, read every resource, ask every prompt."""
    choices = CHOICES[role]
    tools, resources, templates, prompts = await inspector.run(
        [listing("tools"), listing("resources"), listing("resources/templates"), listing("prompts")]
    )
    listed = [tool["name"] for tool in tools.result["tools"]]
    assert set(wanted) <= set(listed)
    # What has no message here is called with none, and says what is missing.
    wanted = {**wanted, **{name: ({}, "E003") for name in listed if name not in wanted}}
    uris = [resource["uri"] for resource in resources.result["resources"]]
    uris += [filled(template["uriTemplate"], choices) for template in templates.result["resourceTemplates"]]
    asked = {
        prompt["name"]: {argument["name"]: choices[argument["name"]] for argument in prompt.get("arguments", ())}
        for prompt in prompts.result["prompts"]
    }
    commands = [
        *(call(tool, arguments) for tool, (arguments, _) in wanted.items()),
        *(reading(uri) for uri in uris),
        *(prompting(name, arguments) for name, arguments in asked.items()),
    ]
    outcomes = await inspector.run(commands)
    called, looked = outcomes[: len(wanted)], outcomes[len(wanted) :]
    codes = {tool: outcome.code for tool, outcome in zip(wanted, called, strict=True)}
    assert codes == {tool: code for tool, (_, code) in wanted.items()}
    for command, outcome in zip(commands[len(wanted) :], looked, strict=True):
        assert outcome.error is None, f"{command}: {outcome}"
        assert outcome.result.get("contents") or outcome.result.get("messages")


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_over_http_it_lists_calls_reads_and_asks_everything_of_every_agent(tmp_path: Path, era: str):
    node()
    package("@modelcontextprotocol/inspector")
    with anyio.fail_after(120):
        async with village(tmp_path) as place:
            for role in ROLES:
                target = [place.named(role), "--transport", "http", "--protocol-era", era]
                await sweep(Inspector(target, tmp_path), role, calls(role, place))

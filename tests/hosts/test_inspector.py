"""MCP Inspector from the command line: every tool called, every resource read, every prompt asked."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
import pytest

from tests.hosts.calls import calls
from tests.hosts.inspecting import Inspector, call, listing, prompting, reading
from tests.hosts.node import THOROUGH, node, package
from tests.hosts.village import LEAGUE, NOBODY, TOKEN, village

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


async def sweep(
    inspector: Inspector, role: str, wanted: Mapping[str, tuple[dict[str, object], str]], absent: Sequence[str] = ()
) -> None:
    """List everything, call every tool, read every resource, ask every prompt; what is absent has to say so."""
    choices = CHOICES[role]
    tools, resources, templates, prompts = await inspector.run(
        [listing("tools"), listing("resources"), listing("resources/templates"), listing("prompts")]
    )
    listed = [tool["name"] for tool in tools.result["tools"]]
    assert set(wanted) <= set(listed)
    # What has no message here is called with none, and says what is missing.
    others = {name: ({}, "-32602" if name == "show_match" else "E003") for name in listed if name not in wanted}
    wanted = {**wanted, **others}
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
        if any(word in absent for word in command):
            assert outcome.error is not None
        else:
            assert outcome.error is None, f"{command}: {outcome}"
            assert outcome.result.get("contents") or outcome.result.get("messages")


@pytest.mark.parametrize("era", ["legacy", pytest.param("modern", marks=THOROUGH)])
async def test_over_http_it_lists_calls_reads_and_asks_everything_of_every_agent(tmp_path: Path, era: str):
    node()
    package("@modelcontextprotocol/inspector")
    with anyio.fail_after(120):
        async with village(tmp_path) as place:
            for role in ROLES:
                target = [place.named(role), "--transport", "http", "--protocol-era", era]
                await sweep(Inspector(target, tmp_path), role, calls(role, place))


COMMANDS = {
    "manager": ("manager", "--resume", LEAGUE),
    "referee": ("referee", "--name", "Rex", "--game", "even_odd", "--manager", "http://localhost:9/mcp"),
    "player": ("player", "--name", "Eve", "--game", "even_odd", "--standalone"),
}
"""How the agents are started by a host. Each line of the Inspector starts one anew."""
FORGOTTEN = {
    "referee": {
        **dict.fromkeys(("match_status", "collect_choices", "draw_number", "finalize_match"), "E007"),
        **dict.fromkeys(("notify_league_completed", "receive_league_completed"), "E008"),
    },
    "player": {"choose_parity": "E008", "parity_choose": "E008"},
}
"""What an agent refuses that was started for this call alone."""
ABSENT = {
    "referee": [*(f"league://none/matches/R7M1{path}" for path in ("", "/transcript", "/replay")), "analyse_match"],
    "player": ["league://none/opponents/P02", "scout_opponent"],
}


def started(role: str, folder: Path) -> Inspector:
    """The Inspector as a host that starts an agent."""
    program = str(Path(sys.executable).with_name("league"))
    token = () if role == "player" else ("--operator-token", TOKEN)
    arguments = [*COMMANDS[role], *token, "--stdio", "--port", "0", "--data", str(folder)]
    config = folder / f"{role}.json"
    config.write_text(json.dumps({"mcpServers": {role: {"command": program, "args": arguments}}}), encoding="utf-8")
    return Inspector(["--config", str(config), "--server", role, "--connect-timeout", "120000"], folder)


@pytest.mark.end_to_end
async def test_over_stdio_it_starts_a_player_and_calls_it(tmp_path: Path):
    package("@modelcontextprotocol/inspector")
    move = calls("player", NOBODY)["handle_game_invitation"][0]
    with anyio.fail_after(120):
        (called,) = await started("player", tmp_path).run([call("handle_game_invitation", move)])
    assert called.result["structuredContent"]["accept"] is True


@pytest.mark.end_to_end
@THOROUGH
@pytest.mark.parametrize("role", ROLES)
async def test_over_stdio_it_lists_calls_reads_and_asks_everything_of_every_agent(tmp_path: Path, role: str):
    package("@modelcontextprotocol/inspector")
    with anyio.fail_after(1200):
        async with village(tmp_path) as place:
            wanted = dict(calls(role, place))
            for tool, code in FORGOTTEN.get(role, {}).items():
                wanted[tool] = (wanted[tool][0], code)
            if role == "referee":
                del wanted["show_match"]
            await sweep(started(role, tmp_path), role, wanted, ABSENT.get(role, ()))

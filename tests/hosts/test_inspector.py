"""MCP Inspector from the command line: every tool called, every resource read, every prompt asked."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from tests.hosts.calls import calls
from tests.hosts.finished_league import LEAGUE, NOBODY, TOKEN, FinishedLeague, finished_league
from tests.hosts.inspecting import Outcome, call, inspect, listing, prompting, reading
from tests.requirements.marker import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.xdist_group("hosts")]
ROLES = ("manager", "referee", "player")
LISTS = ("tools", "resources", "resources/templates", "prompts")
CHOICES = {
    "manager": {"match_id": "R1M1", "player_id": "P01", "round_id": "1"},
    "referee": {"match_id": "R7M1"},
    "player": {"opponent_id": "P02"},
}
"""Values for the names in templates and the arguments of prompts."""


def filled(template: str, choices: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda name: choices[name[1]], template)


@dataclass(frozen=True)
class Subject:
    """An agent that is looked at.

    Attributes:
        role: What it is.
        target: How a command line names it.
        wanted: Tool to arguments and error code; an empty one for an answer.
        absent: Of its resources and prompts, what has to say that it is not there.
    """

    role: str
    target: Sequence[str]
    wanted: Mapping[str, tuple[dict[str, object], str]]
    absent: Sequence[str] = ()

    @property
    def lists(self) -> list[list[str]]:
        """Command lines that list what it has."""
        return [[*self.target, *listing(what)] for what in LISTS]

    def calls(self, listed: Sequence[Outcome]) -> Mapping[str, tuple[dict[str, object], str]]:
        """A call of every tool that it has listed; where we have no message, with none: it says what is missing."""
        tools = [tool["name"] for tool in listed[0].result["tools"]]
        assert set(self.wanted) <= set(tools)
        others = {name: ({}, "-32602" if name == "show_match" else "E003") for name in tools if name not in self.wanted}
        return {**self.wanted, **others}

    def looks(self, listed: Sequence[Outcome]) -> list[list[str]]:
        """Command lines that read and ask for all that it has listed."""
        choices = CHOICES[self.role]
        _, resources, templates, prompts = listed
        uris = [resource["uri"] for resource in resources.result["resources"]]
        uris += [filled(template["uriTemplate"], choices) for template in templates.result["resourceTemplates"]]
        asked = {
            prompt["name"]: {argument["name"]: choices[argument["name"]] for argument in prompt.get("arguments", ())}
            for prompt in prompts.result["prompts"]
        }
        return [*(reading(uri) for uri in uris), *(prompting(name, given) for name, given in asked.items())]

    def judge(self, calls: Mapping[str, tuple[dict[str, object], str]], called: Sequence[Outcome]) -> None:
        """Every tool answers, or refuses as it has to."""
        codes = {tool: outcome.code for tool, outcome in zip(calls, called, strict=True)}
        assert codes == {tool: code for tool, (_, code) in calls.items()}

    def judge_looks(self, commands: Sequence[Sequence[str]], looked: Sequence[Outcome]) -> None:
        """Everything can be read and asked for, but what is absent."""
        for command, outcome in zip(commands, looked, strict=True):
            if any(word in self.absent for word in command):
                assert outcome.error is not None
            else:
                assert outcome.error is None, f"{command}: {outcome}"
                assert outcome.result.get("contents") or outcome.result.get("messages")


async def sweep(home: Path, *subjects: Subject) -> None:
    """List everything, call every tool, read every resource, ask every prompt: in two runs, of all of them together."""
    lists = iter(await inspect([line for subject in subjects for line in subject.lists], home))
    listed = {subject.role: [next(lists) for _ in LISTS] for subject in subjects}
    calls = {subject.role: subject.calls(listed[subject.role]) for subject in subjects}
    looks = {subject.role: subject.looks(listed[subject.role]) for subject in subjects}
    lines = [
        [*subject.target, *command]
        for subject in subjects
        for command in (*(call(tool, given) for tool, (given, _) in calls[subject.role].items()), *looks[subject.role])
    ]
    outcomes = iter(await inspect(lines, home))
    for subject in subjects:
        subject.judge(calls[subject.role], [next(outcomes) for _ in calls[subject.role]])
        subject.judge_looks(looks[subject.role], [next(outcomes) for _ in looks[subject.role]])


ONE_EACH = dict(zip(ROLES, ("modern", "legacy", "modern"), strict=True))
THE_OTHER = dict(zip(ROLES, ("legacy", "modern", "legacy"), strict=True))


@requirement("project-LATER-03")
@pytest.mark.parametrize("eras", [ONE_EACH, THE_OTHER], ids=["an era each", "the other era"])
async def test_over_http_it_lists_calls_reads_and_asks_everything_of_every_agent(
    tmp_path: Path, place: FinishedLeague, eras: Mapping[str, str]
):
    with anyio.fail_after(120):
        subjects = [
            Subject(role, (place.named(role), "--transport", "http", "--protocol-era", era), calls(role, place))
            for role, era in eras.items()
        ]
        await sweep(tmp_path, *subjects)


COMMANDS = {
    "manager": ("manager", "--resume", LEAGUE),
    "referee": ("referee", "--name", "Rex", "--game", "even_odd", "--manager", "http://localhost:9/mcp"),
    "player": ("player", "--name", "Eve", "--game", "even_odd", "--standalone"),
}
"""Commands with which a host starts the agents. Each line of the Inspector starts one anew."""
FORGOTTEN = {
    "referee": {
        **dict.fromkeys(("match_status", "collect_choices", "draw_number", "finalize_match"), "E007"),
        **dict.fromkeys(("notify_league_completed", "receive_league_completed"), "E008"),
    },
    "player": {"choose_parity": "E008", "parity_choose": "E008"},
}
"""Calls refused by an agent that was started for this call alone."""
ABSENT = {
    "referee": [*(f"league://none/matches/R7M1{path}" for path in ("", "/transcript", "/replay")), "analyse_match"],
    "player": ["league://none/opponents/P02", "scout_opponent"],
}


def started(role: str, folder: Path) -> Sequence[str]:
    """The command line's name for an agent that the Inspector starts, as a host does."""
    program = str(Path(sys.executable).with_name("league"))
    token = () if role == "player" else ("--operator-token", TOKEN)
    arguments = [*COMMANDS[role], *token, "--stdio", "--port", "0", "--data", str(folder)]
    config = folder / f"{role}.json"
    config.write_text(json.dumps({"mcpServers": {role: {"command": program, "args": arguments}}}), encoding="utf-8")
    return ("--config", str(config), "--server", role, "--connect-timeout", "120000")


@pytest.mark.end_to_end
async def test_over_stdio_it_starts_a_player_and_calls_it(tmp_path: Path):
    move = calls("player", NOBODY)["handle_game_invitation"][0]
    with anyio.fail_after(120):
        line = [*started("player", tmp_path), *call("handle_game_invitation", move)]
        (called,) = await inspect([line], tmp_path)
    assert called.result["structuredContent"]["accept"] is True


@pytest.mark.end_to_end
@pytest.mark.parametrize("role", ROLES)
async def test_over_stdio_it_lists_calls_reads_and_asks_everything_of_every_agent(tmp_path: Path, role: str):
    with anyio.fail_after(1200):
        async with finished_league(tmp_path) as place:
            wanted = dict(calls(role, place))
            for tool, code in FORGOTTEN.get(role, {}).items():
                wanted[tool] = (wanted[tool][0], code)
            if role == "referee":
                del wanted["show_match"]
            await sweep(tmp_path, Subject(role, started(role, tmp_path), wanted, ABSENT.get(role, ())))

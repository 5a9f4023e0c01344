"""The pages made from the code are what the code says now, and leave nothing out."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docs import (
    generate_api,
    generate_commands,
    generate_errors,
    generate_events,
    generate_layers,
    generate_message_flow,
    generate_metrics,
    generate_tools,
)
from league_sdk.domain.events import EVENT_TYPES
from league_sdk.errors import SPECS
from servers.agent.access import Access
from tests.docs.markdown import anchors
from tests.requirements.marker import requirement

GENERATORS: tuple[Any, ...] = (
    generate_api,
    generate_commands,
    generate_errors,
    generate_events,
    generate_layers,
    generate_message_flow,
    generate_metrics,
    generate_tools,
)


def page(generator: Any) -> str:
    path: Path = generator.TARGET
    return path.read_text(encoding="utf-8")


@requirement("project-QUAL-08")
@pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.__name__)
def test_the_page_is_what_the_code_says(generator):
    render: Callable[[], str] = generator.render
    assert page(generator) == render(), "run: make docs"


@requirement("project-QUAL-08")
def test_every_public_name_is_on_the_page():
    assert len(generate_api.public()["league_sdk"]) > 10
    missing = {
        name
        for names in generate_api.public().values()
        for name in names
        if f"\n### {name}\n" not in page(generate_api)
    }
    assert missing == set()


def test_every_public_name_says_what_it_is():
    entries = re.split(r"^### ", page(generate_api), flags=re.MULTILINE)[1:]
    assert [entry.splitlines()[0] for entry in entries if not re.search(r"^```\n+[^`#\n]", entry, re.MULTILINE)] == []


@requirement("project-QUAL-08")
def test_every_command_with_every_option_is_on_the_page():
    text = page(generate_commands)
    assert len(generate_commands.commands()) > 10
    for name, command in generate_commands.commands().items():
        _, found, section = text.partition(f"\n## league {name}\n")
        assert found, name
        section = section.partition("\n## ")[0]
        missing = [
            option
            for param in command.params
            for option in param.opts
            if option.startswith("-") and option not in section
        ]
        assert missing == [], name


@requirement("project-QUAL-08")
def test_every_tool_of_every_agent_is_on_the_page_with_its_other_names():
    text = page(generate_tools)
    names = [
        name
        for tools in generate_tools.tables().values()
        for tool in tools
        for name in (tool.call.tool, *tool.call.aliases)
    ]
    seats = [tool.name for tool in generate_tools.seat()[0]]
    assert len(names) > 30
    assert len(seats) > 5
    assert [name for name in (*names, *seats) if f"`{name}`" not in text] == []


def test_every_view_resource_and_prompt_of_every_agent_is_on_the_page():
    libraries = generate_tools.libraries().values()
    names = [named.name for resources in libraries for named in (*resources.views(), *resources.prompts())]
    addresses = [page.uri for resources in libraries for page in (*resources.resources(), *resources.templates())]
    _, resources, prompts = generate_tools.seat()
    names += [prompt.name for prompt in prompts]
    addresses += [page.uri for page in resources]
    assert len(names) > 5
    assert len(addresses) > 10
    text = page(generate_tools).replace("//LEAGUE", "//none")
    assert [name for name in names if f"`{name}`" not in text] == []
    assert [uri for uri in addresses if f"`{uri.replace('//LEAGUE', '//none')}`" not in text] == []


def test_every_way_of_access_has_words():
    assert set(generate_tools.ACCESS) == set(Access)


@requirement("project-QUAL-08")
def test_every_error_code_is_on_the_page_and_says_what_to_do():
    assert set(generate_errors.ADVICE) == set(SPECS)
    assert [code for code in SPECS if page(generate_errors).count(f"`{code}`") < 2] == []


@requirement("project-QUAL-08")
def test_every_event_is_on_the_page():
    assert {name.lower() for name in EVENT_TYPES} <= anchors(page(generate_events))


def test_every_call_of_the_course_of_a_league_is_in_a_picture():
    text = page(generate_message_flow)
    assert [tool for tool in generate_message_flow.calls() if f": {tool} ·" not in text] == []

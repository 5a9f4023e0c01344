"""The pages made from the code are what the code says now, and leave nothing out."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docs.generators import (
    api,
    commands,
    errors,
    events,
    layers,
    message_flow,
    metrics,
    tools,
)
from league_sdk.domain.events import EVENT_TYPES
from league_sdk.errors import SPECS
from servers.agent.access import Access
from tests.docs.markdown import anchors
from tests.requirements.marker import requirement

GENERATORS: tuple[Any, ...] = (
    api,
    commands,
    errors,
    events,
    layers,
    message_flow,
    metrics,
    tools,
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
    assert len(api.public()["league_sdk"]) > 10
    missing = {name for names in api.public().values() for name in names if f"\n### {name}\n" not in page(api)}
    assert missing == set()


def test_every_public_name_says_what_it_is():
    entries = re.split(r"^### ", page(api), flags=re.MULTILINE)[1:]
    assert [entry.splitlines()[0] for entry in entries if not re.search(r"^```\n+[^`#\n]", entry, re.MULTILINE)] == []


@requirement("project-QUAL-08")
def test_every_command_with_every_option_is_on_the_page():
    text = page(commands)
    assert len(commands.commands()) > 10
    for name, command in commands.commands().items():
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
    text = page(tools)
    names = [
        name for tools in tools.tables().values() for tool in tools for name in (tool.call.tool, *tool.call.aliases)
    ]
    seats = [tool.name for tool in tools.seat()[0]]
    assert len(names) > 30
    assert len(seats) > 5
    assert [name for name in (*names, *seats) if f"`{name}`" not in text] == []


def test_every_view_resource_and_prompt_of_every_agent_is_on_the_page():
    libraries = tools.libraries().values()
    names = [named.name for resources in libraries for named in (*resources.views(), *resources.prompts())]
    addresses = [page.uri for resources in libraries for page in (*resources.resources(), *resources.templates())]
    _, resources, prompts = tools.seat()
    names += [prompt.name for prompt in prompts]
    addresses += [page.uri for page in resources]
    assert len(names) > 5
    assert len(addresses) > 10
    text = page(tools).replace("//LEAGUE", "//none")
    assert [name for name in names if f"`{name}`" not in text] == []
    assert [uri for uri in addresses if f"`{uri.replace('//LEAGUE', '//none')}`" not in text] == []


def test_every_way_of_access_has_words():
    assert set(tools.ACCESS) == set(Access)


@requirement("project-QUAL-08")
def test_every_error_code_is_on_the_page_and_says_what_to_do():
    assert set(errors.ADVICE) == set(SPECS)
    assert [code for code in SPECS if page(errors).count(f"`{code}`") < 2] == []


@requirement("project-QUAL-08")
def test_every_event_is_on_the_page():
    assert {name.lower() for name in EVENT_TYPES} <= anchors(page(events))


def test_every_call_of_the_course_of_a_league_is_in_a_picture():
    text = page(message_flow)
    assert [tool for tool in message_flow.calls() if f": {tool} ·" not in text] == []

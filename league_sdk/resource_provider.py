"""An agent's offers to MCP hosts beside its tools: resources, prompts and views.

A host is a program in which a person, or a person's model, looks at a league. Nothing here is needed to play.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from league_sdk.json_value import Json
from league_sdk.net.pool import Holder

JSON = "application/json"
TEXT = "text/plain"
APP = "text/html;profile=mcp-app"  # the type of an MCP App: a page that a host shows in a frame


class NotOffered(Exception):
    """An unknown resource or prompt, or a missing or unknown argument."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A readable resource, or a template of resources."""

    uri: str  # with `{names}` in a template
    name: str  # unique in this agent
    title: str
    description: str  # never contains text of agents
    mime_type: str = JSON


@dataclass(frozen=True, slots=True)
class Argument:
    """A prompt's argument, always required."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question that a host can put to its model."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """A read-only tool for hosts, with an app that draws its result."""

    name: str  # not that of a tool of the protocol
    title: str
    description: str
    app: str  # `ui://` address of the page that draws the result
    input_schema: Mapping[str, Json] = field(
        default_factory=lambda: {"type": "object", "properties": {}, "additionalProperties": False}, repr=False
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """The result of a view."""

    text: str  # for models, and for hosts without apps
    data: Mapping[str, Json]  # for the app


@dataclass(frozen=True, slots=True)
class Visitor:
    """The caller that reads."""

    token: str | None = field(default=None, repr=False)
    address: str = ""
    starter: bool = False  # the program that started the agent's process, and holds its pipes


Listener: TypeAlias = Callable[[str | None], None]
"""Told the address of a changed resource, or None for a changed list; must not raise or wait."""


class ResourceProvider(Protocol):
    """An agent's offers. Every method may raise `NotOffered` and any `LeagueError`."""

    def resources(self) -> Sequence[Resource]:
        """Resources with a fixed address."""
        ...

    def templates(self) -> Sequence[Resource]:
        """Templates, with names to fill in to their addresses."""
        ...

    async def read(self, uri: str, visitor: Visitor) -> tuple[str, str]:
        """The contents of a resource, and their type."""
        ...

    def prompts(self) -> Sequence[Prompt]: ...

    async def prompt(self, name: str, arguments: Mapping[str, str], visitor: Visitor) -> str:
        """The text of a prompt, with its data."""
        ...

    def views(self) -> Sequence[View]: ...

    async def show(self, name: str, arguments: Mapping[str, Json], visitor: Visitor) -> Shown: ...

    def complete(self, about: str, argument: str, value: str, visitor: Visitor) -> Sequence[str]:
        """Completions of `value`, the beginning of an argument or a name in an address."""
        ...

    def holder(self, visitor: Visitor) -> Holder:
        """The one whose streams and sessions are counted together."""
        ...

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` of every change until the returned function is called."""
        ...

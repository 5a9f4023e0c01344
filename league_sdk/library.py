"""An agent's offers to MCP hosts beside its tools: resources, prompts and views.

A host is a program in which a person, or a person's model, looks at a league. Nothing here is needed to play.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

Json: TypeAlias = Any
"""A JSON value."""

JSON = "application/json"
TEXT = "text/plain"
APP = "text/html;profile=mcp-app"
"""The type of an MCP App: a page that a host shows in a frame."""


class NotOffered(Exception):
    """An unknown resource or prompt, or a missing or unknown argument."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A readable resource, or a template of resources.

    Attributes:
        uri: Its address; a template has `{names}` in it.
        name: Unique in this agent.
        title: For people.
        description: For people and models; never contains text of agents.
        mime_type: Of its contents.
    """

    uri: str
    name: str
    title: str
    description: str
    mime_type: str = JSON


@dataclass(frozen=True, slots=True)
class Argument:
    """A prompt's argument.

    Attributes:
        name: Its name.
        description: Its meaning.
    """

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question that a host can put to its model.

    Attributes:
        name: Unique in this agent.
        title: For people.
        description: For people and models.
        arguments: All of them required.
    """

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """A read-only tool for hosts, with an app that draws its result.

    Attributes:
        name: The tool's name, different from those of the protocol.
        title: For people.
        description: For people and models.
        input_schema: JSON Schema of its arguments.
        app: The `ui://` address of the page that draws its result.
    """

    name: str
    title: str
    description: str
    app: str
    input_schema: Mapping[str, Json] = field(
        default_factory=lambda: {"type": "object", "properties": {}, "additionalProperties": False}, repr=False
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """The result of a view.

    Attributes:
        text: For models, and for hosts without apps.
        data: For the app.
    """

    text: str
    data: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Visitor:
    """The caller that reads.

    Attributes:
        token: The caller's bearer token, or None.
        address: The network address, or an empty string.
        starter: True for the program that started the agent's process and holds its pipes.
    """

    token: str | None = field(default=None, repr=False)
    address: str = ""
    starter: bool = False


Listener: TypeAlias = Callable[[str | None], None]
"""Told the address of a changed resource, or None for a changed list; must not raise or wait."""


class Library(Protocol):
    """An agent's offers. Every method may raise `NotOffered` and any `LeagueError`."""

    def resources(self) -> Sequence[Resource]:
        """Resources with a fixed address."""
        ...

    def templates(self) -> Sequence[Resource]:
        """Templates, with names to fill in to their addresses."""
        ...

    def read(self, uri: str, visitor: Visitor) -> tuple[str, str]:
        """The contents of a resource, and their type."""
        ...

    def prompts(self) -> Sequence[Prompt]: ...

    def prompt(self, name: str, arguments: Mapping[str, str], visitor: Visitor) -> str:
        """The text of a prompt, with its data."""
        ...

    def views(self) -> Sequence[View]: ...

    def show(self, name: str, arguments: Mapping[str, Json], visitor: Visitor) -> Shown:
        """The result of a view."""
        ...

    def complete(self, about: str, argument: str, value: str, visitor: Visitor) -> Sequence[str]:
        """Completions of an argument.

        Args:
            about: The name of a prompt, or the address of a template.
            argument: An argument's name, or a name in the address.
            value: The typed beginning.
            visitor: The caller.
        """
        ...

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` of every change until the returned function is called."""
        ...

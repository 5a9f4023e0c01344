"""What an agent offers to MCP hosts beside the tools of the protocol: resources, prompts, and views with an app.

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
"""The type of an MCP App: a page that a host shows in a frame of its own."""


class NotOffered(Exception):
    """There is no such resource or prompt, or an argument of it is missing or unknown."""


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that can be read.

    Attributes:
        uri: Where; with `{names}` in it when it is a template.
        name: Unique in this agent.
        title: For people.
        description: For people and models; never contains what an agent said.
        mime_type: Of its contents.
    """

    uri: str
    name: str
    title: str
    description: str
    mime_type: str = JSON


@dataclass(frozen=True, slots=True)
class Argument:
    """What a prompt has to be told.

    Attributes:
        name: Its name.
        description: What it is.
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
    """A tool for hosts alone: it shows something, changes nothing, and has an app that draws it.

    Attributes:
        name: The tool's name; no tool of the protocol has it.
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
        text: For hosts that draw no apps, and for models.
        data: For the app.
    """

    text: str
    data: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks.

    Attributes:
        token: The bearer token that was shown, or None.
        address: The network address, or an empty string.
        starter: Whether it is whoever started the agent's process, at the other end of its pipes.
    """

    token: str | None = field(default=None, repr=False)
    address: str = ""
    starter: bool = False


Listener: TypeAlias = Callable[[str | None], None]
"""Told the address of a resource that has changed; None when the list of resources has. Must not raise or wait."""


class Library(Protocol):
    """What an agent offers. Every method may raise `NotOffered` and any `LeagueError`."""

    def resources(self) -> Sequence[Resource]:
        """What can be read as it is listed."""
        ...

    def templates(self) -> Sequence[Resource]:
        """What can be read once the names in its address are filled in."""
        ...

    def read(self, uri: str, visitor: Visitor) -> tuple[str, str]:
        """The contents of a resource, and their type."""
        ...

    def prompts(self) -> Sequence[Prompt]:
        """Every prompt."""
        ...

    def prompt(self, name: str, arguments: Mapping[str, str], visitor: Visitor) -> str:
        """The text of a prompt, with its data."""
        ...

    def views(self) -> Sequence[View]:
        """Every view."""
        ...

    def show(self, name: str, arguments: Mapping[str, Json], visitor: Visitor) -> Shown:
        """The result of a view."""
        ...

    def complete(self, about: str, argument: str, value: str, visitor: Visitor) -> Sequence[str]:
        """How an argument that was begun can go on.

        Args:
            about: The name of a prompt, or the address of a template.
            argument: Which of its arguments, or of the names in its address.
            value: What was typed so far.
            visitor: Who asks.
        """
        ...

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` of every change from now on, until the function that is returned is called."""
        ...

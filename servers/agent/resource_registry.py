"""MCP resources and prompts as tables, with access rules and subscriptions."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from typing import Any, TypeAlias
from urllib.parse import quote, unquote

from league_sdk import tokens
from league_sdk.bounds import shorten
from league_sdk.errors import AuthTokenInvalid, AuthTokenMissing
from league_sdk.json_value import Json
from league_sdk.net.pool import Holder
from league_sdk.resource_provider import Listener, NotOffered, Prompt, Resource, Shown, View, Visitor
from servers.agent import untrusted
from servers.agent.access import FindHolder
from servers.agent.identity import Seat
from servers.agent.rate_limit import Throttle

Choices: TypeAlias = Callable[[], Iterable[str]]
"""The values that a name in an address, or an argument, can have now. They are plain ids, never an agent's words."""

_NAME = re.compile(r"\{(\w+)\}")
_PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,23}")


@dataclass(frozen=True, slots=True)
class Page:
    """A resource, or a template of resources."""

    resource: Resource  # How it is listed. Its address continues that of the agent, unless it has a scheme.
    read: Callable[..., Json]  # from the names in its address to JSON, or to text, perhaps awaited; raises NotOffered
    choices: Mapping[str, Choices] = field(default_factory=dict[str, Choices])  # by name in its address
    private: bool = False  # true if only the operator, and the starter of the agent, may read it


@dataclass(frozen=True, slots=True)
class PromptSpec:
    """A prompt."""

    prompt: Prompt
    # what the model is to do, with the names of arguments in braces: text of ours, and ids that `data` checks
    task: str
    data: Callable[..., Json]  # from its arguments to the data for that, perhaps awaited; raises NotOffered
    choices: Mapping[str, Choices] = field(default_factory=dict[str, Choices])  # by argument
    private: bool = False  # true if only the operator, and the starter of the agent, may have it


@dataclass(frozen=True, slots=True)
class Window:
    """A view."""

    view: View
    # from its arguments to its result, perhaps awaited; raises NotOffered
    show: Callable[..., Shown | Awaitable[Shown]]


class News:
    """Passes on which resources have changed."""

    def __init__(self) -> None:
        self._listeners: dict[object, Listener] = {}

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` from now on, until the function that is returned is called."""
        token = object()
        self._listeners[token] = listener

        def stop() -> None:
            self._listeners.pop(token, None)

        return stop

    @property
    def heard(self) -> bool:
        """True while there is a subscriber."""
        return bool(self._listeners)

    def tell(self, *uris: str | None) -> None:
        for uri in dict.fromkeys(uris):
            for listener in tuple(self._listeners.values()):
                listener(uri)


class ResourceRegistry:
    """Implements `Library` by tables.

    `closed` says whether private things are closed now to all but the operator; `throttle` None does not count.
    Without `find_holder` the streams and sessions of all but the operator count by address.
    """

    def __init__(
        self,
        *,
        root: Callable[[], str],
        pages: Sequence[Page],
        questions: Sequence[PromptSpec] = (),
        windows: Sequence[Window] = (),
        news: News | None = None,
        closed: Callable[[], bool] = lambda: True,
        operator_token: str | None = None,
        throttle: Throttle | None = None,
        find_holder: FindHolder | None = None,
    ) -> None:
        self._root = root
        self._pages = tuple(pages)
        self._questions = {question.prompt.name: question for question in questions}
        self._windows = {window.view.name: window for window in windows}
        self._news = news or News()
        self._closed = closed
        self._operator_token = operator_token
        self._throttle = throttle
        self._find_holder = find_holder

    def resources(self) -> Sequence[Resource]:
        return [self._listed(page) for page in self._pages if not _NAME.search(page.resource.uri)]

    def templates(self) -> Sequence[Resource]:
        return [self._listed(page) for page in self._pages if _NAME.search(page.resource.uri)]

    async def read(self, uri: str, visitor: Visitor) -> tuple[str, str]:
        self._count(visitor)
        for page in self._pages:
            names = _match(self._address(page), uri)
            if names is not None:
                self._admit(page.private, visitor)
                found = await _awaited(page.read(**names))
                return (found if isinstance(found, str) else untrusted.as_json(found)), page.resource.mime_type
        raise NotOffered(f"there is no resource {shorten(uri, 200)!r}")

    def prompts(self) -> Sequence[Prompt]:
        return [question.prompt for question in self._questions.values()]

    async def prompt(self, name: str, arguments: Mapping[str, str], visitor: Visitor) -> str:
        self._count(visitor)
        question = self._questions.get(name)
        if question is None:
            raise NotOffered(f"there is no prompt {shorten(name, 100)!r}")
        self._admit(question.private, visitor)
        given = _given([argument.name for argument in question.prompt.arguments], arguments)
        data = await _awaited(question.data(**given))  # first: it refuses what is none of the choices
        return untrusted.question(question.task.format_map(given), data)

    def views(self) -> Sequence[View]:
        return [window.view for window in self._windows.values()]

    async def show(self, name: str, arguments: Mapping[str, Json], visitor: Visitor) -> Shown:
        self._count(visitor)
        window = self._windows.get(name)
        if window is None:
            raise NotOffered(f"there is no view {shorten(name, 100)!r}")
        return await _awaited(window.show(**_given(window.view.input_schema.get("required", ()), arguments)))

    def complete(self, about: str, argument: str, value: str, visitor: Visitor) -> Sequence[str]:
        """The choices that begin like `value`."""
        self._count(visitor)
        choices, private = self._choices(about)
        if argument not in choices:
            raise NotOffered(f"{shorten(about, 200)!r} has no argument {shorten(argument, 100)!r}")
        self._admit(private, visitor)
        return [choice for choice in choices[argument]() if choice.startswith(value)]

    def holder(self, visitor: Visitor) -> Holder:
        """The unit of counting: operator and starter, else by token or address."""
        if visitor.starter or self._is_operator(visitor):
            return Holder(visitor.address, "operator", kept=True)
        if self._find_holder is None:
            return Holder(visitor.address)
        return self._find_holder(visitor.token, visitor.address)

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` of every change."""
        return self._news.watch(listener)

    def _choices(self, about: str) -> tuple[Mapping[str, Choices], bool]:
        if about in self._questions:
            return self._questions[about].choices, self._questions[about].private
        for page in self._pages:
            if self._address(page) == about:
                return page.choices, page.private
        raise NotOffered(f"there is no prompt and no template {shorten(about, 200)!r}")

    def _address(self, page: Page) -> str:
        uri = page.resource.uri
        return uri if "://" in uri else f"{self._root()}/{uri}"

    def _listed(self, page: Page) -> Resource:
        return replace(page.resource, uri=self._address(page))

    def _count(self, visitor: Visitor) -> None:
        if self._throttle is not None and not visitor.starter and not self._is_operator(visitor):
            self._throttle.stranger(visitor.address)

    def _is_operator(self, visitor: Visitor) -> bool:
        return self._operator_token is not None and tokens.same(visitor.token, self._operator_token)

    def _admit(self, private: bool, visitor: Visitor) -> None:
        """Let only those see private things who may."""
        if not private or visitor.starter or not self._closed() or self._is_operator(visitor):
            return
        if visitor.token is None:
            raise AuthTokenMissing("this is for the operator: show the operator's token as a bearer token")
        raise AuthTokenInvalid("the bearer token is not the operator's")


async def _awaited(found: Any) -> Any:
    return await found if isawaitable(found) else found


def segment(text: str) -> str:
    """Text as one part of an address."""
    return quote(text, safe="")


def league_root(seat: Seat) -> str:
    """The address that an agent's resources begin with."""
    return f"league://{segment(seat.credentials.league_id) if seat.credentials else 'none'}"


def is_plain(text: str) -> bool:
    """True for a short id that is safe to show unmarked."""
    return _PLAIN_ID.fullmatch(text) is not None


def _match(template: str, uri: str) -> dict[str, str] | None:
    """Values of a URI template's names; None when the URI does not match."""
    parts = _NAME.split(template)
    pattern = "".join(f"(?P<{part}>[^/?#]+)" if place % 2 else re.escape(part) for place, part in enumerate(parts))
    found = re.fullmatch(pattern, uri)
    return None if found is None else {name: unquote(text) for name, text in found.groupdict().items()}


def _given(names: Iterable[str], arguments: Mapping[str, Json]) -> dict[str, str]:
    """The arguments that are needed; others are passed over."""
    given: dict[str, str] = {}
    for name in names:
        value = arguments.get(name)
        if not isinstance(value, str):
            raise NotOffered(f"the argument {name!r} is missing")
        given[name] = value
    return given

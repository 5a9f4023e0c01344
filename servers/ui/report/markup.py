"""HTML out of elements: whatever is not an element is text, so nothing that an agent said can become markup."""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

VOID = frozenset({"meta", "link", "br", "input", "col"})
"""Elements without content."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Content: TypeAlias = str | int | Iterable["Content"] | None
"""What stands in an element: markup stays as it is, other text is escaped, nothing is left out."""


def tag(name: str, *content: Content, **attributes: str | int | bool | None) -> Markup:
    """An element.

    Args:
        name: What it is called.
        content: What stands in it.
        attributes: By name, with `_` for `-`; one at the end is dropped (`class_`). False and None leave one out.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{name}{written}>" if name in VOID else f"<{name}{written}>{inner(content)}</{name}>")


def inner(content: Content) -> Markup:
    """What stands in an element."""
    if content is None:
        return Markup()
    if isinstance(content, Markup):
        return content
    if isinstance(content, str | int):
        return Markup(escape(str(content)))
    return Markup("".join(inner(part) for part in content))


def _attribute(key: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.removesuffix("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'

"""Shared by the generators of pages: Markdown tables, and types and docstrings for readers."""

import dataclasses
import inspect
import re
import typing
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from types import UnionType
from typing import Any

SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Yields):\n((?:(?: .*)?\n)*)", re.MULTILINE)
ENTRY = re.compile(r"^    (\S.*?): (.*(?:\n(?:     .*| *$))*)", re.MULTILINE)

_WORDS: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    type(None): "null",
    Any: "any JSON",
}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table; bars within cells are escaped."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def plain_type(annotation: Any) -> str:
    """A type annotation as what a value of it is in JSON."""
    if annotation in _WORDS:
        return _WORDS[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, UnionType):
        return " or ".join(plain_type(arm) for arm in arguments)
    if origin in (tuple, list, Sequence):
        return f"list of {plain_type(arguments[0])}"
    if origin is not None and issubclass(origin, Mapping):
        return f"object of {plain_type(arguments[1])}"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " or ".join(f"`{member.value}`" for member in annotation)
    if dataclasses.is_dataclass(annotation) and isinstance(annotation, type):
        return f"[{annotation.__name__}](#{annotation.__name__.lower()})"
    return str(annotation)


def parts(thing: Any) -> tuple[str, dict[str, dict[str, str]]]:
    """A docstring: its text, and by the name of a section its entries.

    What is returned has no name: its entry is called ``.
    """
    doc = inspect.getdoc(thing) or ""
    sections: dict[str, dict[str, str]] = {}
    for name, body in SECTION.findall(doc + "\n"):
        if name in ("Returns", "Yields"):
            sections[name] = {"": _joined(body)}
        else:
            sections[name] = {entry: _joined(about) for entry, about in ENTRY.findall(body)}
    return SECTION.sub("", doc + "\n").strip(), sections


def _joined(text: str) -> str:
    return " ".join(text.split())

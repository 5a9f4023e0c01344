"""The help of a command: its text, and its options by panel, none of them cut."""

import re
from collections.abc import Iterator
from typing import Any

from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text
from typer.core import TyperCommand

_KINDS = {"int": "NUMBER", "float": "NUMBER", "str": "TEXT", "path": "PATH", "Path": "PATH"}
"""Kinds of values as help spells them, by the program's names of them."""


class ExplainedCommand(TyperCommand):
    """A command whose help has a line for each option, and its explanation below."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        del formatter
        out = Console(highlight=False, emoji=False)
        usage = " ".join(self.collect_usage_pieces(ctx)).replace("[[", "[").replace("]]", "]")
        out.print(Padding(Text(f"Usage: {ctx.command_path} {usage}"), 1))
        for paragraph in (self.help or "").split("\n\n"):
            example = any(line.startswith(" ") for line in paragraph.splitlines())
            out.print(Padding(Text.from_markup(paragraph if example else " ".join(paragraph.split())), (0, 1, 1, 1)))
        panels: dict[str, list[Any]] = {}
        for param in self.get_params(ctx):
            if not getattr(param, "hidden", False):
                usual = "Arguments" if param.param_type_name == "argument" else "Options"
                panels.setdefault(getattr(param, "rich_help_panel", None) or usual, []).append(param)
        for heading, params in panels.items():
            rows = Group(*(row for param in params for row in _row(param, ctx)))
            out.print(Panel(rows, title=heading, title_align="left", border_style="dim"))


def _row(param: Any, ctx: Any) -> Iterator[Any]:
    names, about = explained(param, ctx)
    yield Text(names, style="bold")
    yield Padding(Text(about), (0, 0, 0, 4))


def explained(param: Any, ctx: Any) -> tuple[str, str]:
    """An argument's or option's names with the kind of its value, and what it is."""
    names, about = param.get_help_record(ctx)
    names = argument(param) if param.param_type_name == "argument" else re.sub(r"<([^>]+)>", _kind, names)
    about = re.sub(r"x>=([\d.]+)", r"\1 or more", re.sub(r"([\d.]+)<=x<=([\d.]+)", r"\1 to \2", about))
    return names, about.replace("  [", " [").replace("[required]", "Required.").strip()


def _kind(found: re.Match[str]) -> str:
    kind = found[1].removesuffix(" range").removeprefix("list[").removesuffix("]")
    return _KINDS.get(kind, found[1])


def argument(param: Any) -> str:
    """The name of a positional argument, with … where it may be repeated."""
    name = re.sub(r"[\[\]]", "", param.metavar or param.name.upper())
    return f"{name.removesuffix('…')}…" if param.nargs == -1 else str(name)

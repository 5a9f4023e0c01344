"""Write docs/reference/commands.md from the command line itself."""

import re
from pathlib import Path
from typing import Any

import typer

from docs.generators.tables import table
from servers.cli.app import command_line
from servers.cli.command_help import argument, explained

TARGET = Path(__file__).resolve().parents[1] / "reference" / "commands.md"

HEAD = """\
# Commands

Made by `docs/generators/commands.py` from the program; change the commands, not this page.

`--help` after a command says the same on the terminal, and `league --version` says which version it is.

| exit code | what it means |
| --- | --- |
| 0 | success |
| 1 | failure, or a check found a problem; standard error says why |
| 2 | a mistake in the command or the configuration |
| 3 | `league manager`: another manager leads the league now; do not restart this one |
| 130 | interrupted with Ctrl-C |
"""


def commands() -> dict[str, Any]:
    """Every command that is shown, by its name; those of a group have two words."""
    program: Any = typer.main.get_command(command_line())
    panels = dict.fromkeys(command.rich_help_panel for command in program.commands.values())
    return {
        full: found
        for panel in panels
        for name, command in program.commands.items()
        if command.rich_help_panel == panel
        for full, found in _members(name, command)
        if not found.hidden
    }


def _members(name: str, command: Any) -> list[tuple[str, Any]]:
    within = getattr(command, "commands", None)
    return [(name, command)] if within is None else [(f"{name} {each}", found) for each, found in within.items()]


def render() -> str:
    """The page as Markdown."""
    found = commands()
    rows = [
        (f"[`league {name}`](#league-{name.replace(' ', '-')})", _summary(command)) for name, command in found.items()
    ]
    parts = [HEAD, table(("command", "what it does"), rows)]
    return "\n".join([*parts, *(_command(name, command) for name, command in found.items())])


def _summary(command: Any) -> str:
    return " ".join(command.help.partition("\n\n")[0].split())


def _command(name: str, command: Any) -> str:
    context = command.make_context(name, [], resilient_parsing=True)
    usage = " ".join(
        ["league", name, *(_usage(param) for param in command.params if not param.opts[0].startswith("-"))]
    )
    text, _, examples = command.help.partition("[bold]Examples[/bold]")
    examples, _, after = examples.strip("\n").partition("\n\n")
    shown = "\n".join(line.removeprefix("  ") for line in examples.splitlines())
    words = "\n\n".join(" ".join(part.split()) for part in f"{text}\n\n{after}".split("\n\n") if part.strip())
    rows = [_row(param, context) for param in command.params if not param.hidden]
    parts = [f"## league {name}", _escaped(words), f"```text\n{usage} [OPTIONS]\n```"]
    if rows:
        parts.append(table(("argument or option", "what it is"), rows).rstrip())
    if shown:
        parts.append(f"```text\n{shown}\n```")
    return "\n\n".join(parts) + "\n"


def _usage(param: Any) -> str:
    name = argument(param)
    return name if param.required else f"[{name}]"


def _row(param: Any, context: Any) -> tuple[str, str]:
    names, about = explained(param, context)
    return f"`{names}`", _escaped(about)


def _escaped(text: str) -> str:
    """Text in which Markdown finds no mark-up."""
    return re.sub(r"([<>*_\[\]])", r"\\\1", re.sub(r"\[/?(?:bold|italic|dim)\]", "", text))

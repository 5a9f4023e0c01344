"""Sentences for arguments that a command does not take."""

import re
import sys
from typing import Any, get_args, get_origin

import typer
from typer.main import get_command

from league_sdk.names import alternatives, nearest
from league_sdk.net.join_links import is_card_secret

UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer exports this subclass of it alone
_EXAMPLE = re.compile(r"^ +(league .*?)(?: {2,}.*)?$", re.MULTILINE)
SECRET_LENGTH = 24
"""Words of this length are cut in messages: a secret that stands in the wrong place has more characters."""
_NUMBERS = {int: "a whole number", float: "a number"}


def sentence(mistake: Any, app: typer.Typer) -> str:
    """The argument, its expected form, an example; empty after a shown help."""
    text = mistake.format_message()
    if not text:
        return ""
    command = mistake.ctx.command if mistake.ctx else _command(app)
    path = mistake.ctx.command_path if mistake.ctx else " ".join(["league", *_words(app)])
    parameter = getattr(mistake, "param", None) or _option(command, getattr(mistake, "option_name", ""))
    name = _name(parameter) if parameter else ""
    if hasattr(mistake, "possibilities"):
        known = [option for each in command.params for option in each.opts if option.startswith("--")]
        meant = nearest(mistake.option_name, known)
        hint = f"did you mean {meant}?" if meant else f"it has {', '.join(known)}"
        text = f"{path} has no option {mistake.option_name}; {hint}"
    elif hasattr(mistake, "param_type"):
        text = f"{name} is missing. {_help(parameter)}"
    elif parameter and isinstance(mistake, typer.BadParameter):
        text = f"{name}{_value(mistake)}: {_expected(mistake, parameter)}"
    elif parameter:
        text = f"{name} needs a value. {_help(parameter)}"
    elif extra := re.search(r"extra arguments?(?:\(s\))? \((.*)\)", text):
        text = f"{path} takes no {_hidden(extra[1])!r}"
    elif unknown := re.search("No such command '(.*?)'", text):
        there = alternatives(unknown[1], list(command.commands), "there are")
        text = f"{path} has no command {unknown[1]!r}; {there}"
    text = text.rstrip(".")
    end = "" if text.endswith("?") else "."
    return f"{text}{end} {_example(command, name, parameter)}See '{path} --help'."


def _hidden(text: str) -> str:
    """Words for a message, without the secrets among them."""
    if is_card_secret(text):
        return f"{text[:4]}…"
    return " ".join(word if len(word) < SECRET_LENGTH else f"{word[:4]}…" for word in text.split())


def _words(app: typer.Typer) -> list[str]:
    """The names of command and subcommand in the arguments of this process."""
    command, words = get_command(app), list[str]()
    for word in sys.argv[1:]:
        command = getattr(command, "commands", {}).get(word)
        if command is None:
            break
        words.append(word)
    return words


def _command(app: typer.Typer) -> Any:
    command: Any = get_command(app)
    for word in _words(app):
        command = command.commands[word]
    return command


def _option(command: Any, name: str) -> Any:
    return next((each for each in command.params if name in each.opts), None)


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper()).strip("[]")
    return str(max(parameter.opts, key=len))


def _help(parameter: Any) -> str:
    return str(getattr(parameter, "help", None) or "")


def _value(mistake: Any) -> str:
    errors = getattr(mistake.__cause__, "errors", None)
    return f" {errors()[0]['input']}" if errors else ""


def _kind(parameter: Any) -> Any:
    """The type of a value; of each value, where an option can be repeated."""
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    return get_args(kind)[0] if get_origin(kind) is list else kind


def _range(parameter: Any) -> tuple[Any, Any]:
    info = getattr(getattr(parameter, "type_descriptor", None), "parameter_info", None)
    return getattr(info, "min", None), getattr(info, "max", None)


def _expected(mistake: Any, parameter: Any) -> str:
    kind = _kind(parameter)
    least, most = _range(parameter)
    if mistake.__cause__ is None:
        return str(mistake.message)
    if kind in _NUMBERS:
        if least is not None and most is not None:
            return f"expected {_NUMBERS[kind]} from {least} to {most}"
        bounds = f" of {least} or more" if least is not None else f" of {most} or less" if most is not None else ""
        return f"expected {_NUMBERS[kind]}{bounds}"
    if choices := get_args(kind):
        return f"expected {' or '.join(map(str, choices))}"
    return str(mistake.message).removeprefix("Value error, ")


def _example(command: Any, name: str, parameter: Any) -> str:
    """A command that has the option, if possible one of its own examples."""
    examples = [found[1].strip() for found in _EXAMPLE.finditer(command.help or "")]
    chosen = next((line for line in examples if name.startswith("-") and f"{name} " in f"{line} "), "")
    if not chosen and examples and not name.startswith("-"):
        chosen = examples[0]
    if not chosen and parameter is not None:
        kind = _kind(parameter)
        sample = next(iter(get_args(kind)), None) if kind not in _NUMBERS else parameter.default or _range(parameter)[0]
        chosen = f"{examples[0].split(' --')[0]} {name} {sample}" if examples and sample is not None else ""
    return f"Example: {chosen}. " if chosen else ""

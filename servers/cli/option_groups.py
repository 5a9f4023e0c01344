"""Option groups: dataclasses that stand for several options of a command."""

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, cast, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of its groups, in which it gets their values.

    A group is a dataclass with a `panel`, the heading of its options in the command's help.
    """
    groups: dict[str, type[Any]] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        if not hasattr(parameter.annotation, "panel"):
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        group = groups[parameter.name] = parameter.annotation
        hints = get_type_hints(group, include_extras=True)
        parameters += [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=each.default,
                annotation=_in_panel(hints[each.name], group.panel),
            )
            for each in fields(group)
        ]

    @wraps(command)
    def expanded(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        command(**given)

    made: Any = expanded
    made.__signature__ = inspect.Signature(parameters)
    made.__annotations__ = {each.name: each.annotation for each in parameters}
    return expanded


def words_of(*groups: Any) -> list[str]:
    """Words of a command line that give the groups' values, with absolute paths."""
    words: list[str] = []
    for group in groups:
        kind = cast("type[Any]", type(group))
        hints = get_type_hints(kind, include_extras=True)
        for each in fields(kind):
            value: Any = getattr(group, each.name)
            if value == each.default:
                continue
            flag: str = hints[each.name].__metadata__[0].default  # in an annotation, typer's first name is there
            values = cast("list[object]", value) if isinstance(value, list) else [value]
            for one in values:
                words += [flag, str(one.expanduser().absolute() if isinstance(one, Path) else one)]
    return words


def _in_panel(annotation: Any, panel: str) -> Any:
    """The option's annotation below a heading; others' use of it stays as it is."""
    option = copy(annotation.__metadata__[0])
    option.rich_help_panel = panel
    return Annotated[annotation.__origin__, option]

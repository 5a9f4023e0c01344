"""Write docs/configuration.md from the settings models."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from league_sdk.settings import (
    OTHER_VARIABLES,
    AgentsConfig,
    GamesRegistry,
    LeagueConfig,
    PlayerDefaults,
    RefereeDefaults,
    SystemConfig,
    variables,
)
from league_sdk.settings.base import Informational, Section, other_names, section_of

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "configuration.md"

FILES: tuple[tuple[str, type[Section], str], ...] = (
    ("system.json", SystemConfig, "What holds for every agent and every league on this machine."),
    (
        "agents/agents_config.json",
        AgentsConfig,
        "The registry: who has a seat, under which id and at which address. Whoever registers under a name that "
        "stands here gets the id that stands beside it; the manager writes nothing into this file.",
    ),
    (
        "leagues/LEAGUE.json",
        LeagueConfig,
        "The rules of one league; one file per league, named by its id. The release brings one for each of its games.",
    ),
    (
        "games/games_registry.json",
        GamesRegistry,
        "The games, for those who read the configuration. A game is found by its name among the installed ones, "
        "so a game of a plug-in needs no entry.",
    ),
    (
        "defaults/referee.json",
        RefereeDefaults,
        "What a referee gets that says nothing else. A game whose moves travel in a field of their own can have "
        "its own limit here, as `<choice field>_timeout_sec`: `parity_choice_timeout_sec` is Even/Odd's.",
    ),
    ("defaults/player.json", PlayerDefaults, "What a player gets that says nothing else."),
)

HEAD = """\
# Configuration

Made by `docs/generators/configuration.py` from the settings models; change those, not this page.

Nothing has to be configured: every setting has a default. A setting comes from the strongest source that gives it:

1. a flag of the command line, such as `--move-timeout 3`;
2. an environment variable, such as `LEAGUE_TIMEOUTS__MOVE_TIMEOUT_SEC=3`;
3. a file, such as `config/system.json` with `{"timeouts": {"move_timeout_sec": 3}}`;
4. the default in code, which is also what the shipped files say.

All of it is checked at the start. A value that cannot be used stops the program with a message that names the file (or
the variable, or the flag), the field, the value and what was expected; all problems are listed at once. A field that is
not known is a warning that names the nearest known one: a typing error shows.

```console
$ LEAGUE_TIMEOUTS__MOVE_TIMEOUT_SEC=soon league run
The configuration cannot be used: environment variable LEAGUE_TIMEOUTS__MOVE_TIMEOUT_SEC: timeouts.move_timeout_sec \
is "soon"; expected a number
```

## Which folder is read

The first that there is:

1. the folder that is named on the command line (`--config DIR`);
2. the folder in `LEAGUE_CONFIG`;
3. `config/` in the current directory, when there is a `system.json` in it;
4. the folder that is installed with the package;
5. `config/` of the checkout that the package is imported from.

A folder may leave files out: the built-in defaults then take their place, and a warning says so. There must be a file
for every league that is named.

## Where data and logs go

With `--data DIR`, or `LEAGUE_DATA=DIR`: to `DIR/data` and `DIR/logs`. Without: to `data/` and `logs/` of a checkout one
is in, and elsewhere to `league-data/data` and `league-data/logs` in the current directory. A new league has the
configured id when that is free, else the id with `-2`, `-3` and so on, so no league writes into an older one's files.
Tokens lie in `data/secrets/`, readable by their owner alone.

## Which time limit holds

Several places can limit the time for a move. Within one source the narrowest wins: the league's
`timeouts.move_timeout_sec`, then the referees' `<choice field>_timeout_sec` for the game at hand, then the referees'
`move_timeout_sec`, then `timeouts.move_timeout_sec` of `system.json`. But a stronger source wins over every place in a
weaker one: `LEAGUE_TIMEOUTS__MOVE_TIMEOUT_SEC=3` holds whatever the files say. The same goes for the other limits, and
for the level of logging.

## Files

Keys that begin with `$` or `_` are ignored, so `"_comment"` is a place for remarks. Where a field has other names, they
are read as well, and mean the same.
"""


def render() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for name, model, about in FILES:
        parts.append(f"### `config/{name}`\n\n{about}\n")
        parts.append(_table(model))
    parts.append(_without_effect())
    parts.append(_variables())
    return "\n".join(parts)


def _table(model: type[Section]) -> str:
    rows = ["| field | type | default | what it is |", "| --- | --- | --- | --- |"]
    rows += _rows(model, "")
    return "\n".join(rows) + "\n"


def _rows(model: type[Section], prefix: str) -> list[str]:
    rows: list[str] = []
    for name, field in model.model_fields.items():
        if inner := section_of(field.annotation):
            section, is_list = inner
            rows += _rows(section, f"{prefix}{name}{'[]' if is_list else ''}.")
            continue
        also = ", ".join(f"`{other}`" for other in other_names(field))
        description = (field.description or "") + (f" Also read as {also}." if also else "")
        rows.append(f"| `{prefix}{name}` | {_type(field.annotation)} | {_default(field)} | {description} |")
    return rows


def _without_effect() -> str:
    rows = [
        "## Read, without effect",
        "",
        "Files hold these for people and for other programs. They are read and checked, and nothing goes by them.",
        "",
        "| file | field | why |",
        "| --- | --- | --- |",
    ]
    for name, model, _ in FILES:
        for path, field in leaves(model):
            rows += [
                f"| `{name}` | `{path}` | {mark.because} |" for mark in field.metadata if type(mark) is Informational
            ]
    return "\n".join(rows) + "\n"


def leaves(model: type[Section], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Every setting of a file with its dotted path, in the order of the models."""
    for name, field in model.model_fields.items():
        if inner := section_of(field.annotation):
            section, is_list = inner
            yield from leaves(section, f"{prefix}{name}{'[]' if is_list else ''}.")
        else:
            yield f"{prefix}{name}", field


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**required**"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"`{json.dumps(value)}`"


_TYPES: dict[Any, str] = {str: "text", int: "whole number", float: "number", bool: "true or false", type(None): "null"}


def _type(annotation: Any) -> str:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _type(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return " or ".join(_type(arm) for arm in get_args(annotation))
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in get_args(annotation))
    if origin is tuple:
        entries = get_args(annotation)
        return "two ports" if Ellipsis not in entries else f"list of {_type(entries[0])}s"
    return _TYPES.get(annotation, "object")


def _variables() -> str:
    rows = [
        "## Environment variables",
        "",
        "Every field of `system.json` can be set by `LEAGUE_` and its path in capitals, with two underscores between",
        "the parts. `LEAGUE_LEAGUE__…`, `LEAGUE_REFEREE__…` and `LEAGUE_PLAYER__…` lead into the league's file and the",
        "defaults of referees and players (where `default_settings` is left out). Lists are written with commas;",
        "`null` stands for null; an empty variable counts as not set. An option of a game is set by its own name, as",
        "in `LEAGUE_LEAGUE__RULES__ROUNDS=9`, and a limit for one choice field as in",
        "`LEAGUE_REFEREE__PARITY_CHOICE_TIMEOUT_SEC=3`. Two more variables say where to look:",
        "",
        "| variable | what it is |",
        "| --- | --- |",
        *(f"| `{name}` | {about} |" for name, about in OTHER_VARIABLES.items()),
        "",
        "And these are the settings:",
        "",
        "| variable | what it is |",
        "| --- | --- |",
        *(f"| `{name}` | {about} |" for name, about in variables()),
        "",
    ]
    return "\n".join(rows)

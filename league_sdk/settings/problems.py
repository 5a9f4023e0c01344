"""Problems of a configuration, described so that a person can fix them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

NOTHING: Any = object()
"""Stands for a value that is absent, or must not be shown."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: source, field in it, value there, and the expectation as a phrase.

    The source is a file's path, `environment variable LEAGUE_…` or `command line`; its field may be empty.
    """

    source: str
    field: str
    value: Any
    expected: str

    def __str__(self) -> str:
        where = f"{self.source}: {self.field}" if self.field else self.source
        if self.value is NOTHING:
            return f"{where}: {self.expected}"
        return f"{where} is {_shown(self.value)}; expected {self.expected}"


class ConfigError(Exception):
    """The configuration cannot be used. The message lists every problem, one a line.

    Attributes:
        problems: All of them, in the order of the sources.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self._message())

    def _message(self) -> str:
        if len(self.problems) == 1:
            return f"The configuration cannot be used: {self.problems[0]}"
        lines = [f"The configuration cannot be used, {len(self.problems)} problems:"]
        return "\n".join(lines + [f"  {problem}" for problem in self.problems])


class UnknownAgent(ValueError):
    """No agent with this id is in the registry."""


def _shown(value: Any, limit: int = 120) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[: limit - 1] + "…"

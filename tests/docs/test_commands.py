"""Every `league …` in the documentation is a command that the program takes, and every command is documented."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docs.generators.commands import commands
from tests.docs.markdown import PAGES, README, ROOT, blocks, without_blocks
from tests.requirements.marker import requirement

COMMANDS: dict[str, Any] = commands()

SHELL = ("sh", "console", "bash")


def typed_in(page: Path) -> list[str]:
    """The whole command lines in a page's blocks."""
    lines = "\n".join(blocks(page.read_text(encoding="utf-8"), *SHELL)).replace("\\\n", " ").splitlines()
    found = (re.match(r"(?:\$ )?(?:[A-Z_]+=\S+ )*league +(.*)", line) for line in lines)
    return [re.split(r" [|>#] ?", match[1])[0].removesuffix(" &").rstrip() for match in found if match]


def mentioned_in(page: Path) -> list[str]:
    """The commands in a page's running text, which may leave out what a command needs."""
    text = without_blocks(page.read_text(encoding="utf-8"))
    return [" ".join(words.split()) for words in re.findall(r"`league\s+([^`]+)`", text)]


def parted(words: list[str]) -> tuple[str, list[str]]:
    """The name of a command, which may have two words, and what follows it."""
    size = 2 if " ".join(words[:2]) in COMMANDS else 1
    return " ".join(words[:size]), words[size:]


def lines(of_page: Callable[[Path], list[str]]) -> list[tuple[str, str]]:
    """Those of all pages, each with the name of its page."""
    return [(str(page.relative_to(ROOT)), line) for page in PAGES for line in of_page(page)]


def test_there_are_commands_in_the_readme():
    assert len(typed_in(ROOT / "README.md")) > 3
    assert len(mentioned_in(ROOT / "README.md")) > 5


@requirement("project-QUAL-07")
def test_every_command_line_is_one_that_the_program_takes():
    for page, line in lines(typed_in):
        name, arguments = parted(shlex.split(line))
        assert name in COMMANDS, (page, line)
        try:
            # Parses the line as the program would, and raises for whatever it does not take.
            COMMANDS[name].make_context(name, arguments).close()
        except Exception as error:
            raise AssertionError(f"{page}: league {line}") from error


def test_every_command_that_is_mentioned_exists_with_its_options():
    for page, line in lines(mentioned_in):
        name, words = parted(line.split())
        if name.startswith("-"):
            continue
        assert name in COMMANDS, (page, line)
        known = {option for param in COMMANDS[name].params for option in (*param.opts, *param.secondary_opts)}
        used = {word.partition("=")[0].rstrip(",") for word in words if word.startswith("-")}
        assert used <= known | {"--help", "-h"}, (page, line)


def test_every_option_in_the_running_text_of_the_readme_exists():
    known = {
        option
        for command in COMMANDS.values()
        for param in command.params
        for option in (*param.opts, *param.secondary_opts)
    }
    used = set(re.findall(r"`(--[a-z-]+)", without_blocks(README)))
    assert used
    assert sorted(used - known - {"--help"}) == []

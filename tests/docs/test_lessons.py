"""The lessons and the how-to pages are followed as they stand: each file is saved, each command typed, in order.

`league` runs in this process, with all agents of a league on one event loop. What is shown as output has to come.
"""

import contextlib
import io
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from servers.cli import main
from tests.docs.markdown import ROOT
from tests.ports import free_base
from tests.requirements.marker import requirement

DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"[Ss]ave (?:this|them|it) as `([\w./]+)`")
PATIENCE = 240.0

DONE_BEFORE = re.compile(r"make run|\. \.venv|mkdir |cd ")
"""Commands that give a reader what this test has: an environment, and a folder."""
ONLY_ELSEWHERE = re.compile(r".*(?:192\.168\.| --open\b| --step\b| --on ray\b|league control\b|join-secret)")
"""Commands that need another machine, its secret, a cluster, a browser, a league that still runs, or somebody there.

test_many_machines types those of four machines on four addresses, test_ray those of a cluster, test_control those of a
running league.
"""
NOT_HERE = {
    "how_to/behind_a_router.md": "needs two programs at once; test_hosted_seats joins by the command that is printed",
    "how_to/run_a_class.md": "needs students; test_class plays one with the printed commands",
    "how_to/postgresql.md": "needs a server; test_stores tests it where there is one",
}
WITH_A_LEAGUE = ("how_to/audit.md", "how_to/watch_and_report.md", "export.md", "faults.md")
"""Pages for those who have played one."""
SLOW = (
    "how_to/openspiel_bot.md",
    "how_to/choose_a_format.md",
    "how_to/choose_a_game.md",
    "how_to/rate_players.md",
    "how_to/run_experiments.md",
    "how_to/write_a_strategy.md",
)
"""Pages that play for long, or with a library that only the slow tests install."""
WRONG = {"league audit --records changed.jsonl": 1}
"""Commands that are meant to fail, and their exit codes."""


class Reader:
    """Does what a page says.

    Args:
        folder: Where.
        environment: Sets variables for as long as the reader is there.
    """

    def __init__(self, folder: Path, environment: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.said = ""
        self.agent = "ada.py"
        self.base = free_base()
        self._environment = environment
        environment.chdir(folder)
        environment.setenv("COLUMNS", "200")
        environment.setenv("TERM", "dumb")
        environment.setenv("LEAGUE_MANAGER", f"http://localhost:{self.base}/mcp")
        environment.syspath_prepend(folder / "my_games")
        for name in ("LEAGUE_CONFIG", "LEAGUE_DATA", "FORCE_COLOR"):
            environment.delenv(name, raising=False)

    def follow(self, name: str) -> None:
        """Read a page of `docs/` from its beginning to its end."""
        text = (DOCS / name).read_text(encoding="utf-8")
        self.said, end = "", 0
        for block in BLOCK.finditer(text):
            before = text[end : block.start()].strip().rpartition("\n\n")[2]
            saved = FILE.search(" ".join(before.split()))
            end = block.end()
            language, content = block.groups()
            if language in ("python", "json", "toml") and saved:
                path = self.folder / saved[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
                if ".run()" in content:
                    self.agent = saved[1]
            elif language == "python":
                exec(compile(content, name, "exec"), {})
            elif language == "json":
                json.loads(content)
            elif language == "sh":
                for line in content.replace("\\\n", " ").splitlines():
                    self.type(line)
            elif language == "text":
                # A line may leave out by `…` what differs from league to league.
                patterns = [r"\S+".join(map(re.escape, line.strip().split("…"))) for line in content.splitlines()]
                missing = [pattern for pattern in patterns if not re.search(pattern, self.said)]
                assert missing == [], f"{name}: {self.said}"
            elif language == "console":
                continue  # Kubernetes, ssh: for another machine; test_commands parses its `league …`
            else:
                raise AssertionError(f"{name}: nobody knows what to do with a block of {language!r}")

    def type(self, line: str) -> None:
        """Type one command line."""
        if DONE_BEFORE.match(line) or ONLY_ELSEWHERE.match(line):
            return
        if line.startswith("export "):
            self._environment.setenv(*line.removeprefix("export ").split("=", 1))
            return
        command, _, piped = line.partition(" | ")
        if command.startswith("league "):
            code, printed = self._league(shlex.split(command, comments=True)[1:])
            assert code == WRONG.get(line, 0), f"{line}: {printed}"
            self.said += printed
            command = piped
        else:
            printed = ""
        if command == f"python {self.agent}":
            return  # it has been started beside its league
        if command:
            environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
            done = subprocess.run(
                command, shell=True, input=printed, capture_output=True, text=True, timeout=PATIENCE, env=environment
            )
            assert done.returncode == 0, f"{line}: {done.stderr}"
            self.said += done.stdout

    def _league(self, arguments: list[str]) -> tuple[int, str]:
        printed, code = io.StringIO(), 0
        if arguments[0] == "run":
            arguments = [*arguments, "--in-process", "--port-base", str(self.base)]
        if arguments[0] == "doctor":
            arguments = [*arguments, "--port-base", str(self.base)]
        self._environment.setattr(sys, "argv", ["league", *arguments])
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), self._guest(arguments):
            try:
                main()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
        return code, printed.getvalue()

    @contextlib.contextmanager
    def _guest(self, arguments: list[str]) -> Generator[None]:
        """The reader's own agent, where a league has a seat for it."""
        if "--guests" not in arguments:
            yield
            return
        agent = threading.Thread(target=lambda: runpy.run_path(self.agent, run_name="__main__"))
        agent.start()
        yield
        agent.join(PATIENCE)
        assert not agent.is_alive()


@pytest.fixture
def reader(tmp_path: Path) -> Generator[Reader]:
    with pytest.MonkeyPatch.context() as environment:
        yield Reader(tmp_path, environment)


@requirement("project-QUAL-07")
def test_the_lessons_can_be_followed_one_after_the_other(reader: Reader):
    for page in ("tutorial/first_league.md", "tutorial/first_agent.md", "tutorial/first_match.md", *WITH_A_LEAGUE):
        reader.follow(page)


def pages() -> list[str]:
    return sorted(page.relative_to(DOCS).as_posix() for page in (DOCS / "how_to").glob("*.md"))


def test_what_is_left_out_exists():
    assert set(NOT_HERE) <= set(pages())


@requirement("project-QUAL-07")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow) if page in SLOW else page
        for page in sorted({*pages()} - {*NOT_HERE, *WITH_A_LEAGUE})
    ],
)
def test_a_how_to_page_can_be_followed(page: str, reader: Reader):
    reader.follow(page)


@pytest.mark.parametrize(
    "page", [*pages(), *sorted(f"tutorial/{path.name}" for path in (DOCS / "tutorial").glob("*.md"))]
)
def test_every_setting_that_a_page_names_exists(page: str):
    known = (DOCS / "configuration.md").read_text(encoding="utf-8")
    text = (DOCS / page).read_text(encoding="utf-8")
    named = re.findall(r"\b((?:security|limits|timeouts|retry_policy|logging)\.[a-z_]+)\b", text)
    assert [name for name in named if f"| `{name}` |" not in known] == []
    variables = re.findall(r"\bLEAGUE_[A-Z_]*[A-Z]\b", text)
    assert [name for name in variables if f"| `{name}` |" not in known] == []

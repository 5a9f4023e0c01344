"""`league host`, as far as it does not serve."""

import json
import sys
from pathlib import Path

import pytest

from servers.host.install import ENTRY, config_file


@pytest.fixture
def home(monkeypatch, tmp_path) -> Path:
    """A home that is not ours."""
    for name in ("HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path


def configuration(home: Path) -> Path:
    return config_file(sys.platform, {"XDG_CONFIG_HOME": str(home / "XDG_CONFIG_HOME")}, home / "HOME")


def test_it_prints_the_entry_for_a_host_with_absolute_paths(league, home):
    ran = league("host", "--print", "--name", "Ada", "--data", "here", "--plugins", "mine", "--set", "a.b=1")
    assert ran.code == 0
    ((name, entry),) = ran.json["mcpServers"].items()
    assert name == ENTRY
    assert Path(entry["command"]).is_absolute()
    words = entry["args"][entry["args"].index("host") :]
    folder = Path.cwd()
    expected = ["--name", "Ada", "--data", folder / "here", "--plugins", folder / "mine", "--set", "a.b=1"]
    assert words == ["host", *map(str, expected)]
    assert not configuration(home).exists()


def test_it_passes_every_choice_on(league, home):
    given = ["--manager", "http://x/mcp", "--game", "tic_tac_toe", "--fallback", "mirror", "--ask", "sampling"]
    more = ["--host", "0.0.0.0", "--player-port", "8150", "--public-host", "ada.example"]
    arguments = league("host", "--print", *given, *more).json["mcpServers"][ENTRY]["args"]
    assert arguments[arguments.index("host") + 1 : arguments.index("--data")] == [*given, *more]


def test_it_writes_the_entry_once_and_keeps_what_is_there(league, home):
    path = configuration(home)
    path.parent.mkdir(parents=True)
    path.write_text('{"theme": "dark", "mcpServers": {"files": {"command": "npx"}}}')
    ran = league("host", "--install", "claude-desktop", "--name", "Ada")
    assert ran.code == 0
    assert ran.out == ""
    assert f"wrote the entry to {path}" in ran.err.replace("\n", "")
    assert "quit Claude Desktop completely" in ran.err.replace("\n", " ")
    after = json.loads(path.read_text())
    assert after["theme"] == "dark"
    assert sorted(after["mcpServers"]) == ["files", ENTRY]
    again = league("host", "--install", "claude-desktop", "--name", "Ada")
    assert "nothing was changed" in again.err.replace("\n", " ")


def test_it_asks_whether_the_host_is_there_when_its_folder_is_not(league, home):
    ran = league("host", "--install", "claude-desktop")
    assert "is Claude Desktop installed" in ran.err.replace("\n", " ")
    assert configuration(home).is_file()


def test_a_configuration_that_cannot_be_understood_is_a_mistake_and_stays(league, home):
    path = configuration(home)
    path.parent.mkdir(parents=True)
    path.write_text("{")
    ran = league("host", "--install", "claude-desktop")
    assert ran.code == 2
    assert "is not JSON" in ran.err
    assert path.read_text() == "{"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--install", "emacs"], "claude-desktop"),
        (["--fallback", "clairvoyant"], "clairvoyant"),
        (["--game", "ludo"], "ludo"),
    ],
)
def test_what_there_is_not_is_a_mistake_that_names_what_there_is(league, home, arguments, said):
    ran = league("host", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""

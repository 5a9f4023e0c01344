"""A seat in the configuration of Claude Desktop."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from servers.host.install import ENTRY, NotInstalled, command_line, config_file, entry_of, install

HOME = Path("/home/ada")
ADDITION = entry_of("/opt/league", ["host", "--name", "Ada"])


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("darwin", {}, HOME / "Library" / "Application Support" / "Claude"),
        ("win32", {"APPDATA": "/roaming"}, Path("/roaming/Claude")),
        ("win32", {}, HOME / "AppData" / "Roaming" / "Claude"),
        ("linux", {}, HOME / ".config" / "Claude"),
        ("linux", {"XDG_CONFIG_HOME": "/etc/ada"}, Path("/etc/ada/Claude")),
    ],
)
def test_each_system_has_its_own_place_for_the_configuration(platform, environ, expected):
    assert config_file(platform, environ, HOME) == expected / "claude_desktop_config.json"


def test_the_command_is_an_absolute_path():
    command, arguments = command_line(["--name", "Ada"])
    assert Path(command).is_absolute()
    assert arguments[-3:] == ["host", "--name", "Ada"]


def test_without_a_script_it_is_the_interpreter_that_runs_the_package(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert command_line([]) == (str(tmp_path / "python"), ["-P", "-m", "servers", "host"])


def test_a_new_configuration_holds_the_seat_alone(tmp_path):
    path = tmp_path / "Claude" / "config.json"
    done = install(path, ADDITION)
    assert (done.changed, done.backup, done.new_folder) == (True, None, True)
    assert json.loads(path.read_text()) == ADDITION
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["config.json"]


def test_everything_that_is_there_stays_and_a_copy_of_it_as_well(tmp_path):
    path = tmp_path / "config.json"
    before: dict[str, Any] = {
        "theme": "dark",
        "mcpServers": {"files": {"command": "npx", "env": {"A": "ä"}}},
        "last": [1, None],
    }
    path.write_text(json.dumps(before), encoding="utf-8")
    path.chmod(0o640)
    done = install(path, ADDITION)
    after = json.loads(path.read_text(encoding="utf-8"))
    assert list(after) == list(before)
    assert after["mcpServers"] == {**before["mcpServers"], **ADDITION["mcpServers"]}
    assert {key: after[key] for key in ("theme", "last")} == {"theme": "dark", "last": [1, None]}
    assert path.stat().st_mode & 0o777 == 0o640
    assert done.backup == tmp_path / "config.json.bak"
    assert done.backup is not None
    assert json.loads(done.backup.read_text(encoding="utf-8")) == before


def test_the_same_seat_again_changes_nothing_and_another_one_takes_its_place(tmp_path):
    path = tmp_path / "config.json"
    install(path, ADDITION)
    again = install(path, ADDITION)
    assert (again.changed, again.backup) == (False, None)
    install(path, entry_of("/opt/league", ["host", "--name", "Bea"]))
    assert json.loads(path.read_text())["mcpServers"][ENTRY]["args"] == ["host", "--name", "Bea"]


def test_an_empty_file_is_as_good_as_none(tmp_path):
    path = tmp_path / "config.json"
    path.write_text("\ufeff\n", encoding="utf-8")
    install(path, ADDITION)
    assert json.loads(path.read_text()) == ADDITION


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "dotfiles.json", tmp_path / "config.json"
    real.write_text("{}")
    link.symlink_to(real)
    install(link, ADDITION)
    assert link.is_symlink()
    assert json.loads(real.read_text()) == ADDITION


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"mcpServers": {', "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b'{"mcpServers": []}', "is not an object"),
        (b"\xff\xfe\x00", "is not UTF-8"),
    ],
)
def test_what_cannot_be_understood_is_left_as_it_is(tmp_path, content, said):
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(NotInstalled, match=said):
        install(path, ADDITION)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["config.json"]


def test_a_folder_that_cannot_be_written_to_is_told_in_a_sentence(tmp_path):
    (tmp_path / "Claude").write_text("a file in the way")
    with pytest.raises(NotInstalled, match="cannot be written"):
        install(tmp_path / "Claude" / "config.json", ADDITION)


def test_a_write_that_fails_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "config.json"
    path.write_text('{"theme": "dark"}')

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(NotInstalled, match="No space left"):
        install(path, ADDITION)
    assert json.loads(path.read_text()) == {"theme": "dark"}
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]

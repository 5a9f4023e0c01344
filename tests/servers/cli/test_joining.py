"""Ways to show a join secret: none of them stands on a command line."""

import io
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from league_sdk.net.join_links import JoinLink
from servers.agent.agent_spec import AgentSpec
from servers.cli.joining import read_joining

SECRET = "K7QD-02MX-9RTB-HJ4E"
LINK = JoinLink("Ada Lovelace", "http://league.example:8000/mcp", SECRET)


@pytest.fixture
def played(league, monkeypatch) -> Callable[..., Any]:
    """Runs `league player`, and returns its specification, or the outcome of a refusal."""
    specs: list[AgentSpec] = []
    monkeypatch.setattr("servers.cli.foreground_agents.serve", lambda spec, as_json: specs.append(spec))

    def run(*words: object) -> Any:
        specs.clear()
        ran = league("player", *words)
        assert SECRET not in ran.out + ran.err
        return specs[0] if specs else ran

    return run


def kept(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "card.txt"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def test_a_link_file_has_name_manager_and_secret_and_connects_out(played, tmp_path):
    spec = played("--join-link-file", kept(tmp_path, f"Hello Ada,\n\n{LINK.url}\n"))
    assert (spec.name, spec.manager_url, spec.outbound) == (LINK.name, LINK.manager, True)
    assert spec.overrides["security.join_secret"] == SECRET
    elsewhere = ("--manager", "http://localhost:9000/mcp", "--listen")
    spec = played("--join-link-file", kept(tmp_path, LINK.url), *elsewhere)
    assert (spec.manager_url, spec.outbound) == ("http://localhost:9000/mcp", False)


def test_a_link_names_the_game_unless_the_command_does(played, tmp_path):
    file = kept(tmp_path, replace(LINK, game="tic_tac_toe").url)
    assert played("--join-link-file", file).game_types == ("tic_tac_toe",)
    assert played("--join-link-file", file, "--game", "even_odd").game_types == ("even_odd",)
    assert played("--join-link-file", kept(tmp_path, LINK.url)).game_types == ()


def test_a_file_the_environment_or_a_question_has_the_secret(played, tmp_path, monkeypatch):
    file = kept(tmp_path, f"{SECRET}\n")
    assert played("--name", "Ada", "--join-secret-file", file).overrides["security.join_secret"] == SECRET
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{SECRET}\n"))
    assert played("--name", "Ada", "--ask-join-secret").overrides["security.join_secret"] == SECRET
    monkeypatch.setenv("LEAGUE_JOIN_SECRET", "of the environment")
    assert played("--name", "Ada").overrides["security.join_secret"] == "of the environment"
    assert played("--name", "Ada", "--join-secret-file", file).overrides["security.join_secret"] == SECRET


def test_on_a_terminal_the_secret_is_not_shown(played, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda prompt: f" {SECRET} ")
    assert played("--ask-join-secret").overrides["security.join_secret"] == SECRET


@pytest.mark.parametrize(
    "words",
    [
        ("--join-secret", SECRET),
        (f"--join-secret={SECRET}",),
        ("--set", f"security.join_secret={SECRET}"),
        ("--join-secret",),
    ],
)
def test_a_secret_on_the_command_line_is_refused_with_the_ways_there_are(played, words):
    ran = played("--name", "Ada", *words)
    assert ran.code == 2
    assert "LEAGUE_JOIN_SECRET" in ran.err or "LEAGUE_SECURITY__JOIN_SECRET" in ran.err
    if "--set" not in words:
        assert "--join-secret-file" in ran.err
        assert "--ask-join-secret" in ran.err


@pytest.mark.parametrize("words", [(SECRET,), (SECRET.lower().replace("-", ""),), tuple(SECRET.split("-"))])
def test_a_secret_in_the_wrong_place_is_not_repeated(played, words):
    ran = played("--name", "Ada", "--ask-join-secret", *words)
    assert ran.code == 2
    assert "takes no 'K7QD…'" in ran.err.replace("k7qd", "K7QD")


@pytest.mark.parametrize("key", ["security.join_secret", "security.referee_secret"])
@pytest.mark.parametrize("command", ["run", "manager", "referee", "host"])
def test_no_command_takes_a_secret_as_a_setting(league, command, key):
    ran = league(command, "--set", f"{key}={SECRET}")
    assert ran.code == 2
    assert f"set LEAGUE_{key.upper().replace('.', '__')}" in ran.err
    assert SECRET not in ran.err


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (LINK.url, ("--name", "Bob"), "the join link is for 'Ada Lovelace', not for 'Bob'; leave --name out"),
        (f"{LINK.url}&game=%1b%5b2J", (), "the game in the join link is no game's name"),
        (SECRET, (), "there is no join link, such as"),
        (LINK.url.replace("secret", "secrets"), (), "no name or no secret: copy it whole"),
        (LINK.url, ("--ask-join-secret",), "comes from one of --join-link-file, --join-secret-file and"),
    ],
)
def test_a_link_that_cannot_be_used_is_told_in_a_sentence(played, tmp_path, text, words, said):
    ran = played("--join-link-file", kept(tmp_path, text), *words)
    assert (ran.code, said in ran.err) == (2, True), ran.err


def test_files_that_are_not_there_or_empty_are_told(played, tmp_path):
    for flag in ("--join-link-file", "--join-secret-file"):
        assert "cannot be read: No such file or directory" in played(flag, tmp_path / "none.txt").err
    assert "is empty; it has to hold the join secret" in played("--join-secret-file", kept(tmp_path, "\n")).err


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")
def test_a_file_that_others_can_read_is_warned_of(tmp_path, capsys):
    path = kept(tmp_path, LINK.url, mode=0o644)
    assert read_joining(None, None, path, None).secret == SECRET
    assert f"run: chmod 600 {path}" in capsys.readouterr().err


def test_a_host_joins_with_a_card_and_its_entry_names_the_file_alone(league, tmp_path):
    path = kept(tmp_path, LINK.url)
    printed = league("host", "--print", "--join-link-file", path)
    assert str(path) in printed.out
    assert SECRET not in printed.out

"""Runs the README and what it was too long for: its snippets, its calls, its commands."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk import Game, Player, PlayerView
from league_sdk.domain.matches.match import new_match, step
from league_sdk.domain.matches.match_io import AskForMove, Begin, Command, Input, Invite, Joined, MoveMade, SendReport
from league_sdk.domain.model import Role
from league_sdk.testing import check_game, check_strategy
from league_sdk.transports import connectors
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent
from tests.docs.markdown import README, ROOT, blocks
from tests.ports import free_base
from tests.requirements.marker import requirement

AGENT, GAME = (
    blocks((ROOT / page).read_text(encoding="utf-8"), "python")[0]
    for page in ("README.md", "docs/how_to/write_a_game_of_turns.md")
)
HOSTS = (ROOT / "docs" / "hosts.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CALLS = re.findall(r"^`(\w+)`:\n\n```json\n(.*?)^```$", HOSTS, re.MULTILINE | re.DOTALL)


def run_snippet(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "readme"}
    exec(compile(text, "a page's block", "exec"), names)
    return names


def test_the_first_block_is_the_two_commands_and_they_exist():
    first = re.search(r"^```\w*\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert first is not None
    assert first[1] == "make run\nmake test\n"
    for line in first[1].splitlines():
        assert re.search(rf"^{line.removeprefix('make ')}:", MAKEFILE, re.MULTILINE)


@requirement("003-DOC-05")
def test_the_readme_is_short_and_its_first_league_and_first_agent_come_first():
    assert len(README.split()) <= 1200
    headings = re.findall(r"^## (.+)$", README, re.MULTILINE)
    assert headings[:2] == ["Your first league", "Write an agent"]


@requirement("project-API-01")
def test_the_agent_is_ten_lines_that_make_a_player():
    assert len([line for line in AGENT.splitlines() if line]) <= 10
    names = run_snippet(AGENT)
    assert isinstance(names["player"], Player)
    assert names["player"].setup().strategy is names["choose"]
    view = PlayerView("even_odd", "L", "R1M1", 1, "P01", "P02", legal_moves=("even", "odd"))
    assert names["choose"](view) in ("even", "odd")


@requirement("project-API-02")
def test_the_game_and_its_strategy_keep_their_contracts():
    names = run_snippet(GAME)
    game, expert = names["Nim"](), names["expert"]
    check_game(game)
    check_strategy(expert, game)


@requirement("project-QUAL-07")
def test_the_game_is_played_to_its_end_by_the_machine_that_referees_use():
    game: Game[Any] = run_snippet(GAME)["Nim"]()
    match = new_match(game, match_id="R1M1", round_id=1, players=("P01", "P02"), referee_id="REF01", seed="any")
    waiting: list[Input] = [Begin("t")]
    sent: list[Command] = []
    while waiting:
        match, commands = step(match, waiting.pop(0))
        sent.extend(commands)
        for command in commands:
            if isinstance(command, Invite):
                waiting.append(Joined(command.player, "t"))
            elif isinstance(command, AskForMove):
                waiting.append(MoveMade(command.player, game.legal_moves(match.game_state, command.player)[-1], "t"))
    (report,) = [command for command in sent if isinstance(command, SendReport)]
    assert report.result.winner == "P01"
    assert report.result.reason == "P01 took the last stick."


def test_the_view_has_every_field_that_the_readme_names():
    paragraph = README[README.index("The view has") : README.index("[Write an agent]")]
    named = set(re.findall(r"`([a-z_]+)`", paragraph)) - {"async"}
    assert len(named) > 6
    assert named <= set(PlayerView.__dataclass_fields__)


@requirement("project-QUAL-07")
@pytest.mark.anyio
async def test_the_calls_by_hand_are_answered_as_the_page_says(tmp_path: Path):
    endpoint, listening = "", anyio.Event()

    def report(what: Any) -> None:
        nonlocal endpoint
        assert what["kind"] == "listening", what
        endpoint = what["endpoint"]
        listening.set()

    answers: list[Any] = []
    spec = AgentSpec(Role.PLAYER, "Ada", tmp_path, strategy="always-even", game_types=("even_odd",))
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks, connectors() as (mcp, _):
            tasks.start_soon(run_agent, spec, report)
            await listening.wait()
            async with mcp.connect(endpoint) as connection:
                for tool, text in CALLS:
                    answers.append(await connection.call(tool, json.loads(text), timeout=10))
            tasks.cancel_scope.cancel()
    assert [tool for tool, _ in CALLS] == ["handle_game_invitation", "choose_parity"]
    joined, chosen = answers
    assert (joined["message_type"], joined["accept"]) == ("GAME_JOIN_ACK", True)
    assert (chosen["message_type"], chosen["parity_choice"]) == ("CHOOSE_PARITY_RESPONSE", "even")
    assert '`"accept": true`' in HOSTS
    assert '`"parity_choice": "even"`' in HOSTS


def start(folder: Path, line: str, *more: str) -> subprocess.Popen[str]:
    """Start a command line of a page in a folder of its own, at ports of its own."""
    program, *arguments = shlex.split(line)
    programs = {"league": str(Path(sys.executable).with_name("league")), "python": sys.executable}
    return subprocess.Popen(
        [programs[program], *arguments, *more],
        cwd=folder,
        env=os.environ | {"LEAGUE_DATA": str(folder / "data"), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line_with(text: str) -> str:
    pages = README, (ROOT / "docs/how_to/write_a_game_of_turns.md").read_text(encoding="utf-8")
    (line,) = [line for page in pages for block in blocks(page, "sh") for line in block.splitlines() if text in line]
    return line


@requirement("project-API-01")
@pytest.mark.end_to_end
def test_the_agent_plays_a_league_as_the_readme_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    base = free_base()
    monkeypatch.setenv("LEAGUE_MANAGER", f"http://localhost:{base}/mcp")
    (tmp_path / "ada.py").write_text(AGENT, encoding="utf-8")
    with (
        start(tmp_path, line_with("python ada.py")) as ada,
        start(tmp_path, line_with("--guests"), "--json", "--port-base", str(base)) as run,
    ):
        told, errors = run.communicate(timeout=90)
        said, ada_errors = ada.communicate(timeout=240)
    assert run.returncode == 0, errors
    assert ada.returncode == 0, ada_errors
    league = json.loads(told)
    assert (league["state"], len(league["matches"])) == ("COMPLETED", 6)
    (me,) = [player for player in league["players"] if player["display_name"] == "Ada"]
    assert f"Ada: registered as {me['player_id']} in {league['league_id']}" in said
    assert len(re.findall(r"^Ada: R\dM\d against .+: (?:win|draw|loss), points: \d$", said, re.MULTILINE)) == 3
    assert said.splitlines()[-1].startswith("Ada: the league is over; champion")


@requirement("project-API-02")
@pytest.mark.end_to_end
@pytest.mark.slow
def test_the_game_is_played_in_a_league_as_its_page_says(tmp_path: Path):
    (tmp_path / "my_games").mkdir()
    (tmp_path / "my_games" / "nim.py").write_text(GAME, encoding="utf-8")
    with start(tmp_path, line_with("--plugins my_games"), "--json", "--in-process", "--port-base", "0") as run:
        told, errors = run.communicate(timeout=90)
    assert run.returncode == 0, errors
    league = json.loads(told)
    assert (league["game_type"], league["state"], len(league["matches"])) == ("nim", "COMPLETED", 1)
    # The expert has the first seat and 15 sticks before it: nobody can beat it.
    assert league["champion"]["display_name"] == "Ada"
    assert league["matches"][0]["reason"] == "P01 took the last stick."

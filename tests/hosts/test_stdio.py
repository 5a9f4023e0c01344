"""Agents that a host starts: MCP over standard input and output, in both eras, to an orderly end."""

import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from servers.cli import main
from tests.servers.host_client import read

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.end_to_end]
LEAGUE = Path(sys.executable).with_name("league")
PATIENCE = 240.0


def command(folder: Path, *arguments: str) -> list[str]:
    return [str(LEAGUE), *arguments, "--stdio", "--port", "0", "--data", str(folder)]


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_host_starts_a_player_looks_at_it_and_calls_it(tmp_path: Path, era: str):
    program, *arguments = command(tmp_path, "player", "--standalone", "--name", "Ada", "--strategy", "always-even")
    parameters = StdioServerParameters(command=program, args=arguments)
    with anyio.fail_after(PATIENCE):
        async with Client(stdio_client(parameters), mode=era) as client:
            history = await read(client, "league://none/history")
            tools = {tool.name for tool in (await client.list_tools()).tools}
    assert history["played"] == 0
    assert "handle_game_invitation" in tools


@pytest.mark.parametrize("how", ["end of input", "signal"])
def test_an_agent_ends_with_its_host_and_when_it_is_told_to_although_the_host_stays(tmp_path: Path, how: str):
    program = subprocess.Popen(
        command(tmp_path, "manager", "--players", "2"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdin is not None
    assert program.stderr is not None
    assert program.stdout is not None
    with program:
        assert any("listens at" in line for line in iter(program.stderr.readline, ""))
        if how == "signal":
            program.send_signal(signal.SIGTERM)
            code = program.wait(PATIENCE)
        else:
            program.stdin.close()
            code = program.wait(PATIENCE)
        assert program.stdout.read() == ""
        assert "the league is stopped" in program.stderr.read()
    assert code == (130 if how == "signal" else 0)


def test_the_wire_and_reports_as_json_do_not_share_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "argv", [*command(tmp_path, "player", "--standalone"), "--json"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code not in (0, None)
    assert "--stdio and --json" in capsys.readouterr().err

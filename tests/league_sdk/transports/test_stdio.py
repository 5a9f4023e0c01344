import shlex
import sys
import textwrap

import anyio
import pytest

from league_sdk.errors import InvalidEndpoint, PeerUnreachable
from league_sdk.transports.stdio import StdioConnector
from tests.forked_program import forked_command

pytestmark = pytest.mark.anyio

PATIENCE = 120.0
"""Seconds until a test gives up: far more than a busy machine needs to start a program."""

PROGRAM = """
    import os
    import sys

    import anyio

    from league_sdk.testing import EchoHost
    from league_sdk.transports.stdio import serve_stdio


    class Host(EchoHost):
        async def call(self, tool, arguments, context):
            match tool:
                case "refuse":
                    os._exit(1)
                case "echo":
                    print("a stray line")
                    return {"text": os.environ.get(arguments["text"], ""), "bearer": None, "address": "", "dialect": ""}
            return await super().call(tool, arguments, context)


    anyio.run(serve_stdio, Host())
    print("the end", file=sys.stderr)
"""


@pytest.fixture
def endpoint(tmp_path):
    program = tmp_path / "a program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    return f"stdio:{shlex.join(forked_command(str(program)))}"


async def test_a_program_is_started_given_its_environment_survives_its_own_prints_and_ends(endpoint, tmp_path):
    with (tmp_path / "errors").open("w+") as errlog:
        connector = StdioConnector(env={"LEAGUE_ID": "lg-7"}, cwd=tmp_path, errlog=errlog)
        with anyio.fail_after(PATIENCE):
            async with connector.connect(endpoint) as connection:
                reply = await connection.call("echo", {"text": "LEAGUE_ID"}, timeout=PATIENCE)
                assert reply["text"] == "lg-7"
        assert (tmp_path / "errors").read_text() == "a stray line\nthe end\n"


async def test_a_program_that_dies_in_mid_call_is_unreachable_and_can_be_started_again(endpoint):
    connector = StdioConnector()
    with anyio.fail_after(PATIENCE):
        for _ in range(2):
            with pytest.raises(PeerUnreachable):
                async with connector.connect(endpoint) as connection:
                    await connection.call("refuse", {"text": "x"}, timeout=PATIENCE)


@pytest.mark.parametrize("command", ["/no/such/program", f"{shlex.quote(sys.executable)} -c pass"])
async def test_a_program_that_does_not_serve_is_unreachable(command):
    with anyio.fail_after(PATIENCE), pytest.raises(PeerUnreachable):
        async with StdioConnector().connect(f"stdio:{command}"):
            pytest.fail("nobody was there")


@pytest.mark.parametrize("endpoint", ["stdio:", "stdio:  "])
async def test_an_endpoint_without_a_command_is_invalid(endpoint):
    with pytest.raises(InvalidEndpoint, match="names no command"):
        async with StdioConnector().connect(endpoint):
            pytest.fail("there was nothing to start")

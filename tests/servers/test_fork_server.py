"""The process that agents are forked from."""

import subprocess
import sys

import pytest

from servers import cli
from servers.fork_server import deaf_to_interrupts


def test_a_process_that_is_started_deaf_never_notices_an_interrupt_and_we_do_again():
    ask = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    with deaf_to_interrupts():
        inside = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, timeout=30, check=True)
    after = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, timeout=30, check=True)
    assert (inside.stdout, after.stdout) == ("True\n", "False\n")


def test_nothing_is_loaded_before_it_starts():
    ask = "import sys, servers.fork_server; print(*{name.partition('.')[0] for name in sys.modules} - known)"
    listed = f"import sys; known = {{*sys.stdlib_module_names, *sys.modules}}; {ask}"
    found = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, timeout=30, check=True)
    assert set(found.stdout.split()) <= {"servers", "__mp_main__"}


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        (["run"], True),
        (["resume", "league_2025_even_odd"], True),
        (["run", "--in-process"], False),
        (["run", "--help"], False),
        (["standings"], False),
        ([], False),
    ],
)
def test_it_is_the_first_thing_that_a_command_starts_which_needs_it(monkeypatch, arguments, starts):
    done: list[str] = []
    monkeypatch.setattr("sys.argv", ["league", *arguments])
    monkeypatch.setattr("servers.fork_server.start_fork_server", lambda: done.append("fork server"))
    monkeypatch.setattr("servers.cli.app.run_app", lambda: done.append("command"))
    cli.main()
    assert done == (["fork server"] if starts else []) + ["command"]

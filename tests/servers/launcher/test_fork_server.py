"""The process that agents are forked from."""

import os
import subprocess
import sys
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import pytest

from servers import cli
from servers.launcher.fork_server import deaf_to_interrupts, end_fork_server, start_fork_server


def pid_of_the_fork_server() -> int:
    server: Any = forkserver.ensure_running.__self__
    return server._forkserver_pid


def test_a_process_that_is_started_deaf_never_notices_an_interrupt_and_we_do_again():
    ask = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    with deaf_to_interrupts():
        inside = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, timeout=240, check=True)
    after = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, timeout=240, check=True)
    assert (inside.stdout, after.stdout) == ("True\n", "False\n")


def test_nothing_is_loaded_before_it_starts():
    ask = "import sys, servers.launcher.fork_server; print(*{name.partition('.')[0] for name in sys.modules} - known)"
    listed = f"import sys; known = {{*sys.stdlib_module_names, *sys.modules}}; {ask}"
    found = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, timeout=240, check=True)
    assert set(found.stdout.split()) <= {"servers", "__mp_main__"}


SHADOWING = "raise SystemExit('the json.py of the current folder was loaded')"


def test_it_starts_where_the_temporary_folder_is_too_long_for_a_socket(tmp_path):
    folder = tmp_path / ("long-" * 20)
    folder.mkdir()
    module = "servers.launcher.fork_server"
    begin = f"import tempfile, {module}; {module}.start_fork_server(); print(tempfile.gettempdir())"
    environ = {**os.environ, "TMPDIR": str(folder)}
    told: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 240, "check": False, "env": environ}
    ran = subprocess.run([sys.executable, "-c", begin], **told)
    assert (ran.returncode, ran.stdout.strip()) == (0, str(folder)), ran.stderr


def tell_variable(pipe: Any) -> None:
    pipe.send(os.environ.get("PYTHONSAFEPATH"))


def test_a_module_of_the_current_folder_does_not_stand_for_the_library_s(tmp_path):
    (tmp_path / "json.py").write_text(SHADOWING, encoding="utf-8")
    program = Path(sys.executable).with_name("league")
    data = ("--data", str(tmp_path / "data"), "--port-base", "0", "--players", "2", "--quiet", "--json")
    environ = {name: value for name, value in os.environ.items() if name not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    told: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 240}
    ran = subprocess.run([program, "run", *data], cwd=tmp_path, env=environ, **told)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert '"state": "COMPLETED"' in ran.stdout


def test_its_path_is_kept_from_the_agents(monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    end_fork_server()
    context = start_fork_server()
    assert context is not None
    there, here = context.Pipe()
    process = context.Process(target=tell_variable, args=(there,))
    process.start()
    assert here.poll(60)
    assert here.recv() is None
    process.join(30)
    end_fork_server()
    assert "PYTHONSAFEPATH" not in os.environ


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        (["run"], True),
        (["resume", "league_even_odd"], True),
        (["run", "--in-process"], False),
        (["run", "--help"], False),
        (["standings"], False),
        ([], False),
    ],
)
def test_it_is_the_first_thing_that_a_command_starts_which_needs_it(monkeypatch, arguments, starts):
    done: list[str] = []
    monkeypatch.setattr("sys.argv", ["league", *arguments])
    monkeypatch.setattr("servers.launcher.fork_server.start_fork_server", lambda: done.append("fork server"))
    monkeypatch.setattr("servers.launcher.fork_server.end_fork_server", lambda: done.append("its end"))
    monkeypatch.setattr("servers.cli.app.run_app", lambda: done.append("command"))
    cli.main()
    assert done == (["fork server", "command", "its end"] if starts else ["command"])


@pytest.mark.parametrize("mistake", [["--players", "1x"], ["--game", "ludo"]], ids=str)
def test_it_is_gone_when_a_command_ends_that_was_a_mistake(monkeypatch, tmp_path, mistake):
    pids: list[int] = []

    def start() -> None:
        start_fork_server()
        pids.append(pid_of_the_fork_server())

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["league", "run", *mistake])
    monkeypatch.setattr("servers.launcher.fork_server.start_fork_server", start)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    (pid,) = pids
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_it_can_be_started_again_after_its_end(monkeypatch):
    monkeypatch.setattr("servers.launcher.fork_server.PRELOADED", [])  # which takes seconds, twice
    end_fork_server()
    pids: list[int] = []
    for _ in range(2):
        context = start_fork_server()
        assert context is not None
        process = context.Process(target=int)
        process.start()
        process.join(30)
        assert process.exitcode == 0
        pids.append(pid_of_the_fork_server())
        end_fork_server()
    assert pids[0] != pids[1]
    end_fork_server()  # nothing is left to end

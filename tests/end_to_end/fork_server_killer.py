"""`league` whose fork server is killed when it has been asked for an agent: `TIMES COMMAND …`, as in `1,4 run`.

The times are counted from 1; `always` kills it every time.
"""

import os
import signal
import sys
from multiprocessing import forkserver

from servers.cli.app import run_app


def kill_fork_server() -> None:
    """Kill the one of this process, and wait until it is dead."""
    pid = vars(forkserver.ensure_running.__self__)["_forkserver_pid"]
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def main(times: str, *arguments: str) -> None:
    """The command, sabotaged."""
    ask, asked = forkserver.connect_to_new_process, [0]

    def killed_meanwhile(fds: list[int]) -> tuple[int, int]:
        answer = ask(fds)
        asked[0] += 1
        if times == "always" or str(asked[0]) in times.split(","):
            kill_fork_server()
        return answer

    setattr(forkserver, "connect_to_new_process", killed_meanwhile)  # noqa: B010 - a stand-in, unknown to the library
    sys.argv = ["league", *arguments]
    run_app()


if __name__ == "__main__":
    main(*sys.argv[1:])

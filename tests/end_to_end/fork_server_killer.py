"""`league` whose fork server is killed just before chosen starts of agents: `STARTS COMMAND …`, as in `1,4 run`.

`always` in place of the numbers kills it whenever it has been asked for an agent.
"""

import os
import signal
import sys
from multiprocessing import forkserver

from servers import processes
from servers.cli.app import run_app


def kill_fork_server() -> None:
    """Kill the one of this process, if it has one, and wait until it is dead."""
    pid = vars(forkserver.ensure_running.__self__)["_forkserver_pid"]
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def main(starts: str, *arguments: str) -> None:
    """The command, sabotaged."""
    ask, start, counted = forkserver.connect_to_new_process, processes.Nursery.start, [0]

    def asked(fds: list[int]) -> tuple[int, int]:
        answer = ask(fds)
        if starts == "always":
            kill_fork_server()
        return answer

    def started(nursery: processes.Nursery, *given: processes.AgentSpec) -> processes.Child:
        counted[0] += 1
        if str(counted[0]) in starts.split(","):
            kill_fork_server()
        return start(nursery, *given)

    setattr(forkserver, "connect_to_new_process", asked)  # noqa: B010 - a stand-in, which the library must not know
    setattr(processes.Nursery, "start", started)  # noqa: B010
    sys.argv = ["league", *arguments]
    run_app()


if __name__ == "__main__":
    main(*sys.argv[1:])

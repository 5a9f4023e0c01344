"""Kills agents at chosen moments, from inside of their own processes. Nothing shipped knows of it.

`python -m tests.soak.saboteur FOLDER run …` is `league run …` with a saboteur in every process. It reads in FOLDER what
is to be killed (`dooms.json`), and writes there what happened: who was killed when (`kills.jsonl`), which results were
acknowledged to a referee (`acks.jsonl`), and which process is whose (`pids.jsonl`).
"""

import asyncio
import functools
import json
import os
import re
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RUN, MANAGER, REFEREE, PLAYER = "run", "league_manager", "referee", "player"
"""Kinds of processes; RUN is the one that starts all others."""

HELD = {(PLAYER, "choose_parity"): (REFEREE, "match_status")}
"""Answers held back until all chosen kills at another point have been carried out. The manager asks after a match
only while it lasts, and it lasts as long as a player thinks; all other points are reached in every league."""


@dataclass(frozen=True)
class Doom:
    """One kill.

    Attributes:
        role: Who is killed: the first process of that role that comes to it.
        point: `append` (an event), `call` (a message that it sends), `answer` (a tool of its own), `record` (an event
            that `league run` hears of).
        kind: Which event type, message type or tool.
        nth: At which occurrence in one process's life; what fails is not done, and does not count as done.
        before: Whether the kill comes before it is done, or once it is done but nobody knows.
        full: The process lives, but from then on the disk takes no byte more from it.
        frozen: The process lives, but does nothing until somebody lets it continue.
    """

    role: str
    point: str
    kind: str
    nth: int = 1
    before: bool = True
    full: bool = False
    frozen: bool = False

    @property
    def name(self) -> str:
        """A file name for it."""
        text = f"{self.role}-{self.point}-{self.kind}-{self.nth}-{'before' if self.before else 'after'}"
        text += "-full" if self.full else "-frozen" if self.frozen else ""
        return re.sub(r"[^A-Za-z0-9-]+", "_", text)


def write_dooms(folder: Path, dooms: Iterable[Doom]) -> None:
    """Settle what is to be killed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dooms.json").write_text(json.dumps([asdict(doom) for doom in dooms]))


def note(folder: Path, file: str, **entry: Any) -> None:
    """Add a line; what is written survives the death of the writer."""
    with (folder / file).open("a") as lines:
        lines.write(json.dumps({"at": time.time(), **entry}) + "\n")


def notes(folder: Path, file: str) -> list[dict[str, Any]]:
    """All lines of a file."""
    path = folder / file
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def born(pid: int) -> str | None:
    """When a process was started, as the kernel counts; None when it is gone. Numbers of processes are used again."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


def replace(owner: Any, name: str, stand_in: Any) -> None:
    """Put something of ours in the place of a method."""
    setattr(owner, name, stand_in)


class Saboteur:
    """Counts what one process does, and kills it when its time has come. Each doom strikes once."""

    def __init__(self, folder: Path, role: str, agent: str) -> None:
        self._folder = folder
        self._role = role
        self._agent = agent
        self._dooms = [Doom(**values) for values in json.loads((folder / "dooms.json").read_text())]
        self._counts: Counter[tuple[str, str, bool]] = Counter()
        note(folder, "pids.jsonl", role=role, agent=agent, pid=os.getpid(), born=born(os.getpid()))

    def enter(self, point: str, kind: str) -> None:
        """Something is about to be done."""
        self._strike(point, kind, before=True)

    def leave(self, point: str, kind: str) -> None:
        """It is done."""
        self._strike(point, kind, before=False)

    async def hold(self, tool: str) -> None:
        """Wait, where an answer is held back."""
        awaited = [doom for doom in self._dooms if (doom.role, doom.kind) == HELD.get((self._role, tool))]
        while not all((self._folder / doom.name).exists() for doom in awaited):  # noqa: ASYNC110 - of other processes
            await asyncio.sleep(0.02)

    def _strike(self, point: str, kind: str, *, before: bool) -> None:
        self._counts[point, kind, before] += 1
        here = (self._role, point, kind, self._counts[point, kind, before], before)
        for doom in self._dooms:
            if (doom.role, doom.point, doom.kind, doom.nth, doom.before) == here and self._first(doom):
                self._carry_out(doom)

    def _first(self, doom: Doom) -> bool:
        try:
            (self._folder / doom.name).open("x").close()
        except FileExistsError:
            return False
        return True

    def _carry_out(self, doom: Doom) -> None:
        if doom.full:
            note(self._folder, "full.jsonl", why=doom.name)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            return
        if doom.frozen:
            note(self._folder, "frozen.jsonl", agent=self._agent, pid=os.getpid(), born=born(os.getpid()))
            os.kill(os.getpid(), signal.SIGSTOP)
            return
        note(self._folder, "kills.jsonl", role=self._role, agent=self._agent, why=doom.name)
        os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> None:
        """Stand beside everything that this process does."""
        from clients.peer import PeerClient
        from league_sdk.protocol.match import MatchResultReport
        from league_sdk.stores.sql import SqlEventStore
        from servers.agent.server import AgentServer

        append, call, answer = SqlEventStore.append, PeerClient.call, AgentServer.call

        async def watched_append(store: Any, league_id: str, events: Any, **more: Any) -> Any:
            kinds = [type(event).__name__ for event in events]
            for kind in kinds:
                self.enter("append", kind)
            records = await append(store, league_id, events, **more)
            for kind in kinds:
                self.leave("append", kind)
            return records

        async def watched_call(client: Any, peer: Any, message: Any, *rest: Any, **more: Any) -> Any:
            kind = message.message_type
            self.enter("call", kind)
            reply = await call(client, peer, message, *rest, **more)
            if isinstance(message, MatchResultReport):
                result = message.result
                note(self._folder, "acks.jsonl", match_id=message.match_id, winner=result.winner, score=result.score)
            self.leave("call", kind)
            return reply

        async def watched_answer(agent: Any, tool: str, *rest: Any) -> Any:
            self.enter("answer", tool)
            await self.hold(tool)
            reply = await answer(agent, tool, *rest)
            self.leave("answer", tool)
            return reply

        replace(SqlEventStore, "append", watched_append)
        replace(PeerClient, "call", watched_call)
        replace(AgentServer, "call", watched_answer)


async def run_sabotaged(folder: str, spec: Any, report: Any) -> int:
    """Run an agent with the saboteur in its process."""
    from servers.launcher.agents import run_agent

    Saboteur(Path(folder), str(spec.role), spec.name).install()
    return await run_agent(spec, report)


def main(folder: str, *arguments: str) -> None:
    """`league`, sabotaged."""
    from servers.cli.app import run_app
    from servers.launcher import process_pool, supervisor, worker_processes

    saboteur = Saboteur(Path(folder), RUN, RUN)

    start_process = process_pool.ProcessPool.start

    def start(pool: Any, name: str, live: Any) -> Any:
        del live
        run = functools.partial(run_sabotaged, folder)
        return start_process(pool, name, functools.partial(worker_processes.run_worker, run=run))

    record = supervisor.Supervisor._record

    def watched_record(self: Any, stored: Any, replayed: bool) -> None:
        if replayed:
            return record(self, stored, replayed)
        saboteur.enter("record", stored.type)
        record(self, stored, replayed)
        return saboteur.leave("record", stored.type)

    replace(process_pool.ProcessPool, "start", start)
    replace(supervisor.Supervisor, "_record", watched_record)
    supervisor.RESTART_MAX_SEC = supervisor.RESTART_SEC  # its back-off has tests of its own
    sys.argv = ["league", *arguments]
    run_app()


if __name__ == "__main__":
    main(*sys.argv[1:])

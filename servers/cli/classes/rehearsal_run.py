"""A rehearsal's league: a `league run`, and a stand-in for each student."""

import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import Process

from league_sdk.clock import SystemClock, SystemIds, to_record_time
from league_sdk.domain.model import Role
from league_sdk.names import slug
from league_sdk.net.join_links import new_join_secret
from league_sdk.settings import Workspace
from servers.agent.agent_spec import AgentSpec
from servers.agent.class_roster import Student, class_of
from servers.agent.manager_lock import leader
from servers.agent.startup_status import Report
from servers.launcher.worker_processes import in_this_process

LEAGUE_ID = "rehearsal"
TITLE = "Rehearsal, not the league"
LOOK_SEC = 0.1
"""The pause between two looks whether the league is there, or over."""
MOST_SEC = 900.0
"""A rehearsal that takes longer is ended: the league would wait, too."""
PATIENCE_SEC = 20.0
"""Time of a stand-in to find the league's manager."""
FAREWELL_SEC = 30.0
"""Time for the league to end once it is told to."""


@dataclass(frozen=True, slots=True)
class RehearsalPlan:
    """All that a rehearsal is made of."""

    workspace: Workspace  # a temporary folder
    words: tuple[str, ...]  # the options of `league run`
    config: Path | None
    overrides: Mapping[str, Any]  # settings of the stand-ins
    public_host: str
    bind_host: str
    outbound: bool  # whether stand-ins take hosted seats, as the students do
    game: str
    manager_url: str = ""  # the address on the cards; empty for the manager's own
    plugins: tuple[str, ...] = ()


@dataclass(slots=True)
class RehearsalCourse:
    """The course of a rehearsal."""

    expected: frozenset[str] = frozenset()  # the players that are to join
    code: int | None = None  # the exit code of the league; None if it was ended
    page: str = ""
    joined: set[str] = field(default_factory=set[str])
    join_sec: float | None = None  # until all had joined
    seconds: float = 0.0
    trouble: dict[str, str] = field(default_factory=dict[str, str])  # by player, why a stand-in gave up
    errors: tuple[str, ...] = ()  # the league's lines on standard error


def stand_ins(students: Sequence[Student], workspace: Workspace) -> tuple[Student, ...]:
    """The students with cards of the rehearsal's own, kept in its folder."""
    ids, now = SystemIds(), to_record_time(SystemClock().now())
    made = tuple(
        replace(student, secret=new_join_secret(ids), issued=now, number=1, complies=True)
        for student in students
        if student.secret
    )
    class_of(workspace).save(made, rehearsal=True)
    return made


async def play_rehearsal(
    plan: RehearsalPlan, students: Sequence[Student], tell: Callable[[str], None]
) -> RehearsalCourse:
    """Play the whole league; nothing of it runs on afterwards."""
    course = RehearsalCourse(expected=frozenset(student.player for student in students))
    begun, over = time.monotonic(), anyio.Event()
    output = plan.workspace.root / "run.txt"
    async with _league(plan, output) as league, anyio.create_task_group() as tasks:
        with anyio.move_on_after(MOST_SEC):
            tasks.start_soon(_watch_end, league, over)
            url = await _listening(plan.workspace, over)
            if url:
                course.page = url.removesuffix("mcp")
                tell(f"The rehearsal's page, while it lasts: {course.page}")
            for student in students if url else ():
                spec = _spec(plan, student, plan.manager_url or url)
                listener = _listener(course, student, begun, over, tell)
                tasks.start_soon(in_this_process, spec, listener)
            await over.wait()
        course.code = league.returncode
        tasks.cancel_scope.cancel()
    course.seconds = time.monotonic() - begun
    course.errors = tuple(line for line in output.read_text("utf-8", "replace").splitlines() if line.strip())
    return course


def _listener(
    course: RehearsalCourse, student: Student, begun: float, over: anyio.Event, tell: Callable[[str], None]
) -> Callable[[Report], None]:
    """Takes in what a stand-in reports; one that cannot join ends the rehearsal."""

    def take(report: Report) -> None:
        if report["kind"] == "registered":
            course.joined.add(student.player)
            if course.joined >= course.expected and course.join_sec is None:
                course.join_sec = time.monotonic() - begun
                tell(f"All {len(course.joined)} stand-ins have joined, after {course.join_sec:.1f} s.")
        elif report["kind"] == "failed":
            course.trouble[student.player] = report["text"]
            if student.player not in course.joined:
                over.set()

    return take


def _spec(plan: RehearsalPlan, student: Student, manager_url: str) -> AgentSpec:
    """A stand-in as `league player` starts one with the student's card."""
    return AgentSpec(
        role=Role.PLAYER,
        name=student.player,
        workspace=plan.workspace.root / "students" / slug(student.student_id),
        config=plan.config,
        overrides={**plan.overrides, "security.join_secret": student.secret},
        bind_host=plan.bind_host,
        public_host=plan.public_host,
        manager_url=manager_url,
        game_types=(plan.game,),
        outbound=plan.outbound,
        patience=PATIENCE_SEC,
        plugins=plan.plugins,
    )


@asynccontextmanager
async def _league(plan: RehearsalPlan, output: Path) -> AsyncGenerator[Process]:
    """The league in a session of its own: Ctrl-C is for the rehearsal."""
    command = [sys.executable, "-P", "-m", "servers", "run", *plan.words]
    command += ["--class", "--data", str(plan.workspace.root), "--league-id", LEAGUE_ID, "--title", TITLE, "--json"]
    command += ["--set", "league.schedule.registration_deadline=null"]  # it is looked at before, with a remedy
    command += ["--store", f"sqlite:///{plan.workspace.root / 'events.db'}"]
    with output.open("wb") as errors:
        league = await anyio.open_process(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True
        )
    try:
        yield league
    finally:
        with anyio.CancelScope(shield=True):
            for stop in (league.terminate, league.kill):
                if league.returncode is None:
                    stop()
                with anyio.move_on_after(FAREWELL_SEC):
                    await league.wait()


async def _watch_end(league: Process, over: anyio.Event) -> None:
    await league.wait()
    over.set()


async def _listening(workspace: Workspace, over: anyio.Event) -> str:
    """The manager's endpoint once it has one; empty if the league has ended before."""
    clock = SystemClock()
    while not over.is_set():
        if found := leader(workspace, LEAGUE_ID):
            return found
        await clock.sleep(LOOK_SEC)
    return ""

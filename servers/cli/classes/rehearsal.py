"""A rehearsal, from the options of `league run` to its verdict."""

import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from typer.main import get_command

from league_sdk.clock import SystemClock
from league_sdk.domain.league import League, fold
from league_sdk.settings import ConfigLoader, Workspace
from servers.agent.class_roster import Student, class_of
from servers.cli import common
from servers.cli.classes.rehearsal_run import LEAGUE_ID, RehearsalCourse, RehearsalPlan, play_rehearsal, stand_ins
from servers.cli.classes.rehearsal_verdict import (
    RehearsalVerdict,
    advice,
    before_the_league,
    judge,
    lacking_space,
    size_of,
    summary,
    unnamed_game,
)
from servers.launcher.plan import league_config
from servers.launcher.run_options import PlanError, named
from servers.read_model.text import count

NOT_OF_A_REHEARSAL = frozenset(
    ("with_class", "league_id", "title", "deadline", "store", "detach", "open_page", "quiet", "verbose", "on")
)
"""Options of `league run` that are looked at, and not passed on."""


@dataclass(frozen=True, slots=True)
class _RunOptions:
    """Options of `league run`, checked as it checks them."""

    params: Mapping[str, Any]
    words: tuple[str, ...]  # those that go to the rehearsal's league


def rehearse_class(
    workspace: Workspace, words: Sequence[str], manager_url: str | None, tell: Callable[[str], None]
) -> tuple[RehearsalVerdict, RehearsalCourse]:
    """Rehearse a class's event; `words` are options of `league run`."""
    students, options = class_of(workspace).students, read_run_options(words)
    if options.params["on"] != "processes":
        raise PlanError("a rehearsal is played on this machine: leave out --on")
    with tempfile.TemporaryDirectory(prefix="league-rehearsal-", ignore_cleanup_errors=True) as folder:
        return _rehearsed(workspace, Workspace(Path(folder)), students, options, manager_url, tell)


def read_run_options(words: Sequence[str]) -> _RunOptions:
    """Read the options of `league run`; its own mistakes are told as there."""
    from servers.cli.app import command_line

    command: Any = get_command(command_line("run"))
    run = command.commands["run"]
    given = run.make_context("league run", list(words))
    kept = [
        word
        for parameter in run.params
        if parameter.name not in NOT_OF_A_REHEARSAL and given.get_parameter_source(parameter.name).name == "COMMANDLINE"
        for word in _words(parameter, given.params[parameter.name])
    ]
    return _RunOptions(given.params, tuple(kept))


def _words(parameter: Any, value: Any) -> list[str]:
    """An option with its value, as on the command line."""
    if parameter.is_flag:
        return [(parameter.opts if value else parameter.secondary_opts)[0]]
    values = value if parameter.multiple else [value]
    return [word for each in values for word in (parameter.opts[0], str(each))]


def _rehearsed(
    workspace: Workspace,
    folder: Workspace,
    students: Sequence[Student],
    options: _RunOptions,
    manager_url: str | None,
    tell: Callable[[str], None],
) -> tuple[RehearsalVerdict, RehearsalCourse]:
    now = SystemClock().now()
    plan, deadline = _plan(folder, options, manager_url)
    first = list(before_the_league(workspace, students, options.params, deadline, now))
    made = stand_ins(students, folder)
    course, league = RehearsalCourse(), None
    if made:
        who = count(len(made), "student")
        tell(f"Rehearsal for {who}, in a temporary folder: no card is used, and no league is left.")
        course = _until_signal(plan, made, tell)
        league = _league(folder)
    first += lacking_space(workspace, size_of(folder.root))
    failures = judge(course, league, made, first)
    remarks = [*advice(students, options.params, deadline, plan.public_host, now)]
    remarks += [] if failures else unnamed_game(plan.game, plan.plugins)
    return RehearsalVerdict(failures, tuple(remarks), summary(course, league)), course


def _plan(folder: Workspace, options: _RunOptions, manager_url: str | None) -> tuple[RehearsalPlan, str | None]:
    """The plan, and the deadline of registration that the league itself would have."""
    params = options.params
    loader = ConfigLoader(params["config"], overrides=common.overrides_of(params["settings"]))
    system = loader.load_system()
    ca = system.security.tls_ca
    config = league_config(loader, params["league"], params["game"])
    deadline = named(None, params["deadline"])["registration_deadline"] or config.schedule.registration_deadline
    plan = RehearsalPlan(
        workspace=folder,
        words=options.words,
        config=loader.root,
        overrides={} if ca is None else {"security.tls_ca": ca},
        public_host=system.network.base_host,
        bind_host=params["host"] or system.network.bind_host,
        outbound=params["seats"],
        game=config.game_type,
        manager_url="" if manager_url is None else common.manager_url_of(loader, manager_url),
        plugins=common.folders_of(params["plugins"]),
    )
    return plan, deadline


def _until_signal(plan: RehearsalPlan, students: Sequence[Student], tell: Callable[[str], None]) -> RehearsalCourse:
    """Play the rehearsal; Ctrl-C and SIGTERM end it in order."""

    async def play() -> RehearsalCourse | None:
        async with anyio.create_task_group() as tasks:

            async def heed_signals() -> None:
                with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
                    async for _ in signals:
                        tasks.cancel_scope.cancel()

            tasks.start_soon(heed_signals)
            course = await play_rehearsal(plan, students, tell)
            tasks.cancel_scope.cancel()
            return course
        return None

    course = anyio.run(play)
    if course is None:
        common.print_err("league: the rehearsal was ended; nothing of it is left")
        common.end(common.INTERRUPTED)
    return course


def _league(folder: Workspace) -> League | None:
    """The rehearsal's league as it was recorded; None if it never began."""
    records = common.read_records(folder, LEAGUE_ID, None, f"sqlite:///{folder.root / 'events.db'}")
    return fold(record.event for record in records) if records else None

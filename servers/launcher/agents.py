"""Runs an agent from its specification, in this process or in one of its own."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from typing import Any, TypeAlias

from league_sdk.domain.model import Role
from league_sdk.domain.records.format_version import NewerRecords
from league_sdk.errors import LeagueError
from league_sdk.logs import JsonLogger
from league_sdk.net.tls import TlsUnusable
from league_sdk.plugins import PluginError
from league_sdk.ports import StoreFailed
from league_sdk.settings import ConfigError, Workspace
from league_sdk.transports import AddressUnusable
from servers.agent import startup_status
from servers.agent.agent_spec import AgentSpec
from servers.agent.bootstrap import AgentContext, HostLeft, agent_context
from servers.agent.operator_secret import NotTheOperator
from servers.agent.registration import RegistrationRefused
from servers.agent.startup_status import Report, ReportTo
from servers.league_manager.ledger import DamagedLog, Superseded

Runner: TypeAlias = Callable[[AgentContext, ReportTo], Awaitable[int]]
"""Runs one kind of agent with its tools, and returns its exit code."""

EXPECTED = (
    AddressUnusable,
    TlsUnusable,
    ConfigError,
    DamagedLog,
    LeagueError,
    NewerRecords,
    NotTheOperator,
    PluginError,
    RegistrationRefused,
    StoreFailed,
)
"""Errors that are not faults in the program: told in a sentence, without a traceback."""
MISUSED = 2
"""The exit code of a manager that its operator has to start otherwise."""
SUPERSEDED = 3
"""The exit code of a manager whose league another one leads now: to start it again is wrong."""


def runner_of(role: Role) -> Runner:
    """The module that runs agents of a role; roles load only what they need."""
    match role:
        case Role.LEAGUE_MANAGER:
            from servers.league_manager.main import run_manager as run
        case Role.REFEREE:
            from servers.referee.main import run_referee as run
        case Role.PLAYER:
            from servers.player.main import run_player as run
        case Role.SEATS:
            from servers.seats.main import run_seats as run
    return run


async def run_agent(spec: AgentSpec, report: ReportTo, runner: Runner | None = None) -> int:
    """Run one agent until its league is over, or for ever with `stay`.

    The agent's start and end, and why it failed, are lines of `logs/system/startup.log.jsonl`.

    Returns:
        An exit code: 0 when all is well; else 1 (2 or 3 as below), and a report of kind `failed` has said why.
    """
    reasons: list[str] = []

    def heard(said: Report) -> None:
        if said["kind"] == "failed":
            reasons.append(said["text"])
        report(said)

    try:
        return await _run(spec, heard, runner)
    except Exception as error:
        reasons.append(repr(error))
        raise
    finally:
        if reasons:
            _log_failure(spec, reasons)


async def _run(spec: AgentSpec, report: ReportTo, runner: Runner | None) -> int:
    try:
        async with agent_context(spec) as tools:
            startup = JsonLogger("startup", logs=tools.logs)
            startup.info("AGENT_STARTED", **_about(spec))
            end: dict[str, int | None] = {"exit_code": None}
            try:
                end["exit_code"] = code = await (runner or runner_of(spec.role))(tools, report)
            finally:
                startup.info("AGENT_ENDED", **_about(spec), **end)
            return code
    except EXPECTED as error:
        report(startup_status.failed(str(error)))
        return _exit_code([error])
    except BaseExceptionGroup as group:
        leaves = [error for error in _leaves(group) if not isinstance(error, HostLeft)]
        if not leaves:
            return 0
        if not all(isinstance(error, EXPECTED) for error in leaves):
            raise
        for text in dict.fromkeys(str(error) for error in leaves):
            report(startup_status.failed(text))
        return _exit_code(leaves)


def _exit_code(errors: Sequence[BaseException]) -> int:
    if any(isinstance(error, NotTheOperator | NewerRecords) for error in errors):
        return MISUSED
    return SUPERSEDED if any(isinstance(error, Superseded) for error in errors) else 1


def _about(spec: AgentSpec) -> dict[str, Any]:
    return {"role": spec.role, "name": spec.name, "league_id": spec.league_id, "port": spec.port}


def _log_failure(spec: AgentSpec, reasons: list[str]) -> None:
    """Log why an agent failed, in a file opened for it: its own may be closed."""
    with closing(JsonLogger("startup", logs=Workspace(spec.workspace).logs)) as startup:
        startup.error("AGENT_FAILED", **_about(spec), reasons=reasons)


def _leaves(group: BaseExceptionGroup[Any]) -> list[BaseException]:
    leaves: list[BaseException] = []
    for error in group.exceptions:
        leaves += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]  # pyright: ignore[reportUnknownArgumentType]
    return leaves

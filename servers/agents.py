"""Starting any agent from its specification, in this process or as the whole of another."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from league_sdk.domain.model import Role
from league_sdk.errors import LeagueError
from league_sdk.logs import JsonLogger
from league_sdk.net.tls import TlsUnusable
from league_sdk.plugins import PluginError
from league_sdk.ports import StoreFailed
from league_sdk.settings import ConfigError
from league_sdk.transports import AddressUnusable
from servers import reports
from servers.agent_spec import AgentSpec
from servers.bootstrap import HostLeft, Toolbox, toolbox
from servers.league_manager.ledger import DamagedLog
from servers.registration import RegistrationRefused
from servers.reports import ReportTo

Runner: TypeAlias = Callable[[Toolbox, ReportTo], Awaitable[int]]
"""Runs one kind of agent with its tools, and returns its exit code."""

EXPECTED = (
    AddressUnusable,
    TlsUnusable,
    ConfigError,
    DamagedLog,
    LeagueError,
    PluginError,
    RegistrationRefused,
    StoreFailed,
)
"""What can go wrong without being a fault in the program: it is told in a sentence, without a traceback."""


def runner_of(role: Role) -> Runner:
    """What runs agents of a role; no agent loads what only the others need, such as a database or a web page."""
    match role:
        case Role.LEAGUE_MANAGER:
            from servers.league_manager.main import run_manager as run
        case Role.REFEREE:
            from servers.referee.main import run_referee as run
        case Role.PLAYER:
            from servers.player.main import run_player as run
    return run


async def run_agent(spec: AgentSpec, report: ReportTo, runner: Runner | None = None) -> int:
    """Run one agent until its league is over, or for ever with `stay`.

    Args:
        spec: The agent.
        report: Told what happens.
        runner: Runs it; the one for its role when left out.

    Returns:
        An exit code: 0 when all is well; else 1, and a report of kind `failed` has said why.
    """
    try:
        async with toolbox(spec) as tools:
            startup = JsonLogger("startup", logs=tools.logs)
            startup.info("AGENT_STARTED", role=spec.role, name=spec.name, league_id=spec.league_id, port=spec.port)
            return await (runner or runner_of(spec.role))(tools, report)
    except EXPECTED as error:
        report(reports.failed(str(error)))
    except BaseExceptionGroup as group:
        leaves = [error for error in _leaves(group) if not isinstance(error, HostLeft)]
        if not leaves:
            return 0
        if not all(isinstance(error, EXPECTED) for error in leaves):
            raise
        for text in dict.fromkeys(str(error) for error in leaves):
            report(reports.failed(text))
    return 1


def _leaves(group: BaseExceptionGroup[Any]) -> list[BaseException]:
    leaves: list[BaseException] = []
    for error in group.exceptions:
        leaves += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]  # pyright: ignore[reportUnknownArgumentType]
    return leaves

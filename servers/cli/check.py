"""`league check`: tests any agent against the league protocol."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.agent.referee_secret import shown_referee_secret
from servers.cli import common
from servers.cli.common import GameOption, JoinTimeout, JsonOption, MoveTimeout, PluginsOption, ResponseTimeout, misused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from league_sdk.testing.compliance import ComplianceCheck, ComplianceReport

REGISTRATION_SEC = 30.0
OFFER_SEC = 5.0
"""Seconds for a player to find the check's league: those of our pages look for one every second."""

AgentRole: TypeAlias = Literal["player", "referee", "manager"]
DialectsOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--dialect", help="Use only this dialect: jsonrpc, mcp/2025-06-18, … Repeatable. Default: all."),
]
ManagerPort: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--manager-port",
        min=0,
        max=65535,
        help="Act as the league manager at this port, and wait until the agent registers. Default: 8000, where a "
        "player may register and need not.",
    ),
]
ManagerToken: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--operator-token",
        envvar="LEAGUE_OPERATOR_TOKEN",
        help="Token to start a manager's league that does not start by itself.",
    ),
]
RefereeSecret: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--referee-secret",
        envvar="LEAGUE_SECURITY__REFEREE_SECRET",
        help="Secret that a manager asks referees for. Default: that of a manager of the data folder.",
    ),
]
WaitOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--wait",
        min=0,
        help="Seconds to wait for the agent to start and register. Default: 30 if it registers, else 0.",
    ),
]
JUnitOption: TypeAlias = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit XML report as well.")
]


def check(
    url: Annotated[str, typer.Argument(metavar="URL", help="The agent, such as http://localhost:8101/mcp.")],
    role: Annotated[AgentRole, typer.Option("--role", help="The agent's role.")] = "player",
    game: GameOption = None,
    dialect: DialectsOption = None,
    manager_port: ManagerPort = None,
    token: ManagerToken = None,
    referee_secret: RefereeSecret = None,
    wait: WaitOption = None,
    join_timeout: JoinTimeout = None,
    move_timeout: MoveTimeout = None,
    response_timeout: ResponseTimeout = None,
    junit: JUnitOption = None,
    plugins: PluginsOption = None,
    as_json: JsonOption = False,
) -> None:
    r"""Check that an agent follows the protocol, by playing the other roles.

    First it plays matches as a league does: a fault that would cost a player a match is a failure. Then it sends every
    message, valid and invalid, over every revision of MCP that the agent speaks and over JSON-RPC without MCP; what
    could be better is advice. For referees and managers every violation of the protocol is a failure.

    [bold]Examples[/bold]

      league check http://localhost:8101/mcp
      league check http://localhost:8101/mcp --game tic_tac_toe --move-timeout 5
      league check http://localhost:8101/mcp --dialect jsonrpc --junit report.xml
      league check http://localhost:8101/mcp --manager-port 8000
      league check http://localhost:8001/mcp --role referee --json
      league check http://localhost:8000/mcp --role manager

    An agent that looks for its league manager at port 8000 registers with the checker, which also checks how it uses
    tokens, and leaves at the end as from any league. A player that does not come within 5 seconds is checked without;
    --manager-port takes another port, and waits for it. A referee has to register; a manager must be newly started.

    Exit code: 0 passed, 1 failed, 2 the agent cannot be reached or the command is wrong. Advice is no failure.
    """
    from league_sdk.testing.compliance import DIALECTS, check_agent

    common.check_endpoint(url)
    if unknown := sorted(set(dialect or ()) - set(DIALECTS)):
        misused(f"--dialect {unknown[0]}: choose from {', '.join(DIALECTS)}")
    checking = partial(
        check_agent,
        url,
        role,
        game=None if game is None else common.game_meant(game, common.folders_of(plugins)),
        dialects=tuple(dialect or DIALECTS),
        timeouts=common.answer_timeouts(join_timeout, move_timeout, response_timeout),
        manager_port=manager_port,
        operator_token=token,
        referee_secret=_referee_secret(url, referee_secret) if role == "manager" else None,
        wait=_patience(role, manager_port) if wait is None else wait,
        offer_sec=OFFER_SEC,
    )
    report = _run(checking)
    if junit is not None:
        _write_junit(report, junit)
    if as_json:
        common.print_json(report.as_json())
    else:
        _print(report)
    common.end(0 if report.complies else common.FAILED)


def check_agent_at(url: str, *, game: str | None = None, plugins: "list[Path] | None" = None) -> "ComplianceReport":
    """Check a player in every dialect, with the protocol's time limits."""
    from league_sdk.testing.compliance import check_agent

    common.check_endpoint(url)
    chosen = None if game is None else common.game_meant(game, common.folders_of(plugins))
    return _run(partial(check_agent, url, game=chosen), advice="Start the player first.")


def _referee_secret(url: str, given: str | None) -> str | None:
    workspace = common.workspace_of(None)
    return shown_referee_secret(AgentSpec(Role.REFEREE, "check", workspace.root, manager_url=url), given)


def _patience(role: AgentRole, manager_port: int | None) -> float:
    registers = role == "referee" or (role == "player" and manager_port is not None)
    return REGISTRATION_SEC if registers else 0.0


def _run(
    checking: "Callable[[], Awaitable[ComplianceReport]]",
    advice: str = "Start the agent first; with --wait SECONDS the check waits for it.",
) -> "ComplianceReport":
    import anyio

    from league_sdk.errors import PeerUnreachable
    from league_sdk.testing.compliance import NotToBeChecked
    from league_sdk.transports import AddressUnusable

    try:
        return anyio.run(checking)
    except PeerUnreachable as error:
        misused(f"{error}. {advice}")
    except NotToBeChecked as error:
        misused(str(error))
    except AddressUnusable as error:
        misused(str(error))


def _write_junit(report: "ComplianceReport", path: Path) -> None:
    try:
        path.write_text(report.as_junit(), encoding="utf-8")
    except OSError as error:
        misused(f"--junit {path}: {error.strerror}")


def _print(report: "ComplianceReport") -> None:
    from rich.text import Text

    from league_sdk.testing.compliance.check_report import Status
    from servers.read_model.text import printable

    style = "bold green" if report.complies else "bold red"
    verdict = printable(str(report.verdict), 1500)
    common.out.print(Text.assemble(f"{report.url}, a {report.role}: ", (verdict, style)), soft_wrap=True)
    wrong = (*report.failed, *report.advised)
    alike: dict[tuple[str, str, str], list[str]] = {}
    for check in wrong:
        alike.setdefault((check.name, check.detail, check.status), []).append(check.dialect)
    for check in wrong:
        if dialects := alike.pop((check.name, check.detail, check.status), []):
            _print_check(check, dialects)  # once, for all dialects together
    skipped: dict[str, int] = {}
    for check in report.checks:
        if check.status is Status.SKIPPED:
            skipped[check.detail] = skipped.get(check.detail, 0) + 1
    for why, number in skipped.items():
        common.print_out(f"skipped {number}: {printable(why, 300)}", style="dim")
    if report.advised:
        common.print_out("--json has what was sent and what came back, for each advice", style="dim")
    spoken = ", ".join(report.dialects) or "nothing that a league speaks"
    common.print_out(f"it speaks {spoken}")
    numbers = ", ".join(f"{number} {status}" for status, number in report.counts.items())
    common.out.print(f"{numbers}, in {report.seconds:.1f} s", markup=False)


def _print_check(check: "ComplianceCheck", dialects: list[str]) -> None:
    from rich.text import Text

    from league_sdk.testing.compliance.check_report import Status, as_text
    from servers.read_model.text import printable

    head = ("advice ", "bold yellow") if check.status is Status.ADVISED else ("failed ", "bold red")
    title = f"{', '.join(dialects)} {check.name}".strip()
    common.out.print(Text.assemble(head, (printable(title, 300), "bold")), soft_wrap=True)
    whole = check.status is not Status.ADVISED  # of advice there may be much
    told = {
        "what": check.detail,
        "sent": as_text(check.sent) if whole and check.sent is not None else "",
        "came back": as_text(check.received) if whole else "",
        "the protocol": check.expected,
        "section": f"{check.section} (docs/protocol_spec.md)",
    }
    for name, text in told.items():
        if text:
            common.print_out(f"  {name}: {printable(text, 1500)}")

"""`league check`: the fate of somebody else's agent in a league, and what to improve."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from servers.cli import common
from servers.cli.common import GameOption, JoinTimeout, JsonOption, MoveTimeout, PluginsOption, ResponseTimeout

if TYPE_CHECKING:
    from league_sdk.testing.compliance import ComplianceCheck, ComplianceReport

REGISTRATION_SEC = 30.0


def check(
    url: Annotated[str, typer.Argument(metavar="URL", help="The agent, such as http://localhost:8101/mcp.")],
    role: Annotated[
        Literal["player", "referee", "manager"], typer.Option("--role", help="What the agent is.")
    ] = "player",
    game: GameOption = None,
    dialect: Annotated[
        list[str] | None,
        typer.Option("--dialect", help="Speak only this: jsonrpc, mcp/2025-06-18, …; may be repeated. Default: all."),
    ] = None,
    manager_port: Annotated[
        int | None,
        typer.Option(
            "--manager-port",
            min=0,
            max=65535,
            help="Play the league manager at this port, so that the agent registers. Default: 8000 for a referee, "
            "none for a player.",
        ),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            "--operator-token",
            envvar="LEAGUE_OPERATOR_TOKEN",
            help="Starts a league manager's league, where it does not start by itself.",
        ),
    ] = None,
    wait: Annotated[
        float | None,
        typer.Option(
            "--wait",
            min=0,
            help="Seconds to wait for the agent to be there, and to register. Default: 30 where it has to register.",
        ),
    ] = None,
    join_timeout: JoinTimeout = None,
    move_timeout: MoveTimeout = None,
    response_timeout: ResponseTimeout = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit XML report as well.")
    ] = None,
    plugins: PluginsOption = None,
    as_json: JsonOption = False,
) -> None:
    r"""Check an agent before any league: play the league's part against it, and say what would become of it there.

    First matches are played as a league plays them: what a player loses there is a failure. Then every message is
    sent, valid and invalid, over every revision of MCP that the agent speaks and over JSON-RPC without MCP; what could
    be better is an advice. Of referees and managers everything that breaks the protocol is a failure.

    [bold]Examples[/bold]

      league check http://localhost:8101/mcp
      league check http://localhost:8101/mcp --game tic_tac_toe --move-timeout 5
      league check http://localhost:8101/mcp --dialect jsonrpc --junit report.xml
      league check http://localhost:8101/mcp --manager-port 8000
      league check http://localhost:8001/mcp --role referee --json
      league check http://localhost:8000/mcp --role manager

    With --manager-port the agent registers with the checker, started with --manager http://localhost:PORT/mcp, and
    what it does about tokens is checked too. A referee always has to; a manager must be a fresh one.

    Exit code: 0 when the agent would play and lose nothing, 1 when it would not, 2 when nobody is there or the command
    is misused. An advice is no failure.
    """
    import anyio

    from league_sdk.errors import PeerUnreachable
    from league_sdk.net.endpoints import is_endpoint
    from league_sdk.plugins import game as game_named
    from league_sdk.testing.compliance import DIALECTS, Timeouts, check_agent
    from league_sdk.transports import AddressUnusable

    if not is_endpoint(url):
        _misused(f"{url!r} is no URL; name the agent's endpoint, such as http://localhost:8101/mcp")
    if unknown := sorted(set(dialect or ()) - set(DIALECTS)):
        _misused(f"--dialect {unknown[0]}: choose from {', '.join(DIALECTS)}")
    limits = {"join": join_timeout, "move": move_timeout, "response": response_timeout}
    timeouts = Timeouts(**{name: limit for name, limit in limits.items() if limit is not None})
    registers = role == "referee" or (role == "player" and manager_port is not None)
    patience = wait if wait is not None else REGISTRATION_SEC if registers else 0.0
    chosen = None if game is None else game_named(game, common.folders_of(plugins))

    async def run() -> "ComplianceReport":
        return await check_agent(
            url,
            role,
            game=chosen,
            dialects=tuple(dialect or DIALECTS),
            timeouts=timeouts,
            manager_port=manager_port,
            operator_token=token,
            wait=patience,
        )

    try:
        report = anyio.run(run)
    except PeerUnreachable as error:
        _misused(f"{error}. Start the agent first; with --wait SECONDS the check waits for it.")
    except AddressUnusable as error:
        _misused(str(error))
    if junit is not None:
        try:
            junit.write_text(report.as_junit(), encoding="utf-8")
        except OSError as error:
            _misused(f"--junit {junit}: {error.strerror}")
    if as_json:
        common.print_json(report.as_json())
    else:
        _print(report)
    common.end(0 if report.complies else common.FAILED)


def _misused(text: str) -> NoReturn:
    common.tell(f"league: {text}")
    common.end(common.MISUSED)


def _print(report: "ComplianceReport") -> None:
    """The verdict; failures and advice, each with its evidence; what was not looked at, and why."""
    from rich.text import Text

    from league_sdk.testing.compliance.report import Status
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
        common.out.print(f"skipped {number}: {printable(why, 300)}", markup=False, style="dim", soft_wrap=True)
    spoken = ", ".join(report.dialects) or "nothing that a league speaks"
    common.out.print(f"it speaks {spoken}", markup=False, soft_wrap=True)
    numbers = ", ".join(f"{number} {status}" for status, number in report.counts.items())
    common.out.print(f"{numbers}, in {report.seconds:.1f} s", markup=False)


def _print_check(check: "ComplianceCheck", dialects: list[str]) -> None:
    """One check with its evidence."""
    from rich.text import Text

    from league_sdk.testing.compliance.report import Status, as_text
    from servers.read_model.text import printable

    head = ("advice ", "bold yellow") if check.status is Status.ADVISED else ("failed ", "bold red")
    title = f"{', '.join(dialects)} {check.name}".strip()
    common.out.print(Text.assemble(head, (printable(title, 300), "bold")), soft_wrap=True)
    told = {
        "what": check.detail,
        "sent": "" if check.sent is None else as_text(check.sent),
        "came back": as_text(check.received),
        "the protocol": check.expected,
        "section": f"{check.section} (docs/protocol_spec.md)",
    }
    for name, text in told.items():
        if text:
            common.out.print(f"  {name}: {printable(text, 1500)}", markup=False, soft_wrap=True)

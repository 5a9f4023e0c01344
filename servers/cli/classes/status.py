"""`league class status`: the state of each student of a class."""

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from league_sdk.clock import SystemClock
from league_sdk.domain.league import League, fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.settings import Workspace, read_secret
from servers.agent.class_roster import Student, class_of
from servers.agent.manager_lock import leader
from servers.cli import common
from servers.cli.fitted_tables import WordTable
from servers.cli.manager_calls import UNREADABLE, NotAnswered, call_manager
from servers.cli.views import phase
from servers.read_model.class_rows import StudentRow, StudentState, class_rows, entry_of, strangers, summary
from servers.read_model.text import count, printable

ASK_SEC = 3.0
"""Limit of asking the league's manager for refused registrations."""
STYLES = {
    StudentState.MISSING: "bold red",
    StudentState.ABSENT: "bold red",
    StudentState.SITS_OUT: "yellow",
    StudentState.LEFT: "yellow",
    StudentState.REVOKED: "dim",
}


def status(
    league: common.LeagueArgument = None,
    as_json: common.JsonOption = False,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
    store: common.StoreOption = None,
    tls_ca: common.TlsCa = None,
) -> None:
    """Show who has a card, was checked, joined, plays, sits out or is missing.

    Before the league it shows the roster and the checks; while the league runs and after it, each student's place too.
    The operator's page shows the same.

    [bold]Examples[/bold]

      league class status
      league class status practice
      league class status --json
    """
    workspace = common.workspace_of(data)
    students = class_of(workspace).students
    known = _league_of(workspace, students, league, config, store)
    rows = class_rows(students, known, SystemClock().now())
    others = [] if known is None else [printable(agent.display_name) for agent in strangers(students, known)]
    refused, unanswered = ([], "") if known is None else _refused(workspace, known.league_id, tls_ca)
    if unanswered:
        common.print_err(f"The league manager could not be asked for refused registrations: {unanswered}")
    if as_json:
        league_id, state = (
            (None, None) if known is None else (known.league_id, "CANCELLED" if known.cancelled else str(known.state))
        )
        told = {"league_id": league_id, "state": state, "students": [row.as_json() for row in rows]}
        common.print_json({**told, "other_players": others, "refused": refused, "unanswered": unanswered})
        return
    _print(rows, known, others, refused)


def _league_of(
    workspace: Workspace, students: Sequence[Student], league_id: str | None, config: Path | None, store: str | None
) -> League | None:
    """The named league, else the most recent one of this class; None without one."""
    if league_id is not None:
        return common.read_league(workspace, league_id, config, store)[0]
    latest = workspace.latest_league()
    records = [] if latest is None else common.read_records(workspace, latest, config, store)
    known = fold(record.event for record in records) if records else None
    if known is None or not known.players or any(entry_of(student, known) for student in students):
        return known
    common.print_err(f"league: no student of this class is in {known.league_id}, the most recent league; name another")
    return None


def _refused(workspace: Workspace, league_id: str, tls_ca: Path | None) -> tuple[list[str], str]:
    """Registrations that a running manager has refused; if it told none, the reason."""
    url = leader(workspace, league_id)
    if not url:
        return [], ""
    token = read_secret(workspace.operator_token_file(league_id))
    if token is None:
        return [], f"the operator's token is not in {workspace.root}"
    try:
        told = call_manager(url, "class", token, tls_ca, limit=ASK_SEC)
        return [printable(str(text), 400) for text in told["refused"]], ""
    except NotAnswered as error:
        return [], str(error)
    except (KeyError, TypeError):
        return [], UNREADABLE


def _print(rows: Sequence[StudentRow], league: League | None, others: Sequence[str], refused: Sequence[str]) -> None:
    common.print_out("There is no league yet." if league is None else phase(league))
    common.print_out(f"{count(len(rows), 'student')}: {summary(rows)}")
    listed: list[list[Text]] = []
    for row in rows:
        texts = (row.student_id, row.name, row.player, row.check)
        listed.append([*(Text(printable(text)) for text in texts), Text(row.words, STYLES.get(row.state, ""))])
    common.out.print(WordTable(("id", "student", "plays as", "check", "state"), listed))
    if others:
        common.print_out(f"No students, but in the league: {', '.join(others)}")
    for text in refused:
        common.print_out(f"Refused: {text}")
    missing = any(row.state is StudentState.MISSING for row in rows)
    if missing and league is not None and _could_start(league):
        common.print_out(f"To start without the missing: league start --league {league.league_id}")


def _could_start(league: League) -> bool:
    waits = league.state is LeagueState.WAITING_FOR_REGISTRATIONS
    return waits and len(league.players) >= league.rules.min_players

"""`league standings`, `schedule`, `matches`, `show`: show a league."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from league_sdk.domain.league import League
from league_sdk.domain.model import Fixture, MatchResult
from league_sdk.domain.pairings.schedule import all_series_games
from league_sdk.errors import MatchNotFound
from league_sdk.settings import Workspace
from servers.agent.manager_lock import is_pause, leader
from servers.cli import common
from servers.cli.common import (
    ConfigOption,
    DataOption,
    JsonOption,
    LeagueArgument,
    LeagueOption,
    StoreOption,
    TlsCa,
    TokenOption,
    out,
)
from servers.cli.fitted_tables import WordTable
from servers.cli.games import game_of
from servers.cli.show_running import ask_referee, running_lines
from servers.cli.summary import (
    dialects_json,
    matches_json,
    spending_json,
    spending_lines,
    standing_json,
)
from servers.cli.views import phase, standings_table
from servers.launcher.run_options import PlanError
from servers.read_model import reasons_text, round_name
from servers.read_model.event_text import result_line
from servers.read_model.ranking import counted_lines, reason_lines
from servers.read_model.ratings import league_ratings
from servers.read_model.rows import league_json, match_json
from servers.read_model.text import fault_sentence, mark_of, name_of, printable


def standings(
    league: LeagueArgument = None,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say what ranks each player before the next.")] = False,
) -> None:
    """Show the standings of a league.

    With tie-breaks, and where there is little room, headings are short:
    P played, W won, D drawn, L lost, T technical losses, N not played,
    S substituted moves, B byes. Tie-breaks have FIDE's
    acronyms: BH Buchholz, SB Sonneborn-Berger, DE head-to-head,
    ID the player's id, the lowest first;
    docs/how_to/choose_tie_breaks.md has all of them. With the extra
    'analysis', each rating stands with half its 95 % interval;
    'league ratings' says whom it can be told apart from.

    [bold]Examples[/bold]

      league standings
      league standings --explain
      league standings league_even_odd-2 --json
    """
    workspace = common.workspace_of(data)
    known, _ = common.read_league(workspace, league, config, store)
    rows, ratings = known.standings(), league_ratings(known, game_of(known, workspace))
    if as_json:
        shown = [{**standing_json(row), **ratings.json_of(row.player_id)} for row in rows]
        table = {"standings": shown, "ratings": ratings.remark, "dialects": dialects_json(known)}
        common.print_json({**league_json(known), **table})
        return
    _print_phase(workspace, known)
    out.print(standings_table(rows, ratings=ratings.players))
    for line in (*counted_lines(known), *filter(None, [ratings.remark])):
        common.print_out(line)
    for line in reason_lines(rows) if explain else ():
        common.print_out(line)


def _print_phase(workspace: Workspace, league: League) -> None:
    """Print a league's status; of a paused one, also the command to resume it."""
    if not is_pause(league.stop_reason) or leader(workspace, league.league_id) is None:
        common.print_out(phase(league, "'league resume' continues it"))
        return
    common.print_out(phase(league, "its manager is waiting; to continue:"))
    common.print_out(f"  {common.control_command(workspace, league.league_id, 'resume')}")


def schedule(
    league: LeagueArgument = None,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the pairings, round by round.

    [bold]Examples[/bold]

      league schedule
      league schedule --json
    """
    workspace = common.workspace_of(data)
    known, _ = common.read_league(workspace, league, config, store)
    if as_json:
        rounds = [
            {
                "round_id": scheduled.round_id,
                "matches": [match_json(known, fixture) for fixture in scheduled.fixtures],
                "byes": list(scheduled.byes),
            }
            for scheduled in known.rounds
        ]
        common.print_json({**league_json(known), "rounds": rounds})
        return
    _print_phase(workspace, known)
    if not known.scheduled:
        out.print("There is no schedule yet: registration is open.")
    for scheduled in known.rounds:
        bye = f"   bye: {', '.join(scheduled.byes)}" if scheduled.byes else ""
        named = f": {round_name(known, scheduled.round_id)}" if scheduled.paired_by == "bracket" else ""
        out.print(f"Round {scheduled.round_id}{named}{bye}", markup=False, style="bold")
        for fixture in scheduled.fixtures:
            pair = " - ".join(name_of(known, player) for player in fixture.players)
            out.print(f"  {fixture.match_id}  {pair}", markup=False)


def matches(
    league: LeagueArgument = None,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the matches of a league with their results.

    [bold]Examples[/bold]

      league matches
      league matches --json
    """
    workspace = common.workspace_of(data)
    known, _ = common.read_league(workspace, league, config, store)
    listed = matches_json(known)
    if as_json:
        common.print_json({**league_json(known), "matches": listed})
        return
    _print_phase(workspace, known)

    def marked(player: str) -> str:
        return f"{player} ({mark})" if (mark := mark_of(known, player)) else player

    games = all_series_games(known.rounds)
    rows: list[list[Text]] = []
    for match in listed:
        score = ":".join(str(match["score"].get(player, "")) for player in match["players"]) if match["score"] else ""
        pair = " - ".join(map(marked, match["players"]))
        game = games.get(match["match_id"])
        series = (f"{game.series_id} #{game.game}" if game else "",) if games else ()
        cells = (match["match_id"], *series, pair, match["status"], match["winner"] or "", score)
        rows.append([*(Text(cell) for cell in cells), Text(match["referee_id"] or "")])
    headings = ("match", *(("series",) if games else ()), "players", "status", "winner", "score", "referee")
    out.print(WordTable(headings, rows))


def show(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match, such as R1M1.")],
    league: LeagueOption = None,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    token: TokenOption = None,
    tls_ca: TlsCa = None,
    as_json: JsonOption = False,
) -> None:
    """Show one match: its result, the reason, and every message.

    Of a match under way its referee is asked, with the operator's token: turn, and whom it waits for.

    [bold]Examples[/bold]

      league show R1M1
      league show R2M1 --league league_even_odd-2 --json
    """
    workspace = common.workspace_of(data)
    known, _ = common.read_league(workspace, league, config, store)
    fixture = fixture_of(known, match)
    result = known.results.get(fixture.match_id)
    spending = spending_json(workspace, known.league_id, fixture.match_id)
    running = ask_referee(workspace, known, fixture.match_id, token, tls_ca)
    if as_json:
        document: dict[str, Any] = {**league_json(known), **match_json(known, fixture), "spending": spending}
        document |= {} if running is None else {"running": running}
        if result is not None:
            document |= {"lifecycle": dict(result.lifecycle), "transcript": [dict(e) for e in result.transcript]}
            document |= {"faults": [fault.to_json() for fault in result.faults]}
            document |= {"dialects": dialects_json(known, (*fixture.players, result.referee_id))}
        common.print_json(document)
        return
    _show(known, fixture, result, spending_lines(spending))
    for line in [] if running is None else running_lines(known, fixture.match_id, running):
        common.print_out(line)


def fixture_of(league: League, match: str) -> Fixture:
    try:
        return league.fixture(match.upper())
    except MatchNotFound as error:
        count = f"R1M1 to R{len(league.rounds)}M{len(league.rounds[-1].fixtures)}" if league.rounds else "none yet"
        raise PlanError(f"league {league.league_id} has no match {match!r}; it has {count}") from error


def _show(league: League, fixture: Fixture, result: MatchResult | None, spending: Sequence[str]) -> None:
    if result is None:
        status = match_json(league, fixture)
        pair = " - ".join(name_of(league, player) for player in fixture.players)
        out.print(f"{fixture.match_id}: {pair}: {status['status']} {status.get('reason', '')}", markup=False)
        return
    common.print_out(result_line(league, result), style="bold")
    score = ", ".join(f"{player} {points}" for player, points in result.score.items())
    referee = name_of(league, result.referee_id)
    played = f"Referee: {referee}. Attempt {result.attempt}." if result.referee_id else "Nobody played it."
    common.print_out(f"Points: {score}. {played}")
    for fault in result.faults:
        told = f"{fault_sentence(league, fault)} Cause: {fault.cause}."
        common.print_out(told)
    for player, reasons in result.substituted.items():
        told = f"Substituted moves of {name_of(league, player)}: {sum(reasons.values())} ({reasons_text(reasons)})."
        common.print_out(told)
    for line in spending:
        common.print_out(line)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("#", "time", "message", "from", "to", "what"):
        table.add_column(heading)
    for entry in result.transcript:
        referee = result.referee_id
        sender, receiver = entry.get("from", referee), entry.get("to", referee)
        what = entry.get("choice", "")
        if "substituted" in entry:
            what = f"{what} (substituted: {entry['substituted']})"
        if "error" in entry:  # what was sent there got no proper answer
            sender, receiver, what = receiver, sender, f"failed: {entry['error']}"
        cells = (
            entry.get("sequence", ""),
            str(entry.get("timestamp", ""))[11:23],
            entry.get("message_type", ""),
            sender,
            receiver,
            what,
        )
        table.add_row(*(Text(printable(str(cell))) for cell in cells))
    out.print(table)

"""The end of `league run`, in words."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from league_sdk.domain.events import Record
from league_sdk.domain.league import League, fold
from league_sdk.domain.league_state import NO_CHAMPION
from servers.agent.manager_lock import is_pause
from servers.cli import common
from servers.cli.common import out
from servers.cli.summary import run_json, spending_lines
from servers.cli.views import standings_table
from servers.launcher.plan import LaunchPlan
from servers.launcher.supervisor import RunEnding, RunOutcome
from servers.read_model import overview
from servers.read_model.ranking import deciding_line
from servers.read_model.text import count, legible, name_of, printable

PORT_TROUBLE = re.compile(r"\bport \d+ on \S+ is in use\b|\bcannot listen on port \d+\b")
"""An agent's sentence on a port that it could not listen on."""


def end_of(league: League, logs: Path | None = None) -> None:
    """Name void matches, and fail for them, and where nothing was played."""
    unplayed = league.unplayed
    for match_id, cause in unplayed.items():
        common.print_err(f"league: {match_id} is void: {printable(cause, 400)}")
        if logs is not None:
            common.print_err(_traceback(logs, match_id))
    if unplayed or not league.champions:
        common.end(common.FAILED)


def _traceback(logs: Path, match_id: str) -> str:
    """The last traceback of a match in the logs of this machine's referees."""
    found = ""
    for log in sorted(logs.glob("agents/*.log.jsonl")):
        for line in log.read_text(encoding="utf-8").splitlines():
            if '"MATCH_FAILED"' in line:
                details: dict[str, str] = json.loads(line)["details"]
                found = details.get("traceback", "") if details["match_id"] == match_id else found
    return legible(found.rstrip()) if found else f"no log here has a traceback of {match_id}"


def explain(plan: LaunchPlan, outcome: RunOutcome, on: str) -> None:
    """Say why the league is not complete, and how to continue it."""
    league = outcome.league
    if outcome.ending is RunEnding.STOPPED and league is not None:
        kind = "" if is_pause(league.stop_reason) or league.cancelled else "stopped: "
        common.print_err(f"league: {kind}{league.stop_reason}")
    if league is not None and league.scheduled:
        # A result may have been stored while everybody went home.
        league = fold(record.event for record in recorded(plan))
    tell_kept(plan, league, on)
    if not on and any(PORT_TROUBLE.search(reason) for reason in outcome.reasons):
        common.print_err("Add --port-base to use other ports.")


def tell_kept(plan: LaunchPlan, league: League | None, on: str) -> None:
    """Say what is recorded of an incomplete league, and how to continue it."""
    if league is not None and league.cancelled:
        common.print_err(f"league: {league.league_id} ended for good; the command that started it starts a new one")
        return
    if league is None or not league.scheduled:
        common.print_err(f"league: nothing was played. To start again:\n  {resume_command(plan, on)}")
        return
    void = f"; {len(league.voided)} are void" if league.voided else ""
    view = overview(league)
    complete = f", {view.rounds_completed} of {count(view.total_rounds, 'round')} complete"
    course = complete if view.paired_one_by_one and not view.endless else ""
    done = f"{view.decided_named} {'is' if view.decided_named == '1 match' else 'are'} decided and kept{course}{void}"
    common.print_err(f"league: {done}. To continue:\n  {resume_command(plan, on)}")


def resume_command(plan: LaunchPlan, on: str) -> str:
    return f"league resume {plan.league_id}{common.data_flag(plan.workspace)}{f' --on {on}' if on else ''}"


def recorded(plan: LaunchPlan) -> list[Record]:
    return common.read_records(plan.workspace, plan.league_id, plan.manager.config, plan.manager.store_url)


def show(
    plan: LaunchPlan,
    league: League,
    records: Sequence[Record],
    *,
    as_json: bool,
    seconds: float | None = None,
    **more: str,
) -> None:
    """Show the result of a complete league; `more` is of the JSON alone."""
    strategies = {spec.name: spec.strategy for spec in plan.players}
    document: dict[str, Any] = {**run_json(league, records, plan.workspace, strategies), **more}
    if as_json:
        common.print_json(document)
        return
    out.print()
    out.print(standings_table(league))
    names = ", ".join(name_of(league, champion) for champion in league.champions)
    title = "Champion" if len(league.champions) == 1 else "Champions (tied)"
    since = " since it was resumed" if plan.manager.resume else ""  # what was played before took its own time
    took = "" if seconds is None else f", {seconds:.1f} s{since}"
    lines = [f"{title}: {names}" if names else f"{NO_CHAMPION.capitalize()}."]
    champions = (row for row in league.standings() if row.player_id in league.champions and row.substitution)
    lines += [f"{name_of(league, row.player_id)}: {row.substitution}, by its own account." for row in champions]
    lines += filter(None, [deciding_line(league), overview(league).never_came_named])
    if league.voided:
        lines.append(f"Void, not counted: {', '.join(league.voided)}")
    lines.append(f"{count(len(league.results), 'match')}, {count(league.total_rounds, 'round')}{took}.")
    lines += spending_lines(document["spending"])
    lines.append(f"Head digest of the records, to be kept: {document['record_head']['digest']}")
    lines.append(f"Data: {document['paths']['data']}  Logs: {document['paths']['logs']}")
    flag = common.data_flag(plan.workspace)
    where = f", each with{flag}" if flag else ""
    lines.append(f"More{where}: league matches, league show R1M1, league standings, league report")
    if plan.manager.roster:
        lines.append(f"Class: league class grades {plan.league_id}{flag}, league class feedback {plan.league_id}{flag}")
    for line in lines:
        common.print_out(line)

"""Plays a batch as a league of two over MCP, with the launcher and its manager."""

import csv
import io
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import cast

import anyio

from league_sdk import plugins
from league_sdk.clock import SystemIds
from league_sdk.domain.events import Record
from league_sdk.domain.league import League, fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Fixture, MatchResult, ResultStatus
from league_sdk.domain.ranking.standings import at_fault
from league_sdk.settings import Workspace
from league_sdk.stores import SpendingRepository
from servers.agent import event_store
from servers.experiments.batches import Batch, MatchFailed, pairing_of
from servers.experiments.match_loop import LEAGUE_ID
from servers.experiments.spec import ExperimentSpec
from servers.launcher.addresses import ANY_PORTS
from servers.launcher.plan import LaunchPlan, load_plan, make_plan
from servers.launcher.plan_document import PLAN_FILE
from servers.launcher.port_check import PortsTaken, check_ports
from servers.launcher.run_options import RunOptions
from servers.launcher.supervisor import RunEnding, RunOutcome, Supervisor
from servers.launcher.worker_processes import in_this_process
from servers.read_model.matches import Kind, exchanges
from servers.read_model.replays import replay

LEAGUES = "leagues"
"""Folder of an experiment with a workspace for each league."""


class _Silent:
    """Shows nothing of a league's progress."""

    def league(self, league: League, record: Record) -> None: ...

    def waits(self, lines: object) -> None: ...

    def note(self, text: str) -> None: ...


def play_league(spec: ExperimentSpec, batch: Batch, folder: Path) -> str:
    """Play a batch as a league, or what is missing of it; its rows as CSV."""
    workspace = Workspace(folder / LEAGUES / pairing_of(batch))
    league = _recorded(workspace) or _played(spec, batch, workspace)
    if missing := sorted({each.match_id for each in _fixtures(league)} - {*league.results}):
        raise MatchFailed(f"the league in {workspace.root} has matches without a result: {', '.join(missing[:5])}")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_rows(spec, batch, league, workspace))
    return text.getvalue()


def _fixtures(league: League) -> Iterator[Fixture]:
    return (fixture for scheduled in league.rounds for fixture in scheduled.fixtures)


def _recorded(workspace: Workspace) -> League | None:
    """The league of a workspace if it is complete."""
    records = event_store.read_records(workspace, LEAGUE_ID, None)
    league = fold(record.event for record in records) if records else None
    return league if league is not None and league.state is LeagueState.COMPLETED else None


def _played(spec: ExperimentSpec, batch: Batch, workspace: Workspace) -> League:
    plan = _plan(spec, batch, workspace)
    outcome = anyio.run(Supervisor(plan, in_this_process, _Silent()).run)
    if outcome.ending is RunEnding.INTERRUPTED:
        raise KeyboardInterrupt
    if outcome.ending is not RunEnding.COMPLETED or outcome.league is None:
        raise MatchFailed(f"the league in {workspace.root} could not be played to its end: {_why(outcome)}")
    whole = _recorded(workspace)
    if whole is None:
        raise MatchFailed(f"the league in {workspace.root} was played, and its records are not there")
    return whole


def _why(outcome: RunOutcome) -> str:
    stopped = outcome.league.stop_reason if outcome.league is not None else ""
    return "; ".join(outcome.reasons) or stopped or str(outcome.ending)


def _plan(spec: ExperimentSpec, batch: Batch, workspace: Workspace) -> LaunchPlan:
    if (workspace.league_dir(LEAGUE_ID) / PLAN_FILE).exists():
        plan = load_plan(workspace, LEAGUE_ID)
        try:
            check_ports(plan.manager.bind_host, [agent.port for agent in plan.agents])
        except PortsTaken:  # others are found, but later
            return plan.at_ports(ANY_PORTS)
        return plan
    shutil.rmtree(workspace.root, ignore_errors=True)  # without a plan, nothing was played
    workspace.root.mkdir(parents=True)
    config = workspace.root / "league.json"  # a league of its own, whatever the user's configuration says of the game
    described = {"league_id": LEAGUE_ID, "game_type": spec.game, "rules": dict(spec.options)}
    config.write_text(json.dumps(described), "utf-8")
    options = RunOptions(
        workspace=workspace,
        league=str(config.absolute()),
        game=spec.game,
        league_id=LEAGUE_ID,
        format="round_robin",
        format_options={"cycles": batch.matches},
        count=2,
        players=tuple(spec.entrants[place] for place in batch.pairing),
        referees=1,
        seed=f"{spec.seed}:{pairing_of(batch)}",
        port_base=ANY_PORTS,
        plugins=spec.plugins,
    )
    plan = make_plan(options, SystemIds().token())
    plan.save()
    return plan


def _rows(spec: ExperimentSpec, batch: Batch, league: League, workspace: Workspace) -> Iterator[Sequence[object]]:
    game = plugins.game(spec.game, spec.plugins, spec.options)
    spending = SpendingRepository(LEAGUE_ID, workspace.data)
    names = {player_id: player.display_name for player_id, player in league.players.items()}
    for number, fixture in enumerate(_fixtures(league), 1):
        result = league.results[fixture.match_id]
        seats = result.players
        scores = cast("Mapping[str, float]", result.details.get("scores", {}))  # none after a technical loss
        spent = [spending.of_match(result.match_id, names[player]) for player in seats]
        yield (
            f"{pairing_of(batch)}M{number}",
            batch.repetition,
            number,
            *(names[player] for player in seats),
            names.get(result.winner or "", ""),
            *(f"{scores.get(player, 0):g}" for player in seats),
            max(0, len(replay(LEAGUE_ID, result, game, whole=True).frames) - 1),
            *(sum(result.substituted.get(player, {}).values()) for player in seats),
            *(_fault(result, player) for player in seats),
            *(_move_seconds(result, player) for player in seats),
            *(each.input_tokens + each.output_tokens if each.requests else "" for each in spent),
            *(f"{each.cost:.6f}" if each.requests and each.requests > each.unpriced else "" for each in spent),
        )


def _fault(result: MatchResult, player: str) -> str:
    """A technical loss, or the most frequent reason of substituted moves."""
    if result.status is ResultStatus.TECHNICAL_LOSS and player in at_fault(result):
        causes = (fault.cause for fault in result.faults if fault.player_id == player)
        return f"technical loss {next(causes, '')}".strip()
    reasons = result.substituted.get(player, {})
    return max(reasons, key=lambda reason: reasons[reason], default="")


def _move_seconds(result: MatchResult, player: str) -> str:
    """Mean seconds that a move took by the referee's clock; empty without a move."""
    waited = [each.seconds for each in exchanges(result) if each.kind is Kind.MOVE and each.player_id == player]
    return f"{fmean(waited):.4f}" if waited else ""

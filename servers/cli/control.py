"""`league control`: the operator's commands to a running league."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from league_sdk.names import joined
from league_sdk.settings import Workspace
from servers.agent.manager_lock import leader
from servers.cli import common
from servers.cli.cancelling import cancel_stored
from servers.cli.common import DataOption, LeagueOption, ManagerOption, TlsCa, TokenOption
from servers.cli.manager_calls import NotAnswered, call_manager
from servers.launcher.run_options import PlanError
from servers.read_model.text import printable


class ControlAction(StrEnum):
    """A command of the operator."""

    PAUSE = "pause"
    RESUME = "resume"
    CLOSE = "close"
    STOP = "stop"
    CANCEL = "cancel"
    DEADLINE = "deadline"
    REPLAY = "replay"
    REMOVE = "remove"
    SIT_OUT = "sit-out"
    REJOIN = "rejoin"


ROUTES = {
    ControlAction.PAUSE: ("pause_league", "starts no new match; those under way are finished"),
    ControlAction.RESUME: ("resume_league", "goes on"),
    ControlAction.CLOSE: ("close_league", "ends with the round under way"),
    ControlAction.STOP: ("stop_league", "is stopped, and its manager ends; 'league resume' can continue it"),
    ControlAction.CANCEL: (
        "cancel_league",
        "is cancelled, and its manager ends; the command that started it starts a new one",
    ),
    ControlAction.DEADLINE: ("deadline", "closes registration at {}"),
    ControlAction.REPLAY: ("matches/{}/replay", "plays {} again"),
    ControlAction.REMOVE: ("players/{}/remove", "has removed {}"),
    ControlAction.SIT_OUT: ("players/{}/sit-out", "lets {} sit out"),
    ControlAction.REJOIN: ("players/{}/rejoin", "lets {} play again"),
}
"""The manager's route of each command, and the result."""
NEEDS = {
    ControlAction.REPLAY: "the id of a match",
    ControlAction.DEADLINE: "so much more time, such as +10m, or a moment in UTC, such as 2036-05-01T09:00:00Z",
}
WITH_REASON = (ControlAction.CANCEL, ControlAction.REMOVE, ControlAction.SIT_OUT, ControlAction.REJOIN)


def control(
    action: Annotated[
        ControlAction,
        typer.Argument(metavar="ACTION", help=f"{', '.join(ControlAction)}.", show_default=False, case_sensitive=False),
    ],
    target: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="The match to replay, the player by id or name, or the deadline."),
    ] = None,
    reason: Annotated[
        str,
        typer.Option(
            "--reason",
            help="Why a player sits out, plays again or is removed, or the league is cancelled; everybody can read it.",
        ),
    ] = "",
    manager_url: ManagerOption = None,
    league: LeagueOption = None,
    token: TokenOption = None,
    tls_ca: TlsCa = None,
    data: DataOption = None,
) -> None:
    """Pause, resume, close, stop or cancel a league, replay a match, handle a player.

    The same as the buttons of the page for operators. The matches of a player that sits out are not played until it
    rejoins: nothing waits for it. Only a league without a last round, such as an endless ladder,
    is closed: the round under way is played, and the first place is the champion.
    A league that was started by mistake is cancelled, whether its manager runs or not: it ends for good,
    and the command that started it starts a new one, with the same cards. While players register, their deadline
    can be put off.

    [bold]Examples[/bold]

      league control pause
      league control resume --league spring
      league control close --league week
      league control replay R3M2
      league control deadline +10m
      league control cancel --reason "wrong roster"
      league control sit-out P08 --reason "its machine is down until noon"
      league control rejoin P08
      league control rejoin "Ada Lovelace"
      league control remove P08 --reason "left the course"
    """
    path, done = ROUTES[action]
    needed = NEEDS.get(action, "the id or name of a player" if "{}" in path else "")
    if bool(needed) != (target is not None):
        raise PlanError(f"league control {action} {f'needs {needed}' if needed else 'takes no id'}")
    if reason and action not in WITH_REASON:
        raise PlanError(f"--reason is for {joined(WITH_REASON)}")
    workspace = common.workspace_of(data)
    found = common.league_id_of(workspace, league)
    if action is ControlAction.CANCEL and manager_url is None and leader(workspace, found) is None:
        cancel_stored(workspace, found, reason, token)
        common.print_out(f"League {found} is cancelled; the command that started it starts a new one.")
        return
    url = manager_of(workspace, found, manager_url)
    secret = common.operator_token(workspace, found, token)
    told = {"deadline": target or ""} if action is ControlAction.DEADLINE else {"reason": reason} if reason else {}
    answer = operate(url, path.format(quote(target or "", safe="")), told, secret, tls_ca)
    if already := answer.get("already"):
        common.print_out(f"League {found}: {printable(str(already))}.")
        return
    about = printable(str(answer.get("deadline", target)))
    player_id = printable(str(answer.get("player_id", about)))
    common.print_out(f"League {found} {done.format(about if player_id == about else f'{about} ({player_id})')}.")


def manager_of(workspace: Workspace, league_id: str, given: str | None) -> str:
    """The endpoint of a league's manager; ends the command where none runs."""
    url = given or leader(workspace, league_id)
    if not url:
        common.print_err(
            f"league: no league manager of {league_id} runs in {workspace.root}. Name its endpoint with --manager."
        )
        common.end(common.FAILED)
    return url


def operate(url: str, path: str, told: Mapping[str, str], token: str, tls_ca: Path | None) -> dict[str, Any]:
    """Carry out a command of the operator's; ends the command where it is refused."""
    try:
        return call_manager(url, path, token, tls_ca, told)
    except NotAnswered as error:
        common.print_err(f"league: {error}")
        common.end(common.FAILED)

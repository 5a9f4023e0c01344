"""`league class cards`: a card for each student."""

import shlex
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from league_sdk import plugins as plugins_known
from league_sdk.names import game_name
from league_sdk.net.addresses import is_loopback
from league_sdk.net.join_links import JoinLink, JoinLinkError
from league_sdk.settings import write_secret
from servers.agent.class_roster import Student, class_of
from servers.cli import common, output
from servers.cli.output import ForceOption, OutputOption
from servers.launcher.run_options import PlanError
from servers.read_model.text import count

UNSAFE_IN_QUOTES = frozenset('"$`!\\')
"""Characters that a shell expands between double quotes; other names stay in these, which Windows has too."""

Manager = Annotated[
    str, typer.Option("--manager", envvar="LEAGUE_MANAGER", help="The league manager's endpoint, for the cards.")
]
OneStudent = Annotated[
    str | None,
    typer.Argument(metavar="[STUDENT]", help="Show the card of one alone, by id, e-mail or name, on the terminal."),
]


def cards(
    student: OneStudent = None,
    manager_url: Manager = "http://localhost:8000/mcp",
    game: common.GameOption = None,
    plugins: common.PluginsOption = None,
    target: OutputOption = None,
    force: ForceOption = False,
    as_json: common.JsonOption = False,
    data: common.DataOption = None,
) -> None:
    """Write a card for each student: player's name, join secret, command, QR code.

    The code holds a join link with all that a player needs: league player --join-link-file. With --game, command and
    link name the league's game, which players need for a game of a library, such as openspiel:chess.

    [bold]Examples[/bold]

      league class cards -o cards.html --manager http://192.168.1.10:8000/mcp
      league class cards 4711           one card, on the terminal
      league class cards --json         for sending them by mail
    """
    from servers.ui.class_pages import cards as page

    kept = class_of(common.workspace_of(data))
    played = _game_named(game, plugins)
    made = [_card(each, manager_url, played) for each in (kept.students if student is None else [kept.find(student)])]
    if is_loopback(urlsplit(manager_url).hostname or ""):
        common.print_err(
            f"{manager_url} is reached from this machine alone; --manager names the address for other machines"
        )
    if as_json:
        common.print_json({"manager": manager_url, "cards": made})
        return
    output.check_target(target, force=force)
    if student is not None and target is None:
        _show(made[0], manager_url)
    elif target is None:
        output.write(page(made, manager_url), target)
    else:
        try:
            write_secret(target, "".join(page(made, manager_url)))
        except OSError as error:
            raise PlanError(f"{target} cannot be written: {error.strerror}") from error
        common.print_err(f"{count(len(made), 'card')} written to {target}; they hold secrets")


def _game_named(game: str | None, plugins: list[Path] | None) -> str:
    """The name of a game that is installed here; empty without one."""
    if game is None:
        return ""
    folders = common.folders_of(plugins)
    whole = plugins_known.full_game_type(game, folders)
    plugins_known.game(whole, folders)
    return game_name(whole)


def _quoted(text: str) -> str:
    return shlex.quote(text) if UNSAFE_IN_QUOTES & set(text) else f'"{text}"'


def _card(student: Student, manager_url: str, game: str) -> dict[str, str]:
    try:
        link = JoinLink(student.player, manager_url, student.secret, game).url
    except JoinLinkError as error:
        raise PlanError(f"--manager: {error}") from error
    played = f" --game {game if game.replace('_', '').isalnum() else _quoted(game)}" if game else ""
    command = f"league player --name {_quoted(student.player)} --manager {manager_url}{played}"
    command += " --outbound --ask-join-secret"
    return {
        "student_id": student.student_id,
        "name": student.name,
        "email": student.email,
        "player": student.player,
        "join_secret": student.secret,
        "join_link": link if student.secret else "",
        "command": command if student.secret else "",
    }


def _show(card: dict[str, str], manager_url: str) -> None:
    """Print a card, with its code."""
    from servers.ui.qr_codes import as_blocks

    common.print_out(f"{card['name']} ({card['student_id']})")
    if not card["join_secret"]:
        common.print_out("The invitation was revoked.")
        return
    common.print_out(f"  player       {card['player']}")
    common.print_out(f"  league       {manager_url}")
    common.print_out(f"  join secret  {card['join_secret']}")
    common.print_out(f"  to play      {card['command']}")
    common.print_out(as_blocks(card["join_link"]))

"""`league replay`: one match, played back step by step."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.live import Live
from rich.text import Text

from league_sdk.domain.league import League
from league_sdk.domain.model import Fixture, MatchResult
from league_sdk.names import game_name
from servers.cli import common
from servers.cli.common import ConfigOption, DataOption, JsonOption, LeagueOption, PluginsOption, StoreOption, out
from servers.cli.games import game_of
from servers.cli.show import fixture_of
from servers.launcher.run_options import PlanError
from servers.read_model.event_text import result_line
from servers.read_model.rows import league_json, match_json
from servers.read_model.text import fault_sentence, legible, name_of, printable

if TYPE_CHECKING:
    from servers.read_model import Line, Replay, RevealedDraw


def replay(
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match, such as R1M1.")],
    league: LeagueOption = None,
    speed: Annotated[
        float, typer.Option("--speed", min=0, help="Steps per second on a terminal; 0 for no delay.")
    ] = 1.0,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter before each step; q and Enter quits.")] = False,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    plugins: PluginsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replay a match step by step and verify its random draw.

    It replays the recorded moves and the random draw under the game's rules,
    so it also shows whether the recorded result is right. For a technical
    loss it shows the messages up to the failure.

    [bold]Examples[/bold]

      league replay R1M1
      league replay R1M1 --step
      league replay R2M1 --speed 4 --league summer
      league replay R1M1 --json | jq '.frames[].position'

    Exit code: 0 replayed, 1 the random draw or the result is wrong, 2 there
    is no such match, or it is not over.
    """
    workspace = common.workspace_of(data)
    if step and not sys.stdin.isatty():
        raise PlanError("--step waits for keys: it needs a terminal")
    known, _ = common.read_league(workspace, league, config, store)
    fixture = fixture_of(known, match)
    result = known.results.get(fixture.match_id)
    if result is None:
        raise PlanError(f"{fixture.match_id} cannot be replayed: {_why_not(known, fixture)}")
    from servers import read_model

    played = read_model.replay(known.league_id, result, game_of(known, workspace, plugins), whole=True)
    draw = read_model.check_draw(known.league_id, result)
    if as_json:
        common.print_json(_document(known, fixture, result, played, draw))
    else:
        opening, ending = _opening(known, result, draw), _ending(known, result, played, draw)
        course = list(_course(known, result, played))
        if played.frames and not step and out.is_terminal:
            _print(opening)
            _animate(course, speed)
            _print(ending)
        else:
            _tell([opening, *course, ending], _key if step else None)
    holds = played.agrees is not False and (draw.verified or not draw.checks)
    common.end(0 if holds else common.FAILED)


def _why_not(league: League, fixture: Fixture) -> str:
    match = match_json(league, fixture)
    if match["status"] == "VOID":
        return f"it is void and not counted: {printable(match['reason'], 200)}"
    return "it is under way" if match["status"] == "UNDER_WAY" else "it has not begun"


def _key() -> bool:
    """Wait for Enter; whether to continue."""
    out.print("Enter: next step, q: quit. ", end="", style="dim")
    answer = sys.stdin.readline()
    return bool(answer) and answer.strip().lower() != "q"


def _animate(positions: Sequence[str], speed: float) -> None:
    """One position in the place of the one before."""
    with Live(console=out, auto_refresh=False) as live:
        for number, text in enumerate(positions):
            if number and speed:
                time.sleep(1 / speed)
            live.update(_drawn(text), refresh=True)


def _tell(steps: Sequence[str], go_on: Callable[[], bool] | None) -> None:
    for number, text in enumerate(steps):
        if number and go_on is not None and not go_on():
            return
        _print(text)


def _print(text: str) -> None:
    out.print(_drawn(text), soft_wrap=True)


def _drawn(text: str) -> Text:
    """The first line of a step stands out."""
    first, newline, rest = legible(text).partition("\n")
    return Text.assemble((first, "bold"), newline, rest)


def _opening(league: League, result: MatchResult, draw: "RevealedDraw") -> str:
    """The players, and the commitment made before the first move."""
    players = " against ".join(name_of(league, player) for player in result.players)
    text = f"{result.match_id}, round {result.round_id}, {game_name(league.rules.game_type)}: {players}"
    referee = f"Referee: {name_of(league, result.referee_id)}."
    commitment = printable(draw.commitment, 128)
    fixed = f"Commitment to the random draw: {commitment}" if commitment else "No commitment to a random draw."
    return f"{text}\n{referee} {fixed}\n"


def _course(league: League, result: MatchResult, played: "Replay") -> Iterator[str]:
    """The positions; where there are none, the messages."""
    if played.frames:
        first, *rest = played.frames
        yield f"The beginning\n{first.position}\n"
        for frame in rest:
            moves = ", ".join(
                f"{name_of(league, player)} {_shown(move)}{' (stand-in)' * (player in frame.stand_ins)}"
                for player, move in frame.moves.items()
            )
            yield f"Turn {frame.turn} of {len(rest)}: {moves}\n{frame.position}\n"
        return
    from servers.read_model import conversation

    for line in conversation(result):
        yield _message(league, line)


def _message(league: League, line: "Line") -> str:
    at = "" if line.offset is None else f"+{line.offset:.3f} s "
    waited = "" if line.waited is None else f", after {line.waited:g} s"
    kind, speaker = printable(line.message_type), name_of(league, line.speaker)
    if line.error_code:
        return f"{at}{speaker} gave no valid answer to {kind} ({printable(line.error_code)}){waited}"
    told = f": {_shown(line.choice)}" if line.choice is not None else ""
    if line.stands_for:
        return f"{at}stand-in of {name_of(league, line.stands_for)}{told}"
    return f"{at}{speaker} to {name_of(league, line.listener)}: {kind}{told}{waited}"


def _ending(league: League, result: MatchResult, played: "Replay", draw: "RevealedDraw") -> str:
    """The result, the reason, and the verification."""
    score = ", ".join(f"{player} {points}" for player, points in result.score.items())
    lines = [result_line(league, result), f"Points: {score}."]
    lines += [f"{fault_sentence(league, fault)} Cause: {fault.cause}." for fault in result.faults]
    lines += [f"{'✓' if check.held else '✗ NOT SO:'} {check.claim}" for check in draw.checks]
    if not draw.checks:
        lines.append("The referee revealed no random draw, so it cannot be verified.")
    if played.agrees is None:
        lines.append(played.why_not)
    else:
        lines.append(
            "✓ The replay ends in the recorded result."
            if played.agrees
            else "✗ NOT SO: The replay ends in another result than the recorded one."
        )
    return "\n".join(lines)


def _shown(move: Any) -> str:
    return printable(move if isinstance(move, str) else common.json_text({"move": move})[9:-1], 200)


def _document(
    league: League, fixture: Fixture, result: MatchResult, played: "Replay", draw: "RevealedDraw"
) -> dict[str, Any]:
    frames = [
        {"turn": frame.turn, "moves": dict(frame.moves), "position": frame.position}
        | ({"stand_ins": list(frame.stand_ins)} if frame.stand_ins else {})
        for frame in played.frames
    ]
    return {
        **league_json(league),
        **match_json(league, fixture),
        "frames": frames,
        "agrees": played.agrees,
        "why_not": played.why_not,
        "draw": {
            "commitment": draw.commitment,
            "secret": draw.secret,
            "nonces": dict(draw.nonces),
            "seed": draw.seed,
            "verified": draw.verified,
            "checks": [{"claim": check.claim, "held": check.held} for check in draw.checks],
        },
        "faults": [fault.to_json() for fault in result.faults],
    }

"""`league ratings`: strengths with their errors."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from league_sdk.domain.league import League
from league_sdk.names import alternatives, game_name, listed
from servers.cli import common
from servers.cli.common import ConfigOption, DataOption, JsonOption, StoreOption, out
from servers.launcher.run_options import PlanError
from servers.read_model.text import count, printable

if TYPE_CHECKING:
    from league_sdk.ratings.estimate import Estimate
    from league_sdk.ratings.matches import RatedMatch

EXTRA = "pip install 'mcp-agent-league[analysis]'"
AUTO, BRADLEY_TERRY, OPENSKILL = "auto", "bradley_terry", "openskill"
MODELS = {BRADLEY_TERRY: "Bradley-Terry with draws", OPENSKILL: "OpenSkill in the order of the matches"}
LARGEST_MATRIX = 20
"""Players in a matrix that a terminal can show."""


def ratings(
    leagues: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LEAGUE]…", help="Ids of leagues, rated together by players' names. Default: the latest."
        ),
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", help="Confidence of the intervals, from 0 to 1.")] = 0.95,
    seat_advantage: Annotated[
        bool, typer.Option("--seat-advantage", help="Estimate the advantage of the first seat too.")
    ] = False,
    model: Annotated[
        str,
        typer.Option("--model", help=f"{' or '.join(MODELS)}. Default: openskill for matches of more than two."),
    ] = AUTO,
    technical_losses: Annotated[
        bool,
        typer.Option(
            "--technical-losses/--no-technical-losses",
            help="Count matches that ended in a technical loss, or omit them.",
        ),
    ] = True,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Show the probability that each player is stronger than every other.")
    ] = False,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rate the players of one or more leagues, each rating with its error.

    Ratings are on the Elo scale around a mean of 1500, estimated from all
    matches at once by the Bradley-Terry model with draws. The order of the
    matches does not matter; void matches never count. Two players are
    "not distinguishable" when the interval of their difference contains zero.
    Matches of more than two are rated by OpenSkill, in their order.

    [bold]Examples[/bold]

      league ratings
      league ratings spring summer autumn --seat-advantage
      league ratings --matrix --no-technical-losses
      league ratings --model openskill
      league ratings --json | jq '.players[0]'

    Exit code: 0 rated, 2 no such league, or no matches to rate by.
    """
    if not 0 < confidence < 1:
        common.misused(f"--confidence {confidence}: a probability between 0 and 1, such as 0.95")
    if model not in (AUTO, *MODELS):
        raise PlanError(f"--model {model!r}: {alternatives(model, list(MODELS), 'there are')}")
    workspace = common.workspace_of(data)
    known = [common.read_league(workspace, league_id, config, store)[0] for league_id in leagues or [None]]
    games = {league.rules.game_type for league in known}
    if len(games) > 1:
        raise PlanError(
            f"leagues of one game can be rated together; these play {', '.join(map(game_name, sorted(games)))}"
        )
    matches = [match for league in known for match in _matches(league, technical_losses)]
    if not matches:
        raise PlanError("there are no decided matches to rate by yet")
    model = _fitting(model, any(len(match.players) > 2 for match in matches), seat_advantage)
    estimate = _model(model, seat_advantage=seat_advantage)(matches)
    if as_json:
        told = {"leagues": [league.league_id for league in known], "model": model}
        common.print_json(told | _as_json(estimate, confidence))
        return
    out.print(_table(estimate, confidence))
    if matrix:
        out.print(_matrix(estimate))
    for line in _remarks(estimate, confidence, len(matches), MODELS[model]):
        common.print_out(line)


def _fitting(model: str, several: bool, seat_advantage: bool) -> str:
    """The model to estimate by; PlanError where it takes no matches of `several`."""
    if several and model == BRADLEY_TERRY:
        raise PlanError(f"--model {BRADLEY_TERRY} rates matches of two; these have more: --model {OPENSKILL}")
    model = OPENSKILL if several else BRADLEY_TERRY if model == AUTO else model
    if model == OPENSKILL and seat_advantage:
        common.misused(f"--seat-advantage is estimated by --model {BRADLEY_TERRY} alone, for matches of two")
    return model


def _model(name: str, *, seat_advantage: bool) -> "Callable[[Sequence[RatedMatch]], Estimate]":
    """The function that estimates by a model; PlanError without its libraries."""
    try:
        if name == OPENSKILL:
            import_module("openskill.models")
            from league_sdk.ratings.openskill import openskill

            return openskill
        from league_sdk.ratings.bradley_terry import bradley_terry
    except ModuleNotFoundError as error:
        needed = OPENSKILL if OPENSKILL in str(error.name) else "numpy and scipy"
        raise PlanError(f"ratings need {needed}: {EXTRA}") from error
    return partial(bradley_terry, seat_advantage=seat_advantage)


def _matches(league: League, technical_losses: bool) -> "Iterator[RatedMatch]":
    from league_sdk.ratings.matches import RatedMatch, rated_matches

    for match in rated_matches(league.results.values(), technical_losses=technical_losses):
        yield RatedMatch(tuple(league.players[player].display_name for player in match.players), match.places)


def _as_json(estimate: "Estimate", confidence: float) -> dict[str, Any]:
    rows = estimate.rows(confidence)
    advantage = estimate.seat_advantage
    return {
        "confidence": confidence,
        "players": rows,
        "superiority": {
            row["name"]: {other["name"]: round(float(p), 4) for other, p in zip(rows, line, strict=True)}
            for row, line in zip(rows, estimate.superiority, strict=True)
        },
        "seat_advantage": None
        if advantage is None
        else {"rating": round(advantage[0], 1), "standard_error": round(advantage[1], 1)},
        "draw_rate": None if estimate.draw_rate is None else round(estimate.draw_rate, 4),
        "connected": len(estimate.parts) == 1,
    }


def _table(estimate: "Estimate", confidence: float) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("#", "player", "rating", "±", "ranks", "matches", "not distinguishable from"):
        table.add_column(heading, justify="left" if heading in ("player", "not distinguishable from") else "right")
    for row in estimate.rows(confidence):
        best, worst = row["rank_interval"]
        table.add_row(
            str(row["rank"]),
            Text(printable(row["name"])),
            Text(str(row["rating"]), "bold"),
            margin_text(row["margin"]),
            str(best) if best == worst else f"{best}-{worst}",
            str(row["matches"]),
            Text(others(row["not_distinguishable_from"], len(estimate.players))),
        )
    return table


def margin_text(margin: int | None) -> str:
    """Half the width of an interval."""
    return "too few matches" if margin is None else str(margin)


def probability_text(probability: float) -> str:
    """A probability as a percentage that never says certain."""
    return "<1%" if probability < 0.01 else ">99%" if probability > 0.99 else f"{probability:.0%}"


def others(names: list[str], players: int) -> str:
    """A list of names in a table's cell."""
    if not names:
        return ""
    if len(names) == players - 1:
        return "all others"
    return listed([printable(name, 20) for name in names], 3)


def _matrix(estimate: "Estimate") -> Table:
    if len(estimate.players) > LARGEST_MATRIX:
        raise PlanError(f"a terminal shows the matrix of {LARGEST_MATRIX} players at most; use --json")
    table = Table(title="Probability that the player of the row is stronger", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("player")
    for name in estimate.players:
        table.add_column(Text(printable(name, 12)), justify="right")
    for index, name in enumerate(estimate.players):
        cells = ("" if other == index else probability_text(p) for other, p in enumerate(estimate.superiority[index]))
        table.add_row(Text(printable(name)), *cells)
    return table


def _remarks(estimate: "Estimate", confidence: float, matches: int, model: str) -> Iterator[str]:
    yield f"{count(matches, 'match')}, {model}, {confidence:.0%} intervals; the mean rating is 1500"
    if estimate.seat_advantage is not None:
        points, error = estimate.seat_advantage
        yield f"advantage of the first seat: {points:.0f} ± {error * estimate.quantile(confidence):.0f}"
    if estimate.draw_rate is not None:
        yield f"draws between equal players: {estimate.draw_rate:.0%}"
    if len(estimate.parts) > 1:
        yield (
            f"The players form {len(estimate.parts)} groups that never met; "
            "ratings of different groups cannot be compared."
        )
    if not estimate.distinguishable(confidence).any():
        yield (
            "No two players are distinguishable: there are too few matches, they are equally strong, or the game is "
            "one of chance."
        )

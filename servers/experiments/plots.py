"""Charts of an experiment as files for papers and slides, drawn with Matplotlib."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from servers.experiments.report import Figures
from servers.launcher.run_options import PlanError
from servers.read_model.text import printable

FORMATS = ("svg", "png")
DPI = 200
_NAME = 24


def write_plots(found: Figures, folder: Path, kind: str) -> list[Path]:
    """Write a file for each chart; PlanError without Matplotlib, or without matches."""
    try:
        matplotlib: Any = import_module("matplotlib")
        figure: Any = import_module("matplotlib.figure").Figure
    except ModuleNotFoundError as error:
        raise PlanError("plots need Matplotlib: pip install 'mcp-agent-league[analysis]'") from error
    if not found.matches:
        raise PlanError("there are no matches to plot yet")
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    # Without a date and random ids, equal results give equal files.
    with matplotlib.rc_context({"svg.hashsalt": "experiment"}):
        for name, drawing in _drawings(found, figure):
            written.append(folder / f"{name}.{kind}")
            drawing.savefig(written[-1], dpi=DPI, metadata={"Date": None} if kind == "svg" else None)
    return written


def _drawings(found: Figures, figure: Any) -> Iterator[tuple[str, Any]]:
    rows = len(found.rows)
    for name, draw, width, height in (
        ("scores", _scores, 2 + rows, 1 + 0.6 * rows),
        ("ratings", _ratings, 6, 1 + 0.4 * rows),
        ("payoffs", _payoffs, 6, 1 + 0.4 * rows),
        ("convergence", _convergence, 6, 4),
    ):
        if name == "ratings" and not found.rated:
            continue
        drawing = figure(figsize=(max(5, width), max(2.5, height)), layout="constrained")
        draw(found, drawing.subplots())
        yield name, drawing


def _names(found: Figures) -> list[str]:
    # A dollar sign would begin a formula.
    return [printable(row["name"], _NAME).replace("$", r"\$") for row in found.rows]


def _scores(found: Figures, axes: Any) -> None:
    names = _names(found)
    shares = [[float("nan") if cell is None else cell.score for cell in cells] for cells in found.heat]
    axes.imshow(shares, cmap="RdBu", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set_title("Score of the row against the column, with 95 % intervals")
    for y, cells in enumerate(found.heat):
        for x, cell in enumerate(cells):
            if cell is not None:
                text = f"{cell.score:.0%}\n" + (
                    "too few" if cell.interval is None else "{:.0%} to {:.0%}".format(*cell.interval)
                )
                colour = "white" if abs(cell.score - 0.5) > 0.35 else "black"
                axes.text(x, y, text, ha="center", va="center", fontsize=8, color=colour)


def _ratings(found: Figures, axes: Any) -> None:
    places = range(len(found.rows))
    ratings = [row["rating"] for row in found.rows]
    axes.errorbar(ratings, places, xerr=[row["margin"] or 0 for row in found.rows], fmt="o", capsize=3)
    axes.set_yticks(places, _names(found))
    axes.margins(y=0.5 / len(places))
    axes.invert_yaxis()
    axes.set_title("Ratings in Elo points, with 95 % intervals")


def _payoffs(found: Figures, axes: Any) -> None:
    keys = ("whislo", "q1", "med", "q3", "whishi")
    boxes: list[dict[str, Any]] = [
        dict(zip(keys, box.numbers, strict=True)) | {"mean": box.mean, "fliers": ()} for box in found.boxes
    ]
    axes.bxp(boxes, orientation="horizontal", showmeans=True, positions=range(len(boxes)))
    axes.set_yticks(range(len(boxes)), _names(found))
    axes.invert_yaxis()
    axes.set_title("Payoffs of a match: extremes, quartiles, median and mean")


def _convergence(found: Figures, axes: Any) -> None:
    for row, name in zip(found.rows, _names(found), strict=True):
        axes.plot(found.matches, found.scores[row["name"]], label=name)
    axes.set_ylim(0, 1)
    axes.set_xlabel("matches of each pairing")
    axes.set_ylabel("score so far")
    axes.legend(fontsize=8)

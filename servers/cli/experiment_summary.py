"""The standings of an experiment, for a terminal."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from servers.cli.ratings import EXTRA, margin_text, others
from servers.read_model.text import count, printable

if TYPE_CHECKING:
    from league_sdk.ratings.sprt import Sprt
    from servers.experiments.compare import Difference
    from servers.experiments.standings import ExperimentStandings
    from servers.experiments.stop_rule import Comparison

SHOWN = 10
"""Pairs of strategies in a sentence."""
LONGEST_NAME = 20
"""Characters of a name that a narrow terminal leaves in one line."""

Rows = list[dict[str, Any]]


def standings_table(rows: Rows) -> Table:
    from servers.experiments.standings import COSTS

    rated = rows[0]["rating"] is not None
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    names = [printable(row["name"]) for row in rows]
    table.add_column("strategy", overflow="fold", min_width=min(max(map(len, names)), LONGEST_NAME))
    headings = ("rating", "±") if rated else ()
    for heading in (*headings, "matches", "won/drawn/lost", "score"):
        table.add_column(heading, justify="right", overflow="fold")
    costs = [(key, heading, form) for key, heading, form in COSTS if any(row[key] is not None for row in rows)]
    for _, heading, _ in costs:
        table.add_column(heading, justify="right")
    if rated:
        table.add_column("not distinguishable from", overflow="fold", min_width=len("distinguishable"))
    for name, row in zip(names, rows, strict=True):
        rating = (Text(str(row["rating"]), "bold"), margin_text(row["margin"])) if rated else ()
        numbers = (str(row["matches"]), f"{row['won']}/{row['drawn']}/{row['lost']}")
        apart = (Text(others(row["not_distinguishable_from"], len(rows))),) if rated else ()
        spent = ("" if row[key] is None else form.format(row[key]) for key, _, form in costs)
        table.add_row(Text(name), *rating, *numbers, f"{row['score']:.1%}", *spent, *apart)
    return table


def differences_table(found: Sequence["Difference"]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("strategy")
    for heading in ("first", "second", "difference", "±"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for each in found:
        margin = margin_text(None) if each.margin is None else f"{each.margin:.1%}"
        numbers = (f"{each.before.score:.1%}", f"{each.after.score:.1%}", f"{each.difference:+.1%}")
        apart = "" if each.distinguishable else "not distinguishable"
        table.add_row(Text(printable(each.name)), *numbers, margin, apart)
    return table


def sprt_text(test: "Sprt", names: Sequence[str]) -> str:
    """The state of a sequential test, in a sentence."""
    first, second = (printable(name) for name in names)
    low, high = test.bounds
    # H1 refutes a lead of elo0 and not one below elo1; H0 the other way round.
    lead = {"H1": f"more than {test.elo0:g} points", "H0": f"less than {test.elo1:g} points"}.get(test.accepted)
    comparison = f"{first} leads {second} by {lead} ({test.accepted})" if lead else "not decided; it wants more matches"
    return f"SPRT [{test.elo0:g}, {test.elo1:g}]: {comparison}; LLR {test.ratio:.2f} of ({low:.2f}, {high:.2f})"


def order_text(comparisons: Sequence["Comparison"], probability: float) -> Iterator[str]:
    """Sentences about who is better of each two, as far as that is known."""
    from servers.experiments.stop_rule import order_of

    known = [each for each in comparisons if each.better]
    if not comparisons:
        return
    if order := order_of(comparisons):
        yield f"order, with a confidence of {probability:.4g}: {', '.join(map(printable, order))}"
        return
    if known:
        answers = [f"{printable(each.better)} is better than {printable(each.worse)}" for each in known]
        yield f"with a confidence of {probability:.4g} in all answers: {_shortened(answers)}"
    if len(known) < len(comparisons):
        left = [
            f"{printable(each.pair[0])} or {printable(each.pair[1])} (after {count(each.matches, 'match')})"
            for each in comparisons
            if not each.better
        ]
        yield f"not known which is better: {_shortened(left)}"


def _shortened(texts: Sequence[str]) -> str:
    more = [f"{len(texts) - SHOWN} more"] if len(texts) > SHOWN else []
    return "; ".join([*texts[:SHOWN], *more])


def remarks(standings: "ExperimentStandings", rows: Rows) -> Iterator[str]:
    """Sentences to stand below the table."""
    for row in rows:
        if row["substituted"]:
            reason, times = max(row["faults"].items(), key=lambda item: item[1])
            yield (
                f"{printable(row['name'])}: {count(row['substituted'], 'move')} substituted, most often because it "
                f"failed ({printable(reason)}; {count(times, 'match')})"
            )
    if rows[0]["rating"] is None:
        yield f"for ratings with errors: {EXTRA}"
    elif not any(len(row["not_distinguishable_from"]) < len(rows) - 1 for row in rows):
        yield (
            "No two strategies are distinguishable: there are too few matches, they are equally strong, or the game is "
            "one of chance."
        )
    same = [f"{printable(first)} and {printable(second)}" for first, second in standings.always_the_same()]
    if same:
        more = f"; so did {count(len(same) - 1, 'other pair')}" if len(same) > 1 else ""
        yield (
            f"{same[0]} went the same way in every match{more}: to repeat that tells nothing, and the errors do not "
            "know it"
        )

"""Reasons for the order of the standings, in words."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from league_sdk.domain.model import LeagueRules, Standing
from league_sdk.domain.tie_breaks import BY_FORMAT, TIE_BREAKS, TieBreak


def tie_break_columns(rules: LeagueRules) -> Mapping[str, TieBreak]:
    """The league's criteria that are no field of a row, in their order."""
    return {name: TIE_BREAKS[name] for name in rules.tiebreakers if not TIE_BREAKS[name].column}


def value_of(row: Standing, name: str) -> float | None:
    """A row's value of a criterion; None where it was not needed."""
    column = TIE_BREAKS[name].column
    return getattr(row, column) if column else row.tie_breaks.get(name)


def told_value(row: Standing, name: str) -> str:
    """A row's value of a criterion as text; empty where it was not needed."""
    return number(value_of(row, name))


def reason(above: Standing, below: Standing) -> str:
    """The reason for the order of two neighbours, such as `Buchholz 14 against 12`."""
    if above.rank == below.rank:
        return "equal in everything that ranks"
    if below.decided_by == BY_FORMAT:
        return "the ranking of the tournament's format"
    label = TIE_BREAKS[below.decided_by].label
    return f"{label} {told_value(above, below.decided_by)} against {told_value(below, below.decided_by)}"


def number(value: float | None) -> str:
    """A value as text; empty for none."""
    return "" if value is None else f"{value:.15g}"


def reasons(rows: Sequence[Standing]) -> list[tuple[Standing, Standing, str]]:
    """The reason for each pair of neighbours."""
    return [(above, below, reason(above, below)) for above, below in pairwise(rows)]


def reason_lines(rows: Sequence[Standing]) -> list[str]:
    """The same by ids, a line a pair: `P03 before P07: Buchholz 14 against 12`."""
    return [
        f"{above.player_id} {'and' if above.rank == below.rank else 'before'} {below.player_id}: {why}"
        for above, below, why in reasons(rows)
    ]

"""Reasons for the order of the standings, in words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from league_sdk.domain.league import League
from league_sdk.domain.model import LeagueRules
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import at_fault, id_order
from league_sdk.domain.ranking.tie_breaks import BY_FORMAT, TIE_BREAKS, TieBreak
from league_sdk.names import listed
from servers.read_model.text import count

MOST_NAMED = 10
"""Opponents that a sentence names."""


def tie_break_columns(rules: LeagueRules) -> Mapping[str, TieBreak]:
    """The league's criteria that are no field of a row, in their order."""
    return {name: TIE_BREAKS[name] for name in rules.tiebreakers if not TIE_BREAKS[name].column}


def value_of(row: Standing, name: str) -> float | None:
    """A row's value of a criterion; None where it was not needed."""
    column = TIE_BREAKS[name].column
    return getattr(row, column) if column else row.tie_breaks.get(name)


def reason(above: Standing, below: Standing) -> str:
    """The reason for the order of two neighbours, such as `Buchholz 14 against 12`."""
    if above.rank == below.rank:
        return "equal in everything that ranks"
    if below.decided_by == BY_FORMAT:
        return "the ranking of the tournament's format"
    label = TIE_BREAKS[below.decided_by].label
    higher, lower = (number(value_of(row, below.decided_by)) for row in (above, below))
    return f"{label} {higher} against {lower}"


def _not_played_lines(league: League) -> list[str]:
    """A sentence for each player whose matches were not played, since it sat out."""
    sitting = Counter(player for result in league.results.values() if result.not_played for player in at_fault(result))
    return [
        f"{count(number, 'match')} of {player} {'was' if number == 1 else 'were'} not played, since it sat out: "
        "points count, tie-breaks and ratings leave out what was not played."
        for player, number in sorted(sitting.items(), key=lambda each: id_order(each[0]))
    ]


def counted_lines(league: League) -> list[str]:
    """Sentences on matches that count for some or nobody: of who left, or sat out."""
    lines = _not_played_lines(league)
    for player_id in league.removed:
        if player_id not in league.players:
            continue
        if player_id in league.expunged:
            lines.append(_expunged_line(league, player_id))
            continue
        own = [match for scheduled in league.rounds for match in scheduled.fixtures if player_id in match.players]
        void = sum(match.match_id in league.voided for match in own)
        met = Counter(
            other for match in own if match.match_id in league.results for other in match.players if other != player_id
        )
        if met and void:
            told = [other if times == 1 else f"{other} ({times})" for other, times in met.items()]
            lines.append(
                f"{player_id} was removed: its results against {listed(told, MOST_NAMED)} count, "
                f"{count(void, 'match')} of it {'is' if void == 1 else 'are'} void."
            )
    return lines


def _expunged_line(league: League, player_id: str) -> str:
    """A player whose results count for nobody, and what its opponents keep."""
    own = (match for each in league.rounds for match in each.fixtures if player_id in match.players)
    met = [other for match in own if match.match_id in league.results for other in match.players if other != player_id]
    told = [f"{other} ({league.tally.row(other).played})" for other in dict.fromkeys(met)]
    left = f" Its opponents, with their results that count: {listed(told, MOST_NAMED)}." if told else ""
    return f"{player_id} left before half of its matches were decided: its results count for nobody.{left}"


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.15g}"


def reasons(rows: Sequence[Standing]) -> list[tuple[Standing, Standing, str]]:
    """The reason for each pair of neighbours."""
    return [(above, below, reason(above, below)) for above, below in pairwise(rows)]


def deciding_line(league: League) -> str:
    """The tie-break that put the champion before the second; else empty."""
    rows = league.standings()[:2] if league.champions else ()
    return "".join(reason_lines(rows)) if rows and rows[-1].decided_by in tie_break_columns(league.rules) else ""


def reason_lines(rows: Sequence[Standing]) -> list[str]:
    """The same by ids, a line a pair: `P03 before P07: Buchholz 14 against 12`."""
    return [
        f"{above.player_id} {'and' if above.rank == below.rank else 'before'} {below.player_id}: {why}"
        for above, below, why in reasons(rows)
    ]

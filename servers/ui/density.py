"""A cross-table of many players as a picture, a cell for each pair or block."""

from collections.abc import Sequence
from html import escape

from league_sdk.domain.league import League
from league_sdk.domain.model import Round
from league_sdk.domain.ranking.standings import Verdict
from servers.read_model import Group, cell

MOST_CELLS = 120
"""Cells of a row at most; of more players each cell has several."""
SHADES = 5
"""Steps from lost to won."""
_WORTH = {Verdict.WIN: 1.0, Verdict.DRAW: 0.5}


def density_map(league: League, rounds: Sequence[Round], group: Group) -> str:
    """The share of the points that the player of the row got, best players first."""
    size = len(group.rows)
    per_cell = -(-size // MOST_CELLS)
    side = -(-size // per_cell)
    place = {row.player_id: number // per_cell for number, row in enumerate(group.rows)}
    found: dict[tuple[int, int], list[float]] = {}
    for scheduled in rounds:
        for fixture in scheduled.fixtures:
            if fixture.match_id not in league.results or not place.keys() >= set(fixture.players):
                continue
            for player in fixture.players:
                how = cell(league, fixture.match_id, player).verdict
                for other in fixture.players:
                    if other != player and how is not None:
                        found.setdefault((place[player], place[other]), []).append(_WORTH.get(how, 0.0))
    shades = {where: round(sum(each) / len(each) * (SHADES - 1)) for where, each in found.items()}
    paths = "".join(_path(shade, shades, side) for shade in range(SHADES))
    label = f"Results of {size} players against each other, best first; rows are players, columns their opponents"
    return (
        f'<svg class="density" viewBox="0 0 {side} {side}" role="img" aria-label="{escape(label)}" '
        f'xmlns="http://www.w3.org/2000/svg" shape-rendering="crispEdges">{paths}</svg>'
    )


def _path(shade: int, shades: dict[tuple[int, int], int], side: int) -> str:
    """All cells of a shade as one path; relative moves keep it short."""
    told: list[str] = []
    at = (0, 0)
    for row in range(side):
        column = 0
        while column < side:
            begin = column
            while column < side and shades.get((row, column)) == shade:
                column += 1
            if column > begin:
                told.append(f"m{begin - at[0]} {row - at[1]}h{column - begin}")
                at = (column, row)
            column += 1
    return f'<path class="s{shade}" d="M0 0.5{"".join(told)}"/>' if told else ""

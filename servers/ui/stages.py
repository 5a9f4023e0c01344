"""Values of the templates that draw a stage: bracket, rounds, cross-tables."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from league_sdk.domain.league import League
from league_sdk.domain.ranking.standing import Standing
from league_sdk.tournament import RoundView
from servers import read_model
from servers.read_model import BracketColumn, Group, StageView
from servers.ui.density import density_map
from servers.ui.rendering import drawn

Values: TypeAlias = dict[str, Any]

BLOCK = 20
"""Rows and columns of a page of a cross-table."""
MOST_TIES = 16
"""Ties of the longest column that is drawn; earlier rounds are listed."""
MOST_ROWS = 100
"""Rows of a page of a table of rounds."""


def drawn_stage(league: League, stage: StageView, row: int = 0, column: int = 0, block: int = BLOCK) -> Values:
    """Values for the template of a stage; tables show one block of players."""
    values: Values = {"stage": stage, "lanes": [], "groups": [], "table": None}
    if stage.view is RoundView.BRACKET:
        values["lanes"] = [_lane(league, name, columns) for name, columns in stage.lanes.items()]
    elif stage.view is RoundView.CROSS_TABLE:
        values["groups"] = [_group(league, stage, group, row, column, block) for group in stage.groups]
    else:
        values["table"] = _round_table(league, stage, row, block)
    return values


def _lane(league: League, name: str, columns: Sequence[BracketColumn]) -> Values:
    """A part of a bracket: the columns drawn, and the longer ones before them."""
    shown = [column for column in columns if len(column.ties) <= MOST_TIES]
    return {
        "name": name,
        "columns": [_column(league, column, first=column is shown[0]) for column in shown],
        "before": [_column(league, column, first=True) for column in columns if len(column.ties) > MOST_TIES],
    }


def _column(league: League, column: BracketColumn, *, first: bool) -> Values:
    return {
        "title": column.title,
        "joins": 0 if first else column.joins,
        "ties": [
            {
                "tie": each.tie,
                "match_id": each.legs[-1] if each.legs else "",
                "going": any(
                    match_id in league.assignments and match_id not in league.results and match_id not in league.voided
                    for match_id in each.legs
                ),
                "form": {
                    player: read_model.verdicts(league, each.legs, player) for player in each.tie.players if player
                },
            }
            for each in column.ties
        ],
    }


def _round_table(league: League, stage: StageView, page: int, block: int) -> Values:
    block = max(block, MOST_ROWS)
    playing = {player for each in stage.rounds for fixture in each.fixtures for player in fixture.players}
    playing.update(player for each in stage.rounds for player in each.byes)
    standings = [row for row in league.standings() if row.player_id in playing or not stage.rounds]
    page = min(page, max(0, (len(standings) - 1) // block))
    rows = standings[page * block : (page + 1) * block]
    return {
        "rows": rows,
        "cells": stage.cells(league, [row.player_id for row in rows]),
        "placed": any(len(fixture.players) > 2 for each in stage.rounds for fixture in each.fixtures),
        "page": page,
        "pages": spans(len(standings), block),
    }


def _group(league: League, stage: StageView, group: Group, row: int, column: int, block: int) -> Values:
    row, rows = _block(group.rows, row, block)
    column, columns = _block(group.columns, column, block)
    ids = frozenset(each.player_id for each in rows), frozenset(each.player_id for each in columns)
    whole = min(len(group.rows), len(group.columns)) > block  # few columns are few squares
    return {
        "title": group.title,
        "rows": rows,
        "columns": columns,
        "cells": read_model.cross_table(league, *ids, stage.rounds),
        "row_block": row,
        "column_block": column,
        "row_blocks": spans(len(group.rows), block),
        "column_blocks": spans(len(group.columns), block),
        "map": drawn(density_map(league, stage.rounds, group)) if whole else "",
    }


def _block(rows: Sequence[Standing], number: int, size: int) -> tuple[int, Sequence[Standing]]:
    number = min(number, max(0, (len(rows) - 1) // size))
    return number, rows[number * size : (number + 1) * size]


def spans(total: int, size: int) -> list[str]:
    """The names of all blocks of a list; none when one is enough."""
    count = -(-total // size)
    return [] if count < 2 else [span(number, size, total) for number in range(count)]


def span(number: int, size: int, total: int) -> str:
    """The name of a block of a list: its first and its last place."""
    return f"{number * size + 1}\N{EN DASH}{min(total, (number + 1) * size)}"

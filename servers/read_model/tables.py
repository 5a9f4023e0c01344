"""Tables of a league: cross-table, and points and ranks by round."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from league_sdk.domain.league import League
from league_sdk.domain.model import Round
from league_sdk.domain.played_rounds import played_rounds, ranking_rules
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import Tally, Verdict, at_fault, ranked_as, verdict


@dataclass(frozen=True, slots=True)
class Cell:
    """One match of a cross-table, from the side of the player of the row."""

    match_id: str
    round_id: int
    verdict: Verdict | None = None  # how it went; None when it has no result
    points: int | None = None  # league points that the player of the row got; None when it has no result
    technical: bool = False  # whether it was a technical loss, of whichever side
    void: bool = False  # true if it is void and does not count
    place: int | None = None  # its place in a match of three or more; None in others


@dataclass(frozen=True, slots=True)
class CrossTable:
    """Cross-table: every player's results against every other."""

    rows: tuple[Standing, ...]  # the standings, rank 1 first: the order of rows and of columns
    # By player of the row and player of the column: their matches in the order of the rounds. Pairs that do not meet
    # are absent; before there is a schedule, all are.
    cells: Mapping[tuple[str, str], tuple[Cell, ...]] = field(repr=False)

    def between(self, row: str, column: str) -> tuple[Cell, ...]:
        """The matches of a player against another one; empty when there are none."""
        return self.cells.get((row, column), ())


@dataclass(frozen=True, slots=True)
class RoundTable:
    """The standings after the matches of a round, as far as they are decided."""

    round_id: int  # from 1
    complete: bool
    rows: tuple[Standing, ...]  # the standings, rank 1 first
    tally: Tally = field(repr=False)  # what they were made of; of the last two rounds alone
    expunged: frozenset[str] = frozenset()  # players whose results they leave out


@dataclass(frozen=True, slots=True)
class Series:
    """One player's way through the league: an entry for each round that began."""

    player_id: str
    points: tuple[int, ...]  # league points after each round
    ranks: tuple[int, ...]  # rank after each round


def cell(league: League, match_id: str, player_id: str) -> Cell:
    round_id = league.fixture(match_id).round_id
    result = league.results.get(match_id)
    if result is None:
        return Cell(match_id, round_id, void=match_id in league.voided)
    return Cell(
        match_id,
        round_id,
        verdict(result, player_id),
        result.score.get(player_id, 0),
        bool(at_fault(result)),
        place=result.places.get(player_id),
    )


def cross_table(
    league: League,
    rows: Collection[str] | None = None,
    columns: Collection[str] | None = None,
    rounds: Sequence[Round] | None = None,
) -> CrossTable:
    """The cross-table in the order of the standings, of all rounds or these."""
    cells: dict[tuple[str, str], tuple[Cell, ...]] = {}
    for scheduled in league.rounds if rounds is None else rounds:
        for fixture in scheduled.fixtures:
            for player in fixture.players:
                if rows is not None and player not in rows:
                    continue
                for other in fixture.players:
                    if other != player and (columns is None or other in columns):
                        seen = cell(league, fixture.match_id, player)
                        cells[player, other] = (*cells.get((player, other), ()), seen)
    return CrossTable(league.standings(), cells)


def by_round(league: League, before: Sequence[RoundTable] = ()) -> tuple[RoundTable, ...]:
    """The standings after each round that began, without marks at removed players.

    `before` is what this gave for the same league at an earlier time: complete rounds are not computed again.
    """
    names = {player.agent_id: player.display_name for player in league.players.values()}
    tables = [known for known in before if known.complete and known.expunged == league.expunged]
    tables = _with_entrants(tables, league, names)
    tally = tables[-1].tally if tables else Tally()
    for scheduled in league.rounds[len(tables) : league.rounds_started]:
        for fixture in scheduled.fixtures:
            result = league.results.get(fixture.match_id)
            tally = tally if result is None or not league.counts(result.players) else tally.add(result)
        complete = scheduled.round_id <= league.rounds_completed
        tally = league.with_byes(tally, scheduled.round_id) if complete else tally
        played = partial(played_rounds, expunged=league.expunged, late_byes=league.late_byes)
        until = league.rounds[: scheduled.round_id]
        rows = tally.ranked(
            names,
            league.rules.tiebreakers,
            rounds=partial(played, until, league.results, league.rounds_completed),
            withdrawn=frozenset(league.removed),
            **ranking_rules(league.rules),
        )
        for ranking in league.rankings[scheduled.round_id - 1 : scheduled.round_id] if complete else (league.ranking,):
            rows = ranked_as(rows, ranking) if ranking else rows
        tables.append(RoundTable(scheduled.round_id, complete, rows, tally, league.expunged))
    # Earlier tables are never built on again, and would take more memory than all results.
    past = (replace(table, tally=Tally()) if table.tally.rows else table for table in tables[:-2])
    return (*past, *tables[-2:])


def _with_entrants(tables: list[RoundTable], league: League, names: Mapping[str, str]) -> list[RoundTable]:
    """The tables with new players at the bottom; none where they change more."""
    known = {row.player_id for row in tables[-1].rows} if tables else set[str]()
    new = {player_id: name for player_id, name in names.items() if player_id not in known}
    if not tables or not new:
        return tables
    if any(league.entered.get(player_id) != "none" for player_id in new) or not all(league.rankings):
        return []
    rows = Tally().ranked(new, league.rules.tiebreakers, rounds=tuple, **ranking_rules(league.rules))
    return [
        replace(table, rows=ranked_as((*table.rows, *rows), ranking))
        for table, ranking in zip(tables, league.rankings, strict=False)
    ]


def series(tables: Sequence[RoundTable]) -> tuple[Series, ...]:
    """Every player's points and ranks by round, in the order of the last table."""
    if not tables:
        return ()
    rows = [{row.player_id: row for row in table.rows} for table in tables]
    return tuple(
        Series(
            player_id=last.player_id,
            points=tuple(table[last.player_id].points for table in rows),
            ranks=tuple(table[last.player_id].rank for table in rows),
        )
        for last in tables[-1].rows
    )

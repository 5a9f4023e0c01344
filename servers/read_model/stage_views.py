"""Views of a league's stages: brackets, tables of rounds, cross-tables of groups."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from league_sdk.domain.league import League
from league_sdk.domain.model import Round
from league_sdk.domain.pairings.stages import Stages
from league_sdk.domain.played_rounds import played_rounds, ranking_rules
from league_sdk.domain.progress import tournament_of
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import Verdict, table
from league_sdk.tournament import BracketTie, Format, RoundView, Tournament
from servers.read_model.tables import Cell, cell


@dataclass(frozen=True, slots=True)
class TieView:
    """A tie of a bracket."""

    tie: BracketTie  # its players and its winner, by the format
    legs: tuple[str, ...] = ()  # the ids of its matches, in the order of the rounds


@dataclass(frozen=True, slots=True)
class BracketColumn:
    """Ties that are played at the same time."""

    title: str  # its name, such as `Semi-finals`
    ties: tuple[TieView, ...]  # from top to bottom
    joins: int = 0  # how many ties of the column before lead to one of these: 2, 1, or 0 for the first column


@dataclass(frozen=True, slots=True)
class RoundCell:
    """A player's part in a round."""

    opponents: tuple[str, ...] = ()  # those it met; empty when it sat out
    match: Cell | None = None  # the match from its side; None when it had none
    bye: bool = False  # whether the round says that it sat out


@dataclass(frozen=True, slots=True)
class Group:
    """Players who meet each other, and their table."""

    title: str
    rows: tuple[Standing, ...]
    columns: tuple[Standing, ...]


MOST_ROUNDS = 100
"""Columns of a table of rounds; a league without an end has more."""


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage of a league."""

    number: int  # from 0
    title: str  # its format's name, for people
    view: RoundView  # how it is drawn
    rounds: tuple[Round, ...] = field(repr=False)  # its rounds so far; the last hundred of a table of rounds
    # the columns of each part of its bracket, by the part's name; the main one's is empty
    lanes: Mapping[str, tuple[BracketColumn, ...]] = field(default_factory=dict[str, tuple[BracketColumn, ...]])
    groups: tuple[Group, ...] = ()  # the groups of its cross-tables; one when there are no groups
    left_out: int = 0  # the number of rounds before `rounds`

    def cells(self, league: League, players: Iterable[str]) -> dict[str, list[RoundCell]]:
        """Each player's results by round."""
        found = {player: [RoundCell()] * len(self.rounds) for player in players}
        for place, scheduled in enumerate(self.rounds):
            for player in scheduled.byes:
                if player in found:
                    found[player][place] = RoundCell(bye=True)
            for fixture in scheduled.fixtures:
                for player in found.keys() & set(fixture.players):
                    others = tuple(other for other in fixture.players if other != player)
                    found[player][place] = RoundCell(others, cell(league, fixture.match_id, player))
        return found


def stage_views(league: League, tournament_format: Format | None) -> tuple[StageView, ...]:
    """The stages that have begun; one table of rounds if the format is unknown here."""
    if not isinstance(tournament_format, Stages):
        return (_stage(league, 0, tournament_format, tournament_of(league), tuple(league.rounds)),)
    return tuple(
        _stage(league, number, used, part, tuple(each for each in league.rounds if each.stage == number))
        for number, (used, part) in enumerate(tournament_format.begun(tournament_of(league)))
    )


def current_view(league: League, tournament_format: Format | None) -> RoundView:
    """The view of the last stage that has begun."""
    used = tournament_format
    if isinstance(used, Stages):
        used = used.stages[league.rounds[-1].stage if league.rounds else 0].format
    return RoundView.ROUNDS if used is None else used.view


def _stage(league: League, number: int, used: Format | None, part: Tournament, rounds: tuple[Round, ...]) -> StageView:
    last = rounds[-MOST_ROUNDS:]
    if used is None:
        return StageView(number, "Rounds", RoundView.ROUNDS, last, left_out=len(rounds) - len(last))
    lanes: dict[str, list[BracketColumn]] = {}
    if used.view is RoundView.BRACKET:
        lanes = _lanes(used.bracket(part), rounds, len(part.rounds))
    groups = _groups(league, used, part, rounds) if used.view is RoundView.CROSS_TABLE else ()
    drawn = {name: tuple(columns) for name, columns in lanes.items()}
    shown = last if used.view is RoundView.ROUNDS else rounds
    title = used.name.replace("_", " ").capitalize()
    return StageView(number, title, used.view, shown, drawn, groups, len(rounds) - len(shown))


def _lanes(ties: Sequence[BracketTie], rounds: Sequence[Round], complete: int) -> dict[str, list[BracketColumn]]:
    gathered: dict[str, dict[int, list[TieView]]] = {}
    for tie in ties:
        legs = _legs(tie, rounds, complete)
        columns = gathered.setdefault(tie.lane, {})
        columns.setdefault(tie.column, []).append(TieView(tie, legs))
    lanes: dict[str, list[BracketColumn]] = {}
    for name, columns in gathered.items():
        before = 0
        for _, shown in sorted(columns.items()):
            lanes.setdefault(name, []).append(BracketColumn(shown[0].tie.title, tuple(shown), before // len(shown)))
            before = len(shown)
    return lanes


def _legs(tie: BracketTie, rounds: Sequence[Round], complete: int) -> tuple[str, ...]:
    """The matches of a tie, with that of the round under way."""
    if None in tie.players or not tie.settled:
        return ()
    coming = () if tie.decided else range(complete, len(rounds))
    return tuple(
        fixture.match_id
        for index in (*tie.rounds, *coming)
        for fixture in rounds[index].fixtures
        if set(fixture.players) == set(tie.players)
    )


def _groups(league: League, used: Format, part: Tournament, rounds: Sequence[Round]) -> tuple[Group, ...]:
    pools = used.pools(part.players)
    met = _met(rounds)
    if len(pools) == 1 and len(league.rules.stages) < 2:
        return (_group("", league.standings(), met),)
    played = [
        league.results[fixture.match_id]
        for each in rounds
        for fixture in each.fixtures
        if fixture.match_id in league.results
    ]
    course = partial(played_rounds, rounds, league.results, league.rounds_completed, league.expunged)
    made: list[Group] = []
    for number, pool in enumerate(pools):
        names = {player: league.player(player).display_name for player in pool}
        own = [result for result in played if set(result.players) <= names.keys()]
        title = f"Group {number + 1}" if len(pools) > 1 else ""
        made.append(
            _group(
                title, table(names, own, league.rules.tiebreakers, rounds=course, **ranking_rules(league.rules)), met
            )
        )
    return tuple(made)


def _group(title: str, rows: tuple[Standing, ...], met: Mapping[str, set[str]]) -> Group:
    """A group, with as few columns as show every pair."""
    order = sorted(rows, key=lambda row: -len(met.get(row.player_id, ())))
    enough: set[str] = set()
    for row in order:
        if met.get(row.player_id, set()) - enough:
            enough.add(row.player_id)
    columns = rows if 2 * len(enough) > len(rows) else tuple(row for row in rows if row.player_id in enough)
    return Group(title, rows, columns or rows)


def _met(rounds: Sequence[Round]) -> dict[str, set[str]]:
    """The opponents of every player."""
    met: dict[str, set[str]] = {}
    for scheduled in rounds:
        for fixture in scheduled.fixtures:
            for player in fixture.players:
                met.setdefault(player, set()).update(set(fixture.players) - {player})
    return met


def verdicts(league: League, legs: Sequence[str], player: str) -> list[tuple[str, Verdict]]:
    """A player's results in these matches, as far as they are decided."""
    seen = ((match_id, cell(league, match_id, player).verdict) for match_id in legs)
    return [(match_id, how) for match_id, how in seen if how is not None]

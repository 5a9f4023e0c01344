"""Values for the templates of each page."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from league_sdk.domain.decisions.replays import shares_of
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import MatchResult
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import Verdict
from league_sdk.errors import InvalidField, MatchNotFound, PlayerNotRegistered
from league_sdk.game import Game
from league_sdk.rematch_shares import Share
from league_sdk.tournament import Format, RoundView
from servers import read_model
from servers.read_model import Kind, Series, Stage
from servers.read_model.columns import PUBLIC, TABLE, seen_by, tie_columns, with_values
from servers.read_model.live import Live
from servers.read_model.ranking import tie_break_columns
from servers.read_model.ratings import LeagueRatings
from servers.read_model.running import MatchProgress
from servers.read_model.sitting_out_text import UNTIL_REJOIN, WHY
from servers.read_model.spans import public_cause
from servers.read_model.text import marks_of, printable
from servers.ui import charts
from servers.ui.actions import actions, player_actions, replays
from servers.ui.rendering import drawn, percent
from servers.ui.stages import BLOCK, drawn_stage, span

Values: TypeAlias = dict[str, Any]
"""Values for a template."""

TOP = 10
"""Rows of the standings on the first page."""
ROWS = 50
"""Rows of a page of the standings."""
MATCHES = 60
"""Matches of a page of a round."""
LATEST = 10
"""Entries of the feed on the first page."""
FIRST_MATCHES = 8
"""Matches on the first page."""
ON_SCREEN = 12
"""Matches under way on the big screen."""
FEED = 100
"""Entries of a page of the feed."""
SPEEDS = 25
"""Players of a page of the chart of times."""
FORM = 8
"""Number of a player's last matches in its row."""


class NoSuchPage(Exception):
    """There is no page at this address; the message says what is not there."""


class Pages:
    """Every page of a league."""

    def __init__(self, live: Live, game: Game[Any] | None = None, tournament_format: Format | None = None) -> None:
        self._live = live
        self._game = game
        self._format = tournament_format

    def overview(self) -> Values:
        league = self._live.league
        return {
            **self._standings(0, TOP),
            "unlikely": [share.sentence for share in shares_of(league).values() if share.unlikely],
            "matches": self._matches(max(1, league.rounds_started), 0, FIRST_MATCHES) if league.rounds else None,
            "feed": self._live.feed(LATEST),
            "points_chart": self._chart(partial(charts.points_chart, everybody=False)),
            "bracket": self._bracket(),
            "waits": self._live.waits(),
        }

    def screen(self) -> Values:
        league = self._live.league
        going = league.under_way()
        last = deque(league.results, maxlen=FIRST_MATCHES)
        rows = [read_model.MatchRow(league, fixture) for fixture in going]
        return {
            **self._standings(0, TOP),
            "bracket": self._bracket(),
            "going": [row for row in rows if row.stage is Stage.UNDER_WAY][:ON_SCREEN],
            "waits": self._live.waits(),
            "last": [read_model.MatchRow(league, league.fixture(match_id)) for match_id in reversed(last)],
        }

    def standings(self, page: int, size: int = ROWS) -> Values:
        return self._standings(page, size)

    def rounds(self, round_id: int | None, page: int) -> Values:
        """The matches of a round: the one under way, or the last one, when none is named."""
        league = self._live.league
        number = max(1, league.rounds_started) if round_id is None else round_id
        if league.rounds and not 1 <= number <= len(league.rounds):
            raise NoSuchPage(f"There is no round {number}.")
        if not league.rounds and round_id is not None:
            raise NoSuchPage("There is no schedule yet.")
        return {"matches": self._matches(number, page, MATCHES) if league.rounds else None, "rounds": league.rounds}

    def results(self, row: int, column: int, block: int = BLOCK) -> Values:
        stages = read_model.stage_views(self._live.league, self._format)
        return {"stages": [drawn_stage(self._live.league, stage, row, column, block) for stage in reversed(stages)]}

    def charts(self, page: int | None, chosen: str = "") -> Values:
        """Charts of points, ranks and speed; without a page, the slowest players alone.

        The chosen player has a colour and a name in the charts, wherever it stands.
        """
        league = self._live.league
        rows, pages = (league.standings(), []) if page is None else _page(league.standings(), page, SPEEDS)
        ranges = [charts.Range(row.player_id, speed) for row in rows if (speed := self._live.speed(row.player_id))]
        slowest = len(ranges) if page is None and len(ranges) > SPEEDS else 0
        if slowest:
            ranges = sorted(ranges, key=lambda each: -each.speed.p95)[:SPEEDS]
        names = self._names(league)
        return {
            "points_chart": self._chart(charts.points_chart, chosen),
            "ranks_chart": self._chart(charts.ranks_chart, chosen),
            "chosen": chosen if chosen in names else "",
            "speeds_chart": drawn(charts.speeds_chart(ranges, self._live.limits.move, names)),
            "speeds": ranges,
            "slowest": slowest,
            "series": self._series(chosen)[: charts.MOST_LINES],
            "page": page,
            "pages": pages,
        }

    def feed(self, before: int | None) -> Values:
        entries = self._live.feed(FEED, before)
        more = self._live.feed(1, entries[-1].sequence) if entries else []
        return {"feed": entries, "older": entries[-1].sequence if more else None, "before": before}

    def player(self, player_id: str, whole: Sequence[MatchResult] | None = None) -> Values:
        """A player's league; `whole` has its whole results, if the league has summaries."""
        league = self._live.league
        try:
            record = read_model.player_record(league, player_id, self._live.limits, whole)
        except PlayerNotRegistered as error:
            raise NoSuchPage("There is no such player.") from error
        moves = [exchange for exchange in record.exchanges if exchange.kind is Kind.MOVE]
        coming = league.next_match(player_id)
        return {
            "record": record,
            "row": record.standing,
            "speeds": [(kind, read_model.speed(record.exchanges, (kind,))) for kind in (Kind.JOIN, Kind.MOVE)],
            "replies_chart": drawn(charts.replies_chart(moves[-200:], self._live.limits.move)),
            "moves": moves[-200:],
            "form": self._form(league, player_id),
            "players": len(league.players),
            "tiles": _tiles(record, shares_of(league).get(player_id)),
            "next_match": None if coming is None else coming.match_id,
            "champion": player_id in league.champions,
            "removed": league.removed.get(player_id),
            "withdrew": player_id in league.withdrew,
            "share": shares_of(league).get(player_id),
            "sitting_out": league.sitting_out.get(player_id),
            "why_sitting_out": WHY,
            "until_rejoin": UNTIL_REJOIN,
            "controls": player_actions(league, player_id),
        }

    def match(self, match_id: str, whole: Sequence[MatchResult] | None = None) -> Values:
        """A match: its stage, and all of it once over; `whole` has its whole result."""
        league = self._live.league
        try:
            fixture = league.fixture(match_id)
        except (MatchNotFound, InvalidField) as error:
            raise NoSuchPage("There is no such match.") from error
        row = read_model.MatchRow(league, fixture)
        void = league.voided.get(match_id)
        values: Values = {
            "match": row,
            "sides": [self._side(row, player) for player in row.players],
            "progress": (progress := self._progress(row)),
            "waits": read_model.wait_lines(league, progress.waits) if progress else (),
            "void": public_cause(void or ""),
            "removal": void if void in league.removed.values() else None,
            "expunged": None if void else next((p for p in row.players if p in league.expunged), None),
        }
        result = next(iter(whole), None) if whole is not None else league.results.get(match_id)
        if result is None or match_id not in league.results:
            return {**values, "result": None}
        return {
            **values,
            "result": result,
            "lines": read_model.conversation(result),
            "draw": read_model.check_draw(league.league_id, result),
            "replay": read_model.replay(league.league_id, result, self._game),
            "facts": [] if result.faults else _facts(result.details),
            "faults": result.faults,
        }

    def operator(self) -> Values:
        return {"actions": actions(self._live.league), "replays": replays(self._live.league)}

    def frame(self, active: str) -> Values:
        """Values of every page: the league's name and state, and players' names."""
        league, live = self._live.league, self._live
        return {
            "league": read_model.overview(league),
            "root": "/",
            "layout": "base.html",
            "names": self._names(league),
            "marks": marks_of(league),
            "ranked": bool(league.ranking),
            "referees": {agent.agent_id: printable(agent.display_name) for agent in league.referees.values()},
            "clocks": live.clocks,
            "limits": live.limits,
            "sequence": live.sequence,
            "head": live.head,
            "active": active,
            "view": read_model.current_view(league, self._format),
            "RoundView": RoundView,
            "State": LeagueState,
            "Stage": Stage,
            "Verdict": Verdict,
            "Kind": Kind,
            "causes": read_model.CAUSES,
            "substitutions": read_model.SUBSTITUTIONS,
            "reasons_text": read_model.reasons_text,
        }

    def _bracket(self) -> Values | None:
        """The bracket that is played now, if any."""
        if read_model.current_view(self._live.league, self._format) is not RoundView.BRACKET:
            return None
        return drawn_stage(self._live.league, read_model.stage_views(self._live.league, self._format)[-1])

    def _standings(self, page: int, size: int) -> Values:
        league = self._live.league
        rows, pages = _page(league.standings(), page, size)
        ties = [name for name in tie_break_columns(league.rules) if any(name in row.tie_breaks for row in rows)]
        return {
            "rows": rows,
            "form": {row.player_id: self._form(league, row.player_id) for row in rows},
            "moved": self._moved(rows),
            "columns": (*with_values(seen_by(PUBLIC, TABLE), rows), *tie_columns(ties)),
            "reasons": read_model.reasons(rows),
            "counted": read_model.counted_lines(league),
            "ratings": LeagueRatings(),  # whoever can wait for them puts others in their place
            "leaders": self._leaders(),
            "page": page,
            "pages": pages,
            "total_rows": len(league.players),
        }

    def _leaders(self) -> tuple[str, ...]:
        """The players that are marked as leading, once half of the rounds are complete."""
        league = self._live.league
        if league.champions:
            return league.champions
        leaders = league.winners() if league.results else ()
        return leaders if len(leaders) == 1 or 2 * league.rounds_completed >= league.total_rounds else ()

    def _moved(self, rows: tuple[Standing, ...]) -> Mapping[str, int]:
        """By how many ranks each player is better than it was after the round before."""
        tables = self._live.tables()
        if len(tables) < 2:
            return {row.player_id: 0 for row in rows}
        before = {row.player_id: row.rank for row in tables[-2].rows}
        return {row.player_id: before[row.player_id] - row.rank for row in rows}

    def _form(self, league: League, player_id: str) -> list[tuple[str, Verdict]]:
        """A player's last matches, the last one last."""
        found: list[tuple[str, Verdict]] = []
        for scheduled in reversed(league.rounds[: league.rounds_started]):
            for fixture in scheduled.fixtures:
                if player_id in fixture.players:
                    cell = read_model.cell(league, fixture.match_id, player_id)
                    if cell.verdict is not None:
                        found.append((fixture.match_id, cell.verdict))
            if len(found) >= FORM:
                break
        return found[::-1]

    def _matches(self, round_id: int, page: int, size: int) -> Values:
        league = self._live.league
        scheduled = league.round(round_id)
        fixtures, pages = _page(scheduled.fixtures, page, size)
        rows = [read_model.MatchRow(league, fixture) for fixture in fixtures]
        return {
            "rows": rows,
            "round_id": round_id,
            "begun": self._live.clocks.rounds.get(round_id, ""),
            "complete": round_id <= league.rounds_completed,
            "byes": scheduled.byes,
            "bye_points": scheduled.bye_points,
            "name": read_model.round_name(league, round_id),
            "title": "" if scheduled.paired_by == "bracket" else scheduled.title,
            "page": page,
            "pages": pages,
            "left_out": len(scheduled.fixtures) - len(rows),
            "decided": sum(league.decided(fixture.match_id) for fixture in scheduled.fixtures),
            "total": len(scheduled.fixtures),
        }

    def _progress(self, row: read_model.MatchRow) -> MatchProgress | None:
        """Progress of a match under way, without a position the game may hide."""
        told = self._live.running.look(row.match_id) if row.stage is Stage.UNDER_WAY else None
        if told is None or (self._game is not None and not self._game.hidden):
            return told
        return replace(told, position="", picture="")

    def _side(self, row: read_model.MatchRow, player: str) -> Values:
        won = row.winner == player
        if row.stage is not Stage.DECIDED:
            word = ""
        elif player in row.at_fault:
            word = "technical loss"
        elif row.winner is None:
            word = "draw"
        else:
            word = "won" if won else "lost"
        return {"player_id": player, "won": won, "word": word, "points": (row.score or {}).get(player)}

    def _chart(self, draw: Callable[..., str], chosen: str = "") -> Any:
        return drawn(draw(self._series(chosen), self._names(self._live.league)))

    def _series(self, chosen: str = "") -> list[Series]:
        """Each player's way, the leaders first; the chosen one among the first."""
        found = list(read_model.series(self._live.tables()))
        place = next((place for place, each in enumerate(found) if each.player_id == chosen), 0)
        if place >= charts.MOST_LINES:
            found.insert(charts.MOST_LINES - 1, found.pop(place))
        return found

    def _names(self, league: League) -> dict[str, str]:
        return {player.agent_id: printable(player.display_name, 60) for player in league.players.values()}


def _tiles(record: read_model.PlayerRecord, share: Share | None) -> list[tuple[str, Any]]:
    row = record.standing
    return [
        ("played", row.played),
        ("technical losses", row.technical_losses),
        *([("substituted moves", row.substituted_moves)] if row.substituted_moves else []),
        ("win rate", percent(row.win_rate)),
        ("still to play", record.remaining),
        *([("played again", share.replays), ("void", share.voids)] if share else []),
    ]


_NO_FACTS = frozenset({"draw", "scores"})
"""Details of a result that are shown elsewhere."""


def _facts(details: Mapping[str, Any]) -> list[tuple[str, Any]]:
    told = [(name, each) for name, each in details.items() if name not in _NO_FACTS and each is not None]
    return [(name.replace("_", " "), each) for name, each in told]


def _page(items: Any, page: int, size: int) -> tuple[Any, list[str]]:
    """A page of items, and how all pages are called; none of them when one is enough."""
    count = max(1, -(-len(items) // size))
    if page >= count:
        raise NoSuchPage("There are not so many pages.")
    return items[page * size : (page + 1) * size], [] if count == 1 else [
        span(number, size, len(items)) for number in range(count)
    ]

"""Every ranking criterion: its name, its source and its function.

Article numbers are those of the FIDE Handbook, chapter C.07, as in force since March 2026. Scores are league points, so
with 3 points for a win the values are not those of a chess table, and rank the same way as its rules say.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import sha256
from typing import TypeAlias

from league_sdk.domain.model import SERIES_POINTS
from league_sdk.domain.pairings.series import by_series
from league_sdk.domain.pairings.unplayed_rounds import Contribution, NumberedRound, PlayerRounds, rounds_by_player
from league_sdk.domain.ranking.standing import Standing
from league_sdk.names import alternatives
from league_sdk.tournament import ByePoints, SeriesPoints

LOT_BYTES = 6  # small enough for a number in JSON, and no two of 10,000 players are likely to draw the same lot


@dataclass
class RankingData:
    """All that ranking criteria are computed from."""

    rows: Mapping[str, Standing]  # each player's row, not ranked
    met: Mapping[str, Mapping[str, int]]  # league points by player and opponent; absent without a match
    # the number of matches of pairs that met more than once, by player and opponent
    rematches: Mapping[tuple[str, str], int]
    # the rounds that have begun; asked only if a criterion needs them
    rounds: Callable[[], Iterable[NumberedRound]] = tuple
    win: int = 3  # league points for a win
    draw: int = 1  # league points for a draw
    lots: str = ""  # the text from which lots are drawn: the league's seed, or its id
    equal_meetings: bool = True  # head-to-head counts only among players who have met equally often
    withdrawn: frozenset[str] = field(default_factory=frozenset[str])  # ids of the players that have left
    # points for a series, so that opponents are met once a series; None for points by match
    series_points: SeriesPoints | None = None

    @cached_property
    def numbered(self) -> tuple[NumberedRound, ...]:
        return tuple(self.rounds())

    @cached_property
    def played(self) -> PlayerRounds:
        """Each player's rounds, as articles 15 and 16 count them."""
        worth = {ByePoints.NONE: 0, ByePoints.DRAW: self.draw, ByePoints.WIN: self.win}
        rounds = by_series(self.numbered, self.series_points) if self.series_points else self.numbered
        return PlayerRounds(rounds_by_player(rounds, self.rows, self.withdrawn, worth), self.draw)


Values: TypeAlias = Callable[[RankingData, Sequence[str]], Mapping[str, float] | None]
"""Values of players who are tied so far; None where the criterion does not apply to them."""


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A ranking criterion."""

    label: str  # its name for people
    abbreviation: str  # the heading of its column; FIDE's acronym where there is one
    formula: str  # how it is computed, in a phrase
    source: str  # where the rule comes from
    values: Values
    best_low: bool = False  # the lowest value is the best
    column: str = ""  # a field of `Standing` that holds it; empty for those with a value of their own
    of_tied: bool = False  # it depends on who is tied, so that it has a value only where it was needed
    of_rounds: bool = True  # it needs every round, and is computed only for a tie or when the table is shown


def _column(label: str, abbreviation: str, formula: str, source: str, name: str, best_low: bool = False) -> TieBreak:
    def values(data: RankingData, players: Sequence[str]) -> Mapping[str, float]:
        return {player: getattr(data.rows[player], name) for player in players}

    return TieBreak(label, abbreviation, formula, source, values, best_low, column=name, of_rounds=False)


def _head_to_head(data: RankingData, players: Sequence[str]) -> Mapping[str, float] | None:
    """Points of the matches among the tied, if all met equally often (article 6)."""
    met = data.met
    if data.equal_meetings and not _met_equally(data, players):
        return None
    tied = frozenset(players)
    return {
        player: sum(points for opponent, points in met.get(player, {}).items() if opponent in tied)
        for player in players
    }


def _met_equally(data: RankingData, players: Sequence[str]) -> bool:
    tied = frozenset(players)
    for player in players:
        opponents = data.met.get(player, {})
        # Nobody of them having met would be equal, too, and decide nothing.
        if len(opponents) < len(tied) - 1 or not tied - {player} <= opponents.keys():
            return False
    if not data.rematches:
        return True
    often = {data.rematches.get((one, other), 1) for one in players for other in players if one != other}
    return len(often) == 1


def _buchholz(cut: int, high: bool, data: RankingData, players: Sequence[str]) -> Mapping[str, float]:
    """Scores of all opponents (article 8.1), with cuts (article 14)."""
    return {player: _sum(data.played.contributions(player), cut, high) for player in players}


def _sum(contributions: list[Contribution], cut: int, high: bool) -> int:
    """The sum after cuts, absences and forfeit losses first (article 16.5)."""
    if not cut:
        return sum(score for score, _, _ in contributions)
    by_cut = sorted((not voluntary, score) for score, _, voluntary in contributions)
    left = [score for _, score in by_cut[cut:]]
    return sum(left) - (max(left, default=0) if high else 0)


def _sonneborn_berger(data: RankingData, players: Sequence[str]) -> Mapping[str, float]:
    """Each opponent's score times the points scored against it (article 9.1)."""
    return {player: sum(one.score * one.points for one in data.played.contributions(player)) for player in players}


def _koya(data: RankingData, players: Sequence[str]) -> Mapping[str, float]:
    """Points against opponents with half of the possible points (article 9.2)."""
    played, strong = data.played, set[str]()
    for player, rounds in played.of.items():
        if 2 * played.scores[player] >= data.win * len(rounds):
            strong.add(player)
    return {
        player: sum(one.points for one in played.of[player] if one.played and one.opponent in strong)
        for player in players
    }


def _progressive(data: RankingData, players: Sequence[str]) -> Mapping[str, float]:
    """The sum of the scores after each round (article 7.5)."""
    played = data.played
    return {
        player: sum(one.points * (played.number - one.round_id + 1) for one in played.of[player]) for player in players
    }


def _series_points(data: RankingData, players: Sequence[str]) -> Mapping[str, float]:
    """Points of all series, and those for byes."""
    return {player: data.played.scores[player] for player in players}


def _goal_difference(data: RankingData, players: Sequence[str]) -> Mapping[str, float]:
    """Game scores less the opponents'; 0 for a match without, or a technical loss."""
    margins: dict[str, list[float]] = {player: [] for player in data.rows}
    for each in data.numbered:
        for result in each.played.results:
            for player, own in result.scores.items():
                others = [score for other, score in result.scores.items() if other != player]
                if player in margins and others:
                    margins[player].append(own - math.fsum(others) / len(others))
    return {player: _plain(math.fsum(margins[player])) for player in players}


def _plain(value: float) -> float:
    return int(value) if value.is_integer() else value


def _lots(data: RankingData, players: Sequence[str]) -> Mapping[str, float]:
    return {player: lot(data.lots, player) for player in players}


def _by_id(data: RankingData, players: Sequence[str]) -> Mapping[str, float]:
    places = {player: place for place, player in enumerate(sorted(data.rows, key=lambda known: (len(known), known)), 1)}
    return {player: places[player] for player in players}


def lot(seed: str, player_id: str) -> int:
    """The lot of a player; the lowest wins.

    The first six bytes of the SHA-256 of `<seed>|lots|<player id>`, where the seed is the league's or, without one, its
    id: anybody can draw it again.
    """
    return int.from_bytes(sha256(f"{seed}|lots|{player_id}".encode()).digest()[:LOT_BYTES])


_LEAGUE = "the league's protocol"

TIE_BREAKS: Mapping[str, TieBreak] = {
    "points": _column("points", "Pts", "league points, those for byes included", _LEAGUE, "points"),
    "wins": _column("wins", "WIN", "matches won, technical wins included", "C.07, article 7.1", "wins"),
    "draws": _column("draws", "D", "matches drawn", _LEAGUE, "draws"),
    "head_to_head": TieBreak(
        "head-to-head",
        "DE",
        "points of the matches among the tied, if each of them met each other equally often",
        "C.07, article 6 (direct encounter)",
        _head_to_head,
        of_tied=True,
        of_rounds=False,
    ),
    "fewest_losses": _column("losses", "L", "matches lost, the fewest first", _LEAGUE, "losses", True),
    "fewest_technical_losses": _column(
        "technical losses", "TL", "technical losses, the fewest first", _LEAGUE, "technical_losses", True
    ),
    "buchholz": TieBreak(
        "Buchholz", "BH", "sum of the scores of all opponents", "C.07, article 8.1", partial(_buchholz, 0, False)
    ),
    "buchholz_cut_1": TieBreak(
        "Buchholz cut 1",
        "BH-C1",
        "Buchholz without the lowest score",
        "C.07, articles 8.1 and 14.1",
        partial(_buchholz, 1, False),
    ),
    "buchholz_cut_2": TieBreak(
        "Buchholz cut 2",
        "BH-C2",
        "Buchholz without the two lowest scores",
        "C.07, articles 8.1 and 14.2",
        partial(_buchholz, 2, False),
    ),
    "median_buchholz": TieBreak(
        "median Buchholz",
        "BH-M1",
        "Buchholz without the lowest and the highest score",
        "C.07, articles 8.1 and 14.3",
        partial(_buchholz, 1, True),
    ),
    "sonneborn_berger": TieBreak(
        "Sonneborn-Berger",
        "SB",
        "sum over the opponents: their score times the points scored against them",
        "C.07, article 9.1",
        _sonneborn_berger,
    ),
    "koya": TieBreak(
        "Koya",
        "KS",
        "points against opponents who have half of the points that they could have, or more",
        "C.07, article 9.2",
        _koya,
    ),
    "progressive": TieBreak(
        "progressive score", "PS", "sum of the scores after each round", "C.07, article 7.5", _progressive
    ),
    "goal_difference": TieBreak(
        "goal difference",
        "GD",
        "the game's own score less the opponent's, over all matches that were played to their end",
        "table of football leagues",
        _goal_difference,
    ),
    "drawing_of_lots": TieBreak(
        "drawing of lots",
        "LOT",
        "a number from the league's seed (or id) and the player's id, the lowest first",
        _LEAGUE,
        _lots,
        best_low=True,
        of_tied=True,
        of_rounds=False,
    ),
    "player_id": TieBreak(
        "player id",
        "ID",
        "the order of the players' ids, the lowest first: no two are equal",
        _LEAGUE,
        _by_id,
        best_low=True,
        of_tied=True,
        of_rounds=False,
    ),
    SERIES_POINTS: TieBreak(
        "series points",
        "SP",
        "league points for each series of matches as one: won, drawn or lost; those for byes included",
        "match points of FIDE's team competitions",
        _series_points,
    ),
}
"""Every ranking criterion by the name that a league's config uses."""

BY_FORMAT = "format"  # stands for the criterion where the tournament's format ranks, as a knockout's bracket does
_PLAY_OFF = ("play_off", "playoff", "play_off_match")


def refusal(name: str) -> str:
    """The reason why a name is no ranking criterion, with the likely one."""
    if name in _PLAY_OFF:
        return (
            f"{name!r} is no tie-break here: a play-off is a stage of its own. Let the best 2 advance "
            'from the first of schedule.stages, and name {"format": "knockout"} as the last'
        )
    return f"unknown tie-breaker {name!r}; {alternatives(name, tuple(TIE_BREAKS), 'known:')}"


def criteria(names: Iterable[str]) -> tuple[tuple[str, TieBreak], ...]:
    """The criteria of these names; ValueError for an unknown one."""
    listed = tuple(names)
    for name in listed:
        if name not in TIE_BREAKS:
            raise ValueError(refusal(name))
    return tuple((name, TIE_BREAKS[name]) for name in listed)

"""The standings: a tally that grows by results, and a ranking by criteria.

A league names its criteria (`tie_breaks.py`), the strongest first. Each sorts only players whom the ones before left
equal. Players who are equal in all of them have an equal rank (1, 1, 3); the player id then only settles the order of
the rows, P99 before P100.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, cast

from league_sdk.domain.model import DEFAULT_TIEBREAKERS, MatchResult, ResultStatus
from league_sdk.domain.pairings.unplayed_rounds import NumberedRound
from league_sdk.domain.persistent import PersistentMap
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.tie_breaks import BY_FORMAT, RankingData, TieBreak, criteria
from league_sdk.json_value import Json
from league_sdk.tournament import PairedRound, PairingResult, PlayedRound

LARGEST_SCORE = 1e15  # a referee says what it likes; beyond this, sums of floats lose whole numbers


class Verdict(StrEnum):
    """A match from one player's side."""

    WIN = "WIN"
    DRAW = "DRAW"
    LOSS = "LOSS"


def at_fault(result: MatchResult) -> frozenset[str]:
    """The players with a technical loss; empty if the match was played to its end.

    A result may name them in `faults`. A referee that knows only the required fields names none: then all but the
    winner are meant.
    """
    if result.status is not ResultStatus.TECHNICAL_LOSS:
        return frozenset()
    named = frozenset(fault.player_id for fault in result.faults)
    return named or frozenset(player for player in result.players if player != result.winner)


def verdict(result: MatchResult, player_id: str) -> Verdict:
    """The match from one player's side.

    In a match of three or more, first alone is a win, a shared first place a draw, and every other place a loss.
    """
    if result.places:
        if player_id in at_fault(result) or result.places[player_id] > 1:
            return Verdict.LOSS
        return Verdict.WIN if player_id == result.winner else Verdict.DRAW
    if result.status is ResultStatus.DRAW:
        return Verdict.DRAW
    if result.status is ResultStatus.TECHNICAL_LOSS:
        return Verdict.LOSS if player_id in at_fault(result) else Verdict.WIN
    return Verdict.WIN if player_id == result.winner else Verdict.LOSS


def added(counts: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """The sum of two counts, by name."""
    return {name: counts.get(name, 0) + more.get(name, 0) for name in {**counts, **more}}


def id_order(agent_id: str) -> tuple[int, str]:
    """A sort key that puts `P99` before `P100`."""
    return len(agent_id), agent_id


@dataclass(frozen=True, slots=True)
class Tally:
    """Wins, losses and points so far."""

    rows: Mapping[str, Standing] = field(default_factory=dict[str, Standing])  # unranked and unnamed
    met: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])  # points, by opponent
    rematches: PersistentMap[tuple[str, str], int] = field(default_factory=PersistentMap[tuple[str, str], int])

    def add(self, result: MatchResult) -> "Tally":
        """The tally with one more result; the cost depends on the number of players only."""
        rows, met, rematches = dict(self.rows), dict(self.met), self.rematches
        faults = at_fault(result)
        for player in result.players:
            points = result.score[player]
            told = result.substituted.get(player, {})
            row = one_more(self.row(player), verdict(result, player), points, player in faults, told)
            rows[player] = replace(row, moves=row.moves + result.moves_of(player))
            if result.not_played:
                rows[player] = replace(rows[player], not_played=rows[player].not_played + 1)
                continue  # who has not met has no points against each other
            opponents = dict(met.get(player, {}))
            for opponent in result.players:
                if opponent != player:
                    if opponent in opponents:
                        rematches = rematches.set((player, opponent), rematches.get((player, opponent), 1) + 1)
                    opponents[opponent] = opponents.get(opponent, 0) + points
            met[player] = opponents
        return Tally(rows, met, rematches)

    def add_byes(self, players: Iterable[str], points: int) -> "Tally":
        """The tally after a round that these players sat out for `points` each."""
        sat_out = {
            player: replace(row, points=row.points + points, byes=row.byes + 1)
            for player, row in ((player, self.row(player)) for player in players)
        }
        return Tally({**self.rows, **sat_out}, self.met, self.rematches)

    def row(self, player_id: str) -> Standing:
        """A player's row, not ranked; all zero before the first result."""
        return self.rows.get(player_id) or Standing(rank=0, player_id=player_id, display_name="")

    def ranked(
        self,
        players: Mapping[str, str],
        tiebreakers: Sequence[str] = DEFAULT_TIEBREAKERS,
        removed: Collection[str] = (),
        **more: Any,
    ) -> tuple[Standing, ...]:
        """The standings of players (display name by id), those `removed` included.

        `more` are further fields of `RankingData`. Raises ValueError for an unknown tie-breaker.
        """
        chosen = criteria(tiebreakers)
        data = self._data(players, **{"withdrawn": frozenset(removed), **more})
        told: dict[str, dict[str, float]] = {player: {} for player in players}
        for name, tie_break in chosen:
            if not (tie_break.column or tie_break.of_tied):
                for player, value in (tie_break.values(data, list(players)) or {}).items():
                    told[player][name] = value
        groups = [("", sorted(players, key=id_order))]
        for name, tie_break in chosen:
            groups = [
                (decided if place == 0 else name, part)
                for decided, group in groups
                for place, part in enumerate(_split(name, tie_break, data, group, told))
            ]
        table: list[Standing] = []
        for decided, group in groups:
            rank = len(table) + 1
            table += [
                replace(
                    data.rows[player],
                    rank=rank,
                    display_name=players[player],
                    removed=player in removed,
                    tie_breaks=told[player],
                    decided_by="" if place else decided,
                )
                for place, player in enumerate(group)
            ]
        return tuple(table)

    def leaders(
        self, players: Mapping[str, str], tiebreakers: Sequence[str] = DEFAULT_TIEBREAKERS, **more: Any
    ) -> tuple[str, ...]:
        """Players that lead by the criteria before the first that needs every round."""
        chosen: Iterable[str] = players
        if tiebreakers[:1] and tiebreakers[0] == "points":  # rows of all others would cost as much as a table
            points = {player: self.rows[player].points if player in self.rows else 0 for player in players}
            most = max(points.values(), default=0)
            chosen = [player for player in players if points[player] == most]
        data, best = self._data(chosen, **more), sorted(chosen, key=id_order)
        for name, tie_break in criteria(tiebreakers):
            if len(best) < 2 or tie_break.of_rounds:
                break
            best = _split(name, tie_break, data, best, {})[0]
        return tuple(best)

    def _data(self, players: Iterable[str], **more: Any) -> RankingData:
        return RankingData({player: self.row(player) for player in players}, self.met, self.rematches, **more)


def _split(
    name: str, tie_break: TieBreak, data: RankingData, group: list[str], told: dict[str, dict[str, float]]
) -> list[list[str]]:
    """Parts of equal value, the best first; the order within a part is kept."""
    if len(group) < 2:
        return [group] if group else []
    if told and group[0] in told and name in told[group[0]]:
        values: Mapping[str, float] | None = {player: told[player][name] for player in group}
    else:
        values = tie_break.values(data, group)
    if values is None:
        return [group]
    parts: dict[float, list[str]] = {}
    for player in group:
        parts.setdefault(values[player], []).append(player)
    if tie_break.of_tied and told and len(parts) > 1:
        for player in group:
            told[player][name] = values[player]
    return [parts[value] for value in sorted(parts, reverse=not tie_break.best_low)]


def ranked_as(rows: Sequence[Standing], ranking: Sequence[Sequence[str]]) -> tuple[Standing, ...]:
    """Rows in the order of a ranking, whose groups share a rank; others last."""
    known = {player for group in ranking for player in group}
    ranking = (*ranking, [row.player_id for row in rows if row.player_id not in known])
    places = {player: rank for rank, group in enumerate(ranking) for player in group}
    before = [sum(map(len, ranking[:rank])) for rank in range(len(ranking))]
    ordered = sorted(rows, key=lambda row: places[row.player_id])
    ranks = [before[places[row.player_id]] + 1 for row in ordered]
    return tuple(
        replace(row, rank=rank, decided_by=BY_FORMAT if rank == place > 1 else "")
        for place, (row, rank) in enumerate(zip(ordered, ranks, strict=True), start=1)
    )


def table(
    players: Mapping[str, str],
    results: Iterable[MatchResult],
    tiebreakers: Sequence[str] = DEFAULT_TIEBREAKERS,
    **more: Any,
) -> tuple[Standing, ...]:
    """The standings after `results`, in any order, one a match, without byes."""
    tally, by_round = Tally(), dict[int, list[MatchResult]]()
    for result in results:
        tally = tally.add(result)
        by_round.setdefault(result.round_id, []).append(result)
    rounds = [
        NumberedRound(
            number,
            PlayedRound(PairedRound(tuple(result.players for result in played)), tuple(map(pairing_result, played))),
        )
        for number, played in by_round.items()
    ]
    more.setdefault("rounds", lambda: rounds)
    return tally.ranked(players, tiebreakers, **more)


def pairing_result(result: MatchResult) -> PairingResult:
    """A result as a tournament format sees it."""
    scores = result.details.get("scores")
    known = cast(Mapping[str, Json], scores) if isinstance(scores, Mapping) else dict[str, Json]()
    numbers = {player: known[player] for player in result.players if _is_score(known.get(player))}
    forfeits = at_fault(result)
    scored = {} if forfeits else numbers
    return PairingResult(
        result.players, result.score, result.winner, forfeits, scored, draw_seed(result), result.not_played
    )


def draw_seed(result: MatchResult) -> str:
    """The seed of a match's verifiable draw; empty where it was not revealed."""
    reveal = result.details.get("draw")
    seed = cast(Mapping[str, Json], reveal).get("seed") if isinstance(reveal, Mapping) else None
    return seed if isinstance(seed, str) else ""


def _is_score(value: Json) -> bool:
    return type(value) in (int, float) and abs(value) <= LARGEST_SCORE


def one_more(
    row: Standing, how: Verdict, points: int, technical: bool = False, substituted: Mapping[str, int] | None = None
) -> Standing:
    """A player's row with one more match."""
    return replace(
        row,
        played=row.played + 1,
        wins=row.wins + (how is Verdict.WIN),
        draws=row.draws + (how is Verdict.DRAW),
        losses=row.losses + (how is Verdict.LOSS),
        points=row.points + points,
        technical_losses=row.technical_losses + technical,
        substituted=added(row.substituted, substituted) if substituted else row.substituted,
    )

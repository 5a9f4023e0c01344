"""A league as its tournament format sees it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from league_sdk.domain.league_state import League
from league_sdk.domain.model import MatchResult, ResultStatus, Round
from league_sdk.domain.pairings.unplayed_rounds import NumberedRound
from league_sdk.domain.played_rounds import RoundsOnAccess, played_rounds, ranking_rules
from league_sdk.domain.ranking.standings import Tally, id_order
from league_sdk.tournament import (
    Advanced,
    Entrant,
    Format,
    PairedRound,
    PairingResult,
    PlayedRound,
    Ranking,
    Tournament,
)

MOST_ANNOUNCED = 5_000
"""Matches of the longest schedule that is settled at once; beyond that, rounds are paired one by one."""

_SETTLED = (
    "needs a schedule that is settled before the first round: one stage whose pairings follow from no result, of up to "
    "5,000 matches. Elsewhere leave it at"
)
NEEDS_SCHEDULE = f"scoring.departed_results expunge_below_half {_SETTLED} keep: what was played counts"
OVERLAP_NEEDS_SCHEDULE = f"schedule.rounds overlapping {_SETTLED} in_order: who meets whom follows from results"


def seeding(league: League) -> list[str]:
    """The players by id: the order of the roster and of registration."""
    return sorted(league.players, key=id_order)


def tournament_of(league: League) -> Tournament:
    """The tournament after the complete rounds; its seed is the league's, or its id."""
    rules, complete = league.rules, league.rounds[: league.rounds_completed]

    def played(rounds: Sequence[Round]) -> Iterator[NumberedRound]:
        return played_rounds(rounds, league.results, len(complete), league.expunged, league.late_byes)

    return Tournament(
        entrants=tuple(
            Entrant(
                player_id,
                seed,
                league.left_after.get(player_id),
                league.missed.get(player_id, 0),
                player_id in league.sitting_out,
                player_id in league.have_played,
            )
            for seed, player_id in enumerate(seeding(league), start=1)
        ),
        rounds=RoundsOnAccess(complete, played),
        seed=rules.seed or rules.league_id,
        win=rules.scoring.win,
        draw=rules.scoring.draw,
        rank=lambda players, rounds: _ranked(league, players, rounds),
        by_series=rules.series_points,
        ranked=(min(len(league.rankings), len(complete)), league.ranking)
        if league.ranking and len(rules.stages) == 1
        else (0, ()),
        lots_from_draws=league.lots_from_draws,
    )


def settled_schedule(tournament_format: Format, players: Sequence[str]) -> tuple[PairedRound, ...] | None:
    """All rounds, where none depends on a result and 5,000 matches are enough."""
    if tournament_format.expected_rounds(len(players)) * len(players) // 2 > MOST_ANNOUNCED:
        return None
    return tournament_format.schedule(players)


def outcome_after(league: League, tournament_format: Format, round_id: int) -> tuple[Ranking, tuple[Advanced, ...]]:
    """The format's ranking after a round, and who advanced from level ties."""
    tournament = tournament_of(replace(league, rounds_completed=round_id))
    return tournament_format.ranking(tournament) or (), tournament_format.advanced(tournament)


def _ranked(league: League, players: Sequence[str], rounds: Sequence[PlayedRound]) -> Ranking:
    """Ranks some players by the matches among them, with the league's tie-breaks."""
    tally, among = Tally(), list[NumberedRound]()
    field, rules = set(players), league.rules
    for number, played in enumerate(rounds, start=1):
        results = tuple(result for result in played.results if field.issuperset(result.seats))
        paired = replace(
            played.paired,
            pairings=tuple(result.seats for result in results),
            byes=tuple(player for player in played.paired.byes if player in field),
            late_byes=tuple(player for player in played.paired.late_byes if player in field),
        )
        among.append(NumberedRound(number, PlayedRound(paired, results)))
        for result in results:
            tally = tally if result.void else tally.add(_match(result))
        if points := getattr(rules.scoring, paired.bye_points, 0):
            tally = tally.add_byes(paired.byes, points)
        tally = tally.add_byes(paired.late_byes, rules.scoring.draw)
    names, more = dict.fromkeys(players, ""), ranking_rules(rules)
    rows = tally.ranked(names, rules.tiebreakers, league.removed, rounds=lambda: among, **more)
    groups = {row.rank: [other.player_id for other in rows if other.rank == row.rank] for row in rows}
    return tuple(tuple(group) for group in groups.values())


def _match(result: PairingResult) -> MatchResult:
    status = ResultStatus.WIN if result.winner else ResultStatus.DRAW
    return MatchResult(
        match_id="",
        round_id=0,
        players=result.seats,
        status=ResultStatus.TECHNICAL_LOSS if result.forfeits else status,
        winner=result.winner,
        score=result.points,
        referee_id="",
        not_played=result.not_played,
    )

"""A league as its tournament format sees it."""

from collections.abc import Sequence

from league_sdk.domain.league_state import League
from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.domain.standings import at_fault, id_order, table
from league_sdk.tournament import ByePoints, Entrant, PairedRound, PairingResult, PlayedRound, Ranking, Tournament


def seeding(league: League) -> list[str]:
    """The players by id: the order of the roster and of registration."""
    return sorted(league.players, key=id_order)


def tournament_of(league: League) -> Tournament:
    """The tournament after the complete rounds; its seed is the league's, or its id."""
    rules = league.rules
    return Tournament(
        entrants=tuple(
            Entrant(player_id, seed, league.left_after.get(player_id))
            for seed, player_id in enumerate(seeding(league), start=1)
        ),
        rounds=tuple(_played(league, number) for number in range(1, league.rounds_completed + 1)),
        seed=rules.seed or rules.league_id,
        win=rules.scoring.win,
        draw=rules.scoring.draw,
        rank=lambda players, rounds: _ranked(league, players, rounds),
    )


def _played(league: League, round_id: int) -> PlayedRound:
    scheduled = league.round(round_id)
    paired = PairedRound(
        tuple(fixture.players for fixture in scheduled.fixtures),
        scheduled.byes,
        ByePoints(scheduled.bye_points),
        scheduled.title,
        scheduled.stage,
    )
    results: list[PairingResult] = []
    for fixture in scheduled.fixtures:
        result = league.results.get(fixture.match_id)
        if result is None:
            results.append(PairingResult(fixture.players))
        else:
            results.append(PairingResult(fixture.players, result.score, result.winner, at_fault(result)))
    return PlayedRound(paired, tuple(results))


def _ranked(league: League, players: Sequence[str], rounds: Sequence[PlayedRound]) -> Ranking:
    """Ranks some players by the matches among them, with the league's tie-breaks."""
    matches = [_match(result) for played in rounds for result in played.results if not result.void]
    among = [match for match in matches if set(match.players) <= set(players)]
    rows = table(dict.fromkeys(players, ""), among, league.rules.tiebreakers)
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
    )

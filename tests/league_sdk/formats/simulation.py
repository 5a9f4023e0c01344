"""Whole tournaments for tests of formats, with results by chance."""

from dataclasses import replace

from league_sdk.clock import HashRng
from league_sdk.testing.formats import rank_by_points
from league_sdk.tournament import Entrant, PairingResult, PlayedRound, Tournament


def entrants(count):
    return tuple(Entrant(f"P{number:02d}", number) for number in range(1, count + 1))


def won(seats, winner):
    """A match that `winner` has won."""
    return PairingResult(seats, {player: 3 if player == winner else 0 for player in seats}, winner)


def drawn(seats):
    return PairingResult(seats, dict.fromkeys(seats, 1))


def strongest_wins(seats, _rng):
    return won(seats, min(seats))


def by_chance(seats, rng):
    """A win, or a draw in one match of five."""
    return drawn(seats) if rng.randint(0, 4) == 0 else won(seats, rng.choice(seats))


def played(tournament_format, count, result=by_chance, seed="seed"):
    """The tournament after its last round."""
    rng = HashRng(seed)
    tournament = Tournament(entrants(count), seed=seed, rank=rank_by_points)
    while (paired := tournament_format.next_round(tournament)) is not None:
        results = tuple(result(seats, rng) for seats in paired.pairings)
        tournament = replace(tournament, rounds=(*tournament.rounds, PlayedRound(paired, results)))
    return tournament


def pairings(tournament):
    return [seats for each in tournament.rounds for seats in each.paired.pairings]

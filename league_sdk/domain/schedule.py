"""Who meets whom, and who referees: a round-robin by the circle method.

One player stands still while the others turn around a circle, one place a round; those who face each other meet.
Numbering the others 0…m-1 (m odd), the pairs of round k are (k+i, k-i) modulo m, and the one left over, k, meets the
player who stands still, or sits out when the number of players is odd. So everybody meets everybody once in the
fewest rounds there can be.

Sides: among the m on the circle, a has the first seat against b exactly when (b - a) mod m is at most (m-1)/2, which
gives everyone as many first seats as second ones; the player who stands still alternates. So sides are even within
one. The one exception is a league of four, whose table the protocol fixes.
"""

from collections.abc import Sequence

from league_sdk.domain.model import Fixture, Round

_FOUR = (((0, 1), (2, 3)), ((2, 0), (3, 1)), ((3, 0), (2, 1)))
"""The table for four players, by position: R1 P01-P02 P03-P04, R2 P03-P01 P04-P02, R3 P04-P01 P03-P02."""


def round_robin(players: Sequence[str]) -> tuple[Round, ...]:
    """All rounds in which everybody meets everybody else once.

    Args:
        players: Two or more different ids, in the order of their seeding.

    Raises:
        ValueError: There are fewer than two players, or one is named twice.
    """
    if len(players) < 2:
        raise ValueError(f"a schedule needs at least 2 players, got {len(players)}")
    if len(set(players)) != len(players):
        raise ValueError("a schedule needs every player once, but some are named twice")
    if len(players) == 4:
        return tuple(_round(number, pairs, players) for number, pairs in enumerate(_FOUR, start=1))
    if len(players) % 2:
        return _odd(players)
    return _even(players)


def spread(rounds: Sequence[Round], referees: Sequence[str]) -> dict[str, str]:
    """A referee for every match, in turn: even within one over the league and over every round.

    Args:
        rounds: The schedule.
        referees: One or more referees' ids.

    Returns:
        Referee id by match id.

    Raises:
        ValueError: There is no referee.
    """
    if not referees:
        raise ValueError("a schedule needs at least 1 referee, got 0")
    matches = (fixture.match_id for scheduled in rounds for fixture in scheduled.fixtures)
    return {match_id: referees[index % len(referees)] for index, match_id in enumerate(matches)}


def _even(players: Sequence[str]) -> tuple[Round, ...]:
    turning = len(players) - 1
    rounds: list[Round] = []
    for step in range(turning):
        facing = step + 1
        first = (0, facing) if step % 2 == 0 else (facing, 0)
        pairs = [first, *((a + 1, b + 1) for a, b in _circle(step, turning))]
        rounds.append(_round(step + 1, pairs, players))
    return tuple(rounds)


def _odd(players: Sequence[str]) -> tuple[Round, ...]:
    turning = len(players)
    return tuple(
        _round(turning - step, _circle(step, turning), players, byes=(players[step],))
        for step in reversed(range(turning))
    )


def _circle(step: int, turning: int) -> list[tuple[int, int]]:
    """The pairs on a circle of `turning` places in one step, the first seat first."""
    half = (turning - 1) // 2
    pairs: list[tuple[int, int]] = []
    for distance in range(1, half + 1):
        a, b = (step + distance) % turning, (step - distance) % turning
        pairs.append((a, b) if (b - a) % turning <= half else (b, a))
    return pairs


def _round(number: int, pairs: Sequence[tuple[int, int]], players: Sequence[str], byes: tuple[str, ...] = ()) -> Round:
    fixtures = tuple(
        Fixture(f"R{number}M{place}", number, (players[a], players[b])) for place, (a, b) in enumerate(pairs, start=1)
    )
    return Round(number, fixtures, byes)

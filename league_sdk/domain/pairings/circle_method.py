"""The circle method: rounds in which every pair meets once.

One player stands still while the others turn around a circle, one place a round; those who face each other meet.
Numbering the others 0…m-1 (m odd), the pairs of round k are (k+i, k-i) modulo m, and the one left over, k, meets the
player who stands still, or sits out when the number of players is odd. These are the rounds of the Berger tables (FIDE
Handbook C.05, annex 1) in another order.

Seats: among the m on the circle, a has the first seat against b exactly when (b - a) mod m is at most (m-1)/2, which
gives everyone as many first seats as second ones; the player who stands still alternates. So seats are even within
one. The one exception is a league of four, whose table the protocol fixes.
"""

from collections.abc import Sequence

from league_sdk.tournament import Seats

_FOUR = (((0, 1), (2, 3)), ((2, 0), (3, 1)), ((3, 0), (2, 1)))
"""The table for four players, by position: R1 P01-P02 P03-P04, R2 P03-P01 P04-P02, R3 P04-P01 P03-P02."""


def circle_rounds(players: int) -> int:
    """The number of rounds: players less one, or as many when they are odd."""
    return players - 1 + players % 2


def circle_round(players: Sequence[str], step: int) -> tuple[Seats, ...]:
    """The pairs of round `step`, from 0; of an odd number of players one is in none."""
    if len(players) == 4:
        return tuple((players[first], players[second]) for first, second in _FOUR[step])
    if len(players) % 2:
        return _turned(players, len(players) - 1 - step)
    still, circle = players[0], players[1:]
    facing = circle[step]
    first = (still, facing) if step % 2 == 0 else (facing, still)
    return first, *_turned(circle, step)


def _turned(circle: Sequence[str], step: int) -> tuple[Seats, ...]:
    """The pairs on a circle of odd size in one step.

    The pairs are those at the same distance, 1 to half way round, before and behind the place `step`. Seen from the one
    before, the one behind is 2 · distance places back; so it has the first seat exactly when that is less than half.
    """
    half, near = (len(circle) - 1) // 2, (len(circle) - 1) // 4
    pairs: list[Seats] = []
    for distance in range(1, half + 1):
        before, behind = circle[(step + distance) % len(circle)], circle[step - distance]
        pairs.append((behind, before) if distance <= near else (before, behind))
    return tuple(pairs)

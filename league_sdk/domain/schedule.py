"""The schedule: a round-robin by the circle method, and its referees.

One player stands still while the others turn around a circle, one place a round; players who face each other meet.
Numbering the others 0…m-1 (m odd), the pairs of round k are (k+i, k-i) modulo m, and the one left over, k, meets the
player who stands still, or sits out when the number of players is odd. So all pairs meet once, in the fewest possible
rounds.

Sides: among the m on the circle, a has the first seat against b exactly when (b - a) mod m is at most (m-1)/2, which
gives everyone as many first seats as second ones; the player who stands still alternates. So sides are even within one.
The one exception is a league of four, whose table the protocol fixes.
"""

from collections.abc import Sequence

from league_sdk.domain.fixtures import Fixtures
from league_sdk.domain.model import Round

_FOUR = ((0, 1, 2, 3), (2, 0, 3, 1), (3, 0, 2, 1))
"""The table for four players, by position: R1 P01-P02 P03-P04, R2 P03-P01 P04-P02, R3 P04-P01 P03-P02."""


def round_robin(players: Sequence[str]) -> tuple[Round, ...]:
    """All rounds in which every pair of players meets once.

    The players are in the order of their seeding. Raises ValueError for fewer than two, or if one is named twice.
    """
    if len(players) < 2:
        raise ValueError(f"a schedule needs at least 2 players, got {len(players)}")
    if len(set(players)) != len(players):
        raise ValueError("a schedule needs every player once, but some are named twice")
    if len(players) == 4:
        return tuple(_round(number, [players[place] for place in seats]) for number, seats in enumerate(_FOUR, start=1))
    if len(players) % 2:
        return _odd(players)
    return _even(players)


def spread(rounds: Sequence[Round], referees: Sequence[str], only: int | None = None) -> dict[str, str]:
    """Referee id by match id, in turn: even within one overall and in each round.

    `only` limits it to one round. Raises ValueError without referees.
    """
    if not referees:
        raise ValueError("a schedule needs at least 1 referee, got 0")
    before = 0 if only is None else sum(len(scheduled.fixtures) for scheduled in rounds[: only - 1])
    chosen = rounds if only is None else rounds[only - 1 : only]
    matches = (fixture.match_id for scheduled in chosen for fixture in scheduled.fixtures)
    return {match_id: referees[index % len(referees)] for index, match_id in enumerate(matches, start=before)}


def _even(players: Sequence[str]) -> tuple[Round, ...]:
    still, circle = players[0], players[1:]
    rounds: list[Round] = []
    for step, facing in enumerate(circle):
        first = (still, facing) if step % 2 == 0 else (facing, still)
        rounds.append(_round(step + 1, [*first, *_turned(circle, step)]))
    return tuple(rounds)


def _odd(players: Sequence[str]) -> tuple[Round, ...]:
    turning = len(players)
    return tuple(
        _round(turning - step, _turned(players, step), byes=(players[step],)) for step in reversed(range(turning))
    )


def _turned(circle: Sequence[str], step: int) -> list[str]:
    """The players on a circle in one step: pair after pair, the first seat first.

    The pairs are those at the same distance, 1 to half way round, before and behind the place `step`. Seen from the one
    before, the one behind is 2 · distance places back; so it has the first seat exactly when that is less than half.
    """
    places, half = len(circle), (len(circle) - 1) // 2
    twice, near = (*circle, *circle), half // 2
    before = twice[step + 1 : step + 1 + half]
    behind = twice[step + places - 1 : step + places - 1 - half : -1]
    seats = [""] * (2 * half)
    seats[0::2] = behind[:near] + before[near:]
    seats[1::2] = before[:near] + behind[near:]
    return seats


def _round(number: int, seats: Sequence[str], byes: tuple[str, ...] = ()) -> Round:
    return Round(number, Fixtures(number, seats), byes)

"""Rounds that follow from the seeding alone: round-robin, groups, gauntlet."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from league_sdk.audit.stage_course import ExpectedRound, StageCourse

Row: TypeAlias = list[tuple[str, ...]]
Table: TypeAlias = Sequence[Row]

_FOUR = ("01 23", "20 31", "30 21")
"""The protocol's table for four, by place in the seeding."""


def next_settled(table_of: Callable[[StageCourse], Table]) -> Callable[[StageCourse, int], ExpectedRound | None]:
    """Rounds of a table, less those in which nobody has an opponent any more."""

    def expected(course: StageCourse, complete: int) -> ExpectedRound | None:
        if "table" not in course.memo:
            course.memo["table"] = table_of(course)
        table: Table = course.memo["table"]
        played, start = course.memo.get("walked", (0, 0))
        if played > complete:
            played, start = 0, 0
        for place in range(start, len(table)):
            gone = course.gone(played)
            pairs = [pair for pair in table[place] if gone.isdisjoint(pair)]
            if pairs and played == complete:
                course.memo["walked"] = played, place
                busy = {*gone, *(player for pair in pairs for player in pair)}
                return ExpectedRound(pairs, [player for player in course.players if player not in busy])
            played += bool(pairs)
        return None

    return expected


def round_robin(course: StageCourse) -> Table:
    """Everybody meets everybody, once in each cycle."""
    return _cycles(_everybody(course.players), course.option("cycles", 1))


def groups(course: StageCourse) -> Table:
    """A round-robin in each group, all at the same time."""
    tables = [_cycles(_everybody(pool), course.option("cycles", 1)) for pool in pools(course)]
    rows: list[Row] = [[] for _ in range(max(map(len, tables)))]
    for table in tables:
        for step, row in enumerate(table):
            rows[step] += row
    return rows


def pools(course: StageCourse) -> list[list[str]]:
    """The players of each group: dealt out to and fro along the seeding."""
    number = course.option("groups", 2)
    there_and_back = [*range(number), *reversed(range(number))]
    found: list[list[str]] = [[] for _ in range(number)]
    for place, player in enumerate(course.players):
        found[there_and_back[place % (2 * number)]].append(player)
    return found


def gauntlet(course: StageCourse) -> Table:
    """The challengers meet all others."""
    split = course.option("challengers", 1)
    few, many = sorted((course.players[:split], course.players[split:]), key=len)
    rows: list[Row] = []
    for step in range(len(many) * course.option("cycles", 1)):
        cycle, turn = divmod(step, len(many))
        pairs = [(one, many[(place + turn) % len(many)]) for place, one in enumerate(few)]
        rows.append([pair[::-1] if (place + turn + cycle) % 2 else pair for place, pair in enumerate(pairs)])
    return rows


def _cycles(table: Table, cycles: int) -> Table:
    return [[pair[::-1] if cycle % 2 else pair for pair in row] for cycle in range(cycles) for row in table]


def _everybody(players: Sequence[str]) -> Table:
    """The circle method, from its formula: in step k meet the places whose sum is 2k."""
    if len(players) == 4:
        return [[(players[int(one)], players[int(other)]) for one, other in row.split()] for row in _FOUR]
    still = players[:1] if len(players) % 2 == 0 else ()
    circle = players[len(still) :]
    size, rows = len(circle), list[Row]()
    for step in range(size):
        # An odd number of players turns the other way round: its first round leaves out the last of the seeding.
        alone = step if still else size - 1 - step
        ends = [((alone + far) % size, (alone - far) % size) for far in range(1, size // 2 + 1)]
        row = [_seated(circle, one, other) for one, other in ends]
        if still:
            row.insert(0, (still[0], circle[alone]) if step % 2 == 0 else (circle[alone], still[0]))
        rows.append(row)
    return rows


def _seated(circle: Sequence[str], one: int, other: int) -> tuple[str, str]:
    """The first seat has whoever finds the other in the half of the circle before it."""
    size = len(circle)
    return (circle[one], circle[other]) if (other - one) % size <= size // 2 else (circle[other], circle[one])

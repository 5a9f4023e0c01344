"""Rounds of tables of three or more, dealt again from the league's chance."""

from collections import Counter
from itertools import combinations
from math import ceil, comb, gcd

from league_sdk.audit.chance import Chance, fingerprint
from league_sdk.audit.stage_course import ExpectedRound, StageCourse, draw_seed


def tables_rounds(course: StageCourse, players: int) -> int:
    """As set; else enough for all to meet, and for all to sit out equally often."""
    seats = course.option("seats", 3)
    if told := course.option("rounds"):
        return told
    full, idle = divmod(players, seats)
    needed = ceil(course.option("cycles", 1) * comb(players, 2) / (full * comb(seats, 2)))
    turn = players // gcd(players, idle)
    return -(-needed // turn) * turn if idle else needed


def next_of_tables(course: StageCourse, complete: int) -> ExpectedRound | None:
    """The deal of the round, by the documented order of its draws."""
    seats, active = course.option("seats", 3), course.there(complete)
    if complete >= tables_rounds(course, len(course.players)) or len(active) < seats:
        return None
    before = course.rounds[:complete]
    idle = Counter(player for played in before for player in played.byes)
    chance = Chance(f"{_seed(course, complete)}|tables|{complete}")
    resting = sorted(chance.shuffled(active), key=lambda player: idle[player])[: len(active) % seats]
    playing = [player for player in active if player not in resting]
    met: Counter[frozenset[str]] = Counter()
    taken: Counter[str] = Counter()
    for seated in (pairing for played in before for pairing in played.pairings):
        met.update(frozenset(pair) for pair in combinations(seated, 2))
        taken.update({player: seat for seat, player in enumerate(seated)})
    number = min(50, 20_000 // len(playing) ** 2) or 1
    best = min((_deal(playing, seats, met, chance) for _ in range(number)), key=lambda deal: _again(deal, met))
    order = [tuple(sorted(table, key=lambda player: (-taken[player], player))) for table in best]
    return ExpectedRound(order, [player for player in active if player in resting])


def _seed(course: StageCourse, complete: int) -> str:
    """The stage's seed; from the second round on with the draws revealed before."""
    draws = [draw_seed(match) for played in course.rounds[:complete] for match in played.results]
    told = [seed for seed in draws if seed]
    return fingerprint("league.v2/deal", course.seed, *told) if course.lots_from_draws and told else course.seed


def _deal(playing: list[str], seats: int, met: Counter[frozenset[str]], chance: Chance) -> list[list[str]]:
    """Fill each table with those who have met its players least."""
    waiting, deal = chance.shuffled(playing), list[list[str]]()
    while waiting:
        table = [waiting.pop()]
        for _ in range(seats - 1):
            cost = [sum(met[frozenset((player, other))] ** 2 for other in table) for player in waiting]
            table.append(waiting.pop(cost.index(min(cost))))
        deal.append(table)
    return deal


def _again(deal: list[list[str]], met: Counter[frozenset[str]]) -> int:
    return sum(met[frozenset(pair)] ** 2 for table in deal for pair in combinations(table, 2))

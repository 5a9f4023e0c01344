"""Every number in docs/MATHEMATICAL_FOUNDATIONS.md, computed exactly: by enumeration, in fractions."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, factorial
from pathlib import Path
from typing import TypeVar

import pytest

from game_rules.even_odd import HIGHEST, LOWEST, EvenOdd, parity_of
from game_rules.tic_tac_toe import CELLS, TicTacToe, TicTacToeState
from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.domain.model import DEFAULT_TIEBREAKERS, MatchResult, ResultStatus, Scoring
from league_sdk.domain.pairings.schedule import round_robin
from league_sdk.domain.ranking.standings import table
from league_sdk.game import PastMatch, PlayerView
from tests.requirements.marker import requirement

T = TypeVar("T")

PAGE = Path(__file__).parents[2] / "docs" / "MATHEMATICAL_FOUNDATIONS.md"
TEXT = PAGE.read_text(encoding="utf-8")
GAME = EvenOdd()
SCORING = Scoring()
ME, THEM = "P01", "P02"
NAMES = ["random", "always-even", "always-odd", "alternating", "frequency", "pattern", "mirror"]
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


class Script:
    """Chance that follows a script of choices; beyond its end it takes the first option and writes that down."""

    def __init__(self, script: Sequence[int]) -> None:
        self.taken = list(script)
        self.sizes: list[int] = []

    def choice(self, items: Sequence[T]) -> T:
        place = len(self.sizes)
        self.sizes.append(len(items))
        if place == len(self.taken):
            self.taken.append(0)
        return items[self.taken[place]]

    def randint(self, low: int, high: int) -> int:
        return self.choice(range(low, high + 1))

    def random(self) -> float:
        raise NotImplementedError("a continuous draw cannot be enumerated")

    def shuffled(self, items: Sequence[T]) -> list[T]:
        raise NotImplementedError("nothing here shuffles")


def every_way(run: Callable[[Script], T]) -> Iterator[tuple[T, Fraction]]:
    """Every result of `run` over all outcomes of chance, with its probability."""
    pending: list[list[int]] = [[]]
    while pending:
        given = pending.pop()
        chance = Script(given)
        result = run(chance)
        probability = Fraction(1)
        for place, size in enumerate(chance.sizes):
            probability /= size
            if place >= len(given):
                pending += [[*chance.taken[:place], other] for other in range(1, size)]
        yield result, probability


def distribution(run: Callable[[Script], T]) -> dict[T, Fraction]:
    found: dict[T, Fraction] = {}
    for result, probability in every_way(run):
        found[result] = found.get(result, Fraction(0)) + probability
    return found


Moves = tuple[str, ...]


def choices(name: str, mine: Moves, theirs: Moves) -> dict[str, Fraction]:
    """The probability of each choice of a strategy, after meetings in which these were made."""
    history = tuple(
        PastMatch(f"R{number}M1", "L", THEM, "", "DRAW", (my_move,), (their_move,))
        for number, (my_move, their_move) in enumerate(zip(mine, theirs, strict=True), start=1)
    )

    def choose(chance: Script) -> str:
        view = PlayerView(
            GAME.name, "L", "R9M1", 9, ME, THEM,
            legal_moves=("even", "odd"), history=history, counters=GAME.counters, rng=chance,
        )  # fmt: skip
        move = plugins.strategy(name)(view)
        assert isinstance(move, str)
        return move

    return distribution(choose)


@cache
def outcome_of(mine: str, theirs: str) -> Mapping[str | None, Fraction]:
    """The probability of each winner, once both have chosen."""
    start = GAME.start((ME, THEM), HashRng("unused"))

    def draw(chance: Script) -> str | None:
        outcome = GAME.outcome(GAME.apply(start, {ME: mine, THEM: theirs}, chance))
        assert outcome is not None
        return outcome.winner

    return distribution(draw)


@cache
def meeting(one: str, other: str, number: int) -> Mapping[tuple[str, str], Fraction]:
    """The probability of each pair of choices in a meeting of two strategies; the first is number 1."""
    pasts: dict[tuple[Moves, Moves], Fraction] = {((), ()): Fraction(1)}
    found: dict[tuple[str, str], Fraction] = {}
    for _ in range(number):
        following: dict[tuple[Moves, Moves], Fraction] = {}
        found = {}
        for (mine, theirs), weight in pasts.items():
            pairs = product(choices(one, mine, theirs).items(), choices(other, theirs, mine).items())
            for (my_move, my_part), (their_move, their_part) in pairs:
                probability = weight * my_part * their_part
                pair, past = (my_move, their_move), ((*mine, my_move), (*theirs, their_move))
                found[pair] = found.get(pair, Fraction(0)) + probability
                following[past] = following.get(past, Fraction(0)) + probability
        pasts = following
    return found


def winners(one: str, other: str, number: int) -> dict[str | None, Fraction]:
    found: dict[str | None, Fraction] = {ME: Fraction(0), THEM: Fraction(0), None: Fraction(0)}
    for pair, probability in meeting(one, other, number).items():
        for winner, part in outcome_of(*pair).items():
            found[winner] += probability * part
    return found


def expected_points(one: str, other: str, number: int) -> tuple[Fraction, Fraction]:
    """League points of both, in a meeting of two strategies."""
    chance = winners(one, other, number)
    draw = chance[None] * SCORING.draw
    return (
        chance[ME] * SCORING.win + chance[THEM] * SCORING.loss + draw,
        chance[THEM] * SCORING.win + chance[ME] * SCORING.loss + draw,
    )


def page_table(heading: str) -> dict[tuple[str, str], Fraction]:
    """The numbers of the first table below a heading, by row and column."""
    section = TEXT.split(f"{heading}\n", 1)[1]
    lines: list[str] = []
    for line in section.splitlines():
        if line.startswith("|"):
            lines.append(line)
        elif lines:
            break
    rows = [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines if "---" not in line]
    head, *body = rows
    return {
        (row[0], column): Fraction(cell) for row in body for column, cell in zip(head[1:], row[1:], strict=True) if cell
    }


def told(pattern: str) -> str:
    """The text on the page at the group of `pattern`."""
    found = re.search(pattern, " ".join(TEXT.split()))
    assert found, f"the page does not say {pattern!r}"
    return found[1].replace(",", "")


def test_half_of_the_numbers_are_even():
    parities = [parity_of(number) for number in range(LOWEST, HIGHEST + 1)]
    assert parities.count("even") == parities.count("odd") == 5


@requirement("003-DOC-07")
def test_the_table_of_choices():
    expected = {
        (f"{mine}, {theirs}", column): outcome_of(mine, theirs).get(winner, Fraction(0))
        for mine, theirs in product(("even", "odd"), repeat=2)
        for column, winner in (("A wins", ME), ("draw", None), ("B wins", THEM))
    }
    assert page_table("## 1. One match of Even/Odd") == expected


@requirement("003-DOC-07")
@pytest.mark.parametrize(("heading", "number"), [("### The first meeting", 1), ("### The fourth meeting", 4)])
def test_the_expected_points_of_each_pairing(heading: str, number: int):
    found = page_table(heading)
    assert set(found) == set(product(NAMES, repeat=2))
    for (one, other), points in found.items():
        assert expected_points(one, other, number) == (points, points), (one, other)


MADE_FOR_OTHER_GAMES = {
    "grim-trigger",
    "mcts",
    "minimax",
    "openspiel-cfr",
    "openspiel-mcts",
    "tit-for-tat",
    "win-stay-lose-shift",
}
"""Their openings favour the first legal move, or they search; a single guess of a parity tells nothing of them."""
BY_PAYOFFS = {"best-response", "fictitious-play", "nash", "regret-matching", "thompson", "ucb1"}
"""All payoffs of Even/Odd are equal: they play like `random`."""


def test_the_tables_cover_every_strategy_that_can_be_computed():
    computed = {name for name, known in plugins.strategies().items() if known.make_with_model is None}
    assert {name.split("-")[0] for name in NAMES} == computed - MADE_FOR_OTHER_GAMES - BY_PAYOFFS


def test_both_earn_the_same_and_it_depends_only_on_how_often_they_differ():
    for one, other, number in product(NAMES, NAMES, range(1, 5)):
        chance = winners(one, other, number)
        differ = sum((p for (mine, theirs), p in meeting(one, other, number).items() if mine != theirs), Fraction(0))
        assert chance[ME] == chance[THEM] == differ / 2, (one, other, number)
        assert expected_points(one, other, number) == (1 + differ / 2,) * 2, (one, other, number)


@requirement("003-PHASE-03", "003-IMPL-09")
def test_nobody_wins_more_than_a_quarter_against_random():
    for name, number in product(NAMES, range(1, 6)):
        assert winners(name, "random", number) == {ME: QUARTER, None: HALF, THEM: QUARTER}, (name, number)


def at_least(wins: int, matches: int, chance: Fraction) -> Fraction:
    """The probability of so many successes or more."""
    return sum(
        (comb(matches, k) * chance**k * (1 - chance) ** (matches - k) for k in range(wins, matches + 1)), Fraction(0)
    )


def test_the_chance_of_more_than_60_wins_in_100():
    all_matches, decided = at_least(61, 100, QUARTER), at_least(61, 100, HALF)
    assert told(r"61 wins or more in 100 matches is ([\d.]+ · 10⁻¹⁴)") == f"{float(all_matches) * 1e14:.1f} · 10⁻¹⁴"
    assert told(r"of 100 decided matches, ([\d.]+) %") == f"{float(decided) * 100:.2f}"
    assert told(r"one in (\d+) pairs of equals") == str(round(1 / (2 * decided)))


def test_who_wins_tic_tac_toe():
    game, chance = TicTacToe(), HashRng("unused")
    outcome = cache(game.outcome)

    @cache
    def following(state: TicTacToeState) -> list[TicTacToeState]:
        """The states after each move. The order of earlier moves does not matter: fewer states."""
        (mover,) = game.to_move(state)
        return [normal(game.apply(state, {mover: move}, chance)) for move in game.legal_moves(state, mover)]

    def normal(state: TicTacToeState) -> TicTacToeState:
        taken = list(state.taken)
        if outcome(state) is None:
            taken[0::2], taken[1::2] = sorted(taken[0::2]), sorted(taken[1::2])
        return TicTacToeState(state.players, tuple(taken))

    @cache
    def wins(state: TicTacToeState, expert: str | None) -> tuple[int, int]:
        """In how many orders of the free cells the first and the second seat win, an end before the last included.

        An expert takes the best cell in the place of each one that is to come next; all else is chance.
        """
        ended = outcome(state)
        free = len(CELLS) - len(state.taken)
        if ended is not None:
            return factorial(free) * (ended.winner == ME), factorial(free) * (ended.winner == THEM)
        (mover,) = game.to_move(state)
        results = [wins(other, expert) for other in following(state)]
        if mover == expert:
            first, second = max(results, key=lambda pair: pair[0 if expert == ME else 1])
            return first * free, second * free
        return sum(first for first, _ in results), sum(second for _, second in results)

    def percent(seat: int, expert: str | None) -> str:
        number = wins(game.start((ME, THEM), chance), expert)[seat]
        return f"{float(Fraction(number, factorial(len(CELLS)))) * 100:.1f}"

    assert told(r"the first seat wins ([\d.]+) %") == percent(0, None)
    assert told(r"the second ([\d.]+) %") == percent(1, None)
    assert told(r"in the first seat it wins ([\d.]+) %") == percent(0, ME)
    assert told(r"in the second ([\d.]+) %") == percent(1, THEM)


def rps_match_win(rounds: int) -> Fraction:
    """The chance to win a match of rock-paper-scissors against a uniformly random player, whatever one does."""
    differences: dict[int, Fraction] = {0: Fraction(1)}
    for _ in range(rounds):
        following: dict[int, Fraction] = {}
        for difference, probability in differences.items():
            for step in (-1, 0, 1):
                following[difference + step] = following.get(difference + step, Fraction(0)) + probability / 3
        differences = following
    return sum((probability for difference, probability in differences.items() if difference > 0), Fraction(0))


def test_who_wins_rock_paper_scissors_against_random():
    assert told(r"a match of five rounds ([\d.]+) %") == f"{float(rps_match_win(5)) * 100:.1f}"


@requirement("003-DOC-07")
def test_the_number_of_matches_and_rounds():
    for players in range(2, 30):
        rounds = round_robin([f"P{number:02d}" for number in range(1, players + 1)])
        assert sum(len(scheduled.fixtures) for scheduled in rounds) == players * (players - 1) // 2, players
        assert len(rounds) == players - 1 + players % 2, players
        assert sum(len(scheduled.byes) for scheduled in rounds) == (players if players % 2 else 0), players


def test_the_table_of_sizes():
    found = page_table("### How many")
    for players in (2, 3, 4, 5, 10, 100, 1000):
        rounds = round_robin([str(number) for number in range(players)])
        matches = sum(len(scheduled.fixtures) for scheduled in rounds)
        assert found[str(players), "matches"] == matches
        assert found[str(players), "rounds"] == len(rounds)
        assert found[str(players), "matches a round"] == len(rounds[0].fixtures)
        assert found[str(players), "byes a player"] == players % 2


def league_of_four(results: Sequence[str | None]) -> Iterator[MatchResult]:
    fixtures = [fixture for scheduled in round_robin(["P01", "P02", "P03", "P04"]) for fixture in scheduled.fixtures]
    for fixture, seat in zip(fixtures, results, strict=True):
        winner = None if seat is None else fixture.players[0 if seat == ME else 1]
        score = {player: 1 if winner is None else 3 * (player == winner) for player in fixture.players}
        status = ResultStatus.DRAW if winner is None else ResultStatus.WIN
        yield MatchResult(fixture.match_id, fixture.round_id, fixture.players, status, winner, score, "REF01")


def test_how_a_league_of_four_random_players_ends():
    players = {f"P{number:02d}": f"P{number:02d}" for number in range(1, 5)}
    total = Fraction(0)
    alone: dict[Sequence[str], Fraction] = {("points",): Fraction(0), DEFAULT_TIEBREAKERS: Fraction(0)}
    for results in product((ME, None, THEM), repeat=6):
        probability = Fraction(1)
        for result in results:
            probability *= HALF if result is None else QUARTER
        played = list(league_of_four(results))
        total += probability * sum(sum(result.score.values()) for result in played)
        for criteria in alone:
            first = [row for row in table(players, played, criteria) if row.rank == 1]
            alone[criteria] += probability * (len(first) == 1)
    assert told(r"earn ([\d.]+) points in all on average") == f"{float(total):g}"
    assert told(r"points alone name one champion in ([\d.]+) %") == f"{float(alone['points',]) * 100:.1f}"
    assert told(r"the whole list of criteria in ([\d.]+) %") == f"{float(alone[DEFAULT_TIEBREAKERS]) * 100:.1f}"

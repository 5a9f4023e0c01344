"""Two friends at a table of three or more: failing gives them no better places than playing on.

Lowest unique number is enumerated to the end. In every other shipped game, a match with a failure is compared with the
same match in which the player itself makes the stand-in's moves.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game_rules.lowest_unique_number import LowestUniqueNumber
from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.domain.matches.match import new_match, step
from league_sdk.domain.matches.match_io import (
    AskForMove,
    Begin,
    Failure,
    Invite,
    Joined,
    MoveFailed,
    MoveMade,
    NoteStandIn,
)
from league_sdk.domain.model import Cause, MatchResult
from league_sdk.domain.ranking.places import places_by, places_of, sole_first
from league_sdk.game import Game, Outcome
from tests.requirements.marker import requirement

Wins: TypeAlias = tuple[int, ...]  # of the two friends and the third
Value: TypeAlias = Callable[[Wins, int], Any]  # of the rounds won and of the number to come
Round: TypeAlias = Callable[[list[list[Any]]], Any]  # the value of a round, of a row for each choice of the friends

ROUNDS, HIGHEST = 5, 5
NUMBERS = range(1, HIGHEST + 1)
THIRDS: Mapping[str, tuple[Fraction, ...]] = {
    "any number": (Fraction(1, HIGHEST),) * HIGHEST,
    "low numbers": tuple(Fraction(1, 2 ** min(number, HIGHEST - 1)) for number in NUMBERS),
    **{f"always {own}": tuple(Fraction(own == number) for number in NUMBERS) for own in NUMBERS},
}
"""Third players by the chances of their numbers, the same in every round."""
GONE = Failure(Cause.CONNECTION_REFUSED, "E009", retryable=False, description="nobody listens")
AT = "2025-01-15T10:00:00.000Z"
MULTIPLAYER = (
    *("bridge", "colored_trails", "crazy_eights", "dou_dizhu", "euchre", "hearts", "kuhn_poker(players=3)"),
    *("leduc_poker(players=3)", "matching_pennies_3p", "oh_hell", "skat", "social_deduction", "spades"),
    "tiny_bridge_4p",
)  # fmt: skip


def mean_places(worth: Sequence[float], failed: Sequence[int] = ()) -> list[Fraction]:
    """Each player's place, where equals share the mean of theirs."""
    players = [f"P{seat}" for seat in range(len(worth))]
    scores = dict(zip(players, worth, strict=True))
    outcome = Outcome(sole_first(places_by(scores)), scores, "")
    places = [*places_of(outcome, players, [players[seat] for seat in failed]).values()]
    return [place + Fraction(places.count(place) - 1, 2) for place in places]


def together(wins: Wins, failed: Sequence[int] = ()) -> Fraction:
    """The friends' places, the lower the worse."""
    return -sum(mean_places(wins, failed)[:2], Fraction())


def the_better(wins: Wins, failed: Sequence[int] = ()) -> Fraction:
    """The place of the friend that is placed better, the lower the worse."""
    return -min(mean_places(wins, failed)[:2])


@cache
def after(wins: Wins, numbers: tuple[int, ...]) -> Wins:
    """Rounds won after one more."""
    game: Game[Any] = LowestUniqueNumber(rounds=1, highest=HIGHEST)
    state = game.apply(game.start("ABC", HashRng("")), dict(zip("ABC", numbers, strict=True)), HashRng(""))
    outcome = game.outcome(state)
    assert outcome is not None
    return tuple(own + int(outcome.scores[seat]) for seat, own in zip("ABC", wins, strict=True))


def enumerated(worth: Callable[..., Fraction], of_round: Round, *, may_fail: bool) -> tuple[Value, Value]:
    """Expected places of the friends while both play, and once the second has failed."""

    @cache
    def playing(wins: Wins, rounds: int) -> Any:
        if not rounds:
            return worth(wins)
        choices = [*product(NUMBERS, NUMBERS)]
        rows = [[playing(after(wins, (*both, third)), rounds - 1) for third in NUMBERS] for both in choices]
        return of_round([*rows, *(failing_rows(wins, rounds) if may_fail else ())])

    @cache
    def failed(wins: Wins, rounds: int) -> Any:
        return of_round(failing_rows(wins, rounds)) if rounds else worth(wins, (1,))

    def failing_rows(wins: Wins, rounds: int) -> list[list[Any]]:
        def drawn(own: int, third: int) -> Any:
            return sum(failed(after(wins, (own, other, third)), rounds - 1) for other in NUMBERS) / HIGHEST

        return [[drawn(own, third) for third in NUMBERS] for own in NUMBERS]

    return playing, failed


def reached() -> Iterator[tuple[Wins, int]]:
    """Every position of a match before its end, or more."""
    for rounds in range(1, ROUNDS + 1):
        yield from ((wins, rounds) for wins in product(range(ROUNDS + 1), repeat=3) if sum(wins) <= ROUNDS - rounds)


def against(third: Sequence[Fraction]) -> Round:
    """Best reply to a third player whose chances are known."""
    return lambda rows: max(sum(share * value for share, value in zip(third, row, strict=True)) for row in rows)


def solved(rows: list[list[Any]]) -> float:
    """Value of a round against a third player that does its best, as a linear program."""
    optimize = pytest.importorskip(
        "scipy.optimize", reason="scipy is not installed: pip install 'mcp-agent-league[analysis]'"
    )
    choices, numbers = len(rows), len(rows[0])
    bounded = [[*(-float(row[number]) for row in rows), 1.0] for number in range(numbers)]
    limits = [(0, None)] * choices + [(None, None)]
    equal = [[1.0] * choices + [0.0]]
    return -float(optimize.linprog([0.0] * choices + [-1.0], bounded, [0.0] * numbers, equal, [1.0], limits).fun)


@requirement("project-TRUST-09")
@pytest.mark.parametrize("third", THIRDS)
def test_in_lowest_unique_number_failing_in_any_turn_costs_the_friends_places(third: str):
    of_round = against(THIRDS[third])
    playing, failed = enumerated(together, of_round, may_fail=False)
    assert all(failed(*position) <= playing(*position) for position in reached())
    start = (0, 0, 0), ROUNDS
    for worth in (together, the_better):
        legal, best = (enumerated(worth, of_round, may_fail=may_fail)[0](*start) for may_fail in (False, True))
        assert best == legal


def test_in_lowest_unique_number_failing_gains_nothing_against_the_best_third_player():
    playing, failed = enumerated(together, solved, may_fail=False)
    best, _ = enumerated(together, solved, may_fail=True)
    for position in reached():
        assert failed(*position) <= playing(*position) + 1e-9
        assert best(*position) == pytest.approx(playing(*position))


def test_a_friend_that_gives_up_its_own_place_can_still_gain_one_for_the_other():
    """The attack that remains, and its size, as docs/explanation/blame.md says it."""

    def of_the_first(wins: Wins, failed: Sequence[int] = ()) -> Fraction:
        return -mean_places(wins, failed)[0]

    of_round, start = against(THIRDS["any number"]), ((0, 0, 0), ROUNDS)
    legal, best = (enumerated(of_the_first, of_round, may_fail=may_fail)[0](*start) for may_fail in (False, True))
    assert (round(-float(legal), 2), round(-float(best), 2)) == (1.06, 1.0)


@given(st.lists(st.integers(0, 3), min_size=3, max_size=8))
def test_the_same_scores_place_two_friends_no_better_where_one_has_failed(scores: list[int]):
    assert together(tuple(scores), (1,)) <= together(tuple(scores))


def played(game: Game[Any], fails: int | None, moves: Mapping[int, Any]) -> tuple[MatchResult, dict[int, Any]]:
    """A match in which the second player fails in a turn, or makes given moves; and those of its stand-in."""
    players = tuple(f"P{seat:02d}" for seat in range(1, game.min_players + 1))
    match: Any = new_match(
        game, match_id="R1M1", round_id=1, players=players, referee_id="REF01", seed="s", max_retries=0
    )
    match, commands = step(match, Begin(AT))
    waiting, drawn = list(commands), dict[int, Any]()
    while waiting:
        told = waiting.pop(0)
        if isinstance(told, NoteStandIn):
            drawn[told.turn] = told.move
            continue
        if not isinstance(told, Invite | AskForMove):
            continue
        if isinstance(told, Invite):
            event: Any = Joined(told.player, AT)
        elif told.player == "P02" and fails is not None and told.turn >= fails:
            event = MoveFailed(told.player, GONE, AT, told.turn)
        else:
            legal = match.game.legal_moves(match.game_state, told.player)
            own = HashRng(f"{told.player}:{told.turn}").choice(legal)
            event = MoveMade(told.player, moves.get(told.turn, own) if told.player == "P02" else own, AT, told.turn)
        match, commands = step(match, event)
        waiting += commands
    assert match.result is not None
    return match.result, drawn


def compare(game: Game[Any]) -> None:
    """Fail in some turns; each time the friends would have been placed no worse by the same moves."""
    whole, _ = played(game, None, {})
    assert not whole.faults
    for fails in (1, 2, 3, 5, 8):
        result, drawn = played(game, fails, {})
        if not result.faults:
            continue
        legal, _ = played(game, None, drawn)
        assert legal.details["scores"] == result.details["scores"]
        players, scores = result.players, result.details["scores"]
        worth = tuple(scores[player] for player in players)
        assert dict(result.places)["P02"] == len(players)
        for friend in range(len(players)):
            if friend != 1:
                one, other = mean_places(worth), mean_places(worth, [1])
                assert other[friend] + other[1] >= one[friend] + one[1]


def test_in_lowest_unique_number_a_failure_is_no_better_than_the_same_moves():
    compare(LowestUniqueNumber())


@pytest.mark.parametrize("text", MULTIPLAYER)
def test_in_games_of_openspiel_a_failure_is_no_better_than_the_same_moves(text: str):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'mcp-agent-league[games]'")
    compare(plugins.game(f"openspiel:{text}"))


@pytest.mark.parametrize("text", ["threeplayergops", "threeplayertictactoe"])
def test_in_games_of_textarena_a_failure_is_no_better_than_the_same_moves(text: str):
    pytest.importorskip("textarena", reason="TextArena is not installed")
    compare(plugins.game(f"textarena:{text}"))


def test_every_shipped_game_of_three_and_more_is_compared():
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'mcp-agent-league[games]'")
    entries = plugins.game_libraries()["openspiel"].games()
    assert {entry.name for entry in entries if not entry.refusal and entry.max_players > 2} <= {*MULTIPLAYER}

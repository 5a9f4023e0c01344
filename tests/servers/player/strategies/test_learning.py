"""Strategies that learn from payoffs, turn after turn of rock-paper-scissors."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.game import Move, PlayerView
from servers.player.payoffs import payoffs_of
from servers.player.strategies import nash
from tests.requirements.marker import requirement

MOVES = ("rock", "paper", "scissors")
PAYOFFS = payoffs_of(plugins.game("rock_paper_scissors"))
Opponent = Callable[[Sequence[Move], HashRng], Move]
"""Chooses by the moves that the strategy has made."""
LEARNERS = ["best-response", "fictitious-play", "regret-matching", "ucb1", "thompson"]


def constant(made: Sequence[Move], rng: HashRng) -> Move:
    return "rock"


def biased(made: Sequence[Move], rng: HashRng) -> Move:
    return rng.choice(("rock",) * 6 + ("paper", "scissors"))


def adversary(made: Sequence[Move], rng: HashRng) -> Move:
    """The best reply to what the strategy has made most often."""
    often = Counter(made)
    return max(MOVES, key=lambda move: sum(payoff(move, mine) * times for mine, times in often.items()))


def payoff(move: Move, reply: Move) -> float:
    return PAYOFFS.rows[MOVES.index(str(move))][MOVES.index(str(reply))]


def look(mine: Sequence[Move], theirs: Sequence[Move], seed: str) -> PlayerView:
    """A view of a match with these moves so far."""
    return PlayerView(
        game_type="rock_paper_scissors",
        league_id="L",
        match_id="R1M1",
        round_id=1,
        player_id="P01",
        opponent_id="P02",
        legal_moves=MOVES,
        my_moves=tuple(mine),
        opponent_moves=tuple(theirs),
        rng=HashRng(seed),
    )


def played(strategy: str, opponent: Opponent, turns: int) -> list[tuple[Move, Move]]:
    """The moves of both in so many turns."""
    choose, rng, mine, theirs = plugins.strategy(strategy), HashRng("opponent"), list[Move](), list[Move]()
    for turn in range(turns):
        move, reply = choose(look(mine, theirs, f"{strategy} {turn}")), opponent(mine, rng)
        assert isinstance(move, str)
        mine.append(move)
        theirs.append(reply)
    return list(zip(mine, theirs, strict=True))


@requirement("project-GAMES-02")
@pytest.mark.parametrize("opponent", [constant, biased])
@pytest.mark.parametrize("strategy", LEARNERS)
def test_a_learner_finds_out_a_bias(strategy: str, opponent: Opponent):
    late = Counter(mine for mine, _ in played(strategy, opponent, 300)[150:])
    assert late.most_common(1)[0][0] == "paper"
    assert sum(payoff(mine, "rock") * times for mine, times in late.items()) > 0


@requirement("project-GAMES-02")
@pytest.mark.parametrize("opponent", [constant, biased, adversary])
def test_the_mean_regret_of_regret_matching_falls_with_the_root_of_the_turns(opponent: Opponent):
    turns = 400
    made = played("regret-matching", opponent, turns)
    best = max(sum(payoff(move, theirs) for _, theirs in made) for move in MOVES)
    regret = best - sum(payoff(mine, theirs) for mine, theirs in made)
    # Hart and Mas-Colell (2000): by Blackwell's theorem at most the range times the root of moves by turns.
    assert regret / turns <= 2 * sqrt(len(MOVES) / turns)


@requirement("project-GAMES-02")
def test_fictitious_play_against_itself_comes_near_to_the_equilibrium():
    choose = plugins.strategy("fictitious-play")
    answers = list[Move]()

    def itself(made: Sequence[Move], rng: HashRng) -> Move:
        move = choose(look(answers, made, f"itself {len(made)}"))
        assert isinstance(move, str)
        answers.append(move)
        return move

    often = Counter(mine for mine, _ in played("fictitious-play", itself, 500))
    assert all(0.2 < often[move] / 500 < 0.47 for move in MOVES)


@requirement("project-GAMES-02")
def test_best_response_forgets_and_fictitious_play_does_not():
    def changing(made: Sequence[Move], rng: HashRng) -> Move:
        return "rock" if len(made) < 100 else "scissors"

    assert {mine for mine, _ in played("best-response-5", changing, 130)[110:]} == {"rock"}
    assert {mine for mine, _ in played("fictitious-play", changing, 130)[110:]} == {"paper"}


@requirement("project-GAMES-02")
def test_nash_is_each_move_as_often_in_rock_paper_scissors():
    often = Counter(mine for mine, _ in played("nash", constant, 900))
    assert all(abs(often[move] / 900 - 1 / 3) < 0.06 for move in MOVES)


def test_nash_of_a_biased_game_is_the_known_mix():
    # Rock that beats scissors counts twice: by symmetry the mix p solves p·A = 0, which is (1/4, 1/2, 1/4).
    assert nash.maximin(((0.0, -1.0, 2.0), (1.0, 0.0, -1.0), (-2.0, 1.0, 0.0))) == pytest.approx((0.25, 0.5, 0.25))


@given(
    st.integers(1, 4).flatmap(
        lambda wide: st.lists(st.lists(st.integers(-9, 9), min_size=wide, max_size=wide), min_size=1, max_size=4)
    )
)
def test_what_one_side_is_sure_of_the_other_cannot_deny(rows: list[list[int]]):
    """Von Neumann's theorem: both maximin values are the same."""
    table = tuple(tuple(float(value) for value in row) for row in rows)
    other = tuple(tuple(-float(row[column]) for row in rows) for column in range(len(rows[0])))

    def value(of: tuple[tuple[float, ...], ...]) -> float:
        mix = nash.maximin(of)
        assert sum(mix) == pytest.approx(1)
        return min(
            sum(chance * row[column] for chance, row in zip(mix, of, strict=True)) for column in range(len(of[0]))
        )

    assert value(table) == pytest.approx(-value(other), abs=1e-6)


def test_a_number_of_turns_has_to_be_one():
    with pytest.raises(plugins.BrokenPlugin, match="best-response takes a number of turns from 1"):
        plugins.strategy("best-response-0")


def test_nash_without_scipy_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(nash, "SOLVER", "scipy_that_is_not_installed")
    with pytest.raises(plugins.BrokenPlugin, match=r"pip install 'mcp-agent-league\[analysis\]'"):
        plugins.strategy("nash")

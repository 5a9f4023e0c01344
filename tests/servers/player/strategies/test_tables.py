"""Each strategy as a table of moves: what the opponent did, and what it chooses, under a seed."""

from collections import Counter

import pytest

from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.game import Move, PastMatch, PlayerView
from tests.requirements.marker import requirement

EVEN_ODD = {"even": "odd", "odd": "even"}
RPS = {"rock": "paper", "paper": "scissors", "scissors": "rock"}


def past(opponent_moves: str | tuple[Move, ...], my_moves: tuple[Move, ...] = (), opponent: str = "P02") -> PastMatch:
    moves = tuple(opponent_moves.split()) if isinstance(opponent_moves, str) else opponent_moves
    return PastMatch("R1M1", "L", opponent, "Beta", "DRAW", my_moves, moves)


def view(
    *history: PastMatch,
    counters: dict[str, str] = EVEN_ODD,
    legal: tuple[Move, ...] | None = None,
    mine: tuple[Move, ...] = (),
    theirs: tuple[Move, ...] = (),
    seed: str = "seed",
) -> PlayerView:
    return PlayerView(
        game_type="a_game",
        league_id="L",
        match_id="R2M1",
        round_id=2,
        player_id="P01",
        opponent_id="P02",
        legal_moves=tuple(counters) if legal is None else legal,
        my_moves=mine,
        opponent_moves=theirs,
        history=history,
        counters=counters,
        rng=HashRng(seed),
    )


def under_seeds(strategy: str, make_view, seeds: int = 40) -> Counter[Move]:
    """A strategy's choices under many seeds, with their counts."""
    choose = plugins.strategy(strategy)
    return Counter(choose(make_view(f"seed {number}")) for number in range(seeds))


@requirement("003-PHASE-04")
@pytest.mark.parametrize(
    ("strategy", "moves"),
    [
        ("random", "odd even odd even even even odd even odd odd"),
        ("frequency", "odd even odd even even even odd even odd odd"),
        ("pattern", "odd even odd even even even odd even odd odd"),
        ("mirror", "odd even odd even even even odd even odd odd"),
        ("alternating", "even even even even even even even even even even"),
        ("always-odd", "odd odd odd odd odd odd odd odd odd odd"),
    ],
)
def test_the_first_choice_under_ten_seeds(strategy: str, moves: str):
    choose = plugins.strategy(strategy)
    assert [choose(view(seed=f"seed {number}")) for number in range(10)] == moves.split()


@requirement("003-CAP-07")
@pytest.mark.parametrize(
    ("opponent", "chosen"),
    [
        ("even", "odd"),
        ("odd", "even"),
        ("odd odd even", "even"),
        ("even even odd", "odd"),
        ("even odd odd even odd", "even"),
    ],
)
def test_frequency_plays_the_counter_of_the_most_frequent_move(opponent: str, chosen: str):
    history = [past(move) for move in opponent.split()]
    assert under_seeds("frequency", lambda seed: view(*history, seed=seed)) == {chosen: 40}


@requirement("000-PL-STRAT-03", "003-DATA-07", "003-CAP-02")
def test_frequency_counts_this_match_and_earlier_ones_together():
    choose = plugins.strategy("frequency")
    assert choose(view(past("rock paper"), counters=RPS, theirs=("paper",))) == "scissors"
    assert choose(view(past("rock rock paper"), counters=RPS, theirs=("paper", "rock"))) == "paper"


def test_frequency_is_undecided_between_equally_frequent_moves():
    assert set(under_seeds("frequency", lambda seed: view(past("even odd"), seed=seed))) == {"even", "odd"}


def test_frequency_forgets_other_opponents():
    others = [past("odd odd odd", opponent="P03")] * 5
    assert plugins.strategy("frequency")(view(*others, past("even"))) == "odd"


@pytest.mark.parametrize("strategy", ["frequency", "pattern-1", "pattern"])
def test_prediction_without_counters_is_random(strategy: str):
    chosen = under_seeds(strategy, lambda seed: view(past("a1 a1 a1"), counters={}, legal=("b2", "c3"), seed=seed))
    assert set(chosen) == {"b2", "c3"}


@pytest.mark.parametrize("strategy", ["frequency", "pattern-1"])
def test_a_counter_that_is_not_legal_now_is_not_played(strategy: str):
    def seen(seed: str) -> PlayerView:
        return view(past("rock rock rock"), counters=RPS, legal=("rock", "scissors"), seed=seed)

    assert set(under_seeds(strategy, seen)) == {"rock", "scissors"}


@requirement("000-PL-STRAT-01", "003-CAP-07")
@pytest.mark.parametrize(
    ("strategy", "opponent", "chosen"),
    [
        # what followed the last move before: order 1
        ("pattern-1", "rock paper rock", "scissors"),
        ("pattern-1", "rock paper rock scissors rock paper rock", "scissors"),
        ("pattern-1", "rock rock rock", "paper"),
        # two moves of context tell apart what one does not
        ("pattern-1", "rock rock paper rock rock scissors paper paper rock rock", "paper"),
        ("pattern-2", "paper rock rock scissors rock scissors paper rock", "paper"),
        ("pattern", "rock paper scissors rock paper scissors rock", "scissors"),
        ("pattern", "rock paper scissors rock paper scissors rock paper", "rock"),
        # the longest context never stood before, a shorter one did
        ("pattern", "paper rock scissors scissors paper rock", "rock"),
    ],
)
def test_pattern_plays_the_counter_of_what_followed_before(strategy: str, opponent: str, chosen: str):
    assert plugins.strategy(strategy)(view(past(opponent), counters=RPS)) == chosen


@pytest.mark.parametrize("opponent", ["", "rock", "rock paper", "rock paper scissors"])
def test_pattern_is_random_while_no_context_has_come_back(opponent: str):
    chosen = under_seeds("pattern", lambda seed: view(past(opponent), counters=RPS, seed=seed))
    assert set(chosen) == set(RPS)


@requirement("000-PL-STRAT-03", "001-LAYER-03", "003-CAP-02")
def test_pattern_reads_on_across_matches():
    history = [past(move) for move in ["even", "odd", "even", "odd", "even"]]
    assert plugins.strategy("pattern")(view(*history)) == "even"


@pytest.mark.parametrize("argument", ["0", "-1", "x", "1.5", "²"])
def test_pattern_wants_a_number_from_1(argument: str):
    with pytest.raises(plugins.BrokenPlugin, match="a number from 1"):
        plugins.strategy(f"pattern-{argument}")


@pytest.mark.parametrize(
    ("made_before", "made_now", "chosen"),
    [(0, 0, "rock"), (1, 0, "paper"), (2, 0, "scissors"), (3, 0, "rock"), (0, 1, "paper"), (2, 2, "paper")],
)
def test_alternating_goes_round(made_before: int, made_now: int, chosen: str):
    earlier = past("", my_moves=("rock",) * made_before, opponent="P03")
    mine = ("rock",) * made_now
    assert plugins.strategy("alternating")(view(earlier, counters=RPS, mine=mine)) == chosen


@requirement("003-PHASE-05")
@pytest.mark.parametrize(
    ("before", "now", "chosen"),
    [("odd", (), "odd"), ("odd even", (), "even"), ("odd", ("even",), "even"), ("even", ("odd",), "odd")],
)
def test_mirror_repeats_the_opponents_last_move(before: str, now: tuple[str, ...], chosen: str):
    assert plugins.strategy("mirror")(view(past(before), theirs=now)) == chosen


def test_mirror_is_random_when_it_cannot_repeat():
    def seen(seed: str) -> PlayerView:
        return view(legal=("b2", "c3"), theirs=("a1",), seed=seed)

    assert set(under_seeds("mirror", seen)) == {"b2", "c3"}


@requirement("000-PL-STRAT-01", "003-CAP-07", "004-PL-06")
def test_random_takes_every_move_about_equally_often():
    chosen = under_seeds("random", lambda seed: view(counters=RPS, seed=seed), seeds=900)
    assert all(250 < chosen[move] < 350 for move in RPS)


@requirement("004-TEST-16")
def test_always_takes_its_move_also_when_it_is_a_number():
    assert plugins.strategy("always-4")(view(legal=(0, 4, 8))) == 4
    assert plugins.strategy("always-two-words")(view(legal=("one", "two-words"))) == "two-words"


def test_always_with_a_move_that_the_game_does_not_have_says_so():
    choose = plugins.strategy("always-lizard")
    with pytest.raises(ValueError, match=r"always-lizard: a_game has no move 'lizard'; choose from even, odd"):
        choose(view())


@pytest.mark.parametrize(("mine", "theirs"), [(("a1",), ("b2",)), ((), ("a1",))])
def test_always_goes_elsewhere_while_its_move_is_taken(mine: tuple[str, ...], theirs: tuple[str, ...]):
    def seen(seed: str) -> PlayerView:
        return view(legal=("b1", "c1"), mine=mine, theirs=theirs, seed=seed)

    assert set(under_seeds("always-a1", seen)) == {"b1", "c1"}


def test_always_without_a_move_cannot_be_made():
    with pytest.raises(plugins.BrokenPlugin, match="always-<move>"):
        plugins.strategy("always")

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game_rules.rock_paper_scissors import BEATEN_BY, MOVES, RockPaperScissors, RpsState
from league_sdk.clock import HashRng
from league_sdk.errors import InvalidMove

PLAYERS = ("P01", "P02")
ROUNDS = st.lists(st.tuples(st.sampled_from(MOVES), st.sampled_from(MOVES)), min_size=1, max_size=9)
CHANCE = HashRng("not used by this game")


def played(game: RockPaperScissors, rounds: list[tuple[str, str]]) -> RpsState:
    state = game.start(PLAYERS, CHANCE)
    for first, second in rounds:
        state = game.apply(state, {"P01": first, "P02": second}, CHANCE)
    return state


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        ("rock", "rock", None),
        ("rock", "paper", "P02"),
        ("rock", "scissors", "P01"),
        ("paper", "rock", "P01"),
        ("paper", "paper", None),
        ("paper", "scissors", "P02"),
        ("scissors", "rock", "P02"),
        ("scissors", "paper", "P01"),
        ("scissors", "scissors", None),
    ],
)
def test_who_beats_whom(first: str, second: str, winner: str | None):
    game = RockPaperScissors(rounds=1)
    outcome = game.outcome(played(game, [(first, second)]))
    assert outcome is not None
    assert outcome.winner == winner


def test_whoever_wins_more_rounds_wins_the_match():
    game = RockPaperScissors(rounds=3)
    outcome = game.outcome(played(game, [("rock", "scissors"), ("paper", "paper"), ("rock", "paper")]))
    assert outcome is not None
    assert (outcome.winner, outcome.scores) == (None, {"P01": 1.0, "P02": 1.0})
    assert outcome.reason == "P01 and P02 won 1 of 3 rounds each. It is a draw."
    outcome = game.outcome(played(game, [("rock", "scissors"), ("paper", "paper"), ("paper", "rock")]))
    assert outcome is not None
    assert (outcome.winner, outcome.scores) == ("P01", {"P01": 2.0, "P02": 0.0})
    assert outcome.reason == "P01 against P02 ended 2:0 after 3 rounds. P01 wins."
    assert outcome.details == {
        "choices": {"P01": ["rock", "paper", "paper"], "P02": ["scissors", "paper", "rock"]},
        "rounds_won": {"P01": 2, "P02": 0},
        "rounds_played": 3,
    }


def test_all_rounds_are_played_even_when_the_match_is_decided():
    game = RockPaperScissors()
    state = played(game, [("rock", "scissors")] * 4)
    assert game.to_move(state) == PLAYERS
    assert game.outcome(state) is None
    assert game.outcome(played(game, [("rock", "scissors")] * 5)) is not None


@given(rounds=ROUNDS)
def test_the_score_is_that_of_the_rounds_counted_one_by_one(rounds: list[tuple[str, str]]):
    game = RockPaperScissors(rounds=len(rounds))
    start = game.start(PLAYERS, CHANCE)
    assert game.outcome(start) is None
    state = played(game, rounds)
    outcome = game.outcome(state)
    assert outcome is not None
    assert game.to_move(state) == ()
    wins = sum((a, b) in {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")} for a, b in rounds)
    losses = sum(a != b for a, b in rounds) - wins
    assert outcome.scores == {"P01": wins, "P02": losses}
    assert outcome.winner == ("P01" if wins > losses else "P02" if losses > wins else None)
    mirrored = game.outcome(played(game, [(b, a) for a, b in rounds]))
    assert mirrored is not None
    assert mirrored.scores == {"P01": losses, "P02": wins}


@given(rounds=ROUNDS, first=st.sampled_from(MOVES), second=st.sampled_from(MOVES))
def test_a_round_is_seen_only_once_both_have_chosen(rounds: list[tuple[str, str]], first: str, second: str):
    game = RockPaperScissors(rounds=len(rounds) + 1)
    before = played(game, rounds)
    assert game.public_moves(before) == {"P01": [a for a, _ in rounds], "P02": [b for _, b in rounds]}
    assert game.observe(before, "P01") == game.observe(before, "P02")
    assert game.observe(before, "P01")["round"] == len(rounds) + 1
    after = game.apply(before, {"P01": first, "P02": second}, CHANCE)
    assert game.public_moves(after)["P02"][-1] == second


@pytest.mark.parametrize("move", ["Rock", "lizard", "", 0, None, ["rock"]])
def test_other_moves_are_refused(move):
    game = RockPaperScissors()
    with pytest.raises(InvalidMove):
        game.check(game.start(PLAYERS, CHANCE), "P01", move)


@pytest.mark.parametrize("rounds", [0, -1])
def test_a_match_needs_a_round(rounds: int):
    with pytest.raises(ValueError, match="at least 1"):
        RockPaperScissors(rounds=rounds)


def test_it_can_be_read():
    game = RockPaperScissors(rounds=3)
    state = played(game, [("rock", "paper"), ("rock", "rock")])
    assert game.render(state) == "round 1: rock - paper\nround 2: rock - rock\nP01 0:1 P02, 3 rounds in all"


def test_the_good_reply_to_a_move_is_the_one_that_beats_it():
    game = RockPaperScissors(rounds=1)
    for move, reply in game.counters.items():
        outcome = game.outcome(played(game, [(move, reply)]))
        assert outcome is not None
        assert outcome.winner == "P02"
    assert game.counters == BEATEN_BY

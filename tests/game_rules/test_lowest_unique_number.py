import pytest

from game_rules.lowest_unique_number import LowestUniqueNumber
from league_sdk.clock import HashRng

PLAYERS = ("P01", "P02", "P03")
CHANCE = HashRng("not used by this game")


def outcome_of(*rounds):
    game = LowestUniqueNumber(rounds=len(rounds))
    state = game.start(PLAYERS, CHANCE)
    for numbers in rounds:
        state = game.apply(state, dict(zip(PLAYERS, numbers, strict=True)), CHANCE)
    outcome = game.outcome(state)
    assert outcome is not None
    return outcome


@pytest.mark.parametrize(
    ("numbers", "winner"),
    [((1, 2, 3), "P01"), ((1, 1, 2), "P03"), ((2, 1, 1), "P01"), ((5, 4, 5), "P02"), ((3, 3, 3), None)],
)
def test_the_lowest_number_that_nobody_else_chose_wins(numbers, winner):
    assert outcome_of(numbers).winner == winner


def test_more_rounds_give_the_higher_score():
    outcome = outcome_of((1, 2, 3), (1, 1, 2), (1, 1, 2))
    assert (outcome.winner, dict(outcome.scores)) == ("P03", {"P01": 1.0, "P02": 0.0, "P03": 2.0})


def test_equals_share_the_first_place():
    assert "P01 and P03 share the first place" in outcome_of((1, 2, 3), (1, 1, 2)).reason


@pytest.mark.parametrize("option", ["rounds", "highest"])
def test_an_impossible_option_is_refused(option):
    with pytest.raises(ValueError, match=f"{option} must be at least"):
        LowestUniqueNumber(**{option: 0})

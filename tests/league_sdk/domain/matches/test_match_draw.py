"""A match's chance: a secret and nonces, known to nobody before all have joined."""

from typing import Any

from league_sdk.clock import HashRng
from league_sdk.domain.matches.match import new_match, step
from league_sdk.domain.matches.match_io import Begin, Failure, Joined, JoinFailed, MoveMade
from league_sdk.domain.model import Cause
from league_sdk.fairness import Draw
from tests.league_sdk.domain.matches.test_match import Fingers

DRAW = Draw("a secret", "summer", "R1M1", 1)
AT = "2025-01-15T10:00:00.000Z"


def begun(draw=DRAW):
    match = new_match(Fingers(), match_id="R1M1", round_id=1, players=("P01", "P02"), referee_id="REF01", draw=draw)
    return step(match, Begin(AT))[0]


def after(match: Any, *events: Any) -> Any:
    for event in events:
        match, _ = step(match, event)
    return match


def test_the_seed_is_not_known_before_everybody_has_joined():
    match = after(begun(), Joined("P01", AT, "mine"))
    assert match.seed == ""
    match = after(match, Joined("P02", AT, "theirs"))
    assert match.seed == DRAW.seed(["mine", "theirs"])


def test_all_chance_follows_from_the_seed():
    match = after(begun(), Joined("P02", AT, "theirs"), Joined("P01", AT))
    assert match.seed == DRAW.seed(["", "theirs"])
    assert match.game_state.drawn == (HashRng(f"{match.seed}:start").randint(1, 1000),)


def test_a_nonce_that_comes_twice_or_from_a_stranger_counts_for_nothing():
    match = after(begun(), Joined("P01", AT, "mine"), Joined("P01", AT, "another"), Joined("P09", AT, "mine too"))
    assert match.nonces == {"P01": "mine"}


def test_the_result_reveals_the_draw():
    match = after(
        begun(), Joined("P01", AT, "mine"), Joined("P02", AT), MoveMade("P01", "one", AT), MoveMade("P02", "two", AT)
    )
    assert match.result.details["draw"] == DRAW.reveal(("P01", "P02"), {"P01": "mine"})


def test_a_technical_loss_reveals_the_draw_with_the_nonces_that_were_given():
    failure = Failure(Cause.DECLINED, "E008", retryable=False, description="declined")
    match = after(begun(), Joined("P01", AT, "mine"), JoinFailed("P02", failure, AT))
    assert match.result.details["draw"]["nonces"] == {"P01": "mine", "P02": ""}


def test_a_match_that_was_given_its_seed_reveals_nothing():
    match = new_match(Fingers(), match_id="R1M1", round_id=1, players=("P01", "P02"), referee_id="REF01", seed="7")
    match = after(step(match, Begin(AT))[0], Joined("P01", AT, "mine"), Joined("P02", AT))
    assert match.seed == "7"
    match = after(match, MoveMade("P01", "one", AT), MoveMade("P02", "two", AT))
    assert "draw" not in match.result.details

"""Draws checked, and matches played again."""

from typing import Any

import pytest

from league_sdk.clock import HashRng
from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.plugins import game
from servers import read_model
from tests.league_sdk.domain.season import first_round
from tests.servers.read_model.leagues import draw_of, late, reveal, talk


def over(**changes: Any) -> MatchResult:
    told: dict[str, Any] = {"transcript": talk(), "details": {"draw": reveal()}, **changes}
    return first_round(2).result("R1M1", **told)


def test_an_honest_draw_is_verified():
    draw = read_model.check_draw("summer", over())
    assert draw.verified
    assert draw.seed == draw_of().seed(["salt", "pepper"])
    assert draw.nonces == {"P01": "salt", "P02": "pepper"}


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({**reveal(), "secret": "another"}, id="another secret"),
        pytest.param({**reveal(), "nonces": {"P01": "sugar", "P02": "pepper"}}, id="another nonce"),
        pytest.param({**reveal(), "seed": "0" * 64}, id="another seed"),
        pytest.param({**reveal(), "commitment": "0" * 64}, id="another commitment"),
        pytest.param({"secret": 7}, id="no reveal at all"),
        pytest.param({**reveal(), "secret": "\ud800"}, id="text that cannot be written"),
    ],
)
def test_a_bent_draw_is_not(told: Any):
    draw = read_model.check_draw("summer", over(details={"draw": told}))
    assert draw.checks
    assert not draw.verified


def test_a_draw_of_another_league_is_not_verified():
    assert not read_model.check_draw("winter", over()).verified


def test_a_referee_that_reveals_nothing_has_nothing_to_verify():
    draw = read_model.check_draw("summer", over(details={}))
    assert (draw.checks, draw.verified, draw.commitment) == ((), False, draw_of().commitment)


def test_a_match_is_played_again_to_its_end():
    rules = game("even_odd")
    number = HashRng(f"{draw_of().seed(['salt', 'pepper'])}:1").randint(1, 10)
    right, wrong = ("even", "odd") if number % 2 == 0 else ("odd", "even")
    result = over(winner="P01", transcript=talk(choices=(right, wrong)))
    replay = read_model.replay("summer", result, rules)
    assert replay.agrees
    assert [frame.turn for frame in replay.frames] == [0, 1]
    assert replay.frames[1].moves == {"P01": right, "P02": wrong}
    assert str(number) in replay.frames[1].position
    other = over(winner="P02", transcript=talk(choices=(right, wrong)))
    assert read_model.replay("summer", other, rules).agrees is False


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param({"details": {}}, "no random draw", id="no draw"),
        pytest.param({"transcript": talk(choices=("seven", {}))}, "rules", id="no legal move"),
        pytest.param(
            {"status": ResultStatus.TECHNICAL_LOSS, "winner": "P01", "faults": (late("P02"),)}, "end", id="not played"
        ),
    ],
)
def test_what_cannot_be_played_again_says_why(changes: Any, why: str):
    replay = read_model.replay("summer", over(**changes), game("even_odd"))
    assert replay.frames == ()
    assert why in replay.why_not


def test_what_broke_off_is_played_again_as_far_as_it_came():
    (first, *_), (answer, *_) = talk(), talk()[6:]
    moves = [{**answer, "from": player, "choice": cell} for player, cell in (("P01", "b2"), ("P02", "a1"), ("P01", 7))]
    lost = {"status": ResultStatus.TECHNICAL_LOSS, "winner": "P02", "faults": (late("P01"),)}
    result = over(**lost, transcript=(first, *moves, {"from": ["no", "name"], "choice": "a2"}))
    whole = read_model.replay("summer", result, game("tic_tac_toe"), whole=True)
    assert [frame.moves for frame in whole.frames] == [{}, {"P01": "b2"}, {"P02": "a1"}]
    assert (whole.agrees, whole.why_not) == (None, "The match was not played to its end.")
    assert read_model.replay("summer", result, game("tic_tac_toe")).frames == ()


def test_a_game_that_is_not_installed_cannot_be_played_again():
    assert "not installed" in read_model.replay("summer", over(), None).why_not

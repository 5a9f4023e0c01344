import pytest

from league_sdk.domain.model import Cause, ResultStatus
from league_sdk.errors import InvalidField, MissingField
from league_sdk.protocol.match import GameOver, GameResult, MatchResultReport, MoveCall, MoveResponse
from tests.league_sdk.protocol.samples import CODEC, PARITY, example
from tests.requirements.marker import requirement


def _report(**result):
    body = {"winner": None, "score": {"P01": 1, "P02": 1}, "details": {}, **result}
    return CODEC.parse(example(MatchResultReport, result=body), MatchResultReport).result


@requirement("002-OVER-01")
def test_a_result_keeps_what_the_game_adds():
    over = CODEC.parse(
        example(
            GameOver,
            league_id="l",
            round_id=1,
            game_result={
                "status": "WIN",
                "winner_player_id": "P01",
                "drawn_number": 8,
                "number_parity": "even",
                "choices": {"P01": "even", "P02": "odd"},
                "reason": "8 is even",
            },
        ),
        GameOver,
    )
    assert over.game_result is not None
    assert over.game_result.details == {"drawn_number": 8, "number_parity": "even"}
    assert over.game_result.choices == {"P01": "even", "P02": "odd"}
    assert CODEC.render(over)["game_result"]["drawn_number"] == 8


@requirement("002-OVER-01")
def test_a_result_without_a_winner_is_written_with_null():
    assert GameResult(status="DRAW").model_dump(mode="json") == {
        "status": "DRAW",
        "winner_player_id": None,
        "reason": "",
    }


@pytest.mark.parametrize(
    ("winner", "details", "status"),
    [
        ("P01", {"status": "TECHNICAL_LOSS"}, ResultStatus.TECHNICAL_LOSS),
        ("P01", {}, ResultStatus.WIN),
        (None, {}, ResultStatus.DRAW),
    ],
)
def test_a_report_that_does_not_say_how_is_a_win_or_a_draw(winner, details, status):
    assert _report(winner=winner, details=details).status is status


@requirement("002-REPORT-02")
def test_a_report_keeps_what_the_game_adds():
    body = _report(details={"status": "DRAW", "reason": "same", "drawn_number": 3})
    assert body.game_details == {"drawn_number": 3}


def test_an_unknown_status_is_refused():
    with pytest.raises(InvalidField) as refusal:
        _report(details={"status": "ABANDONED"})
    assert refusal.value.context == {
        "field": "result.details.status",
        "value": "ABANDONED",
        "expected": "'WIN', 'DRAW' or 'TECHNICAL_LOSS'",
    }


def test_a_score_is_a_whole_number():
    with pytest.raises(InvalidField) as refusal:
        _report(score={"P01": "3"})
    assert refusal.value.context["field"] == "result.score.P01"


def test_a_cause_is_one_that_the_league_knows():
    fault = {
        "player_id": "P02",
        "cause": "no_move",
        "phase": "move",
        "error_code": "E001",
        "tries": 4,
        "description": "late",
    }
    assert [known.cause for known in _report(faults=[fault]).faults or ()] == [Cause.NO_MOVE]
    with pytest.raises(InvalidField):
        _report(faults=[{**fault, "cause": "bad_luck"}])


@requirement("002-REPORT-01")
def test_the_winner_has_to_be_mentioned_even_when_there_is_none():
    message = example(MatchResultReport, result={"score": {}, "details": {}})
    with pytest.raises(MissingField) as refusal:
        CODEC.parse(message, MatchResultReport)
    assert refusal.value.context == {"field": "result.winner"}


@requirement("002-CALL-02")
def test_a_record_without_points_has_none():
    context = {"opponent_id": "P02", "round_id": 1, "your_standings": {"wins": 2, "losses": 1, "draws": 0}}
    call = CODEC.parse(example(MoveCall, context=context), MoveCall, spec=PARITY)
    assert call.context.your_standings.points == 0


@pytest.mark.parametrize("move", ["even", 4, None, False, {"row": 1, "column": 2}, [1, 2]])
def test_a_move_is_any_json(move):
    response = CODEC.parse(example(MoveResponse, parity_choice=move), MoveResponse, spec=PARITY)
    assert response.move == move

"""A peer whose framework refuses arguments that its tool does not have has not crashed."""

import pytest

from clients.refusals import refusal_error
from league_sdk.errors import InternalError, InvalidField, InvalidMove
from league_sdk.ports import CallRefused
from tests.requirements.marker import requirement

REQUEST = {"match_id": "R1M1", "attempt": 1}


@requirement("project-WIRE-04")
@pytest.mark.parametrize(
    "said",
    [
        "1 validation error for call[join]\nattempt\n  Unexpected keyword argument [type=unexpected_keyword_argument]",
        "1 validation error\nattempt\n  Extra inputs are not permitted [type=extra_forbidden]",
        "Additional properties are not allowed ('attempt' was unexpected)",
        "Unrecognized key(s) in object: 'attempt'",
        "2 validation errors for call[join]\nmatch_id\n  Input should be a valid integer [type=int_type]\n"
        "attempt\n  Unexpected keyword argument [type=unexpected_keyword_argument]",
    ],
)
def test_the_fields_are_named(said: str):
    error = refusal_error(CallRefused(-32603, said), REQUEST)
    assert isinstance(error, InvalidField)
    assert error.message == "refuses fields it does not know: attempt"


def test_another_refusal_is_another_error():
    assert type(refusal_error(CallRefused(-32603, "KeyError: 'attempt'"), REQUEST)) is InternalError
    known = CallRefused(-32602, "Extra inputs are not permitted", {"error_code": "E004"})
    assert type(refusal_error(known, REQUEST)) is InvalidMove

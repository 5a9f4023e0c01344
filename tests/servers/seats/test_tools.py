"""Tools of a seat: errors that players answer, as their callers read them."""

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from league_sdk.errors import INVALID_PARAMS
from league_sdk.mcp_adapter.client import translate
from league_sdk.ports import NO_PULSE, OWN_PART, CallRefused
from servers.seats.tools import told_error

FORGED = [
    (types.CONNECTION_CLOSED, "Connection closed", {"dropped": True}),
    (types.CONNECTION_CLOSED, "SSE stream broke", None),
    (types.CONNECTION_CLOSED, "no such session", {}),
    (types.REQUEST_TIMEOUT, "timed out", None),
    (types.INVALID_REQUEST, "Session terminated", {"error_code": 7}),
    (types.UNSUPPORTED_PROTOCOL_VERSION, "what?", {"error_code": "E0"}),
    (types.PARSE_ERROR, "no JSON", {"redirect": "elsewhere"}),
    (99, "no text as a code", {"error_code": ["E009"]}),
    (0, "", None),
    (23, "the seats process is busy", {"own_part": "seats"}),
    (99, "no player listens at this seat", {"no_pulse": True}),
]


@pytest.mark.parametrize(("number", "message", "data"), FORGED)
def test_no_error_of_a_player_reads_as_a_broken_connection(number, message, data):
    told = told_error(number, message, data)
    read = translate(MCPError(told.number, told.message, dict(told.data or {})))
    assert isinstance(read, CallRefused)
    assert read.data is not None
    assert read.data["error_code"] == ("E023" if number == 23 else "E099")
    assert OWN_PART not in read.data
    assert NO_PULSE not in read.data


@pytest.mark.parametrize(
    ("number", "data", "code"),
    [(4003, None, "E007"), (INVALID_PARAMS, None, "E002"), (1, {"error_code": "E004", "context": {}}, "E004")],
)
def test_an_error_of_the_protocol_stays_what_it_is(number, data, code):
    told = told_error(number, "as it says", data)
    assert (told.number, told.message) == (number, "as it says")
    assert (told.data or {})["error_code"] == code

"""The one table of errors against the protocol's codes, and against the numbers of the message contracts."""

from itertools import product

import pytest

from league_sdk import errors
from league_sdk.errors import (
    SPECS,
    InternalError,
    LeagueError,
    MatchNotFound,
    RequestKind,
    StrategyFailed,
    error_for,
)
from tests.requirements.marker import requirement

CODES = {
    "E001": ("ResponseTimeout", "TIMEOUT_ERROR", True),
    "E002": ("InvalidField", "INVALID_FIELD", False),
    "E003": ("MissingField", "MISSING_REQUIRED_FIELD", False),
    "E004": ("InvalidMove", "INVALID_MOVE", True),
    "E005": ("PlayerNotRegistered", "PLAYER_NOT_REGISTERED", False),
    "E006": ("RefereeNotRegistered", "REFEREE_NOT_REGISTERED", False),
    "E007": ("MatchNotFound", "MATCH_NOT_FOUND", False),
    "E008": ("InvalidState", "INVALID_STATE", False),
    "E009": ("PeerUnreachable", "CONNECTION_ERROR", True),
    "E010": ("DuplicateReport", "DUPLICATE_REPORT", False),
    "E011": ("AuthTokenMissing", "AUTH_TOKEN_MISSING", False),
    "E012": ("AuthTokenInvalid", "AUTH_TOKEN_INVALID", False),
    "E013": ("Forbidden", "FORBIDDEN", False),
    "E014": ("LeagueNotFound", "LEAGUE_NOT_FOUND", False),
    "E015": ("LeagueFull", "LEAGUE_FULL", False),
    "E016": ("DuplicateName", "DUPLICATE_NAME", False),
    "E017": ("UnsupportedGameType", "UNSUPPORTED_GAME_TYPE", False),
    "E018": ("ProtocolVersionMismatch", "PROTOCOL_VERSION_MISMATCH", False),
    "E019": ("InvalidEndpoint", "INVALID_ENDPOINT", False),
    "E020": ("RegistrationClosed", "REGISTRATION_CLOSED", False),
    "E021": ("InvalidTimestamp", "INVALID_TIMESTAMP", False),
    "E022": ("InvalidQueryType", "INVALID_QUERY_TYPE", False),
    "E023": ("RateLimited", "RATE_LIMITED", True),
    "E030": ("LeagueNotStarted", "LEAGUE_NOT_STARTED", False),
    "E031": ("LeagueAlreadyComplete", "LEAGUE_ALREADY_COMPLETE", False),
    "E099": ("InternalError", "INTERNAL_ERROR", False),
}

# The contracts' tables of error cases: what was asked, what was wrong, the JSON-RPC number.
CONTRACTS = [
    (RequestKind.REFEREE_REGISTRATION, "E015", 1001),
    (RequestKind.REFEREE_REGISTRATION, "E019", 1002),
    (RequestKind.REFEREE_REGISTRATION, "E017", 1003),
    (RequestKind.PLAYER_REGISTRATION, "E015", 2001),
    (RequestKind.PLAYER_REGISTRATION, "E016", 2002),
    (RequestKind.PLAYER_REGISTRATION, "E019", 2003),
    (RequestKind.PLAYER_REGISTRATION, "E017", 2004),
    (RequestKind.COORDINATION, "E012", 3001),
    (RequestKind.COORDINATION, "E005", 3002),
    (RequestKind.MATCH, "E012", 4001),
    (RequestKind.MATCH, "E005", 4002),
    (RequestKind.MATCH, "E007", 4003),
    (RequestKind.MATCH, "E004", 4004),
    (RequestKind.MATCH, "E008", 4005),
    (RequestKind.RESULT, "E012", 5001),
    (RequestKind.RESULT, "E007", 5002),
    (RequestKind.RESULT, "E010", 5003),
    (RequestKind.QUERY, "E012", 6001),
    (RequestKind.QUERY, "E022", 6002),
    (RequestKind.QUERY, "E014", 6003),
    *[(kind, code, -32602) for kind in RequestKind for code in ("E002", "E003", "E021")],
    *[(kind, "E099", -32603) for kind in RequestKind],
]


def test_the_table_has_the_protocols_codes_and_no_other():
    table = {code: (spec.error.__name__, spec.name, spec.retryable) for code, spec in SPECS.items()}
    assert table == CODES


def test_numbers_are_those_of_the_contracts(subtests: pytest.Subtests):
    for kind, code, number in CONTRACTS:
        with subtests.test(kind=kind):
            assert SPECS[code].number_for(kind) == number, (kind, code)


# Where a code has one number whatever was asked.
FIXED = {"E004": 4004, "E010": 5003, "E022": 6002, "E002": -32602, "E003": -32602, "E021": -32602, "E099": -32603}


def test_a_number_that_the_contracts_leave_open_is_the_codes_own():
    settled = {(kind, code) for kind, code, _ in CONTRACTS}
    for kind, code in product((None, *RequestKind), CODES):
        if (kind, code) not in settled:
            assert SPECS[code].number_for(kind) == FIXED.get(code, int(code[1:])), (kind, code)


def test_no_two_errors_of_one_request_share_a_number_except_malformed_ones(subtests: pytest.Subtests):
    for kind in (None, *RequestKind):
        with subtests.test(kind=kind):
            numbers = [spec.number_for(kind) for spec in SPECS.values()]
            others = {number for number in numbers if number != -32602}
            assert sorted(numbers) == sorted([-32602] * 3 + list(others))


def test_every_error_class_has_a_row():
    classes = {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, LeagueError)}
    assert classes - {LeagueError, StrategyFailed} == {spec.error for spec in SPECS.values()}


def test_a_strategy_that_failed_is_an_invalid_move_with_the_tools_own_number():
    failed = StrategyFailed("the strategy raised KeyError")
    assert (failed.code, failed.number, failed.retryable) == ("E004", -32603, True)


@requirement("002-LERR-06")
def test_an_error_knows_its_row(subtests: pytest.Subtests):
    for code in CODES:
        with subtests.test(code=code):
            error = SPECS[code].error("no such thing", field="match_id")
            assert (error.spec.code, error.code, error.retryable) == (code, code, CODES[code][2])
            told = (str(error), error.message, error.context)
            assert told == ("no such thing", "no such thing", {"field": "match_id"})


@requirement("000-LM-FAIL-01")
def test_an_error_without_words_says_its_name():
    assert str(MatchNotFound()) == "MATCH_NOT_FOUND"


@requirement("003-TEST-A-05")
def test_an_error_from_the_wire_becomes_the_same_class(subtests: pytest.Subtests):
    context = {"field": "x", "message": "y", "self": "z"}
    for code in CODES:
        with subtests.test(code=code):
            error = error_for(code, "as I said", context)
            assert type(error) is SPECS[code].error
            assert (error.message, error.context) == ("as I said", context)


def test_an_unknown_code_from_the_wire_is_an_internal_error():
    error = error_for("E777")
    assert type(error) is InternalError
    assert (error.message, error.context) == ("INTERNAL_ERROR", {})

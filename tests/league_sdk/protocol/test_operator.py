import pytest

from league_sdk.errors import InvalidField, MissingField, ProtocolVersionMismatch
from league_sdk.protocol.operator import (
    CreateSchedule,
    GetStandings,
    MatchStatus,
    MatchStep,
    StartLeagueRequest,
    StartMatch,
)
from tests.league_sdk.protocol.samples import CODEC
from tests.requirements.marker import requirement

MATCH = {
    "match_id": "R1M1",
    "player_A_id": "P01",
    "player_B_id": "P02",
    "player_A_endpoint": "http://localhost:8101/mcp",
    "player_B_endpoint": "http://localhost:8102/mcp",
}


@pytest.mark.parametrize("kind", [StartLeagueRequest, CreateSchedule, GetStandings, MatchStep, MatchStatus])
def test_a_person_can_call_with_nothing_at_all(kind):
    message = CODEC.parse({}, kind)
    assert (message.sender, message.auth_token) == (None, None)
    assert CODEC.render(message) == {"message_type": message.message_type}


@requirement("004-REF-01")
def test_a_match_needs_two_players_and_where_they_are(subtests: pytest.Subtests):
    match = CODEC.parse(MATCH, StartMatch)
    assert (match.attempt, match.step_by_step, match.player_b_endpoint) == (1, False, "http://localhost:8102/mcp")
    for field in MATCH:
        with subtests.test(field=field):
            with pytest.raises(MissingField) as refusal:
                CODEC.parse({name: value for name, value in MATCH.items() if name != field}, StartMatch)
            assert refusal.value.context == {"field": field}


def test_an_envelope_that_is_there_has_to_be_right():
    with pytest.raises(ProtocolVersionMismatch):
        CODEC.parse({"protocol": "league.v1"}, StartLeagueRequest)
    with pytest.raises(InvalidField):
        CODEC.parse({"message_type": "STOP_LEAGUE"}, StartLeagueRequest)


def test_a_ticket_that_is_wrong_is_not_repeated():
    with pytest.raises(InvalidField) as refusal:
        CODEC.parse({**MATCH, "player_A_ticket": 12345}, StartMatch)
    assert refusal.value.context == {"field": "player_A_ticket", "expected": "a text"}

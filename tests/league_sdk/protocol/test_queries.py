import pytest

from league_sdk.errors import InvalidField, InvalidQueryType, MissingField
from league_sdk.protocol.queries import QUERY_TYPES, LeagueQuery, LeagueQueryResponse, QueryParams
from tests.league_sdk.protocol.samples import CODEC, example
from tests.requirements.marker import requirement


@requirement("002-QUERY-01")
def test_there_are_five_queries():
    assert QUERY_TYPES == ("GET_STANDINGS", "GET_STATUS", "GET_SCHEDULE", "GET_NEXT_MATCH", "GET_PLAYER_STATS")


@pytest.mark.parametrize("query_type", QUERY_TYPES)
def test_each_of_them_is_read(query_type):
    assert CODEC.parse(example(LeagueQuery, query_type=query_type), LeagueQuery).query_type == query_type


@pytest.mark.parametrize("query_type", ["GET_RICH", "get_standings", ""])
def test_another_query_is_e022(query_type):
    with pytest.raises(InvalidQueryType) as refusal:
        CODEC.parse(example(LeagueQuery, query_type=query_type), LeagueQuery)
    assert refusal.value.code == "E022"
    assert refusal.value.context == {
        "field": "query_type",
        "value": query_type,
        "expected": "one of GET_STANDINGS, GET_STATUS, GET_SCHEDULE, GET_NEXT_MATCH, GET_PLAYER_STATS",
    }


def test_a_query_that_is_no_text_is_mistyped():
    with pytest.raises(InvalidField):
        CODEC.parse(example(LeagueQuery, query_type=3), LeagueQuery)


def test_a_query_without_a_type_is_incomplete():
    message = example(LeagueQuery)
    del message["query_type"]
    with pytest.raises(MissingField):
        CODEC.parse(message, LeagueQuery)


def test_a_query_may_say_what_it_is_about():
    query = CODEC.parse(example(LeagueQuery, query_params={"player_id": "P02", "round_id": 3}), LeagueQuery)
    assert query.query_params == QueryParams(player_id="P02", round_id=3)


@requirement("002-QUERY-02")
def test_an_answer_has_only_what_was_asked():
    message = example(LeagueQueryResponse, sender="league_manager", conversation_id="c", standings=[])
    written = CODEC.render(CODEC.parse(message, LeagueQueryResponse))
    assert "standings" in written
    assert not {"status", "schedule", "next_match", "player_stats"} & set(written)

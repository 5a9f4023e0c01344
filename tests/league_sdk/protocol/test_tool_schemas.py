import json
from functools import cache

from jsonschema import Draft202012Validator

from league_sdk.protocol.match import GameOver, MoveCall, MoveResponse
from league_sdk.protocol.registration import LeagueRegisterRequest
from league_sdk.protocol.rounds import LeagueStandingsUpdate
from tests.league_sdk.protocol.samples import CODEC, KINDS, PARITY, spec_for
from tests.requirements.marker import requirement


def _schemas():
    """Each kind of message twice: as it is read, and as it is written."""
    for kind in KINDS:
        yield kind, CODEC.input_schema(kind, spec=spec_for(kind))
        yield kind, CODEC.output_schema(kind, spec=spec_for(kind))


META = Draft202012Validator(Draft202012Validator.META_SCHEMA)


@cache
def _faults(text):
    """The faults of a JSON Schema; parts that many messages share are checked once."""
    return [error.message for error in META.iter_errors(json.loads(text))]


@requirement(
    "000-MAP-07", "002-NOTE-05", "003-ARCH-06", "003-CAP-01", "003-PHASE-01", "003-TEST-P-01", "004-LM-06", "004-LM-10"
)
def test_every_schema_is_a_schema_of_an_object():
    for kind, schema in _schemas():
        for field, part in (*schema["properties"].items(), ("", {**schema, "properties": {}})):
            assert _faults(json.dumps(part)) == [], (kind, field)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema", kind
        assert schema["type"] == "object", kind
        assert schema["title"] == schema["properties"]["message_type"]["default"], kind
        assert schema["description"], kind
        assert "$ref" not in json.dumps(schema), kind


def _fields(schema, path=""):
    for name, about in schema.get("properties", {}).items():
        yield f"{path}.{name}", about
        for inner in (about, about.get("items", {}), *about.get("anyOf", [])):
            yield from _fields(inner, f"{path}.{name}")
            yield from _fields(inner.get("items", {}) if inner is not about else {}, f"{path}.{name}[]")


@requirement("004-LM-10")
def test_every_field_of_every_schema_is_explained():
    for kind, schema in _schemas():
        unexplained = [path for path, about in _fields(schema) if not about.get("description")]
        assert unexplained == [], kind


def test_examples_and_defaults_are_valid():
    for kind, schema in _schemas():
        for path, about in _fields(schema):
            shown = [*about.get("examples", []), *([about["default"]] if "default" in about else [])]
            assert [value for value in shown if not Draft202012Validator(about).is_valid(value)] == [], (kind, path)


def test_a_person_finds_examples_where_a_form_asks_for_text():
    meta = CODEC.input_schema(LeagueRegisterRequest)["properties"]["player_meta"]["properties"]
    assert meta["display_name"]["examples"] == ["Agent Alpha"]
    assert meta["contact_endpoint"]["examples"] == ["http://localhost:8101/mcp"]
    assert meta["protocol_version"]["examples"] == ["2.1.0"]


def test_a_move_is_shown_in_the_game_s_spelling():
    call = CODEC.input_schema(MoveCall, spec=PARITY)
    assert call["title"] == "CHOOSE_PARITY_CALL"
    assert call["properties"]["message_type"]["enum"] == ["CHOOSE_PARITY_CALL"]
    answer = CODEC.output_schema(MoveResponse, spec=PARITY)
    assert answer["title"] == "CHOOSE_PARITY_RESPONSE"
    assert answer["properties"]["message_type"]["enum"] == ["CHOOSE_PARITY_RESPONSE", "PARITY_CHOICE"]
    assert "parity_choice" in answer["required"]
    assert "move" not in answer["properties"]


def test_without_a_game_a_move_is_shown_in_the_general_spelling():
    assert CODEC.input_schema(MoveCall)["title"] == "MOVE_CALL"
    assert "move" in CODEC.output_schema(MoveResponse)["required"]


@requirement("003-PHASE-01")
def test_what_we_write_is_promised_to_be_complete():
    assert {"sender", "conversation_id"} <= set(CODEC.output_schema(MoveResponse)["required"])
    assert not {"sender", "conversation_id"} & set(CODEC.input_schema(MoveResponse)["required"])
    assert {"league_id", "round_id"} <= set(CODEC.output_schema(GameOver)["required"])
    row = CODEC.output_schema(LeagueStandingsUpdate)["properties"]["standings"]["items"]
    assert "games_played" in row["required"]


def test_a_schema_is_made_once():
    assert CODEC.input_schema(GameOver) is CODEC.input_schema(GameOver)

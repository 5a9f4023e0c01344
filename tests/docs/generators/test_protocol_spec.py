"""The page about the protocol is what the catalogue, the schemas and the examples say."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from docs.generators.protocol_spec import TARGET, render
from game_rules.even_odd import EvenOdd
from league_sdk.errors import SPECS
from league_sdk.protocol.calls import move_call, resolve_call
from league_sdk.protocol.catalog import CALLS, call_for
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.match import MoveCall, MoveResponse
from tests.requirements.marker import requirement

DOCS = Path(__file__).parents[3] / "docs"
EXAMPLES = DOCS / "message_examples"
FILES = sorted(EXAMPLES.rglob("*.json"))

SPEC = EvenOdd.move_spec
CODEC = Codec([SPEC])
READ_ONLY = {"PARITY_CHOICE"}
"""Message types that we read and never write."""

PAGE = TARGET.read_text(encoding="utf-8")


def _read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def _spec_for(kind):
    return SPEC if kind in (MoveCall, MoveResponse) else None


def _name(path):
    return path.relative_to(EXAMPLES).as_posix()


@requirement("003-DOC-03", "project-PROTO-04")
def test_every_message_type_has_an_example():
    assert {_read(path)["message_type"] for path in FILES} == set(CODEC.message_types())


@requirement("003-TREE-07", "003-DOC-03")
def test_the_examples_that_the_documents_name_are_there():
    named = {
        "registration/referee_register_request.json",
        "registration/player_register_request.json",
        "gameflow/game_invitation.json",
        "gameflow/game_join_ack.json",
        "gameflow/choose_parity_call.json",
        "gameflow/parity_choice.json",
        "gameflow/game_over.json",
        "errors/timeout_error.json",
        "errors/invalid_move.json",
    }
    assert sorted(named - {_name(path) for path in FILES}) == []


@requirement("project-PROTO-04")
def test_an_example_is_valid():
    for path in FILES:
        message = _read(path)
        kind = CODEC.message_types()[message["message_type"]]
        try:
            Draft202012Validator(CODEC.input_schema(kind, spec=_spec_for(kind))).validate(message)
            Draft202012Validator(CODEC.output_schema(kind, spec=_spec_for(kind))).validate(message)
            CODEC.parse(message, kind)
        except Exception as error:
            raise AssertionError(_name(path)) from error


@requirement("project-PROTO-04")
def test_an_example_is_what_we_would_write(subtests: pytest.Subtests):
    for path in FILES:
        with subtests.test(example=_name(path)):
            message = _read(path)
            written = CODEC.render(CODEC.parse(message, CODEC.message_types()[message["message_type"]]))
            if message["message_type"] in READ_ONLY:
                written["message_type"] = message["message_type"]
            assert list(written.items()) == list(message.items())


def test_an_example_is_laid_out_like_the_others(subtests: pytest.Subtests):
    for path in FILES:
        with subtests.test(example=_name(path)):
            text = json.dumps(_read(path), indent=2, ensure_ascii=False) + "\n"
            assert path.read_text(encoding="utf-8") == text


def test_the_call_of_a_game_is_found_from_its_example():
    message = CODEC.parse(_read(EXAMPLES / "gameflow/choose_parity_call.json"), MoveCall)
    assert call_for(message, [SPEC]).tool == "choose_parity"


@requirement("003-TREE-07")
def test_the_page_is_what_the_script_writes():
    assert render() == PAGE, "run: make docs"


def test_the_page_shows_every_example(subtests: pytest.Subtests):
    for path in FILES:
        with subtests.test(example=_name(path)):
            assert path.read_text(encoding="utf-8") in PAGE
            assert f"(message_examples/{_name(path)})" in PAGE


@requirement("003-DOC-01")
def test_the_page_describes_every_call_and_every_message(subtests: pytest.Subtests):
    for call in (*CALLS, move_call(SPEC), resolve_call(SPEC)):
        with subtests.test(tool=call.tool):
            assert f"### `{call.tool}`" in PAGE
            assert all(f"`{alias}`" in PAGE for alias in call.aliases)
    for message_type in set(CODEC.message_types()) - READ_ONLY:
        assert f"### {message_type}\n" in PAGE


def test_the_page_lists_every_error():
    for spec in SPECS.values():
        assert f"| `{spec.code}` | `{spec.name}` |" in PAGE

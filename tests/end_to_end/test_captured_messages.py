"""Every message of a real league beside what the documents require, and what our own pages say of it."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.captured_league import EXAMPLES, Capture, Sent, play
from tests.end_to_end.program_harness import program_harness
from tests.requirements.fields import ENVELOPE, OWN, SETTLED, TABLES, TOKEN, V1, V1_ENVELOPE, Table
from tests.requirements.marker import requirement

pytestmark = pytest.mark.xdist_group("captured messages")  # they share one league
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "protocol_spec.md").read_text(encoding="utf-8")
DOCUMENTED = {**TABLES, **OWN}
BY_HAND = {"CREATE_SCHEDULE", "GET_STANDINGS", "MATCH_STEP"}
"""Messages that a person sends and no agent of ours; the capture sends the documented examples of them."""
NEVER_WRITTEN = {"PARITY_CHOICE": "read from other players; ours write CHOOSE_PARITY_RESPONSE"}
"""Message types with an example that our agents never send, and why."""
WHOLE_SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
SENDER = re.compile(r"league_manager|(referee|player):.+")
RECORD_TIMES = ("result.faults[].evidence", "result.lifecycle", "result.transcript[]", "player_stats.failures[]")
"""Times out of a record, which keep milliseconds (ADR 0091)."""


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Capture]:
    """A league that was played and recorded."""
    folder = tmp_path_factory.mktemp("captured")
    wire = folder / "wire"
    wire.mkdir()
    with pytest.MonkeyPatch.context() as patch, program_harness(folder) as place:
        patch.setenv("PYTHONPATH", str(folder / "site"))
        patch.setenv("WIRE_RECORDS", str(wire))
        yield asyncio.run(play(place, wire))
        place.empty()


@pytest.fixture(scope="module")
def messages(league: Capture) -> dict[str, list[Sent]]:
    """The league's messages by their type."""
    found: defaultdict[str, list[Sent]] = defaultdict(list)
    for sent in league.sent():
        found[sent.kind].append(sent)
    return dict(found)


def paths(value: Any, prefix: str = "") -> Iterator[str]:
    """The path of every field of a message; ids of players and states, which are keys of maps, are `*`."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            name = "*" if re.fullmatch(r"P\d+|[A-Z]+_[A-Z_]+|[A-Z]{5,}", key) else key
            yield f"{prefix}{name}"
            yield from paths(inner, f"{prefix}{name}.")
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{prefix[:-1]}[].")


def lacks(message: Any, path: str) -> bool:
    """True if a field is missing in one of its places."""
    name, _, rest = path.partition(".")
    if name == "*":
        return not message or any(bool(rest) and lacks(inner, rest) for inner in message.values())
    many, name = name.endswith("[]"), name.removesuffix("[]")
    if not isinstance(message, Mapping) or name not in message:
        return True
    inner = message[name]
    return bool(rest) and any(lacks(one, rest) for one in (inner if many else (inner,)))


def value_at(message: Mapping[str, Any], path: str) -> Any:
    if path == "sender's role":
        return message["sender"].partition(":")[0]
    for name in path.split("."):
        message = message[name]
    return message


def demanded(table: Table, message: Mapping[str, Any]) -> list[str]:
    """The fields that a table demands of a message."""
    conditions = [when.paths for when in table.conditions if value_at(message, when.field) in when.values]
    return [*table.required, *(path for several in conditions for path in several)]


def missing(table: Table, found: list[Sent], envelope: tuple[str, ...] = ENVELOPE) -> list[str]:
    lost = {path for sent in found for path in (*envelope, *demanded(table, sent.body)) if lacks(sent.body, path)}
    return sorted(lost)


def examples() -> dict[str, list[dict[str, Any]]]:
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(EXAMPLES.rglob("*.json")):
        message = json.loads(path.read_text(encoding="utf-8"))
        found[message["message_type"]].append(message)
    return dict(found)


def rows(message_type: str) -> set[str]:
    """The fields in the page's table of a message, and those of every message."""
    general = PAGE.partition("## Every message")[2].partition("\n## ")[0]
    heading = rf"^####? {message_type}\n"
    section = re.split(r"^##+ ", re.split(heading, PAGE, flags=re.MULTILINE)[1], flags=re.MULTILINE)[0]
    return {name for text in (general, section) for name in re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)}


@requirement(
    "003-TYPE-01",
    "003-TYPE-02",
    "003-TYPE-03",
    "003-TYPE-04",
    "003-TYPE-05",
    "003-TYPE-06",
    "003-TYPE-07",
    "003-TYPE-08",
    "003-TYPE-09",
    "003-TYPE-10",
    "003-TYPE-11",
    "003-TYPE-12",
    "003-TYPE-14",
    "003-TYPE-15",
)
def test_every_message_type_was_captured(messages: dict[str, list[Sent]]):
    assert sorted(kind for kind in messages if not kind.startswith("v1 ")) == sorted(DOCUMENTED)


@requirement(
    "000-MAP-07",
    "002-ENV-03",
    "002-ENV-06",
    "002-RREG-01",
    "002-RREG-02",
    "002-RREG-03",
    "002-PREG-01",
    "002-PREG-02",
    "002-RANN-01",
    "002-RANN-02",
    "002-STAND-01",
    "002-STAND-03",
    "002-RCOMP-01",
    "002-RCOMP-03",
    "002-LCOMP-01",
    "002-LCOMP-02",
    "002-LCOMP-04",
    "002-INV-01",
    "002-INV-02",
    "002-CALL-01",
    "002-CALL-02",
    "002-CALL-05",
    "002-OVER-01",
    "002-OVER-02",
    "002-OVER-03",
    "002-REPORT-01",
    "002-REPORT-02",
    "002-REPORT-04",
    "002-REPORT-06",
    "002-LERR-01",
    "002-LERR-03",
    "002-GERR-01",
    "002-GERR-03",
    "002-QUERY-01",
    "002-QUERY-02",
    "003-PROTO-03",
    "003-TYPE-18",
    "004-MSG-01",
    "004-MSG-02",
    "004-MSG-03",
    "004-MSG-05",
    "004-MSG-06",
)
@pytest.mark.parametrize("kind", list(DOCUMENTED))
def test_a_message_has_every_field_that_the_documents_require(messages: dict[str, list[Sent]], kind: str):
    assert missing(DOCUMENTED[kind], messages[kind]) == []


@requirement(
    "003-TYPE-19",
)
@pytest.mark.parametrize("kind", list(V1))
def test_a_message_of_v1_has_every_field_that_the_documents_require(messages: dict[str, list[Sent]], kind: str):
    assert missing(V1[kind], messages[f"v1 {kind}"], V1_ENVELOPE) == []


@requirement(
    "project-PROTO-04",
)
@pytest.mark.parametrize("kind", list(DOCUMENTED))
def test_every_field_that_is_sent_is_documented(messages: dict[str, list[Sent]], kind: str):
    known = rows(kind) | {path for example in examples().get(kind, ()) for path in paths(example)}
    if kind == "LEAGUE_QUERY_RESPONSE":  # a player is told the faults that the referee reported
        faults = {path for example in examples()["MATCH_RESULT_REPORT"] for path in paths(example)}
        known |= {path.replace("result.faults[]", "player_stats.failures[]") for path in faults}
    assert sorted({path for sent in messages[kind] for path in paths(sent.body)} - known) == []


@requirement(
    "project-PROTO-04",
)
@pytest.mark.parametrize("kind", sorted(set(examples()) - BY_HAND - set(NEVER_WRITTEN)))
def test_every_field_of_an_example_is_really_sent(messages: dict[str, list[Sent]], kind: str):
    shown = {path for example in examples()[kind] for path in paths(example)}
    assert sorted(shown - {path for sent in messages[kind] for path in paths(sent.body)}) == []


def test_what_is_sent_fits_the_schemas_that_the_tools_publish(league: Capture):
    for sent in league.sent():
        if sent.body["protocol"] == "league.v2" and sent.code is None:
            schema = league.schemas[sent.tool][0 if sent.request is None else 1]
            Draft202012Validator(schema).validate(sent.body)
            assert list(undescribed(sent.body, schema)) == [], sent.tool


def undescribed(value: Any, schema: Any, prefix: str = "") -> Iterator[str]:
    """Fields of a message that its published schema does not describe, where it does not leave them to the game."""
    for option in schema.get("anyOf", (schema,)) if isinstance(schema, dict) else ():
        if isinstance(value, list) and "items" in option:
            for inner in value:
                yield from undescribed(inner, option["items"], f"{prefix}[]")
        if isinstance(value, Mapping) and "properties" in option:
            for key, inner in value.items():
                about = option["properties"].get(key)
                if about is not None:
                    yield from undescribed(inner, about, f"{prefix}.{key}")
                if not (about or {}).get("description") and not (about is None and option.get("additionalProperties")):
                    yield f"{prefix}.{key}"


@requirement(
    "004-MCP-02",
)
def test_the_reply_stands_twice_in_a_result(league: Capture):
    replies = [line for line in league.lines() if "reply" in line]
    assert all(json.loads(line["text"]) == line["reply"] for line in replies)
    assert len(replies) > 100


@requirement(
    "002-ENV-05",
    "003-PROTO-07",
)
def test_every_time_of_the_protocol_has_whole_seconds(league: Capture):
    for sent in league.sent():
        for path, time in times(sent.body):
            if not path.startswith(RECORD_TIMES):
                assert WHOLE_SECONDS.fullmatch(time), f"{sent.kind} {path}: {time}"


def times(value: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """The path and the text of every time in a message."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from times(inner, f"{prefix}.{key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from times(inner, f"{prefix}[]")
    elif isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT", value):
        yield prefix, value


@requirement(
    "002-CALL-03",
)
def test_a_deadline_leaves_at_least_the_time_that_the_call_allows(messages: dict[str, list[Sent]]):
    for sent in messages["CHOOSE_PARITY_CALL"]:
        body = sent.body
        left = datetime.fromisoformat(body["deadline"]) - datetime.fromisoformat(body["timestamp"])
        assert timedelta(seconds=body["time_limit_sec"]) <= left <= timedelta(seconds=body["time_limit_sec"] + 2)


def test_everybody_signs_as_the_protocol_has_it_and_stays_in_the_conversation(league: Capture):
    for sent in league.sent():
        if sent.body["protocol"] == "league.v2":
            assert SENDER.fullmatch(sent.body["sender"]), sent.body["sender"]
            if sent.request:
                assert sent.body["conversation_id"] == sent.request.get("conversation_id", "operator")


def test_an_answer_tells_of_which_call_it_is_and_shows_the_ticket_alone(messages: dict[str, list[Sent]]):
    tokens = {sent.body[TOKEN] for sent in messages["LEAGUE_REGISTER_RESPONSE"] if TOKEN in sent.body}
    for kind in ("GAME_JOIN_ACK", "CHOOSE_PARITY_RESPONSE"):
        for sent in messages[kind]:
            assert sent.request is not None
            assert sent.body[TOKEN] == sent.request[TOKEN]
            assert sent.body[TOKEN] not in tokens
    for sent in messages["CHOOSE_PARITY_RESPONSE"]:
        assert sent.request is not None
        assert sent.body["turn"] == sent.request["context"]["turn"]


@requirement(
    "002-REPORT-05",
    "002-QUERY-03",
)
def test_the_refusals_have_the_numbers_of_the_documents(messages: dict[str, list[Sent]]):
    refused = {(sent.tool, sent.body["error_code"], sent.code) for sent in messages["LEAGUE_ERROR"]}
    expected = {
        ("league_query", "E012", 6001),
        ("report_match_result", "E010", 5003),
        ("report_match_result", "E007", 5002),
        ("register_player", "E002", -32602),
    }
    assert expected <= refused


@requirement(
    "003-TYPE-16",
    "003-TYPE-17",
)
def test_everything_that_was_to_go_wrong_went_wrong(messages: dict[str, list[Sent]]):
    assert {sent.body["error_code"] for sent in messages["GAME_ERROR"]} >= {"E001", "E004"}
    assert {sent.body["status"] for sent in messages["LEAGUE_REGISTER_RESPONSE"]} == {"ACCEPTED", "REJECTED"}
    assert {sent.body["status"] for sent in messages["REFEREE_REGISTER_RESPONSE"]} == {"ACCEPTED", "REJECTED"}
    statuses = {sent.body["result"]["details"]["status"] for sent in messages["MATCH_RESULT_REPORT"]}
    assert "TECHNICAL_LOSS" in statuses
    assert any("attempt" in sent.body for sent in messages["CHOOSE_PARITY_CALL"])
    queried = {sent.body["query_type"] for sent in messages["LEAGUE_QUERY_RESPONSE"]}
    assert queried == {"GET_STANDINGS", "GET_STATUS", "GET_SCHEDULE", "GET_NEXT_MATCH", "GET_PLAYER_STATS"}


def test_every_decision_about_a_field_is_there():
    for name, (page, _) in SETTLED.items():
        assert name.split()[0] in DOCUMENTED
        assert (ROOT / "docs" / "adr" / f"{page}.md").is_file(), name

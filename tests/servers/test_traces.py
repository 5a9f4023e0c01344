"""A match is one trace, from its assignment through the referee to both players and back to the report."""

import pytest

from servers.league_manager.match_dispatcher import NO_MATCH
from tests.requirements.marker import requirement
from tests.servers.watched_league import attributes, context, watched

pytestmark = pytest.mark.xdist_group("watched")

MATCHES = ("R1M1", "R1M2", "R2M1", "R2M2", "R3M1", "R3M2")
COURSE = [
    ("league_manager", "start_match", "referee:REF01"),
    ("league_manager", "start_match", "referee:REF01"),  # once more, when the draw's commitment is recorded
    ("REF01", "handle_game_invitation", "player:"),
    ("REF01", "handle_game_invitation", "player:"),
    ("REF01", "choose_parity", "player:"),
    ("REF01", "choose_parity", "player:"),
    ("REF01", "notify_match_result", "player:"),
    ("REF01", "notify_match_result", "player:"),
    ("REF01", "report_match_result", "league_manager"),
]


@requirement("project-LATER-07")
@pytest.mark.parametrize("match_id", MATCHES)
def test_a_match_is_one_trace_from_its_assignment_to_its_report(match_id: str):
    calls = [attributes(span) for span in watched().trace(match_id) if span.name.startswith("tools/call ")]
    served = [said for said in calls if said["gen_ai.tool.name"] != "match_status"]  # asked while a match takes long
    course = [
        (said["league.peer"], said["gen_ai.tool.name"], said["league.agent"].partition("P0")[0]) for said in served
    ]
    assert course == COURSE
    players = {said["league.agent"] for said in served if said["league.agent"].startswith("player:")}
    assert len(players) == 2
    assert {said["league.match_id"] for said in served} == {match_id}


def test_nothing_of_a_match_is_in_another_trace():
    told = [
        (attributes(span).get("league.match_id"), context(span).trace_id)
        for span in watched().spans
        if attributes(span).get("league.match_id") not in (None, NO_MATCH)
    ]
    assert {match_id for match_id, _ in told} == set(MATCHES)
    assert len(set(told)) == len({trace_id for _, trace_id in told}) == len(MATCHES)


@pytest.mark.parametrize("match_id", MATCHES)
def test_the_manager_holds_the_root_and_every_span_hangs_on_another(match_id: str):
    spans = watched().trace(match_id)
    ids = {context(span).span_id for span in spans}
    roots = [span for span in spans if span.parent is None]
    assert [root.name for root in roots] == ["match"]
    assert all(span.parent.span_id in ids for span in spans if span.parent is not None)
    (referee,) = [span for span in spans if span.name == "referee match"]
    assert attributes(referee) == {"league.match_id": match_id, "league.attempt": 1}
    assert len([span for span in spans if span.name == "choose move"]) == 2


@requirement("project-LATER-07")
def test_log_lines_carry_the_trace_beside_the_conversation():
    seen = watched()
    spans = {f"{context(s).trace_id:032x}": s for s in seen.trace("R1M1")}
    (trace_id,) = spans
    lines = [line for line in seen.logs if line.get("trace_id") == trace_id]
    conversations = {
        attributes(span)["league.conversation_id"]
        for span in seen.trace("R1M1")
        if "league.conversation_id" in attributes(span)
    }
    told = {line["details"]["conversation_id"] for line in lines if "conversation_id" in line.get("details", {})}
    assert told == conversations
    assert {line["agent_id"] for line in lines if "agent_id" in line} >= {"LM01", "REF01"}
    assert {"MATCH_ASSIGNED", "MATCH_STATE", "MATCH_RESULT_RECEIVED"} <= {line.get("event_type") for line in lines}


def test_no_token_and_no_move_gets_into_a_span():
    values = {str(value) for span in watched().spans for value in attributes(span).values()}
    assert values.isdisjoint({"even", "odd"})
    assert not [value for value in values if "operator's token" in value]
    names = {name for span in watched().spans for name in attributes(span)}
    assert not [name for name in names if "token" in name or "move" in name]

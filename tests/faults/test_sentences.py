"""The sentence for each cause of a fault."""

from dataclasses import replace
from typing import Any

import pytest

from league_sdk.domain.events import LeagueCreated, PlayerRegistered
from league_sdk.domain.league import League, fold
from league_sdk.domain.model import Agent, Cause, Fault, LeagueRules, Role
from servers.read_model.text import fault_sentence

BETA = Agent("P02", Role.PLAYER, "Beta", "http://localhost:8102/mcp", "", game_types=("even_odd",))
LATE = {"limit_sec": 30.0, "elapsed_sec": 31.2, "over_by_sec": 1.2}
ILLEGAL = {"received": "EVEN", "expected": ["even", "odd"]}
SENTENCES = [
    (
        Fault("P02", Cause.NO_MOVE, "move", "E001", 4, "", LATE),
        "Agent Beta (P02) did not answer the call for a move within 30 s, four times "
        "(the last time it was given up after 31.2 s; 1.2 s over its time).",
    ),
    (
        Fault("P02", Cause.NO_JOIN, "join", "E001", 1, "", {"limit_sec": 5, "elapsed_sec": 5.0, "over_by_sec": 0.0}),
        "Agent Beta (P02) did not answer the invitation within 5 s (it was given up after 5 s).",
    ),
    (
        Fault("P02", Cause.NO_JOIN, "join", "E001", 7, ""),
        "Agent Beta (P02) did not answer the invitation in time, 7 times.",
    ),
    (
        Fault("P02", Cause.ILLEGAL_MOVE, "move", "E004", 2, "", ILLEGAL),
        "Agent Beta (P02) answered the call for a move with EVEN, which the game does not allow "
        '(allowed: ["even", "odd"]), twice.',
    ),
    (
        Fault("P02", Cause.ILLEGAL_MOVE, "move", "E004", 1, "", {"received": None}),
        "Agent Beta (P02) answered the call for a move with null, which the game does not allow.",
    ),
    (
        Fault("P02", Cause.NAME_NOT_FOUND, "join", "E009", 4, ""),
        "Agent Beta (P02) could not be reached with the invitation: its host name has no address, four times.",
    ),
    (
        Fault("P02", Cause.CONNECTION_REFUSED, "join", "E009", 4, ""),
        "Agent Beta (P02) could not be reached with the invitation: nothing answers at its address, four times.",
    ),
    (
        Fault("P02", Cause.CONNECTION_DROPPED, "move", "E009", 3, ""),
        "Agent Beta (P02) broke the connection instead of answering the call for a move, three times.",
    ),
    (
        Fault("P02", Cause.MALFORMED_REPLY, "move", "E002", 1, "", {"received": {"move": 1}}),
        "Agent Beta (P02) answered the call for a move with something that is not a valid answer "
        '(it sent: {"move": 1}).',
    ),
    (
        Fault("P02", Cause.MALFORMED_REPLY, "move", "E012", 1, "", {"error": "who are you?", "error_code": "E012"}),
        "Agent Beta (P02) answered the call for a move with the error E012: who are you?.",
    ),
    (Fault("P02", Cause.DECLINED, "join", "E008", 1, ""), "Agent Beta (P02) declined the invitation."),
    (
        Fault("P02", Cause.CRASHED_HANDLER, "move", "E099", 1, "", {"error": "KeyError"}),
        "Agent Beta (P02) failed while it worked on the call for a move: KeyError.",
    ),
    (Fault("P02", Cause.SITS_OUT, "join", "E008", 0, ""), "Agent Beta (P02) sat out, so the match was not played."),
    (Fault("P02", Cause.WITHDREW, "join", "E008", 0, ""), "Agent Beta (P02) withdrew from the league."),
    (
        Fault("P02", Cause.SITS_OUT, "join", "E008", 0, ""),
        "Agent Beta (P02) sat out, so the match was not played.",
    ),
]


@pytest.fixture
def league() -> League:
    return fold([LeagueCreated(LeagueRules("cup", "even_odd")), PlayerRegistered(BETA)])


@pytest.mark.parametrize(
    ("fault", "sentence"), SENTENCES, ids=lambda value: value.cause if isinstance(value, Fault) else ""
)
def test_a_fault_is_explained_in_one_sentence(league: League, fault: Fault, sentence: str):
    assert fault_sentence(league, fault) == sentence


def test_every_cause_has_a_sentence(league: League):
    assert {fault.cause for fault, _ in SENTENCES} == set(Cause)


@pytest.mark.parametrize("cause", Cause)
def test_what_a_player_sent_does_not_reach_the_terminal(league: League, cause: Cause):
    trick: dict[str, Any] = dict.fromkeys(("received", "error", "error_code", "expected"), "\x1b[2J\u202e")
    told = fault_sentence(league, replace(SENTENCES[0][0], cause=cause, evidence={**LATE, **trick}))
    assert told.isprintable()

"""Validation of rules, agents and results."""

from dataclasses import replace

import pytest

from league_sdk.domain.checks import check_agent, check_result, check_rules, points
from league_sdk.domain.model import Cause, Fault, Fixture, ResultStatus, Scoring
from league_sdk.errors import InvalidField, ProtocolVersionMismatch, UnsupportedGameType
from tests.league_sdk.domain.season import agent, outcome, rules
from tests.requirements.marker import requirement

A, B, C = "P01", "P02", "P03"
FIXTURE = Fixture("R1M1", 1, (A, B))
OTHER = Scoring(win=5, draw=2, loss=1, technical_loss=-1)
TECHNICAL = ResultStatus.TECHNICAL_LOSS


def fault(player):
    return Fault(player, Cause.NO_MOVE, "move", "E001", 4, "silent")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("league_id", "", "a name"),
        ("game_type", "", "a name"),
        ("min_players", 1, "2 or more"),
        ("max_players", 1, r"min_players \(2\) or more"),
        ("expected_players", 1, "2 to 10000, or null"),
        ("expected_players", 10_001, "2 to 10000, or null"),
        ("max_referees", 0, "1 or more"),
        ("expected_referees", 0, "1 to 100"),
        ("expected_referees", 101, "1 to 100"),
        ("max_attempts", 0, "1 or more"),
        ("tiebreakers", ("points", "luck"), "unknown tie-breaker 'luck'; known: points"),
        ("roster", {"Alpha": "P01", "Beta": "P01"}, "different ids such as P01"),
        ("roster", {"Alpha": "REF01"}, "different ids such as P01"),
        ("roster", {"Alpha": "P1"}, "different ids such as P01"),
        ("roster", {"Alpha": "P001"}, "different ids such as P01"),
        ("roster", {"Alpha": "P01\n"}, "different ids such as P01"),
        ("referee_roster", {"Umpire": "P01"}, "different ids such as REF01"),
    ],
)
def test_rules_that_nobody_can_play_by_are_refused(name, value, expected):
    with pytest.raises(InvalidField, match=expected) as refused:
        check_rules(rules(**{name: value}))
    assert refused.value.context["field"] == name
    assert refused.value.context["value"] == (list(value) if isinstance(value, tuple) else value)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"expected_players": None},
        {"expected_players": 4},
        {"expected_referees": 100},
        {"tiebreakers": ()},
        {"roster": {"Alpha": "P01", "Omega": "P100"}, "referee_roster": {"Umpire": "REF07"}},
    ],
)
def test_rules_that_can_be_played_by_are_taken(changes):
    check_rules(rules(**changes))


@requirement("000-LM-REF-08", "000-LM-PLAY-06")
@pytest.mark.parametrize(("name", "value"), [("display_name", ""), ("display_name", "  "), ("endpoint", "")])
def test_an_agent_needs_a_name_and_an_address(name, value):
    with pytest.raises(InvalidField):
        check_agent(agent(**{name: value}) if name != "display_name" else agent(value), rules())


@requirement("003-ARCH-07", "003-PROTO-02", "004-V2-04", "004-LM-01")
@pytest.mark.parametrize("version", ["2.0.0", "2.0", "2.1.0", "2.99.3"])
def test_every_version_from_the_minimum_on_is_taken(version):
    check_agent(agent(protocol_version=version), rules())


@requirement("003-ARCH-07", "003-PROTO-02", "004-V2-04", "004-LM-01")
@pytest.mark.parametrize(
    "version", ["1.9.9", "3.0.0", "1.0", "", "two", "2", "2.1.0-beta", "2.x", "-2.1", "\u0662.\u0661"]
)
def test_another_major_version_an_old_one_and_none_at_all_are_refused(version):
    with pytest.raises(ProtocolVersionMismatch) as refused:
        check_agent(agent(protocol_version=version), rules())
    assert refused.value.context["expected"] == "2.0.0 or newer, below 3.0.0"


@requirement("000-LM-REF-09", "000-LM-PLAY-07", "003-CAP-08")
@pytest.mark.parametrize("games", [(), ("chess",), ("FINGERS",)])
def test_an_agent_that_does_not_play_the_game_is_refused(games):
    with pytest.raises(UnsupportedGameType) as refused:
        check_agent(agent(game_types=games), rules())
    assert refused.value.context["expected"] == "fingers"


FITTING = [
    outcome(FIXTURE, A),
    outcome(FIXTURE, B),
    outcome(FIXTURE),
    outcome(FIXTURE, B, status=TECHNICAL, faults=(fault(A),)),
    outcome(FIXTURE, B, status=TECHNICAL),
    outcome(FIXTURE, None, status=TECHNICAL, faults=(fault(A), fault(B))),
    outcome(FIXTURE, None, status=TECHNICAL),
]


@pytest.mark.parametrize("result", FITTING)
def test_a_result_that_fits_is_taken(result):
    check_result(result, FIXTURE, Scoring())


@requirement("000-LM-RESULT-03", "project-END-03")
@pytest.mark.parametrize("result", FITTING)
def test_the_score_has_to_be_the_leagues(result):
    with pytest.raises(InvalidField, match="score"):
        check_result(result, FIXTURE, OTHER)
    check_result(replace(result, score=points(result, OTHER)), FIXTURE, OTHER)


@requirement("000-LM-RESULT-03", "project-END-03")
@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("round_id", outcome(FIXTURE, A, round_id=2)),
        ("players", outcome(FIXTURE, A, players=(B, A))),
        ("players", outcome(FIXTURE, A, players=(A, C))),
        ("players", outcome(FIXTURE, A, players=(A,))),
        ("players", outcome(FIXTURE, A, players=(A, B, C))),
        ("winner", outcome(FIXTURE, C)),
        ("winner", outcome(FIXTURE, None, status=ResultStatus.WIN)),
        ("winner", outcome(FIXTURE, A, status=ResultStatus.DRAW)),
        ("score", outcome(FIXTURE, A, score={A: 3})),
        ("score", outcome(FIXTURE, A, score={A: 3, B: 0, C: 0})),
        ("score", outcome(FIXTURE, A, score={A: 4, B: 0})),
        ("score", outcome(FIXTURE, A, score={A: 0, B: 3})),
        ("score", outcome(FIXTURE, None, score={A: 3, B: 3})),
        ("score", outcome(FIXTURE, None, status=TECHNICAL, score={A: 3, B: 3})),
        ("faults", outcome(FIXTURE, A, faults=(fault(B),))),
        ("faults", outcome(FIXTURE, None, faults=(fault(B),))),
        ("faults", outcome(FIXTURE, A, status=TECHNICAL, faults=(fault(C),))),
        ("faults", outcome(FIXTURE, A, status=TECHNICAL, faults=(fault(B), fault(B)))),
        ("winner", outcome(FIXTURE, A, status=TECHNICAL, faults=(fault(A),))),
        ("winner", outcome(FIXTURE, None, status=TECHNICAL, faults=(fault(A),))),
        ("winner", outcome(FIXTURE, A, status=TECHNICAL, faults=(fault(A), fault(B)))),
    ],
)
def test_a_result_that_does_not_fit_is_refused_by_the_field(name, result):
    with pytest.raises(InvalidField) as refused:
        check_result(result, FIXTURE, Scoring())
    assert refused.value.context["field"] == name


def test_a_match_of_three_has_one_winner_or_several_who_are_not_at_fault():
    three = Fixture("R1M1", 1, (A, B, C))
    won = outcome(three, B, details={"places": {A: 2, B: 1, C: 2}})
    assert won.score == {A: 1, B: 6, C: 1}
    check_result(won, three, Scoring())
    shared = {"places": {A: 3, B: 1, C: 1}}
    one_fault = outcome(three, None, status=TECHNICAL, faults=(fault(A),), details=shared)
    assert one_fault.score == {A: 0, B: 4, C: 4}
    check_result(one_fault, three, Scoring())


def test_an_agent_of_another_game_is_told_which_option_to_add():
    with pytest.raises(UnsupportedGameType, match=r"openspiel:chess: start the agent with --game openspiel:chess$"):
        check_agent(agent(game_types=("even_odd",)), replace(rules(), game_type="openspiel__chess"))

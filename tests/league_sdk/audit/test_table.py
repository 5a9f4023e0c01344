"""The audit's table is the league's, though neither knows of the other."""

from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.audit.course import EVENT_TYPES
from league_sdk.audit.match_audit import PHASES
from league_sdk.audit.pairings import Planned
from league_sdk.audit.table import KNOWN, Decided, standings
from league_sdk.audit.tie_breaks import StartedRound
from league_sdk.domain.checks import points
from league_sdk.domain.events import EVENT_TYPES as LEAGUE_EVENTS
from league_sdk.domain.model import Cause, Fault, MatchResult, ResultStatus, Scoring, SubstitutionReason
from league_sdk.domain.ranking.standings import table
from league_sdk.domain.ranking.tie_breaks import TIE_BREAKS
from league_sdk.tournament import SeriesPoints

PLAYERS = {f"P{number:02d}": f"Player {number}" for number in (1, 2, 3, 4, 5, 100)}
PAIRS = [(one, other) for one in PLAYERS for other in PLAYERS if one < other]

outcomes = st.sampled_from(
    ["first", "second", "draw", "first at fault", "both at fault", "fault not named", "fault of a player that sits out"]
)
substitutions = st.tuples(
    *[st.dictionaries(st.sampled_from([str(reason) for reason in SubstitutionReason]), st.integers(1, 9))] * 2
)
scorings = st.builds(Scoring, *[st.integers(-2, 3)] * 4)


def result(pair, how, scoring):
    technical = ResultStatus.TECHNICAL_LOSS if "fault" in how else ResultStatus.WIN
    fault = {"both at fault": pair, "fault not named": ()}.get(how, pair[:1] if "fault" in how else ())
    plain = MatchResult(
        match_id="-".join(pair),
        round_id=1,
        players=pair,
        status=ResultStatus.DRAW if how == "draw" else technical,
        winner={"first": pair[0], "draw": None, "both at fault": None}.get(how, pair[1]),
        score={},
        referee_id="REF01",
        details={"scores": dict(zip(pair, (4, 1.5), strict=True))},
        not_played="sits out" in how,
        faults=tuple(Fault(player, Cause.NO_MOVE, "move", "E001", 1, "") for player in fault),
    )
    return replace(plain, score=points(plain, scoring))


def decided(one):
    guilty = frozenset(fault.player_id for fault in one.faults)
    if one.status is ResultStatus.TECHNICAL_LOSS and not guilty:
        guilty = frozenset(player for player in one.players if player != one.winner)
    return Decided(1, one.match_id, 1, one.players, str(one.status), one.winner, guilty, asdict(one))


def rules(scoring, tiebreakers):
    return {
        "league_id": "cup",
        "seed": None,
        "scoring": asdict(scoring),
        "tiebreakers": tiebreakers,
        "equal_meetings": True,
    }


def rounds_of(results):
    return [StartedRound(1, [Planned(one.match_id, 1, one.players) for one in results], {}, True, False)]


@given(
    st.dictionaries(st.sampled_from(PAIRS), st.tuples(outcomes, substitutions)),
    scorings,
    st.lists(st.sampled_from(sorted(TIE_BREAKS)), unique=True),
)
def test_any_results_make_the_same_table(played, scoring, tiebreakers):
    results = [
        replace(result(pair, how, scoring), substituted=dict(zip(pair, told, strict=True)))
        for pair, (how, told) in played.items()
    ]
    worth: dict[str, Any] = {"win": scoring.win, "draw": scoring.draw}
    if "series_points" in tiebreakers:
        worth["series_points"] = SeriesPoints(scoring.win, scoring.draw, scoring.loss)
    expected = [asdict(row) for row in table(PLAYERS, results, tiebreakers, lots="cup", **worth)]
    for row in expected:
        del row["technical_losses"], row["removed"], row["withdrew"], row["byes"], row["tie_breaks"], row["decided_by"]
        del row["expunged"], row["sitting_out"], row["moves"]
        for name in ("substituted", "not_played"):
            if not row[name]:
                del row[name]
    assert standings(PLAYERS, map(decided, results), rules(scoring, tiebreakers), rounds_of(results)) == expected


def test_every_criterion_of_the_league_is_known():
    assert set(KNOWN) == set(TIE_BREAKS)


def test_an_unknown_criterion_is_refused():
    with pytest.raises(ValueError, match="beauty"):
        standings({}, (), rules(Scoring(), ["beauty"]))


def test_every_event_of_the_league_is_known():
    assert set(LEAGUE_EVENTS) == EVENT_TYPES


def test_every_cause_of_a_technical_loss_is_known():
    assert set(PHASES) == {str(cause) for cause in Cause}


def test_substituted_moves_change_no_rank():
    plain = [result(pair, "draw", Scoring()) for pair in PAIRS]
    told = [replace(one, substituted={one.players[0]: {"raised": 3}}) for one in plain]
    for before, after in zip(table(PLAYERS, plain), table(PLAYERS, told), strict=True):
        assert replace(after, substituted={}) == before
    assert sum(row.substituted_moves for row in table(PLAYERS, told)) == 3 * len(PAIRS)

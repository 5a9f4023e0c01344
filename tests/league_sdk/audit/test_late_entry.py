"""Late entries as the audit follows them: points of missed rounds, tie-breaks, and entries that may not be."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league_sdk.domain.commands import (
    CloseRegistration,
    CompleteLeague,
    CreateLeague,
    EnterPlayer,
    PairRound,
    RegisterPlayer,
    RegisterReferee,
    StartLeague,
    StartRound,
)
from league_sdk.domain.model import Agent, LeagueRules, Role, StageRules
from league_sdk.domain.progress import tournament_of
from league_sdk.plugins import stages_format
from tests.league_sdk.audit.leagues import LEAGUE, Maker, forged, look_at, number_of
from tests.requirements.marker import requirement


def stage(name: str, worth: str) -> StageRules:
    return StageRules(name, {"rounds": 3, **({"late_entry_points": worth} if name == "swiss" else {})})


def agent(name: str, role: Role = Role.PLAYER) -> Agent:
    return Agent("", role, name, f"http://localhost/{name}", "0" * 64, game_types=("even_odd",))


def played(entries: list[str], worth: str = "draw", name: str = "swiss") -> Maker:
    """A league of 6 for 3 rounds; of each entry, `before` or `within` a round, one player comes."""
    ties = ("points", "buchholz_cut_1", "sonneborn_berger", "progressive")
    maker = Maker(LeagueRules(LEAGUE, "even_odd", seed="7", stages=(stage(name, worth),), tiebreakers=ties))
    maker.do(CreateLeague(maker.rules))
    maker.do(RegisterReferee(agent("Whistle", Role.REFEREE), "secret"))
    for number in range(6):
        maker.do(RegisterPlayer(agent(f"Player {number}")))
    maker.do(CloseRegistration("operator", expected_rounds=3))
    maker.do(StartLeague())
    tournament_format = stages_format(maker.rules.stages)
    for number, when in enumerate(entries, start=1):
        if when == "before":
            maker.do(EnterPlayer(agent(f"Late {number}"), worth))
        paired = tournament_format.next_round(tournament_of(maker.league))
        assert paired is not None
        if when == "while it is paired":
            maker.do(EnterPlayer(agent(f"Late {number}"), worth))
        maker.do(PairRound(paired))
        maker.do(StartRound(number))
        if when == "within" and number < 3:
            maker.do(EnterPlayer(agent(f"Late {number}"), worth))
        maker.finish(number)
    maker.do(CompleteLeague(tournament_format.ranking(tournament_of(maker.league)) or ()))
    return maker


WHEN = st.sampled_from(["", "before", "while it is paired", "within"])


@requirement("project-LEAVE-03")
@settings(max_examples=30)
@given(st.lists(WHEN, min_size=3, max_size=3), st.sampled_from(["draw", "none", "ladder"]))
def test_whenever_players_enter_the_audit_has_the_leagues_table(entries: list[str], worth: str):
    maker = played(entries, "none", "ladder") if worth == "ladder" else played(entries, worth)
    report = look_at(maker.records)
    assert report.findings == []
    assert [(row["player_id"], row["rank"], row["points"]) for row in report.standings] == [
        (row.player_id, row.rank, row.points) for row in maker.league.standings()
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda payload: payload.update(bye_points="none"), "swiss does not take that"),
        (lambda payload: payload["player"].update(display_name="Player 1"), "is taken"),
    ],
)
def test_an_entry_that_the_rules_do_not_allow_is_found(change: Any, expected: str):
    maker = played(["", "before", ""])
    report = look_at(forged(maker.records, number_of(maker.records, "PlayerEntered"), change))
    assert any(expected in found.sentence for found in report.findings)

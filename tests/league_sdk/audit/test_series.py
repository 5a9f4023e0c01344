"""Series as the audit follows them: tables by match and by series, and series too short or too long."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league_sdk.domain.commands import (
    CloseRegistration,
    CompleteLeague,
    CreateLeague,
    PairRound,
    RegisterPlayer,
    RegisterReferee,
    RemovePlayer,
    StartLeague,
    StartRound,
    WithdrawAgent,
)
from league_sdk.domain.model import Agent, LeagueRules, Role, StageRules
from league_sdk.domain.progress import tournament_of
from league_sdk.plugins import stages_format
from tests.league_sdk.audit import leagues
from tests.league_sdk.audit.leagues import LEAGUE, Maker, forged, look_at, number_of
from tests.requirements.marker import requirement

BY_MATCH = ("points", "buchholz", "sonneborn_berger")
BY_SERIES = (
    "series_points",
    *("points", "head_to_head", "buchholz_cut_1", "median_buchholz", "sonneborn_berger", "koya", "progressive"),
)


def agent(name: str, role: Role = Role.PLAYER) -> Agent:
    return Agent("", role, name, f"http://localhost/{name}", "0" * 64, game_types=("even_odd",))


def played(stage: StageRules, ties: tuple[str, ...], count: int, seed: str, leaves: dict[int, str]) -> Maker:
    """A league; within the rounds of `leaves` one more player is removed, or withdraws."""
    maker = Maker(LeagueRules(LEAGUE, "even_odd", seed=f"s{seed}", stages=(stage,), tiebreakers=ties))
    maker.do(CreateLeague(maker.rules))
    maker.do(RegisterReferee(agent("Whistle", Role.REFEREE), "secret"))
    for number in range(count):
        maker.do(RegisterPlayer(agent(f"Player {number}")))
    tournament_format = stages_format(maker.rules.stages)
    maker.do(CloseRegistration("operator", expected_rounds=tournament_format.expected_rounds(count)))
    maker.do(StartLeague())
    while (paired := tournament_format.next_round(tournament_of(maker.league))) is not None:
        maker.do(PairRound(paired))
        number = len(maker.league.rounds)
        maker.do(StartRound(number))
        if how := leaves.get(number):
            player = maker.league.staying()[-1]
            maker.do(RemovePlayer(player, "") if how == "removed" else WithdrawAgent(player))
        maker.finish(number)
    maker.do(CompleteLeague(tournament_format.ranking(tournament_of(maker.league)) or ()))
    return maker


@requirement("project-END-07")
@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["swiss", "round_robin"]),
    st.sampled_from([BY_MATCH, BY_SERIES]),
    st.integers(2, 4),
    st.integers(4, 6),
    st.text("abc", max_size=3),
    st.dictionaries(st.integers(1, 6), st.sampled_from(["removed", "withdraws"]), max_size=2),
)
def test_the_audit_has_the_table_of_a_league_of_series(
    name: str, ties: tuple[str, ...], best_of: int, count: int, seed: str, leaves: dict[int, str]
):
    options = {"best_of": best_of, **({"rounds": 2} if name == "swiss" else {})}
    maker = played(StageRules(name, options), ties, count, seed, leaves)
    report = look_at(maker.records)
    assert report.findings == []
    assert [(row["player_id"], row["rank"], row["points"]) for row in report.standings] == [
        (row.player_id, row.rank, row.points) for row in maker.league.standings()
    ]


def test_series_rank_before_the_points_of_their_matches():
    maker = played(StageRules("round_robin", {"best_of": 3}), BY_SERIES, 6, "7", {})
    rows = maker.league.standings()
    series = [row.tie_breaks["series_points"] for row in rows]
    assert series == sorted(series, reverse=True)
    assert [row.points for row in rows] != sorted((row.points for row in rows), reverse=True)
    assert maker.league.leaders() == tuple(row.player_id for row in rows if row.rank == 1)


def _without_a_match(paired: Any) -> None:
    paired["byes"] += paired["fixtures"].pop()["players"]


def _as_before(paired: Any) -> None:
    paired["fixtures"][0]["players"].reverse()


@pytest.mark.parametrize(
    ("change", "said"),
    [(_without_a_match, "is not decided, and does not continue"), (_as_before, "continues without swapping the seats")],
    ids=["cut short", "same seats"],
)
def test_a_forged_round_of_a_series_is_found(change: Any, said: str):
    records = leagues.league(4, stages=(StageRules("swiss", {"rounds": 2, "best_of": 2}),))
    number = number_of(records, "RoundPaired", "match 2")
    report = look_at(forged(records, number, lambda payload: change(payload["round"])))
    assert any(said in found.message for found in report.findings)


@pytest.mark.parametrize(
    ("best_of", "ties", "said"),
    [(1, ("points",), "is decided, and continues"), (3, ("points",), "is not decided, and does not continue")],
    ids=["too long", "too short"],
)
def test_a_series_of_another_length_than_the_rules_say_is_found(best_of: int, ties: tuple[str, ...], said: str):
    records = leagues.league(4, stages=(StageRules("round_robin", {"best_of": 2}),), tiebreakers=ties)

    def change(payload: Any) -> None:
        payload["rules"]["stages"][0]["options"]["best_of"] = best_of

    report = look_at(forged(records, number_of(records, "LeagueCreated"), change))
    assert any(said in found.message for found in report.findings)


def test_a_series_that_goes_on_though_it_is_decided_is_found():
    records = leagues.league(4, stages=(StageRules("round_robin", {"best_of": 4}),), tiebreakers=("points",))

    def change(payload: Any) -> None:
        payload["rules"]["tiebreakers"] = ["series_points"]

    report = look_at(forged(records, number_of(records, "LeagueCreated"), change))
    assert any("is decided, and continues" in found.message for found in report.findings)

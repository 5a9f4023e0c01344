"""Whole leagues with a knockout, and what forgers do to them."""

from typing import Any

import pytest

from league_sdk.domain.model import LeagueRules, StageRules
from tests.league_sdk.audit import leagues

GROUPS_AND_KNOCKOUT = (StageRules("groups", {"groups": 2}, 4), StageRules("knockout", {"third_place": True}))
KNOCKOUTS = {
    "single": (6, (StageRules("knockout", {"best_of": 3}),)),
    "double": (5, (StageRules("knockout", {"double": True}),)),
    "after groups": (6, GROUPS_AND_KNOCKOUT),
}


@pytest.mark.parametrize(("players", "stages"), KNOCKOUTS.values(), ids=KNOCKOUTS)
def test_a_whole_league_with_a_knockout_holds(players, stages):
    assert leagues.look_at(leagues.league(players, stages=stages)).findings == []


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda paired: paired.update(game=3), "its id is not that of game 3 of a series"),
        (lambda paired: paired["fixtures"][0].update(players=["P01", "P02"]), "did not meet in the round before"),
    ],
    ids=["number", "players"],
)
def test_a_forged_series_is_found_though_all_digests_fit(forge, said):
    records = leagues.league(4, stages=(StageRules("knockout", {"best_of": 3}),))
    number = leagues.number_of(records, "RoundPaired", "match 2")
    report = leagues.look_at(leagues.forged(records, number, lambda payload: forge(payload["round"])))
    assert any(said in found.message for found in report.findings)


def _swap_finalists(payload):
    payload["champions"] = payload["ranking"][1]
    payload["ranking"][:2] = payload["ranking"][1::-1]


@pytest.mark.parametrize("players", [4, 6])
def test_a_forged_champion_of_a_knockout_is_found_though_all_digests_fit(players):
    records = leagues.league(players, stages=(StageRules("knockout", {}),))
    report = leagues.look_at(leagues.forged(records, len(records), _swap_finalists))
    assert [found.kind for found in report.findings] == ["standings"]
    assert "; by its format, " in report.findings[0].message


def test_a_forged_ranking_after_a_round_is_found_though_all_digests_fit():
    records = leagues.league(4, stages=(StageRules("knockout"),))
    number = leagues.number_of(records, "RoundCompleted")
    report = leagues.look_at(leagues.forged(records, number, lambda payload: payload["ranking"].reverse()))
    assert any("by its format" in found.message for found in report.findings)


@pytest.mark.parametrize("kind", ["RoundCompleted", "LeagueCompleted"])
def test_a_ranking_of_a_league_by_points_is_found_though_all_digests_fit(kind):
    records = leagues.league(4)
    ranking = [["P04", "P03", "P02", "P01"]]
    number = leagues.number_of(records, kind)
    forged = leagues.forged(records, number, lambda payload: payload.update(ranking=ranking))
    found = [each.message for each in leagues.look_at(forged).findings]
    assert "its ranking is P04 = P03 = P02 = P01; by its format, points decide" in found


def test_a_loser_that_is_paired_on_is_found_though_all_digests_fit():
    records = leagues.league(4, stages=(StageRules("knockout", {"third_place": True}),))
    number = leagues.number_of(records, "RoundPaired", "Third place")

    def pair_winner_with_loser(payload):
        final, third = payload["round"]["fixtures"]
        final["players"][0], third["players"][0] = third["players"][0], final["players"][0]

    report = leagues.look_at(leagues.forged(records, number, pair_winner_with_loser))
    assert any("meet; by its format they do not" in found.message for found in report.findings)


KNOCKOUT = (StageRules("knockout", {"extra_matches": 1}),)


@pytest.fixture
def all_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every match is drawn, so that all ties stay level."""
    monkeypatch.setattr(leagues._Table, "_move", lambda *_: "even")


def level(**more: Any) -> Any:
    maker = leagues.Maker(LeagueRules(leagues.LEAGUE, "even_odd", stages=KNOCKOUT, **more))
    maker.play(8)
    return maker


@pytest.mark.usefixtures("all_drawn")
@pytest.mark.parametrize("seed", [None, "7"])
def test_lots_are_drawn_again_and_a_player_that_was_out_is_no_champion(seed: str | None):
    records = level(seed=seed).records
    assert leagues.look_at(records).findings == []
    out = records[leagues.number_of(records, "LeagueCompleted") - 1].payload["ranking"][-1][-1]

    def crown(payload: Any) -> None:
        payload["champions"] = [out]
        payload["ranking"] = [[out], *([each for each in group if each != out] for group in payload["ranking"])]

    report = leagues.look_at(leagues.forged(records, len(records), crown))
    assert [found.kind for found in report.findings] == ["standings"]
    assert f"its ranking is {out}, " in report.findings[0].message


@pytest.mark.usefixtures("all_drawn")
def test_who_advances_by_lots_against_the_draws_is_found():
    records = level().records
    number = next(each.sequence for each in records if each.payload.get("advanced"))

    def turn(payload: Any) -> None:
        first = payload["advanced"][0]
        first["player_id"], first["over"] = first["over"], first["player_id"]

    report = leagues.look_at(leagues.forged(records, number, turn))
    assert any("by lots; by its matches, " in found.message for found in report.findings)


def test_a_champion_without_a_decided_match_is_doubtful():
    stages = (StageRules("knockout", {"extra_matches": 0}),)
    maker = leagues.Maker(LeagueRules(leagues.LEAGUE, "even_odd", stages=stages), void=("R1M1", "R2M1"))
    report = leagues.look_at(maker.play(4))
    assert [(found.severity, found.message) for found in report.findings] == [
        ("doubtful", "P01 is champion, and no match of it was decided")
    ]


@pytest.mark.usefixtures("all_drawn")
def test_the_higher_seed_advances_where_no_draw_was_revealed_and_the_record_says_so():
    ids = [f"R{number}M{match}" + "G2" * (number % 2 == 0) for number in range(1, 7) for match in range(1, 5)]
    maker = leagues.Maker(LeagueRules(leagues.LEAGUE, "even_odd", stages=KNOCKOUT), foreign=tuple(ids))
    records = maker.play(8)
    assert maker.league.champions == ("P01",)
    assert {each["by"] for record in records for each in record.payload.get("advanced", ())} == {"seed"}
    assert leagues.look_at(records).findings == []

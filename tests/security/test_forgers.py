"""Villains that know the records: one computes lots beforehand, one writes a champion of its own."""

from hashlib import sha256
from typing import Any

import pytest

from league_sdk.domain.model import LeagueRules, StageRules
from tests.league_sdk.audit import leagues

KNOCKOUT = (StageRules("knockout", {"extra_matches": 0}),)


@pytest.fixture(autouse=True)
def all_ties_stay_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leagues._Table, "_move", lambda *_: "even")


def records(league_id: str = leagues.LEAGUE) -> list[Any]:
    return leagues.Maker(LeagueRules(league_id, "even_odd", stages=KNOCKOUT)).play(8)


def test_the_fortune_teller_no_longer_knows_who_will_advance_from_the_leagues_id():
    right = wrong = 0
    for league_id in ("spring", "summer", "autumn", "winter"):
        first = next(each for each in records(league_id) if each.type == "RoundCompleted")
        for place, told in enumerate(first.payload["advanced"]):
            lots = {
                player: sha256(f"{league_id}|0|{place}|lots|{player}".encode()).digest()
                for player in (told["player_id"], told["over"])
            }
            hit = min(lots, key=lots.__getitem__) == told["player_id"]
            right, wrong = right + hit, wrong + (not hit)
    assert right + wrong == 16
    assert wrong > 2, "as before: sixteen of sixteen are known beforehand"


def test_the_rewriter_crowns_a_player_that_was_out_in_round_1_and_is_found():
    honest = records()
    out = honest[-1].payload["ranking"][-1][0]

    def crown(payload: Any) -> None:
        payload["champions"] = [out]
        payload["ranking"] = [[out], *([each for each in group if each != out] for group in payload["ranking"])]

    report = leagues.look_at(leagues.forged(honest, len(honest), crown))
    assert not report.ok
    assert any("its ranking is" in found.message for found in report.findings)

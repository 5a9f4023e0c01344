"""Expunged results, as the audit recomputes them: by the records alone, and with the files."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.commands import CompleteLeague, RemovePlayer, StartRound, WithdrawAgent
from league_sdk.domain.model import DepartedResults, LeagueRules
from league_sdk.stores import JsonFiles
from tests.league_sdk.audit.leagues import LEAGUE, Maker, forged, look_at
from tests.requirements.marker import requirement

RULES = LeagueRules(LEAGUE, "even_odd", seed="7", departed_results=DepartedResults.EXPUNGE_BELOW_HALF)


def played(leaving: dict[str, int], rules: LeagueRules = RULES, *, withdraws: bool = False) -> Maker:
    """A league of 4, some of whom leave before a round."""
    maker = Maker(rules)
    maker.play(4, until=0)
    for number in (1, 2, 3):
        for player_id in (player for player, when in leaving.items() if when == number):
            maker.do(WithdrawAgent(player_id) if withdraws else RemovePlayer(player_id))
        maker.do(StartRound(number))
        maker.finish(number)
    maker.do(CompleteLeague())
    return maker


@requirement("project-LEAVE-02")
@given(st.dictionaries(st.sampled_from(["P01", "P02", "P03"]), st.integers(1, 3)), st.booleans())
def test_whoever_leaves_the_audit_has_the_leagues_table(leaving: dict[str, int], withdraws: bool):
    maker = played(leaving, withdraws=withdraws)
    report = look_at(maker.records)
    assert report.findings == []
    assert {row["player_id"] for row in report.standings if row.get("expunged")} == maker.league.expunged
    assert [(row["player_id"], row["points"], row["played"]) for row in report.standings] == [
        (row.player_id, row.points, row.played) for row in maker.league.standings()
    ]


def test_the_files_of_such_a_league_hold(tmp_path: Path):
    maker = played({"P01": 2})
    assert maker.league.expunged == {"P01"}
    JsonFiles(tmp_path).update(maker.league, maker.records)
    assert look_at(maker.records, data_root=tmp_path).findings == []
    standings = tmp_path / "leagues" / LEAGUE / "standings.json"
    standings.write_text(standings.read_text().replace('"expunged": true', '"expunged": false'))
    assert any("standings.json" in found.sentence for found in look_at(maker.records, data_root=tmp_path).findings)


def test_a_rule_that_was_changed_afterwards_is_found_by_the_files(tmp_path: Path):
    maker = played({"P01": 2})
    JsonFiles(tmp_path).update(maker.league, maker.records)
    kept = forged(maker.records, 1, lambda payload: payload["rules"].update(departed_results="keep"))
    assert any("standings.json" in found.sentence for found in look_at(kept, data_root=tmp_path).findings)

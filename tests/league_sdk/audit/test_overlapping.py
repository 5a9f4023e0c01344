"""Leagues whose rounds overlap, as the audit recomputes them."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.commands import AssignMatch, CompleteLeague, CompleteRound, RecordResult, StartRound
from league_sdk.domain.events import MatchAssigned, RoundStarted
from league_sdk.domain.model import LeagueRules
from league_sdk.domain.pairings.schedule import matches_before
from league_sdk.stores import JsonFiles
from tests.league_sdk.audit.leagues import LEAGUE, Maker, forged, look_at
from tests.requirements.marker import requirement

RULES = LeagueRules(LEAGUE, "even_odd", seed="7", overlapping_rounds=True)
PICKS = st.lists(st.integers(0, 9), min_size=10, max_size=10)


def played(picks: Sequence[int], players: int = 5) -> Maker:
    """A whole league: the next match is any of those whose players are free."""
    maker = Maker(RULES)
    maker.play(players, until=0)
    before = matches_before(maker.league.rounds)
    left = [fixture for scheduled in maker.league.rounds for fixture in scheduled.fixtures]
    for pick in picks:
        free = [fixture for fixture in left if all(map(maker.league.decided, before[fixture.match_id]))]
        fixture = free[pick % len(free)]
        left.remove(fixture)
        for number in range(maker.league.rounds_started + 1, fixture.round_id + 1):
            maker.do(StartRound(number))
        maker.do(AssignMatch(fixture.match_id, "REF01"))
        maker.do(RecordResult(maker.match(fixture)))
        while (number := maker.league.rounds_completed + 1) in maker.league.open_rounds:
            if maker.league.unfinished(number):
                break
            maker.do(CompleteRound(number))
    maker.do(CompleteLeague())
    return maker


@requirement("project-RUN-08")
@given(PICKS)
def test_in_whichever_order_matches_are_played_the_audit_has_the_leagues_table(picks: list[int]):
    maker = played(picks)
    report = look_at(maker.records)
    assert report.findings == []
    assert [(row["player_id"], row["points"], row["played"]) for row in report.standings] == [
        (row.player_id, row.points, row.played) for row in maker.league.standings()
    ]


def test_the_files_of_such_a_league_hold_at_every_moment(tmp_path: Path):
    maker = played([9, 3, 9, 1, 9, 9, 0, 9, 2, 9])
    assert "RoundStarted RoundStarted" in " ".join(record.type for record in maker.records if "Round" in record.type)
    JsonFiles(tmp_path).update(maker.league, maker.records)
    assert look_at(maker.records, data_root=tmp_path).findings == []


def test_rounds_that_overlap_without_the_rule_are_found():
    maker = played([9, 3, 9, 1, 9, 9, 0, 9, 2, 9])
    kept = forged(maker.records, 1, lambda payload: payload["rules"].update(overlapping_rounds=False))
    assert any("has to be next" in found.sentence for found in look_at(kept).findings)


def test_a_match_that_begins_before_its_players_are_free_is_found():
    maker = Maker(RULES)
    maker.play(5, until=0)
    first, second = maker.league.rounds[0].fixtures[0], maker.league.rounds[1].fixtures
    clash = next(fixture for fixture in second if {*fixture.players} & {*first.players})
    for event in (RoundStarted(1), MatchAssigned(first.match_id, "REF01", 1), RoundStarted(2)):
        maker.keep(event)
    maker.keep(MatchAssigned(clash.match_id, "REF02", 1))
    assert [found.sentence for found in look_at(maker.records).findings if "begins before" in found.sentence]

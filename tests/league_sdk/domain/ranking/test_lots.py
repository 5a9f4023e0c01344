"""Lots of a league's level ties: from revealed draws, from the seed, or none at all."""

from dataclasses import replace

import pytest

from league_sdk.domain.decisions.result_summary import summarised
from league_sdk.domain.events import MatchRecorded, RoundCompleted, event_from_json, event_to_json
from league_sdk.domain.model import StageRules
from league_sdk.domain.progress import tournament_of
from league_sdk.domain.ranking.standings import draw_seed
from league_sdk.fairness import lot
from league_sdk.plugins import stages_format
from league_sdk.tournament import Advanced, PlayedRound
from servers.read_model.event_text import event_text
from tests.league_sdk.domain.level_ties import GROUPS, draw, level
from tests.league_sdk.domain.season import registered
from tests.league_sdk.formats.simulation import drawn


def test_a_league_without_a_seed_draws_lots_from_its_matches_draws_and_records_them():
    for first in range(6):
        season = level(first=first)
        draws = [draw(first + 10), draw(first + 20)]
        champion = min(("P01", "P02"), key=lambda player: lot(player, draws))
        assert season.league.champions == (champion,)
        (completed,) = (event for event in season.events if isinstance(event, RoundCompleted) and event.advanced)
        assert completed.advanced == (Advanced(champion, "P01P02".replace(champion, ""), "lots", "Final"),)
        assert event_from_json("RoundCompleted", event_to_json(completed)) == completed


def test_the_summary_of_a_result_keeps_the_draw_that_lots_come_from():
    season = level()
    recorded = [event for event in season.events if isinstance(event, MatchRecorded)]
    for league, kept in ((season.league, [draw(10), draw(20)]), (level(seed="7").league, ["", ""])):
        told = [summarised(event, league) for event in recorded]
        assert [draw_seed(event.result) for event in told if isinstance(event, MatchRecorded)] == kept


def test_without_a_revealed_draw_the_higher_seed_advances_and_the_record_and_texts_say_so():
    season = level(GROUPS, 4, revealed=False)
    assert season.league.champions == ("P01",)
    told = season.events[-2]
    assert told.advanced == (Advanced("P01", "P02", "seed", "Final"),)
    line = event_text(season.league, told)
    assert line is not None
    assert "Player 1 (P01) advances over Player 2 (P02) as the higher seed" in line.line


@pytest.mark.parametrize(("version", "rules"), [(1, {}), (2, {"seed": "7"})], ids=["recorded before", "seed"])
def test_a_league_with_a_seed_or_from_before_keeps_its_lots(version, rules):
    champions = {level(version=version, first=first, **rules).league.champions for first in range(6)}
    assert len(champions) == 1
    assert champions == {level(version=version, revealed=False, **rules).league.champions}


def test_a_knockout_after_groups_draws_its_lots_from_its_own_ties():
    assert {level(GROUPS, 4, first=first).league.champions for first in range(8)} == {("P01",), ("P02",)}


def test_rounds_of_tables_cannot_be_dealt_before_the_draws_of_the_rounds_before():
    stages = (StageRules("tables", {"seats": 3, "rounds": 2}),)
    used = stages_format(stages)

    def second_round(first):
        season = registered(9, stages=stages)
        tournament = tournament_of(season.league)
        paired = used.next_round(tournament)
        assert paired is not None
        results = tuple(replace(drawn(seats), draw=draw(first + place)) for place, seats in enumerate(paired.pairings))
        return used.next_round(replace(tournament, rounds=(PlayedRound(paired, results),)))

    assert len({second_round(first) for first in (1, 4, 7, 10)}) > 1

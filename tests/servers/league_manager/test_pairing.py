"""Leagues of every format, from registration to the final ranking, as the manager pairs them."""

from dataclasses import replace

import pytest

from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.commands import CompleteRound, PairRound, RemovePlayer, StartLeague, StartRound
from league_sdk.domain.league import fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import StageRules
from league_sdk.domain.pairings.schedule import SeriesGame, all_series_games, series_games, told_format
from league_sdk.domain.progress import MOST_ANNOUNCED, tournament_of
from league_sdk.errors import InvalidField, InvalidState, MatchNotFound
from league_sdk.plugins import stages_format
from league_sdk.protocol.mapping import scheduled_matches
from league_sdk.protocol.rounds import RoundAnnouncement
from league_sdk.tournament import ByePoints, PairedRound
from servers.league_manager.announcements import Announcements
from servers.league_manager.pairing import Pairing
from servers.read_model import by_round, stage_views
from tests.league_sdk.domain.season import AssignMatch, Season, registered

pytestmark = pytest.mark.anyio
GROUPS_AND_KNOCKOUT = (StageRules("groups", {"groups": 2}, 4), StageRules("knockout", {"third_place": True}))
PAIRING = Pairing(stages_format)
FORMATS = {
    "double round-robin": (6, (StageRules("round_robin", {"cycles": 2}),)),
    "swiss": (7, (StageRules("swiss", {"rounds": 3}),)),
    "knockout": (6, (StageRules("knockout", {"best_of": 3}),)),
    "double knockout": (5, (StageRules("knockout", {"double": True}),)),
    "ladder": (5, (StageRules("ladder", {"rounds": 4}),)),
    "gauntlet": (5, (StageRules("gauntlet", {}),)),
    "groups, then a knockout": (8, GROUPS_AND_KNOCKOUT),
}


def test_a_number_of_players_that_the_format_refuses_does_not_start():
    season = registered(3, 1, stages=(StageRules("swiss", {"rounds": 9}),))
    with pytest.raises(InvalidState, match=r"the league cannot start: .*3 players"):
        PAIRING.close_registration(season.league, "operator")
    assert season.league.state is LeagueState.WAITING_FOR_REGISTRATIONS


def closed(players, stages, **rules):
    season = registered(players, 2, stages=stages, **rules)
    season.do(PAIRING.close_registration(season.league, "operator"))
    season.do(StartLeague())
    return season


async def next_round(season):
    """Pair the next round where it is not; False after the last one."""
    if season.league.rounds_completed < len(season.league.rounds):
        return True
    if not season.league.expected_rounds:
        return False
    command = await PAIRING.next_round(season.league)
    if command is not None:
        season.do(command)
    return command is not None


async def play(season):
    """Play to the end; the player with the lower id wins."""
    while await next_round(season):
        round_id = season.league.rounds_completed + 1
        season.do(StartRound(round_id))
        for fixture in season.league.unfinished(round_id):
            season.do(AssignMatch(fixture.match_id, "REF01"))
            season.record(fixture.match_id, min(fixture.players))
        season.do(await PAIRING.end_of_round(season.league, round_id))
        assert fold(season.events) == season.league
    season.do(await PAIRING.completion(season.league))
    return season.league


@pytest.mark.parametrize(("players", "stages"), FORMATS.values(), ids=FORMATS)
async def test_a_league_of_each_format_ends_with_its_champion(players, stages):
    league = await play(closed(players, stages))
    assert league.state is LeagueState.COMPLETED
    assert league.champions == ("P01",)
    assert league.standings()[0].player_id == "P01"
    assert league.total_rounds == league.rounds_completed == len(league.rounds)


@pytest.mark.parametrize(("players", "stages"), FORMATS.values(), ids=FORMATS)
async def test_a_manager_that_starts_anew_pairs_the_same_next_round(players, stages):
    season = closed(players, stages)
    while await next_round(season):
        again = Season(fold(season.events), list(season.events))
        round_id = season.league.rounds_completed + 1
        for driven in (season, again):
            driven.do(StartRound(round_id))
            for fixture in driven.league.unfinished(round_id):
                driven.do(AssignMatch(fixture.match_id, "REF01"))
                driven.record(fixture.match_id, min(fixture.players))
            driven.do(CompleteRound(round_id))
        if season.league.expected_rounds:
            assert await PAIRING.next_round(season.league) == await PAIRING.next_round(again.league)


async def test_matches_of_a_series_say_which_and_their_number():
    league = await play(closed(4, (StageRules("knockout", {"best_of": 3}),)))
    told = {match_id: (one.series_id, one.game) for match_id, one in all_series_games(league.rounds).items()}
    assert told == {
        "R1M1": ("R1M1", 1),
        "R1M2": ("R1M2", 1),
        "R2M1G2": ("R1M1", 2),
        "R2M2G2": ("R1M2", 2),
        "R3M1": ("R3M1", 1),
        "R4M1G2": ("R3M1", 2),
    }
    assert told.keys() == league.results.keys()
    assert league.fixture("R2M1G2").players == league.fixture("R1M1").players[::-1]
    with pytest.raises(MatchNotFound):
        league.fixture("R2M1")


async def test_a_drawn_match_becomes_a_series_when_it_is_played_again():
    season = closed(2, (StageRules("knockout"),))
    await next_round(season)
    assert series_games(season.league.rounds, 1) == {}
    season.do(StartRound(1))
    season.do(AssignMatch("R1M1", "REF01"))
    season.record("R1M1", None)
    season.do(CompleteRound(1))
    await next_round(season)
    assert series_games(season.league.rounds, 2) == {"R2M1G2": SeriesGame("R1M1", 2)}


async def test_a_series_that_was_begun_before_series_were_named_goes_on():
    season = closed(2, (StageRules("knockout", {"best_of": 3}),))
    command = await PAIRING.next_round(season.league)
    assert command is not None
    season.do(PairRound(replace(command.paired, game=0, paired_by="")))
    season.play_round(1)
    await next_round(season)
    assert series_games(season.league.rounds, 2) == {"R2M1G2": SeriesGame("R1M1", 2)}


@pytest.mark.parametrize("complete", [0, 1])
async def test_a_series_without_its_first_match_is_refused(complete):
    season = closed(4, (StageRules("knockout", {"best_of": 3}),))
    for round_id in range(1, complete + 1):  # P01 meets P04
        await next_round(season)
        season.play_round(round_id)
    with pytest.raises(InvalidField, match="game"):
        season.do(PairRound(PairedRound((("P01", "P02"),), game=2)))


async def test_a_round_is_announced_with_its_format_and_its_series():
    season = closed(2, (StageRules("knockout", {"best_of": 3}),))
    await next_round(season)
    season.play_round(1)
    await next_round(season)
    to, _ = Announcements(ManualClock(), ManualIds(), "token").round(season.league, 2, {"R2M1G2": "REF01"})
    message = to("P01")
    assert isinstance(message, RoundAnnouncement)
    assert (message.format, message.stage, message.paired_by) == ("knockout", 1, "bracket")
    (match,) = message.matches
    assert (match.match_id, match.series_id, match.game) == ("R2M1G2", "R1M1", 2)
    scheduled = [(match.match_id, match.series_id, match.game) for match in scheduled_matches(season.league)]
    assert scheduled == [("R1M1", "R1M1", 1), ("R2M1G2", "R1M1", 2)]


@pytest.mark.parametrize(
    ("stage", "paired_by"),
    [("swiss", "points"), ("gauntlet", "schedule"), ("groups", "schedule"), ("knockout", "bracket")],
)
async def test_a_round_says_what_decided_its_pairings(stage, paired_by):
    season = closed(6, (StageRules(stage),))
    await next_round(season)
    told = told_format(season.league.rules, season.league.rounds[0])
    assert told == {"format": stage, "stage": 1, "paired_by": paired_by}


async def test_a_knockout_ranks_by_its_bracket_and_not_by_points():
    league = await play(closed(8, (StageRules("knockout", {"third_place": True}),)))
    assert [(row.rank, row.player_id) for row in league.standings()][:4] == [
        (1, "P01"),
        (2, "P02"),
        (3, "P03"),
        (4, "P04"),
    ]
    assert [row.rank for row in league.standings()][4:] == [5, 5, 5, 5]


async def test_a_knockout_ranks_by_its_bracket_after_each_round():
    season = closed(8, (StageRules("knockout"),))
    tables = []
    for round_id in (1, 2, 3):
        await next_round(season)
        season.do(StartRound(round_id))
        for fixture in season.league.unfinished(round_id):
            season.do(AssignMatch(fixture.match_id, "REF01"))
            season.record(fixture.match_id, max(fixture.players))  # each loser has as many points as it had won
        season.do(await PAIRING.end_of_round(season.league, round_id))
        tables.append({row.player_id: row.rank for row in season.league.standings()})
    assert [sorted(table.values()) for table in tables] == [
        [1, 1, 1, 1, 5, 5, 5, 5],
        [1, 1, 3, 3, 5, 5, 5, 5],
        [1, 2, 3, 3, 5, 5, 5, 5],
    ]
    assert tables == [{row.player_id: row.rank for row in table.rows} for table in by_round(season.league)]
    assert {row.decided_by for row in season.league.standings()} == {"", "format"}


async def test_lots_that_decide_a_tie_are_the_same_in_pairings_and_in_the_ranking():
    for seed in range(8):
        season = closed(2, (StageRules("knockout", {"extra_matches": 1}),), seed=str(seed))
        while await next_round(season):
            round_id = season.league.rounds_completed + 1
            season.do(StartRound(round_id))
            season.do(AssignMatch(season.league.rounds[-1].fixtures[0].match_id, "REF01"))
            season.record(season.league.rounds[-1].fixtures[0].match_id, None)
            season.do(await PAIRING.end_of_round(season.league, round_id))
        season.do(await PAIRING.completion(season.league))
        (stage,) = stage_views(season.league, stages_format(season.league.rules.stages))
        assert (stage.lanes[""][-1].ties[0].tie.winner,) == season.league.champions


async def test_a_league_by_points_records_no_ranking():
    season = closed(6, (StageRules("swiss", {"rounds": 2}),))
    await next_round(season)
    season.play_round(1)
    assert await PAIRING.end_of_round(season.league, 1) == CompleteRound(1)


async def test_a_ranking_of_strangers_is_refused():
    season = closed(2, (StageRules("knockout"),))
    await next_round(season)
    season.do(StartRound(1))
    season.do(AssignMatch("R1M1", "REF01"))
    season.record("R1M1", "P01")
    for ranking in ((("P01",), ("P01",)), (("P01",), ("P09",))):
        with pytest.raises(InvalidField, match="ranking"):
            season.do(CompleteRound(1, ranking))


async def test_a_bye_of_a_swiss_tournament_is_worth_a_win():
    season = closed(5, (StageRules("swiss", {"rounds": 2}),))
    await next_round(season)
    season.play_round(1)
    (sat_out,) = season.league.rounds[0].byes
    row = next(row for row in season.league.standings() if row.player_id == sat_out)
    assert (row.played, row.points, row.byes) == (0, 3, 1)


async def test_a_removed_player_is_not_paired_any_more():
    season = closed(6, (StageRules("swiss", {"rounds": 3}),))
    await next_round(season)
    season.play_round(1)
    season.do(RemovePlayer("P03", "enough"))
    await next_round(season)
    assert "P03" not in {player for fixture in season.league.rounds[1].fixtures for player in fixture.players}
    assert {entrant.player_id: entrant.left_after for entrant in tournament_of(season.league).entrants}["P03"] == 1


async def test_a_schedule_that_is_long_is_paired_round_by_round():
    season = closed(102, (StageRules(),))
    assert season.league.rounds == ()
    assert season.league.total_rounds == 101
    assert MOST_ANNOUNCED < 102 * 101 // 2
    await next_round(season)
    assert len(season.league.rounds[0].fixtures) == 51


async def test_a_round_is_not_paired_while_another_one_is_open():
    season = closed(4, (StageRules("swiss", {"rounds": 2}),))
    await next_round(season)
    with pytest.raises(InvalidState, match="round 1 is paired already"):
        season.do(PairRound(PairedRound((("P01", "P02"),))))


@pytest.mark.parametrize(
    "paired",
    [
        PairedRound((("P01", "P02"), ("P02", "P03"))),
        PairedRound((("P01", "P02"),), ("P01",), ByePoints.WIN),
        PairedRound((("P01", "P09"),)),
        PairedRound(()),
    ],
    ids=["twice", "plays and sits out", "no player", "no match"],
)
async def test_pairings_that_cannot_be_are_refused(paired):
    season = closed(4, (StageRules("swiss", {"rounds": 2}),))
    with pytest.raises(InvalidField, match="pairings"):
        season.do(PairRound(paired))

"""A player that the operator removes: what stays, what is void, and who can win."""

import pytest

from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteLeague,
    CompleteRound,
    RegisterPlayer,
    RegisterReferee,
    RemovePlayer,
    ResumeLeague,
    ReturnAgent,
    StartLeague,
    StartRound,
    StopLeague,
)
from league_sdk.domain.events import LeagueCompleted, MatchVoided, PlayerRemoved, event_from_json, event_to_json
from league_sdk.domain.league import fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import (
    AuthTokenInvalid,
    DuplicateName,
    InvalidState,
    LeagueAlreadyComplete,
    LeagueFull,
    PlayerNotRegistered,
)
from tests.league_sdk.domain.season import Season, agent, created, first_round, registered, running, scheduled

CAUSE = "P01 was removed by the operator: two of one author"


def remove(player_id: str = "P01", reason: str = "two of one author") -> RemovePlayer:
    return RemovePlayer(player_id, reason)


def voids(season: Season) -> dict[str, str]:
    return dict(season.league.voided)


def finish(season: Season, from_round: int) -> Season:
    """The other rounds; the player with the higher number wins what is left."""
    for round_id in range(from_round, len(season.league.rounds) + 1):
        if season.league.current_round is None:
            season.do(StartRound(round_id))
        for fixture in season.league.unfinished(round_id):
            season.do(AssignMatch(fixture.match_id, "REF02"))
            season.record(fixture.match_id, max(fixture.players))
        season.do(CompleteRound(round_id))
    season.do(CompleteLeague())
    return season


class TestMatches:
    def test_what_was_decided_stays_and_everything_else_is_void_at_once(self):
        season = running()
        season.play_round(1)
        before = season.league.results
        events = season.do(remove())
        assert events == (
            PlayerRemoved("P01", "two of one author"),
            MatchVoided("R2M1", CAUSE),
            MatchVoided("R3M1", CAUSE),
        )
        assert season.league.results == before
        assert {match_id for match_id in before if "P01" in before[match_id].players} == {"R1M1"}

    def test_a_match_under_way_is_void_and_takes_no_report_any_more(self):
        season = first_round()
        season.do(remove())
        with pytest.raises(InvalidState, match="is void") as refused:
            season.record("R1M1", "P02")
        assert refused.value.context["cause"] == CAUSE

    def test_a_match_that_is_void_already_keeps_its_cause(self):
        season = running(3)
        season.do(remove("P02", "first"))
        season.do(remove("P03", "second"))
        assert sorted(voids(season).values()) == [
            "P02 was removed by the operator: first",
            "P02 was removed by the operator: first",
            "P03 was removed by the operator: second",
        ]

    def test_without_a_reason_the_cause_says_who_did_it(self):
        season = scheduled(2 + 1)
        season.do(RemovePlayer("P01"))
        assert set(voids(season).values()) == {"P01 was removed by the operator"}

    def test_nobody_gets_points_or_blame_for_a_match_that_was_not_played(self):
        season = running()
        season.do(remove())
        assert {(row.points, row.played, row.losses) for row in season.league.standings()} == {(0, 0, 0)}

    def test_what_is_left_is_played_and_the_league_ends(self):
        season = first_round()
        season.do(remove())
        finish(season, 1)
        assert season.league.state is LeagueState.COMPLETED
        assert set(voids(season)) == {"R1M1", "R2M1", "R3M1"}
        assert len(season.league.results) == 3
        assert season.league.player_stats("P01").remaining == 0
        assert season.league.next_match("P01") is None


class TestTheTable:
    def test_a_removed_player_keeps_its_row_with_a_mark(self):
        season = running()
        season.play_round(1)
        season.do(remove())
        rows = {row.player_id: row for row in season.league.standings()}
        assert (rows["P01"].rank, rows["P01"].points, rows["P01"].removed) == (1, 3, True)
        assert [player_id for player_id, row in rows.items() if row.removed] == ["P01"]

    def test_the_champions_are_the_best_of_those_who_stayed(self):
        season = running()
        season.play_round(1)
        season.play_round(2)
        season.do(remove("P03"))
        season.do(StartRound(3))
        season.do(AssignMatch("R3M1", "REF01"))
        season.record("R3M1", None)
        season.do(CompleteRound(3))
        assert season.do(CompleteLeague()) == (LeagueCompleted(("P01", "P04")),)
        assert [(row.player_id, row.rank, row.points) for row in season.league.standings()] == [
            ("P03", 1, 6),
            ("P01", 2, 4),
            ("P04", 2, 4),
            ("P02", 4, 0),
        ]

    def test_the_only_one_left_is_no_champion_without_a_match(self):
        season = running(3)
        season.do(remove("P01"))
        season.do(remove("P03"))
        finish(season, 1)
        assert season.league.champions == ()
        assert season.league.results == {}


class TestWho:
    def test_removing_again_changes_nothing(self):
        season = running()
        season.do(remove())
        assert season.do(remove(reason="another")) == ()
        assert season.do(remove()) == ()

    def test_nobody_unknown_can_be_removed(self):
        for season in (registered(), running()):
            with pytest.raises(PlayerNotRegistered):
                season.do(remove("P09"))
            with pytest.raises(PlayerNotRegistered):
                season.do(remove("REF01"))

    def test_the_last_one_has_to_stay(self):
        season = running(2)
        season.do(remove())
        with pytest.raises(InvalidState, match="stop the league instead"):
            season.do(remove("P02"))

    def test_a_league_that_is_over_is_over(self):
        season = running(3)
        season.do(remove("P02"))
        finish(season, 1)
        with pytest.raises(LeagueAlreadyComplete):
            season.do(remove())
        assert season.do(remove("P02")) == ()

    def test_it_can_be_done_in_a_pause(self):
        season = first_round()
        season.do(StopLeague("paused"))
        season.do(remove())
        season.do(ResumeLeague())
        assert set(voids(season)) == {"R1M1", "R2M1", "R3M1"}

    def test_it_cannot_come_back(self):
        for season in (registered(), running()):
            season.do(remove())
            with pytest.raises(AuthTokenInvalid, match="removed by the operator"):
                season.do(ReturnAgent("P01", "digest", "http://elsewhere"))


class TestRegistration:
    def test_the_seat_is_free_for_another_with_another_id(self):
        season = registered(2, 1, expected_players=2)
        assert season.league.quorum()
        season.do(remove())
        assert not season.league.quorum()
        season.do(RegisterPlayer(agent("Newcomer")))
        assert list(season.league.players) == ["P02", "P03"]
        assert season.league.quorum()

    def test_there_is_room_for_one_more_and_not_for_two(self):
        season = registered(2, 1, max_players=2)
        season.do(remove())
        season.do(RegisterPlayer(agent("Newcomer")))
        with pytest.raises(LeagueFull):
            season.do(RegisterPlayer(agent("Another")))

    def test_the_name_is_not_given_again_to_a_player(self):
        season = registered(2, 1)
        season.do(remove())
        with pytest.raises(DuplicateName):
            season.do(RegisterPlayer(agent("Player 1")))
        season.do(RegisterReferee(agent("Player 1")))

    def test_a_reserved_seat_is_not_held_for_who_was_removed(self):
        season = created(max_players=2, roster={"Alpha": "P01"})
        season.do(RegisterPlayer(agent("Alpha")))
        season.do(remove())
        season.do(RegisterPlayer(agent("Beta")))
        season.do(RegisterPlayer(agent("Gamma")))
        assert list(season.league.players) == ["P02", "P03"]

    def test_it_is_in_no_table_and_in_no_match(self):
        season = registered(3, 1)
        season.do(remove())
        season.do(CloseRegistration("operator"))
        assert [row.player_id for row in season.league.standings()] == ["P02", "P03"]
        assert [fixture.players for one in season.league.rounds for fixture in one.fixtures] == [("P02", "P03")]
        assert voids(season) == {}
        assert list(season.league.dismissed) == ["P01"]

    def test_too_few_are_too_few(self):
        season = registered(2, 1)
        season.do(remove())
        with pytest.raises(InvalidState, match="too few"):
            season.do(CloseRegistration("operator"))

    def test_all_may_be_removed(self):
        season = registered(2, 1)
        season.do(remove())
        season.do(remove("P02"))
        assert season.league.players == {}
        assert season.league.winners() == ()


def test_the_same_league_comes_out_of_its_records():
    season = registered(5, 2)
    season.do(remove("P05"))
    season.do(CloseRegistration("operator"))
    season.do(StartLeague())
    season.play_round(1)
    season.do(remove())
    finish(season, 2)
    stored = [event_from_json(type(event).__name__, event_to_json(event)) for event in season.events]
    assert fold(stored) == season.league

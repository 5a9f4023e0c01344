"""Sitting out: its beginning, its end, and the matches that are not played."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.commands import (
    AssignMatch,
    CompleteRound,
    ForfeitMatch,
    PairRound,
    Rejoin,
    RemovePlayer,
    SitOut,
    StartRound,
)
from league_sdk.domain.events import (
    LeagueCreated,
    MatchRecorded,
    PlayerRejoined,
    PlayerSatOut,
    event_from_json,
    event_to_json,
)
from league_sdk.domain.evolution import evolve, fold
from league_sdk.domain.league import decide
from league_sdk.domain.model import Cause, Fault, ResultStatus
from league_sdk.domain.participants.sitting_out import LIFTED_BY, LiftedBy, SittingOutReason, is_absence
from league_sdk.domain.ranking.standings import table
from league_sdk.errors import InvalidField, InvalidState, LeagueAlreadyComplete, LeagueFull, PlayerNotRegistered
from league_sdk.ratings.matches import rated_matches
from league_sdk.tournament import PairedRound
from tests.league_sdk.domain.season import Season, running

ABSENT, OPERATOR = SittingOutReason.ABSENT, SittingOutReason.OPERATOR


def out(season: Season, player: str, reason: SittingOutReason) -> None:
    """Let a player sit out for any reason, without what leads to it."""
    season.league = evolve(season.league, PlayerSatOut(player, reason))


def missing(season: Season, match_id: str, player: str, cause: Cause = Cause.NO_JOIN, **evidence: object) -> None:
    """Record that one player of a match gave no answer."""
    other = next(each for each in season.league.fixture(match_id).players if each != player)
    fault = Fault(player, cause, "join", "E001", 4, "no answer", evidence)
    season.record(match_id, other, status=ResultStatus.TECHNICAL_LOSS, faults=(fault,))


def play(season: Season, round_id: int, absent: str = "", cause: Cause = Cause.NO_JOIN) -> None:
    """A round in which one player is absent, and the first seats win elsewhere; forfeits are forfeited."""
    season.do(StartRound(round_id))
    for fixture in season.league.unfinished(round_id):
        if season.league.sits_out(fixture):
            season.do(ForfeitMatch(fixture.match_id))
            continue
        season.do(AssignMatch(fixture.match_id, "REF01"))
        if absent in fixture.players:
            missing(season, fixture.match_id, absent, cause)
        else:
            season.record(fixture.match_id, fixture.players[0])
    season.do(CompleteRound(round_id))


def absent_league(rounds: int = 3, players: int = 6) -> Season:
    season = running(players, absences_before_sitting_out=3)
    for round_id in range(1, rounds + 1):
        play(season, round_id, absent="P06")
    return season


def test_a_player_that_misses_every_try_in_three_matches_running_sits_out():
    season = absent_league(2)
    assert not season.league.sitting_out
    play(season, 3, absent="P06")
    (event,) = [event for event in season.events if isinstance(event, PlayerSatOut)]
    missed = tuple(
        fixture.match_id
        for played in season.league.rounds[:3]
        for fixture in played.fixtures
        if "P06" in fixture.players
    )
    assert event == PlayerSatOut("P06", ABSENT, "", missed)
    assert season.league.playing() == ("P01", "P02", "P03", "P04", "P05")
    assert next(row for row in season.league.standings() if row.player_id == "P06").sitting_out == "absent"


def test_a_match_in_which_it_was_there_starts_the_count_anew():
    season = running(6, absences_before_sitting_out=3)
    for round_id, absent in enumerate(("P06", "P06", "", "P06", "P06"), start=1):
        play(season, round_id, absent)
    assert not season.league.sitting_out


def test_a_league_of_0_absences_and_one_from_before_the_rule_let_nobody_sit_out_for_them():
    created = event_to_json(running(2).events[0])
    del created["rules"]["absences_before_sitting_out"]
    before = event_from_json("LeagueCreated", created)
    assert isinstance(before, LeagueCreated)
    assert before.rules.absences_before_sitting_out == 0
    season = running(6, absences_before_sitting_out=0)
    for round_id in range(1, 6):
        play(season, round_id, absent="P06")
    assert not season.league.sitting_out


@pytest.mark.parametrize("cause", [Cause.ILLEGAL_MOVE, Cause.DECLINED, Cause.MALFORMED_REPLY, Cause.CRASHED_HANDLER])
def test_an_answer_however_bad_is_no_absence(cause: Cause):
    season = running(6, absences_before_sitting_out=3)
    for round_id in range(1, 6):
        play(season, round_id, absent="P06", cause=cause)
    assert not season.league.sitting_out


@pytest.mark.parametrize(
    ("earlier", "absence"),
    [
        ([{"cause": "no_move"}, {"cause": "connection_refused"}], True),
        ([{"cause": "illegal_move"}], False),
        ([{"try": 1}], False),
        (["nonsense"], True),
        ("nonsense", True),
    ],
)
def test_a_call_of_which_one_try_was_answered_was_not_missed(earlier: object, absence: bool):
    fault = Fault("P01", Cause.NO_MOVE, "move", "E001", 2, "late", {"earlier": earlier})
    assert is_absence(fault) is absence


def test_a_match_of_a_player_that_sits_out_is_a_forfeit_that_is_not_played_and_given_to_no_referee():
    season = absent_league()
    season.do(StartRound(4))
    fixture = next(each for each in season.league.round(4).fixtures if "P06" in each.players)
    other = next(player for player in fixture.players if player != "P06")
    with pytest.raises(InvalidState, match="P06 sits out"):
        season.do(AssignMatch(fixture.match_id, "REF01"))
    (event,) = season.do(ForfeitMatch(fixture.match_id))
    assert isinstance(event, MatchRecorded)
    result = event.result
    assert (result.not_played, result.winner, result.referee_id) == (True, other, "")
    assert (result.score, [fault.cause for fault in result.faults]) == ({other: 3, "P06": 0}, [Cause.SITS_OUT])
    with pytest.raises(InvalidState, match="not open"):
        season.do(ForfeitMatch(fixture.match_id))


def test_two_that_sit_out_lose_their_match_both():
    season = running(2)
    for player in ("P01", "P02"):
        season.do(SitOut(player, OPERATOR))
    season.do(StartRound(1))
    (event,) = season.do(ForfeitMatch("R1M1"))
    assert isinstance(event, MatchRecorded)
    assert (event.result.winner, event.result.score) == (None, {"P01": 0, "P02": 0})
    rows = season.league.standings()
    assert [(row.losses, row.not_played, row.technical_losses) for row in rows] == [(1, 1, 1)] * 2


def test_only_a_match_of_a_player_that_sits_out_is_forfeited():
    season = running(2)
    season.do(StartRound(1))
    with pytest.raises(InvalidState, match="no player of R1M1 sits out"):
        season.do(ForfeitMatch("R1M1"))


def test_a_match_that_is_under_way_is_finished_and_counts():
    season = running(2, absences_before_sitting_out=1)
    season.do(StartRound(1))
    season.do(AssignMatch("R1M1", "REF01"))
    season.do(SitOut("P02", OPERATOR, "a rest"))
    missing(season, "R1M1", "P02")  # its absence is no second reason
    assert season.league.sitting_out["P02"].reason is OPERATOR
    assert not season.league.results["R1M1"].not_played


def test_points_count_and_ratings_and_meetings_leave_out_a_match_that_was_not_played():
    season = absent_league()
    for round_id in (4, 5):
        play(season, round_id)
    results = list(season.league.results.values())
    unplayed = [result for result in results if result.not_played]
    assert len(unplayed) == 2
    names = {player: player for player in season.league.players}
    rows = {row.player_id: row for row in table(names, results, ("points", "buchholz", "koya", "sonneborn_berger"))}
    played = table(names, [result for result in results if not result.not_played], ("points", "buchholz", "koya"))
    for row in played:
        assert rows[row.player_id].tie_breaks["buchholz"] >= row.tie_breaks["buchholz"]
    for result in unplayed:
        assert result.winner is not None
        assert rows[result.winner].not_played == 1
        assert "P06" not in season.league.tally.met[result.winner]
    assert len(list(rated_matches(results))) == len(results) - 2
    assert rows["P06"].played == 5, "each counts as a match, as before"


def test_the_absent_rejoin_by_a_call_or_a_probe_and_others_by_whom_their_reason_names():
    for reason, ends in LIFTED_BY.items():
        for by in LiftedBy:
            season = running(4)
            out(season, "P01", reason)
            assert [type(event) for event in season.do(Rejoin("P01", by))] == [PlayerRejoined] * (by in ends)
            assert ("P01" in season.league.sitting_out) is (by not in ends)
    assert LiftedBy.CALL not in LIFTED_BY[SittingOutReason.CRASHED]
    assert all(LiftedBy.OPERATOR in ends for ends in LIFTED_BY.values())


def test_who_rejoins_plays_what_is_not_forfeited_yet_and_sits_out_again_after_one_more_absence():
    season = absent_league()
    play(season, 4)
    season.do(Rejoin("P06", LiftedBy.PROBE))
    assert season.do(Rejoin("P06", LiftedBy.PROBE)) == ()
    play(season, 5, absent="P06")
    assert season.league.sitting_out["P06"].reason is ABSENT
    assert [result.not_played for result in season.league.player_stats("P06").results] == [False] * 3 + [True, False]


def test_a_stronger_reason_replaces_a_weaker_one_and_not_the_other_way_round():
    season = running(4)
    out(season, "P01", ABSENT)
    with pytest.raises(InvalidField, match="crashed, overstepped or operator"):
        season.do(SitOut("P01", ABSENT))
    season.do(SitOut("P01", OPERATOR, "cheats"))
    assert season.do(SitOut("P01", SittingOutReason.CRASHED)) == ()
    assert season.do(SitOut("P01", OPERATOR)) == ()
    assert (season.league.sitting_out["P01"].reason, season.league.sitting_out["P01"].detail) == (OPERATOR, "cheats")


def test_nobody_sits_out_that_is_not_in_the_league_or_has_left_or_after_its_end():
    season = running(3)
    season.do(RemovePlayer("P03"))
    for player in ("P03", "P09"):
        for command in (SitOut(player, OPERATOR), Rejoin(player, LiftedBy.OPERATOR)):
            with pytest.raises(PlayerNotRegistered):
                season.do(command)
    finished = running(2).play()
    with pytest.raises(LeagueAlreadyComplete):
        finished.do(SitOut("P01", OPERATOR))


def test_who_is_removed_sits_out_no_more():
    season = running(3)
    season.do(SitOut("P03", OPERATOR))
    season.do(RemovePlayer("P03"))
    assert not season.league.sitting_out


def test_a_round_that_chooses_its_pairs_takes_nobody_that_sits_out_and_one_of_a_bracket_does():
    season = running(4).play_rounds()
    season.do(SitOut("P04", OPERATOR))
    pairs, byes = (("P01", "P02"),), ("P04",)
    for paired in (PairedRound((("P01", "P04"),), paired_by="points"), PairedRound(pairs, byes, paired_by="points")):
        with pytest.raises(InvalidField, match="don't sit out"):
            season.do(PairRound(paired))
    season.do(PairRound(PairedRound((("P01", "P04"),), paired_by="bracket")))


def test_the_place_of_an_absent_player_that_never_came_is_free_and_it_rejoins_where_there_is_room():
    season = running(4, max_players=4, absences_before_sitting_out=1)
    play(season, 1, absent="P04")
    assert season.league.freed() == {"P04"}
    assert season.league.taken_places() == 3
    season.do(Rejoin("P04", LiftedBy.PROBE))
    play(season, 2, absent="P04")
    full = replace(season.league, rules=replace(season.league.rules, max_players=3))
    assert decide(full, Rejoin("P04", LiftedBy.CALL)) == ()
    with pytest.raises(LeagueFull, match="that of P04 was freed"):
        decide(full, Rejoin("P04", LiftedBy.OPERATOR))
    season.do(Rejoin("P04", LiftedBy.CALL))
    play(season, 3)
    out(season, "P04", ABSENT)
    assert season.league.freed() == frozenset(), "it has played"


steps = st.lists(
    st.one_of(
        st.builds(SitOut, st.sampled_from(["P01", "P02", "P03", "P04"]), st.sampled_from([*SittingOutReason][1:])),
        st.builds(Rejoin, st.sampled_from(["P01", "P02", "P03", "P04"]), st.sampled_from(LiftedBy)),
        st.sampled_from(["P01", "P02", "P03", "P04", ""]),
    ),
    max_size=12,
)


@given(steps)
def test_whatever_happens_a_fold_gives_the_same_league_and_the_table_adds_up(taken: list[SitOut | Rejoin | str]):
    season = running(4, absences_before_sitting_out=2, stages=())
    season.league = fold(season.events)
    upcoming = 1
    for step in taken:
        if not isinstance(step, str):
            season.do(step)
        elif upcoming <= 3:
            play(season, upcoming, absent=step)
            upcoming += 1
    stored = [event_from_json(type(event).__name__, event_to_json(event)) for event in season.events]
    assert fold(stored) == fold(season.events) == season.league
    rows, results = season.league.standings(), season.league.results.values()
    assert sum(row.points for row in rows) == sum(sum(result.score.values()) for result in results)
    assert sum(row.played for row in rows) == 2 * len(results)
    assert sum(row.not_played for row in rows) == 2 * sum(result.not_played for result in results)
    for result in results:
        assert bool(result.referee_id) is not result.not_played

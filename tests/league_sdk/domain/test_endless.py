"""Leagues without a last round: they continue until they are closed."""

from dataclasses import replace

import pytest

from league_sdk.domain import played_rounds
from league_sdk.domain.commands import (
    CloseLeague,
    CloseRegistration,
    CompleteLeague,
    CompleteRound,
    EnterPlayer,
    PairRound,
    RemovePlayer,
    StartLeague,
    StopLeague,
    WithdrawAgent,
)
from league_sdk.domain.evolution import fold
from league_sdk.domain.model import StageRules
from league_sdk.domain.progress import outcome_after, tournament_of
from league_sdk.errors import InvalidState, LeagueNotStarted, RegistrationClosed
from league_sdk.formats.ladder import Ladder
from league_sdk.tournament import ENDLESS, PairedRound
from tests.league_sdk.domain.season import AssignMatch, Season, StartRound, agent, registered, running
from tests.requirements.marker import requirement

LADDER = Ladder(endless=True)


def begun(players: int = 4) -> Season:
    season = registered(players, stages=(StageRules("ladder", {"endless": True}),))
    season.do(CloseRegistration("operator", expected_rounds=ENDLESS))
    season.do(StartLeague())
    return season


def next_round(season: Season, ladder: Ladder = LADDER) -> PairedRound:
    paired = ladder.next_round(tournament_of(season.league))
    assert paired is not None
    return paired


def play(season: Season, ladder: Ladder = LADDER) -> None:
    """A round in which the second seats win."""
    season.do(PairRound(next_round(season, ladder)))
    number = len(season.league.rounds)
    season.do(StartRound(number))
    for fixture in season.league.unfinished(number):
        season.do(AssignMatch(fixture.match_id, "REF01"))
        season.record(fixture.match_id, fixture.players[1])
    season.do(CompleteRound(number, *outcome_after(season.league, ladder, number)))


@requirement("project-LEAVE-05")
def test_it_goes_on_until_it_is_closed_and_then_has_a_champion():
    season = begun()
    for number in range(1, 8):
        play(season)
        assert (season.league.total_rounds, season.league.goes_on) == (number, True)
    with pytest.raises(InvalidState, match="no last round: close it first"):
        season.do(CompleteLeague(season.league.ranking))
    season.do(CloseLeague("the week is over"))
    assert season.do(CloseLeague()) == ()
    with pytest.raises(InvalidState, match="no further round"):
        season.do(PairRound(next_round(season)))
    with pytest.raises(RegistrationClosed, match="the league is closed"):
        season.do(EnterPlayer(agent("Late"), "none"))
    season.do(CompleteLeague(LADDER.ranking(tournament_of(season.league))))
    assert season.league.champions == season.league.ranking[0]
    assert fold(season.events) == season.league


def test_a_round_that_is_paired_is_played_after_the_closing():
    season = begun()
    season.do(PairRound(next_round(season)))
    season.do(CloseLeague())
    with pytest.raises(InvalidState, match="0 of 1 rounds are complete"):
        season.do(CompleteLeague())
    season.play_round(1)
    season.do(CompleteLeague())


def test_players_come_and_go_in_any_number():
    season = begun(2)
    for number in range(3, 9):
        play(season)
        season.do(EnterPlayer(agent(f"Player {number}"), "none"))
        season.do(WithdrawAgent(f"P{number - 2:02d}") if number % 2 else RemovePlayer(f"P{number - 2:02d}"))
    assert season.league.staying() == ("P07", "P08")
    assert {*next_round(season).pairings[0]} == {"P07", "P08"}
    assert fold(season.events) == season.league


def test_the_rounds_before_are_seen_by_the_format_as_they_were_played():
    season = begun()
    for _ in range(3):
        play(season)
    seen = tournament_of(season.league).rounds
    assert len(seen) == 3
    assert [each.paired.pairings for each in seen] == [
        tuple(fixture.players for fixture in each.fixtures) for each in season.league.rounds
    ]
    assert seen[-1].results[0].winner == season.league.rounds[2].fixtures[0].players[1]
    assert seen[1:] == (seen[1], seen[2])


def test_only_an_endless_league_that_runs_is_closed():
    with pytest.raises(InvalidState, match="ends by itself after round 3"):
        running().do(CloseLeague())
    waiting = registered(4, stages=(StageRules("ladder", {"endless": True}),))
    with pytest.raises(LeagueNotStarted):
        waiting.do(CloseLeague())
    stopped = begun()
    stopped.do(StopLeague("tea"))
    with pytest.raises(InvalidState, match="resume it first"):
        stopped.do(CloseLeague())


def test_a_ladder_of_a_number_of_rounds_is_paired_from_its_last_ranking_too(monkeypatch):
    ladder = Ladder(rounds=40)
    season = registered(4, stages=(StageRules("ladder", {"rounds": 40}),))
    season.do(CloseRegistration("operator", expected_rounds=40))
    season.do(StartLeague())
    looked_at: list[str] = []
    whole = played_rounds.pairing_result
    monkeypatch.setattr(
        played_rounds, "pairing_result", lambda result: looked_at.append(result.match_id) or whole(result)
    )
    for number in range(1, 31):
        looked_at.clear()
        play(season, ladder)
        assert {int(match_id[1 : match_id.index("M")]) for match_id in looked_at} <= {number}
    places = [player for group in season.league.ranking for player in group]
    rankings = replace(season.league, rankings=(), ranking=())
    assert places == [player for group in ladder.ranking(tournament_of(rankings)) for player in group]

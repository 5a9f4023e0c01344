"""Players that enter after the start: which leagues take them, and what their missed rounds are worth."""

import pytest

from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteRound,
    EnterPlayer,
    PairRound,
    RegisterPlayer,
    StartLeague,
    StartRound,
)
from league_sdk.domain.events import PlayerEntered, event_from_json, event_to_json
from league_sdk.domain.evolution import fold
from league_sdk.domain.model import StageRules
from league_sdk.domain.progress import tournament_of
from league_sdk.errors import DuplicateName, InvalidField, RegistrationClosed
from league_sdk.formats.swiss import Swiss
from league_sdk.tournament import PairedRound
from tests.league_sdk.domain.season import Season, agent, registered, running
from tests.requirements.marker import requirement

SWISS = Swiss(rounds=3, late_entry_points="draw")


def begun(players: int = 6, **changes) -> Season:
    season = registered(players, stages=(StageRules("swiss", {"rounds": 3, "late_entry_points": "draw"}),), **changes)
    season.do(CloseRegistration("operator", expected_rounds=3))
    season.do(StartLeague())
    return season


def next_round(season: Season, swiss: Swiss = SWISS) -> PairedRound:
    paired = swiss.next_round(tournament_of(season.league))
    assert paired is not None
    return paired


def pair(season: Season) -> None:
    season.do(PairRound(next_round(season)))


def play(season: Season) -> None:
    pair(season)
    season.play_round(len(season.league.rounds))


def row(season: Season, player_id: str = "P07"):
    return next(row for row in season.league.standings() if row.player_id == player_id)


@requirement("project-LEAVE-03")
@pytest.mark.parametrize(("worth", "points"), [("draw", 2), ("none", 0)])
def test_a_player_enters_between_rounds_with_the_points_of_those_that_it_missed(worth, points):
    season = begun()
    play(season)
    play(season)
    (event,) = season.do(EnterPlayer(agent("Late"), worth))
    assert (event.player.agent_id, event.bye_points) == ("P07", worth)
    assert (row(season).points, row(season).byes) == (points, points)
    play(season)
    assert "P07" in {player for match in season.league.rounds[2].fixtures for player in match.players} | set(
        season.league.rounds[2].byes
    )
    assert tournament_of(season.league).points() == {each.player_id: each.points for each in season.league.standings()}
    assert fold(season.events) == season.league


def test_a_round_that_is_being_played_is_missed_too_and_counts_once_it_is_complete():
    season = begun()
    pair(season)
    season.do(StartRound(1))
    season.do(EnterPlayer(agent("Late"), "draw"))
    assert row(season).points == 0
    for fixture in season.league.unfinished(1):
        season.do(AssignMatch(fixture.match_id, "REF01"))
        season.record(fixture.match_id, fixture.players[0])
    season.do(CompleteRound(1))
    assert (row(season).points, row(season).byes) == (1, 1)


def test_a_player_that_enters_while_the_next_round_is_being_paired_misses_it():
    season = begun()
    paired = next_round(season)
    season.do(EnterPlayer(agent("Late"), "draw"))
    season.do(PairRound(paired))
    season.play_round(1)
    assert (season.league.missed["P07"], row(season).points) == (1, 1)
    play(season)
    assert season.league.missed["P07"] == 1


def test_it_ranks_as_one_that_stayed_away_for_the_points_of_a_draw():
    season = begun(tiebreakers=("points", "buchholz", "progressive"))
    play(season)
    season.do(EnterPlayer(agent("Late"), "draw"))
    assert row(season).tie_breaks == {"buchholz": 1, "progressive": 1}


def test_the_number_of_rounds_stays_that_of_the_start():
    season = registered(4, stages=(StageRules("swiss", {"late_entry_points": "none"}),))
    season.do(CloseRegistration("operator", expected_rounds=2))
    season.do(StartLeague())
    swiss = Swiss(late_entry_points="none")
    season.do(PairRound(next_round(season, swiss)))
    season.play_round(1)
    season.do(EnterPlayer(agent("Late")))
    season.do(PairRound(next_round(season, swiss)))
    season.play_round(2)
    assert swiss.next_round(tournament_of(season.league)) is None


@pytest.mark.parametrize("command", [RegisterPlayer(agent("Late")), EnterPlayer(agent("Late"))])
def test_a_league_whose_rounds_are_all_scheduled_takes_nobody(command):
    with pytest.raises(RegistrationClosed, match=r"^Registration closed$"):
        running().do(command)


def test_it_is_too_late_once_the_last_round_is_paired():
    season = begun()
    for _ in range(3):
        play(season)
    with pytest.raises(RegistrationClosed, match="takes no late entry here"):
        season.do(EnterPlayer(agent("Late")))


def test_a_late_player_is_checked_like_any_other():
    season = begun()
    with pytest.raises(DuplicateName):
        season.do(EnterPlayer(agent("Player 1")))
    with pytest.raises(InvalidField):
        season.do(EnterPlayer(agent("Late"), "win"))


def test_the_event_comes_back_from_its_json():
    season = begun()
    (event,) = season.do(EnterPlayer(agent("Late"), "draw"))
    assert isinstance(event, PlayerEntered)
    assert event_from_json("PlayerEntered", event_to_json(event)) == event

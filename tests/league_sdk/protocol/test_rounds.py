import pytest

from league_sdk.errors import InvalidField
from league_sdk.protocol.rounds import (
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompletedMessage,
    StandingRow,
)
from tests.league_sdk.protocol.samples import CODEC, example
from tests.requirements.marker import requirement

ROW = {"rank": 1, "player_id": "P01", "display_name": "A", "wins": 2, "draws": 1, "losses": 1, "points": 7}


def _row(**fields):
    message = example(LeagueStandingsUpdate, standings=[{**ROW, **fields}])
    return CODEC.parse(message, LeagueStandingsUpdate).standings[0]


def test_a_row_that_does_not_say_how_many_were_played_is_counted():
    assert _row().played == 4


def test_a_row_may_use_the_other_name_of_played():
    assert _row(games_played=6).played == 6


def test_played_is_written_under_both_its_names():
    row = StandingRow.model_validate({**ROW, "played": 4})
    assert row.model_dump(mode="json") == {**ROW, "played": 4, "games_played": 4}


@pytest.mark.parametrize("rows", [[{**ROW, "wins": "2"}], [{**ROW, "played": None}], ["P01"], [{**ROW, "rank": 0}]])
def test_a_row_that_is_not_right_is_refused(rows):
    with pytest.raises(InvalidField):
        CODEC.parse(example(LeagueStandingsUpdate, standings=rows), LeagueStandingsUpdate)


def test_a_row_without_results_is_read_all_the_same():
    row = {name: value for name, value in ROW.items() if name != "wins"}
    update = CODEC.parse(example(LeagueStandingsUpdate, standings=[row]), LeagueStandingsUpdate)
    assert (update.standings[0].wins, update.standings[0].draws) == (0, 1)


@requirement("002-RANN-01")
def test_seats_have_the_wire_s_names():
    match = {
        "match_id": "R1M1",
        "game_type": "even_odd",
        "player_A_id": "P01",
        "player_B_id": "P02",
        "referee_endpoint": "http://localhost:8001/mcp",
    }
    announcement = CODEC.parse(example(RoundAnnouncement, matches=[match]), RoundAnnouncement)
    assert announcement.matches[0].player_a_id == "P01"
    assert CODEC.render(announcement)["matches"] == [match]
    snake = {"player_a_id" if name == "player_A_id" else name: value for name, value in match.items()}
    unread = CODEC.parse(example(RoundAnnouncement, matches=[snake]), RoundAnnouncement)
    assert unread.matches[0].player_a_id == ""


@requirement("000-LM-RCOMP-01", "002-RCOMP-01")
def test_after_the_last_round_the_next_one_is_null():
    completed = CODEC.parse(example(RoundCompletedMessage, next_round_id=None), RoundCompletedMessage)
    assert CODEC.render(completed)["next_round_id"] is None


@requirement("000-LM-RCOMP-01")
def test_ours_mentions_the_next_round_and_a_foreign_one_need_not():
    message = example(RoundCompletedMessage)
    del message["next_round_id"]
    read = CODEC.parse(message, RoundCompletedMessage)
    assert read.next_round_id is None
    with pytest.raises(ValueError, match="RoundCompletedMessage has to be written with next_round_id"):
        CODEC.render(read)


def test_the_number_of_matches_has_two_names():
    message = example(RoundCompletedMessage, matches_completed=2)
    del message["matches_played"]
    assert CODEC.parse(message, RoundCompletedMessage).matches_played == 2
    assert CODEC.parse({**message, "matches_played": 3}, RoundCompletedMessage).matches_played == 3


def test_a_referee_acknowledges_with_its_own_id():
    ack = CODEC.parse(example(RoundAnnouncementAck, referee_id="REF01"), RoundAnnouncementAck)
    assert (ack.referee_id, ack.player_id) == ("REF01", None)

"""The feed of a league, for everybody."""

from league_sdk.domain.commands import (
    AssignMatch,
    CompleteLeague,
    CompleteRound,
    RegisterPlayer,
    RemovePlayer,
    ResumeLeague,
    ReturnAgent,
    StartRound,
    StopLeague,
    VoidMatch,
)
from league_sdk.domain.league import evolve
from servers import read_model
from servers.read_model import FeedEntry
from tests.league_sdk.domain.season import agent
from tests.servers.league_history import LeagueHistory, begun, finished, technical_loss, under_way, waiting


def feed(history: LeagueHistory) -> list[FeedEntry]:
    """All entries, each made of the league as it is after its record."""
    entries, league = list[FeedEntry](), None
    for record in history.records():
        league = evolve(league, record.event)
        entry = read_model.feed_entry(league, record)
        entries += [] if entry is None else [entry]
    return entries


def told(history: LeagueHistory) -> list[str]:
    return [note.text for note in feed(history)]


def test_a_league_is_told_from_its_first_event_to_its_last():
    assert told(finished(2)) == [
        "League summer is open for registration.",
        "Referee 1 registered as referee.",
        "Referee 2 registered as referee.",
        "Player 1 registered as player.",
        "Player 2 registered as player.",
        "Schedule: 1 round, 1 match.",
        "The league started.",
        "Round 1 of 1 started.",
        "R1M1: Player 1 beat Player 2.",
        "Round 1 of 1 complete.",
        "The league is complete; champion: Player 1.",
    ]


def test_a_brief_record_tells_the_same():
    for history in (finished(2), finished(4)):
        league, records = history.league, list(history.records())
        short = [read_model.brief(record) for record in records]
        assert [read_model.feed_entry(league, record) for record in short] == [
            read_model.feed_entry(league, record) for record in records
        ]
        assert max(len(str(record.payload)) for record in short if record.type == "MatchRecorded") < 300
        assert all(not record.payload["rounds"] for record in short if record.type == "ScheduleCreated")


def test_what_goes_wrong_is_told_without_the_reason_that_may_name_addresses():
    history = begun(4)
    for command in (
        StartRound(1),
        AssignMatch("R1M1", "REF01"),
        AssignMatch("R1M1", "REF02", "http://secret is down"),
        VoidMatch("R1M1", "http://secret is down"),
        StopLeague("enough"),
        ResumeLeague(),
        ReturnAgent("P01", "digest", "http://localhost/P01"),
        ReturnAgent("REF01", "digest", "http://localhost/REF01"),
    ):
        history.do(command)
    text = told(history)
    assert text[-6:] == [
        "R1M1 is played again by Referee 2.",
        "R1M1 is void.",
        "The league is stopped.",
        "The league resumed.",
        "Player 1 is back.",
        "Referee 1 is back.",
    ]
    assert "secret" not in " ".join(text)


def test_a_removal_is_told_with_its_void_matches_in_one_line():
    history = under_way(4)
    history.do(RemovePlayer("P01", "it\n\u202ecrashed"))
    history.do(RemovePlayer("P02"))
    history.do(VoidMatch("R1M2", "no referee"))
    assert told(history)[-3:] == [
        "Player 1 was removed by the operator: it\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}crashed; "
        "3 matches are void.",
        "Player 2 was removed by the operator; 2 matches are void.",
        "R1M2 is void.",
    ]


def test_who_was_removed_before_the_schedule_has_a_name_and_no_page():
    history = waiting(3)
    history.do(RemovePlayer("P02"))
    last = [note for record in history.records() if (note := read_model.feed_entry(history.league, record))][-1]
    assert last.text == "Player 2 was removed by the operator."
    assert [span.linked for span in last.spans] == [False, False, False]


def test_every_ending_has_its_sentence():
    history = under_way(4)
    history.season.record("R1M1", None)
    history.do(AssignMatch("R1M2", "REF01"))
    result = technical_loss(history, "R1M2", "P04")
    history.season.record("R1M2", result.winner, status=result.status, faults=result.faults)
    history.do(CompleteRound(1))
    assert told(history)[-3:-1] == [
        "R1M1: Player 1 drew with Player 2.",
        "R1M2: Player 3 won by technical loss of Player 4.",
    ]


def test_both_may_be_at_fault():
    history = under_way(2)
    result = technical_loss(history, "R1M1", "P01", "P02")
    history.season.record("R1M1", None, status=result.status, faults=result.faults, score=result.score)
    history.do(CompleteRound(1))
    history.do(CompleteLeague())
    text = told(history)
    assert "R1M1: Player 1 and Player 2 both lost technically." in text
    assert text[-1].startswith("The league is complete; champions: Player 1, Player 2")


def test_names_are_marked_as_said_by_agents_and_cannot_turn_text_round():
    history = waiting(1)
    history.do(RegisterPlayer(agent("\u202eevil\n<b>")))
    *_, last = feed(history)
    assert [(span.text, span.agent_id, span.linked, span.by_agent) for span in last.spans] == [
        ("\N{REPLACEMENT CHARACTER}evil\N{REPLACEMENT CHARACTER}<b>", "P02", True, True),
        (" registered as player", "", False, False),
        (".", "", False, False),
    ]

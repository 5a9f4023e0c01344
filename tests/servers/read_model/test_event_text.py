"""The text of events at a terminal, where the operator reads."""

import pytest

from league_sdk.domain import events
from league_sdk.domain.commands import (
    CloseRegistration,
    CompleteRound,
    ForfeitMatch,
    PairRound,
    RecordResult,
    RegisterPlayer,
    Rejoin,
    RemovePlayer,
    SitOut,
    StartLeague,
    StartRound,
)
from league_sdk.domain.events import (
    AgentReturned,
    EpochBegun,
    LeagueCompleted,
    LeagueResumed,
    LeagueStopped,
    MadeReadOnly,
    MatchAssigned,
    MatchVoided,
    OperatorTokenChanged,
    PlayerSatOut,
    Record,
    RunPlanned,
    seal,
)
from league_sdk.domain.league import League, evolve
from league_sdk.domain.model import StageRules
from league_sdk.domain.participants.sitting_out import LiftedBy, SittingOutReason
from league_sdk.tournament import PairedRound
from servers.read_model import operator_entry
from servers.read_model.event_text import EVENTS, result_line
from tests.league_sdk.domain.season import AssignMatch, agent, registered
from tests.requirements.marker import requirement
from tests.servers.league_history import LeagueHistory, begun, finished, technical_loss, under_way, waiting


def sentence(league: League, record: Record) -> str | None:
    entry = operator_entry(league, record)
    return None if entry is None else entry.text


def told(history: LeagueHistory) -> list[str | None]:
    return [sentence(history.league, record) for record in history.records()]


def after(history: LeagueHistory, event: events.Event) -> str | None:
    record = seal("summer", 99, "2025-01-15T10:00:00.000Z", event, "0" * 64)
    return sentence(evolve(history.league, event), record)


def test_a_league_is_told_from_its_first_to_its_last_event():
    lines = told(finished(2, expected_players=2))
    assert lines == [
        "league summer is open for registration: fingers, waiting for 2 players and 1 referee",
        "Referee 1 (REF01) registered as referee",
        "Referee 2 (REF02) registered as referee",
        "Player 1 (P01) registered as player; 2 of 2 players",
        "Player 2 (P02) registered as player; 2 of 2 players",
        "schedule: 1 round, 1 match",
        "the league started with 2 players and 2 referees",
        "round 1 of 1 started: R1M1 P01-P02",
        None,
        "R1M1: Player 1 (P01) beat Player 2 (P02)",
        "round 1 of 1 complete: 1. Player 1 3, 2. Player 2 0",
        "the league is complete; champion: Player 1 (P01)",
    ]


@requirement("003-LOG-10")
def test_every_kind_of_event_has_a_text_and_its_lines_of_the_log():
    assert set(EVENTS) == set(events.EVENT_TYPES.values())


def test_without_an_expected_number_the_players_so_far_are_counted():
    assert told(waiting(1))[-1] == "Player 1 (P01) registered as player; 1 player so far"


@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        ("mcp/league.v2", ""),
        ("mcp/league.v2?", ""),
        ("", ""),
        ("jsonrpc/league.v1", ", speaking jsonrpc/league.v1"),
        ("mcp/league.v2/push", ", speaking mcp/league.v2/push"),
    ],
)
def test_a_dialect_is_told_where_it_is_not_the_usual_one(dialect, said):
    history = waiting(0)
    history.do(RegisterPlayer(agent("Ada", dialect=dialect)))
    assert told(history)[-1] == f"Ada (P01) registered as player{said}; 1 player so far"


def test_a_bye_is_announced_with_its_round():
    rounds = [line for line in told(finished(3)) if line and " of 3 started: R" in line]
    byes = [line.partition("; bye: ")[2] for line in rounds]
    assert sorted(byes) == ["P01", "P02", "P03"]


def test_a_long_round_is_cut_short():
    line = next(line for line in told(finished(24)) if line and line.startswith("round 1 of 23 started"))
    assert line.endswith(" and 2 more")


def test_a_second_attempt_is_told_with_its_reason():
    history = under_way()
    line = after(history, MatchAssigned("R1M1", "REF02", 2, "REF01 stopped\x07 answering"))
    assert line == "R1M1 is played again by Referee 2 (REF02): REF01 stopped\N{REPLACEMENT CHARACTER} answering"


def test_a_void_match_an_interruption_and_a_return_are_told():
    history = under_way()
    assert after(history, MatchVoided("R1M1", "no referee")) == "R1M1 is void: no referee"
    assert after(history, LeagueStopped("interrupted")) == "the league is stopped: interrupted"
    assert after(history, LeagueStopped("paused by the operator")) == "the league is paused"
    assert after(history, LeagueStopped("paused: REF01 refuses")) == "the league is paused: REF01 refuses"
    assert after(history, AgentReturned(history.league.players["P02"])) == "Player 2 (P02) is back"
    history.season.league = evolve(history.league, LeagueStopped("interrupted"))
    assert after(history, LeagueResumed("again")) == "the league resumed"


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("kept", None),
        ("rotated", "the operator's token was changed under the one before; agents register again"),
        ("lost", "the operator's token was changed without the one before; agents register again"),
    ],
)
def test_a_changed_token_of_the_operators_is_told(how, text):
    assert after(under_way(), OperatorTokenChanged("digest", how)) == text


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (RunPlanned({"shared": {}}), None),
        (
            MadeReadOnly("restored"),
            "these records were restored from a backup, and no manager leads them until the operator says so",
        ),
        (MadeReadOnly("archived"), "the records were archived, and no manager leads them until the operator says so"),
        (EpochBegun(2, "id"), "epoch 2 begins: older managers of this league lead it no more"),
    ],
)
def test_the_lead_of_restored_records_is_told(event, text):
    assert after(under_way(), event) == text


def test_a_removal_is_told_with_its_void_matches_in_one_line():
    history = under_way(3)
    lines = [sentence(history.league, record) for record in history.do(RemovePlayer("P01", "it\x07crashed"))]
    text = "was removed by the operator: it\N{REPLACEMENT CHARACTER}crashed; 2 matches are void"
    assert lines == [f"Player 1 (P01) {text}", None, None]
    history = waiting(2, expected_players=2)
    assert sentence(history.league, *history.do(RemovePlayer("P02"))) == "Player 2 (P02) was removed by the operator"


def test_a_round_is_announced_without_matches_that_are_void_already():
    history = begun(4)
    history.do(RemovePlayer("P01"))
    assert [sentence(history.league, record) for record in history.do(StartRound(1))] == [
        "round 1 of 3 started: R1M2 P03-P04"
    ]
    history = begun(2)
    history.do(RemovePlayer("P01"))
    assert [sentence(history.league, record) for record in history.do(StartRound(1))] == [
        "round 1 of 1 started: no match"
    ]


def test_several_champions_are_all_named():
    history = finished(2)
    record = seal("summer", 1, "2025-01-15T10:00:00.000Z", LeagueCompleted(("P01", "P02")), "0" * 64)
    line = sentence(history.league, record)
    assert line == "the league is complete; champions: Player 1 (P01), Player 2 (P02)"


def test_a_draw_and_technical_losses_are_told_apart():
    history = under_way()
    drawn = history.season.result("R1M1", None, reason="both alike")
    assert result_line(history.league, drawn) == "R1M1: Player 1 (P01) drew with Player 2 (P02): both alike"
    one = technical_loss(history, "R1M1", "P01")
    assert result_line(history.league, one) == (
        "R1M1: Player 2 (P02) won by technical loss of Player 1 (P01): no answer in time"
    )
    both = technical_loss(history, "R1M1", "P01", "P02")
    assert result_line(history.league, both) == (
        "R1M1: Player 1 (P01) and Player 2 (P02) both lost technically: no answer in time"
    )
    history.do(RecordResult(one))
    assert told(history)[-1] == result_line(history.league, one)


def test_a_record_of_a_kind_that_is_not_worth_a_line_has_none():
    history = under_way()
    record: Record = history.records()[-1]
    assert isinstance(record.event, MatchAssigned)
    assert sentence(history.league, record) is None


def series_told(tiebreakers: tuple[str, ...], *winners: int | None) -> list[str]:
    """The lines of the matches of the first series of three; a winner is a seat of its first match."""
    season = registered(2, stages=(StageRules("round_robin", {"best_of": 3}),), tiebreakers=tiebreakers)
    season.do(CloseRegistration("operator", expected_rounds=3))
    season.do(StartLeague())
    lines: list[str] = []
    for number, winner in enumerate(winners, start=1):
        seats = ("P01", "P02") if number % 2 else ("P02", "P01")
        season.do(PairRound(PairedRound((seats,), game=number)))
        season.do(StartRound(number))
        match_id = season.league.rounds[-1].fixtures[0].match_id
        season.do(AssignMatch(match_id, "REF01"))
        season.record(match_id, None if winner is None else ("P01", "P02")[winner])
        lines.append(result_line(season.league, season.league.results[match_id]).partition("series ")[2])
        season.do(CompleteRound(number))
    return [line.partition(": ")[0] for line in lines]


@pytest.mark.parametrize("tiebreakers", [("points",), ("series_points", "points")])
def test_a_match_of_a_series_is_told_with_its_score_and_that_it_is_decided(tiebreakers: tuple[str, ...]):
    assert series_told(tiebreakers, 0, 0) == ["1:0, 2 to play", "2:0, decided with 1 match to play"]
    assert series_told(tiebreakers, 0, 1, 1) == ["1:0, 2 to play", "1:1, 1 to play", "2:1, decided"]
    assert series_told(tiebreakers, None, 1, 0) == ["½:½, 2 to play", "1½:½, 1 to play", "1½:1½, level"]


def test_sitting_out_its_end_and_a_match_that_is_not_played_are_told():
    history = begun(4)
    silent = PlayerSatOut("P04", SittingOutReason.ABSENT, matches=("R1M1", "R2M1"))
    assert after(history, silent) == "Player 4 (P04) sits out, absent: no answer in R1M1, R2M1"
    assert sentence(history.league, *history.do(SitOut("P04", SittingOutReason.OPERATOR, "a rest"))) == (
        "Player 4 (P04) sits out, by the operator: a rest"
    )
    history.do(StartRound(1))
    match = next(each for each in history.league.under_way() if "P04" in each.players)
    told = sentence(history.league, *history.do(ForfeitMatch(match.match_id)))
    assert told == "R1M2 is not played: Player 4 (P04) sits out, and Player 3 (P03) has the points"
    history.do(SitOut("P01", SittingOutReason.OVERSTEPPED))
    history.do(SitOut("P02", SittingOutReason.CRASHED))
    told = sentence(history.league, *history.do(ForfeitMatch("R1M1")))
    assert told == "R1M1 is not played: Player 1 (P01) and Player 2 (P02) sit out"
    rejoined = sentence(history.league, *history.do(Rejoin("P04", LiftedBy.OPERATOR)))
    assert rejoined == "Player 4 (P04) plays again, by the operator"

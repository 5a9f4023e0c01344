import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteLeague,
    CompleteRound,
    CreateLeague,
    RecordResult,
    RegisterPlayer,
    RegisterReferee,
    StartLeague,
    StartRound,
    VoidMatch,
)
from league_sdk.domain.league import decide, evolve
from league_sdk.domain.league_state import PlayerProgress
from league_sdk.domain.model import (
    Agent,
    Assignment,
    Cause,
    Fault,
    Fixture,
    LeagueRules,
    MatchResult,
    ResultStatus,
    Role,
    Scoring,
)
from league_sdk.domain.ranking.standing import Standing
from league_sdk.protocol import mapping
from league_sdk.protocol.match import MatchResultReport
from league_sdk.protocol.operator import ScoringInfo
from league_sdk.protocol.registration import LeagueRegisterRequest, RefereeRegisterRequest
from tests.league_sdk.protocol.samples import CODEC, example, json_values, timestamps
from tests.requirements.marker import requirement

META = {
    "display_name": "Agent Alpha",
    "version": "1.4.0",
    "game_types": ["even_odd", "tic_tac_toe"],
    "contact_endpoint": "http://localhost:8101/mcp",
}
RULES = LeagueRules("l", "even_odd", min_players=2, expected_players=None)
PLAYERS = ("P01", "P02", "P03")


def _agent(role, name, port):
    return Agent("", role, name, f"http://localhost:{port}/mcp", "digest", game_types=("even_odd",))


def _play(*commands, league=None):
    for command in commands:
        for event in decide(league, command):
            league = evolve(league, event)
    assert league is not None
    return league


def _registered():
    referees = [RegisterReferee(_agent(Role.REFEREE, name, port)) for name, port in (("R1", 8001), ("R2", 8002))]
    players = [RegisterPlayer(_agent(Role.PLAYER, name, port)) for name, port in (("A", 1), ("B", 2), ("C", 3))]
    return _play(CreateLeague(RULES), *referees, *players)


def _scheduled():
    return _play(CloseRegistration("operator"), league=_registered())


def _win(fixture, winner):
    score = {player: 3 if player == winner else 0 for player in fixture.players}
    return MatchResult(
        fixture.match_id, fixture.round_id, fixture.players, ResultStatus.WIN, winner, score, referee_id="REF01"
    )


def _round(league, round_id, winner=None):
    """Play a round in which `winner` wins its match, or whose matches are void when there is no winner."""
    league = _play(StartRound(round_id), league=league)
    for fixture in league.round(round_id).fixtures:
        league = _play(AssignMatch(fixture.match_id, "REF01", ""), league=league)
        decided = VoidMatch(fixture.match_id, "no referee") if winner is None else RecordResult(_win(fixture, winner))
        league = _play(decided, league=league)
    return _play(CompleteRound(round_id), league=league)


def _running():
    return _play(StartLeague(), league=_scheduled())


def _player_request(**meta):
    return CODEC.parse(example(LeagueRegisterRequest, player_meta={**META, **meta}), LeagueRegisterRequest)


def _referee_request(**meta):
    whole = {**META, "max_concurrent_matches": 4, **meta}
    return CODEC.parse(example(RefereeRegisterRequest, referee_meta=whole), RefereeRegisterRequest)


def test_a_player_that_registers_becomes_an_agent_without_an_id():
    agent = mapping.agent_from_meta(_player_request(protocol_version="2.0.3").player_meta, "even_odd")
    assert agent == Agent(
        "",
        Role.PLAYER,
        "Agent Alpha",
        "http://localhost:8101/mcp",
        "",
        version="1.4.0",
        game_types=("even_odd", "tic_tac_toe"),
        protocol_version="2.0.3",
    )


def test_a_referee_that_registers_says_how_much_it_can_do():
    agent = mapping.agent_from_meta(_referee_request(protocol_version="2.0.3").referee_meta, "even_odd")
    assert (agent.role, agent.max_concurrent_matches, agent.protocol_version) == (Role.REFEREE, 4, "2.0.3")


@requirement("003-TYPE-18")
def test_who_names_no_protocol_version_speaks_the_present_one():
    assert mapping.agent_from_meta(_player_request().player_meta, "even_odd").protocol_version == "2.1.0"
    assert mapping.agent_from_meta(_referee_request().referee_meta, "even_odd").protocol_version == "2.1.0"


@requirement("002-STAND-01")
def test_the_table_keeps_its_order():
    standings = [
        Standing(1, "P02", "B", 3, 2, 1, 0, 7),
        Standing(2, "P01", "A", 3, 1, 0, 2, 3, technical_losses=1),
    ]
    rows = mapping.standing_rows(standings)
    assert [row.model_dump(mode="json") for row in rows] == [
        {
            "rank": row.rank,
            "player_id": row.player_id,
            "display_name": row.display_name,
            "played": row.played,
            "wins": row.wins,
            "draws": row.draws,
            "losses": row.losses,
            "points": row.points,
            "games_played": row.played,
        }
        for row in standings
    ]


@requirement("002-RANN-01")
def test_an_announced_match_names_its_referee():
    league = _registered()
    fixtures = [Fixture("R1M1", 1, ("P01", "P02"))]
    (info,) = mapping.match_infos(fixtures, {"R1M1": "REF02"}, league.referees, "even_odd")
    assert info.model_dump(mode="json") == {
        "match_id": "R1M1",
        "game_type": "even_odd",
        "player_A_id": "P01",
        "player_B_id": "P02",
        "referee_endpoint": "http://localhost:8002/mcp",
        "referee_id": "REF02",
    }


def test_a_schedule_shows_how_far_each_match_is():
    league = _running()
    first = league.round(1).fixtures[0]
    assert [match.status for match in mapping.scheduled_matches(league)] == ["SCHEDULED"] * 3

    league = _play(StartRound(1), AssignMatch("R1M1", "REF02", ""), league=league)
    assigned = mapping.scheduled_match(league, first)
    assert (assigned.status, assigned.referee_id) == ("ASSIGNED", "REF02")
    assert assigned.referee_endpoint == "http://localhost:8002/mcp"

    result = dataclasses.replace(_win(first, first.players[0]), referee_id="REF02")
    league = _play(RecordResult(result), league=league)
    completed = mapping.scheduled_match(league, first)
    assert (completed.status, completed.winner, completed.result) == ("COMPLETED", first.players[0], "WIN")

    league = _round(_play(CompleteRound(1), league=league), 2)
    assert [match.status for match in mapping.scheduled_matches(league)] == ["COMPLETED", "VOID", "SCHEDULED"]


def test_a_league_tells_how_far_it_is():
    league = _round(_round(_running(), 1, winner=None), 2, winner=_running().round(2).fixtures[0].players[0])
    status = mapping.league_status(league)
    assert status.model_dump(mode="json") == {
        "state": "RUNNING",
        "players": 3,
        "referees": 2,
        "current_round": 2,
        "total_rounds": 3,
        "matches_completed": 1,
        "total_matches": 3,
        "void_matches": {"R1M1": "no referee"},
    }
    assert mapping.league_status(_registered()).void_matches is None


@requirement("002-LCOMP-02")
def test_a_league_has_champions_when_it_is_complete():
    league = _running()
    for round_id in (1, 2, 3):
        league = _round(league, round_id, winner=league.round(round_id).fixtures[0].players[0])
    assert mapping.champions(league) == ()
    league = _play(CompleteLeague(), league=league)
    best = league.standings()[0]
    assert [champion.player_id for champion in mapping.champions(league)] == list(league.champions)
    assert mapping.champions(league)[0].points == best.points


def test_a_player_s_record_has_its_share_of_wins():
    league = _running()
    winner = league.round(1).fixtures[0].players[0]
    league = _round(league, 1, winner=winner)
    stats = mapping.player_stats(league.player_stats(winner))
    assert (stats.rank, stats.played, stats.wins, stats.points) == (1, 1, 1, 3)
    assert (stats.remaining, stats.win_rate) == (1, 1.0)
    idle = next(player for player in PLAYERS if player not in league.round(1).fixtures[0].players)
    assert mapping.player_stats(league.player_stats(idle)).win_rate == 0.0


def test_a_player_is_told_its_own_faults_and_of_many_only_the_last():
    standing = Standing(1, "P01", "A", 60)
    both = tuple(Fault(player, Cause.NO_MOVE, "move", "E001", 4, f"{player} was silent") for player in ("P01", "P02"))
    played = [
        MatchResult(f"R{n}M1", n, ("P01", "P02"), ResultStatus.TECHNICAL_LOSS, None, {}, "REF01", faults=both)
        for n in range(1, mapping.MOST_FAILURES + 3)
    ]
    record = PlayerProgress(standing, tuple(played), (), 0)
    assert mapping.player_stats(record).failures is None
    told = mapping.player_stats(record, failures=True).failures or ()
    assert [(failure.match_id, failure.round_id) for failure in told] == [
        (f"R{n}M1", n) for n in range(3, mapping.MOST_FAILURES + 3)
    ]
    assert {(failure.player_id, failure.cause, failure.description) for failure in told} == {
        ("P01", Cause.NO_MOVE, "P01 was silent")
    }


@given(st.integers(), st.integers(), st.integers(), st.integers())
def test_scoring_survives_the_way_to_a_referee(win, draw, loss, technical_loss):
    scoring = Scoring(win, draw, loss, technical_loss)
    assert mapping.scoring(mapping.scoring_info(scoring)) == scoring


def test_a_referee_is_told_each_of_the_points():
    info = mapping.scoring_info(Scoring(4, 3, 2, 1))
    assert info.model_dump(mode="json") == {"win": 4, "draw": 3, "loss": 2, "technical_loss": 1}
    assert mapping.scoring(info) == Scoring(win=4, draw=3, loss=2, technical_loss=1)


def test_a_referee_that_is_told_no_scoring_uses_the_usual_one():
    assert mapping.scoring(None) == Scoring() == mapping.scoring(ScoringInfo())


details = st.dictionaries(
    st.text(min_size=1, max_size=5).filter(lambda name: name not in ("status", "reason")), json_values, max_size=3
)
faults = st.builds(
    Fault,
    player_id=st.sampled_from(["P01", "P02"]),
    cause=st.sampled_from(Cause),
    phase=st.sampled_from(["join", "move"]),
    error_code=st.sampled_from(["E001", "E004"]),
    tries=st.integers(1, 4),
    description=st.text(max_size=5),
    evidence=details,
)
results = st.builds(
    MatchResult,
    match_id=st.just("R1M1"),
    round_id=st.just(1),
    players=st.just(("P01", "P02")),
    status=st.sampled_from(ResultStatus),
    winner=st.sampled_from([None, "P01", "P02"]),
    score=st.fixed_dictionaries({"P01": st.integers(0, 3), "P02": st.integers(0, 3)}),
    referee_id=st.just("REF01"),
    attempt=st.integers(1, 5),
    reason=st.text(max_size=5),
    details=details,
    faults=st.lists(faults, max_size=2).map(tuple),
    lifecycle=st.dictionaries(
        st.text(min_size=1, max_size=5), timestamps.map(lambda text: f"{text[:19]}.000Z"), max_size=3
    ),
    transcript=st.lists(details, max_size=2).map(tuple),
)


@requirement("004-LM-08")
@given(results)
def test_a_result_survives_the_way_to_the_league(result):
    message = example(MatchResultReport, round_id=1, attempt=result.attempt)
    message["result"] = mapping.report(result).model_dump(mode="json")
    report = CODEC.parse(message, MatchResultReport)
    assert mapping.match_result(report, Fixture("R1M1", 1, ("P01", "P02")), "REF01") == result


def test_a_technical_loss_is_reported_with_its_fault_and_what_showed_it():
    fault = Fault("P02", Cause.NO_MOVE, "move", "E001", 4, "silent", {"sent": {"deadline": "soon"}})
    result = MatchResult(
        "R1M1",
        1,
        ("P01", "P02"),
        ResultStatus.TECHNICAL_LOSS,
        "P01",
        {"P01": 3, "P02": 0},
        "REF01",
        attempt=2,
        reason="P02 did not move",
        details={"drawn_number": 8, "draw": {"seed": "s"}},
        faults=(fault,),
        lifecycle={"CREATED": "2025-01-15T10:00:00.000Z"},
        transcript=({"sent": {"message_type": "MOVE_CALL"}},),
    )
    body = mapping.report(result).model_dump(mode="json")
    assert body["details"] == {
        "status": "TECHNICAL_LOSS",
        "reason": "P02 did not move",
        "draw": {"seed": "s"},
        "drawn_number": 8,
    }
    assert body["faults"] == [
        {
            "player_id": "P02",
            "cause": "no_move",
            "phase": "move",
            "error_code": "E001",
            "tries": 4,
            "description": "silent",
            "evidence": {"sent": {"deadline": "soon"}},
        }
    ]
    message = example(MatchResultReport, round_id=1, attempt=2, result=body)
    report = CODEC.parse(message, MatchResultReport)
    assert mapping.match_result(report, Fixture("R1M1", 1, ("P01", "P02")), "REF01") == result


def _bare_report(**fields):
    body = {"winner": "P01", "score": {"P01": 3, "P02": 0}, "details": {"drawn_number": 8}}
    return CODEC.parse(example(MatchResultReport, result=body, **fields), MatchResultReport)


@requirement("004-LM-08")
def test_a_report_with_the_required_fields_alone_is_enough():
    fixture = Fixture("R1M1", 1, ("P01", "P02"))
    assert mapping.match_result(_bare_report(), fixture, "REF02", attempt=2) == MatchResult(
        "R1M1",
        1,
        ("P01", "P02"),
        ResultStatus.WIN,
        "P01",
        {"P01": 3, "P02": 0},
        "REF02",
        attempt=2,
        details={"drawn_number": 8},
    )


@pytest.mark.parametrize(("said", "attempt"), [(None, 2), (1, 1), (3, 3)])
def test_a_report_that_does_not_say_its_attempt_is_about_the_current_one(said, attempt):
    fixture = Fixture("R1M1", 1, ("P01", "P02"))
    current = Assignment("R1M1", "REF01", 2)
    result = mapping.match_result(_bare_report(attempt=said), fixture, "REF01", attempt=current.attempt)
    assert result.attempt == attempt

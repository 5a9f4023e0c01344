"""Asking the league manager: at any time, and without any effect; and results that come while others do."""

import anyio
import pytest

from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.commands import AssignMatch, CompleteLeague, CompleteRound, ReturnAgent, StartRound
from league_sdk.domain.evolution import fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.ports import CallRefused
from servers.league_manager.announcements import Announcements
from tests.requirements.marker import requirement
from tests.servers.fakes import LEAGUE, OPERATOR, Manager, enrol, envelope, manager, query, result_report, start

pytestmark = pytest.mark.anyio

KINDS = ("GET_STANDINGS", "GET_STATUS", "GET_SCHEDULE", "GET_NEXT_MATCH", "GET_PLAYER_STATS")


async def scheduled(players: int) -> Manager:
    made = await manager()
    await enrol(made.ledger, players, 2)
    await start(made.ledger)
    return made


async def under_way() -> Manager:
    made = await scheduled(2)
    await made.ledger.execute(StartRound(1))
    await made.ledger.execute(AssignMatch("R1M1", "REF01"))
    return made


async def over() -> Manager:
    made = await under_way()
    await made.call("report_match_result", result_report())
    await made.ledger.execute(CompleteRound(1))
    await made.ledger.execute(CompleteLeague())
    return made


@requirement("000-LM-QUERY-01", "002-QUERY-04")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("when", "state"), [(lambda: scheduled(2), "RUNNING"), (under_way, "RUNNING"), (over, "COMPLETED")]
)
async def test_a_player_may_ask_while_the_league_runs_and_after_it_and_changes_nothing(when, state, kind):
    made = await when()
    before, stored = made.league, len(made.records)
    answer = await made.call("league_query", query(kind))
    assert answer["message_type"] == "LEAGUE_QUERY_RESPONSE"
    assert answer["query_type"] == kind
    assert made.league is before
    assert len(made.records) == stored
    assert made.league.state is LeagueState(state)


@requirement("000-LM-QUERY-03")
async def test_a_player_that_is_not_registered_gets_no_answer():
    made = await under_way()
    message = envelope("LEAGUE_QUERY", "player:P77", "a guess", league_id=LEAGUE, query_type="GET_STANDINGS")
    with pytest.raises(CallRefused) as caught:
        await made.call("league_query", message)
    assert caught.value.data is not None
    assert caught.value.data["error_code"] == "E012"
    assert "standings" not in caught.value.data


@requirement("004-LM-09")
async def test_every_row_of_the_standings_says_who_and_how_many():
    made = await under_way()
    await made.call("report_match_result", result_report())
    (first, second) = (await made.call("get_standings", {}, OPERATOR))["standings"]
    expected = {
        "rank": 1,
        "player_id": "P01",
        "display_name": "Player 1",
        "played": 1,
        "wins": 1,
        "draws": 0,
        "losses": 0,
        "points": 3,
    }
    assert {name: first[name] for name in expected} == expected
    assert (second["rank"], second["losses"], second["points"]) == (2, 1, 0)


@requirement("004-PERF-02")
async def test_standings_are_right_when_all_results_of_a_round_come_at_once():
    made = await scheduled(12)
    await made.ledger.execute(StartRound(1))
    fixtures = made.league.unfinished(1)
    for fixture in fixtures:
        await made.ledger.execute(AssignMatch(fixture.match_id, "REF01"))

    async def report(match_id: str, winner: str, loser: str) -> None:
        answer = await made.call("report_match_result", result_report(match_id, winner, {winner: 3, loser: 0}))
        assert answer["status"] == "ACCEPTED"

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for fixture in fixtures:
                winner, loser = fixture.players
                for _ in range(2):  # a referee that heard nothing reports again
                    tasks.start_soon(report, fixture.match_id, winner, loser)
    assert len(fixtures) == made.types.count("MatchRecorded") == 6
    table = made.league.standings()
    assert [row.points for row in table] == [3] * 6 + [0] * 6
    assert {row.player_id for row in table[:6]} == {fixture.players[0] for fixture in fixtures}
    assert {row.played for row in table} == {1}


async def test_the_manager_tells_referees_how_often_a_player_has_taken_its_seat_again():
    made = await scheduled(2)
    announcements = Announcements(ManualClock(), ManualIds(), OPERATOR)
    fixture = made.league.fixture("R1M1")
    before = announcements.start_match(made.league, fixture, 1)
    await made.ledger.execute(ReturnAgent("P02", "digest", "http://localhost:8102/mcp"))
    after = announcements.start_match(made.league, fixture, 1)
    assert (before.player_a_returns, before.player_b_returns) == (0, 0)
    assert (after.player_a_returns, after.player_b_returns) == (0, 1)
    about = query("GET_PLAYER_STATS", "REF01", {"player_id": "P02"})
    assert (await made.call("league_query", about))["player_stats"]["returns"] == 1


async def test_an_endpoint_is_told_to_the_referee_of_the_players_match_alone_and_while_it_is_played():
    made = await under_way()
    await made.ledger.execute(ReturnAgent("P02", "digest", "http://10.0.0.3:41000/mcp"))

    async def told(caller: str) -> str | None:
        answer = await made.call("league_query", query("GET_PLAYER_STATS", caller, {"player_id": "P02"}))
        return answer["player_stats"].get("endpoint")

    assert await told("REF01") == "http://10.0.0.3:41000/mcp"
    assert [await told(caller) for caller in ("REF02", "P01")] == [None, None]
    await made.call("report_match_result", result_report())
    assert await told("REF01") is None


async def test_returns_are_counted_from_the_record_by_a_manager_that_was_restarted():
    made = await scheduled(2)
    await made.ledger.execute(ReturnAgent("P02", "digest", "http://localhost:8102/mcp"))
    assert fold(record.event for record in made.records).returns == {"P02": 1}

"""Authorisation: every wrong, missing, stolen or old token, at every kind of tool."""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from league_sdk import tokens
from league_sdk.domain.commands import AssignMatch, StartRound
from league_sdk.ports import CallRefused
from servers.league_manager.tools import tool_table
from tests.requirements.marker import requirement
from tests.security.guarded_manager import guarded, refusal
from tests.servers.fakes import (
    LEAGUE,
    OPERATOR,
    Manager,
    context,
    enrol,
    envelope,
    player_request,
    query,
    referee_request,
    result_report,
    start,
    token_of,
)
from tests.servers.player import player_harness
from tests.servers.referee import referee_harness

pytestmark = pytest.mark.anyio


async def running(**changes: Any) -> Manager:
    """A league of four players and two referees, in its first round; REF01 has R1M1 and REF02 has R1M2."""
    made = await guarded(**changes)
    await enrol(made.ledger, 4, 2)
    await start(made.ledger)
    await made.ledger.execute(StartRound(1))
    await made.ledger.execute(AssignMatch("R1M1", "REF01"))
    await made.ledger.execute(AssignMatch("R1M2", "REF02"))
    return made


PROTECTED = {
    "report_match_result": lambda token: result_report(token=token or ""),
    "league_query": lambda token: query("GET_STATUS") | {"auth_token": token},
    "withdraw": lambda token: envelope("WITHDRAW_REQUEST", "player:P01") | {"auth_token": token},
    "start_league": lambda token: {"auth_token": token},
    "create_schedule": lambda token: {"auth_token": token},
    "get_standings": lambda token: {"auth_token": token},
}


@requirement("001-SEC-01", "002-AUTH-01", "004-OBJ-03")
async def test_every_tool_but_registration_asks_for_a_token():
    made = await running()
    assert {tool.call.tool for tool in tool_table(made.service)} == {*PROTECTED, "register_player", "register_referee"}
    for tool, message in PROTECTED.items():
        arguments = message(None)
        assert (await refusal(made, tool, arguments | {"auth_token": ""}))["error_code"] == "E011", tool
        del arguments["auth_token"]
        assert (await refusal(made, tool, arguments))["error_code"] == "E011", tool


@requirement("001-SEC-01", "002-NOTE-02")
async def test_a_wrong_token_opens_nothing():
    made = await running()
    wrong = (
        "guessed",
        " ",
        token_of("P01").upper(),
        token_of("P01") + " ",
        tokens.digest(token_of("P01")),
        "\N{SNOWMAN}",
        tokens.peer_token(OPERATOR, LEAGUE, "P01"),
    )
    for tool, token in product(PROTECTED, wrong):
        assert (await refusal(made, tool, PROTECTED[tool](token)))["error_code"] == "E012", (tool, token)


async def test_a_token_of_another_league_opens_nothing():
    elsewhere, made = await running(), await running()
    answer = await (await guarded()).call("register_player", player_request("Ada"))
    assert elsewhere.league.league_id == made.league.league_id
    assert (await refusal(made, "league_query", query("GET_STATUS") | {"auth_token": answer["auth_token"]}))[
        "error_code"
    ] == "E012"
    another = query("GET_STATUS", league_id="winter")
    assert (await refusal(made, "league_query", another))["error_code"] == "E014"


async def test_a_bearer_token_is_checked_like_one_in_the_message():
    made = await running()
    message = query("GET_STATUS")
    del message["auth_token"]
    assert (await made.call("league_query", message, bearer=token_of("P01")))["league_id"] == LEAGUE
    assert (await refusal(made, "league_query", message, bearer="guessed"))["error_code"] == "E012"


@requirement("000-LM-QUERY-02", "004-OBJ-03", "003-COMPL-06")
async def test_an_agent_speaks_only_as_itself(subtests: pytest.Subtests):
    made = await running()
    for sender in ("player:P02", "referee:P01", "referee:REF01", "league_manager", "player:P1"):
        with subtests.test(sender=sender):
            refused = await refusal(made, "league_query", query("GET_STATUS") | {"sender": sender})
            assert refused["error_code"] == "E012"


@requirement("000-PL-NOT-03")
async def test_a_player_may_ask_and_nothing_else(subtests: pytest.Subtests):
    made = await running()
    token = token_of("P01")
    for tool in ("start_league", "create_schedule", "get_standings"):
        with subtests.test(tool=tool):
            assert (await refusal(made, tool, {"auth_token": token}))["error_code"] == "E013"
    forged = result_report(token=token) | {"sender": "player:P01"}
    assert (await refusal(made, "report_match_result", forged))["error_code"] == "E013"
    assert (await refusal(made, "report_match_result", result_report(token=token)))["error_code"] == "E012"
    before = made.league
    for kind in ("GET_STANDINGS", "GET_STATUS", "GET_SCHEDULE", "GET_NEXT_MATCH", "GET_PLAYER_STATS"):
        await made.call("league_query", query(kind))
    assert made.league == before


@requirement("000-LM-RESULT-01")
async def test_a_referee_reports_its_own_matches_only():
    made = await running()
    score = {"P03": 3, "P04": 0}
    others = result_report("R1M2", "P03", score, referee="REF01")
    assert (await refusal(made, "report_match_result", others))["error_code"] == "E007"
    stolen = result_report("R1M2", "P03", score, referee="REF02", token=token_of("REF01"))
    assert (await refusal(made, "report_match_result", stolen))["error_code"] == "E012"
    not_yet = result_report("R2M1", "P03", {"P03": 3, "P01": 0}, referee="REF01")
    assert (await refusal(made, "report_match_result", not_yet))["error_code"] == "E007"
    assert (await refusal(made, "start_league", {"auth_token": token_of("REF01")}))["error_code"] == "E013"
    assert (await made.call("report_match_result", result_report()))["status"] == "ACCEPTED"


async def test_a_seat_cannot_be_taken_over_with_another_agents_token(subtests: pytest.Subtests):
    made = await guarded()
    await enrol(made.ledger, 2)
    for tool, request in (
        ("register_player", player_request("Player 1", token_of("P02"))),
        ("register_player", player_request("Player 1", token_of("REF01"))),
        ("register_referee", referee_request("Referee 1", token_of("P01"))),
    ):
        with subtests.test(tool=tool, request=request):
            assert (await refusal(made, tool, request))["error_code"] == "E012"


async def test_an_old_token_has_expired_and_a_return_in_time_renews_it():
    made = await running(token_ttl=timedelta(hours=1))
    made.clock.advance(3600)
    await made.call("league_query", query("GET_STATUS"))
    back = player_request("Player 1", token_of("P01"))
    assert (await made.call("register_player", back))["player_id"] == "P01"
    made.clock.advance(1)
    await made.call("league_query", query("GET_STATUS"))
    refused = await refusal(made, "league_query", query("GET_STATUS", "P02"))
    assert (refused["error_code"], refused["message"]) == ("E012", "the auth_token has expired")
    late = player_request("Player 2", token_of("P02"))
    assert (await refusal(made, "register_player", late))["message"] == "the auth_token has expired"
    assert (await refusal(made, "report_match_result", result_report()))["error_code"] == "E012"


async def test_a_restarted_manager_knows_how_old_a_token_is():
    made = await running(token_ttl=timedelta(hours=1))
    again = type(made.ledger)(made.store, made.clock, LEAGUE)
    await again.open()
    assert [again.seated_at(agent) for agent in ("P01", "REF02")] == [made.clock.now()] * 2


# --- what the others accept


def invitation(match_id: str, ticket: str | None, attempt: int | None = 1) -> dict[str, Any]:
    about = {"league_id": LEAGUE, "round_id": 1, "match_id": match_id, "game_type": "even_odd"}
    seat = {"role_in_match": "PLAYER_A", "opponent_id": "P02", "player_id": "P01"}
    extra = {} if attempt is None else {"attempt": attempt}
    return envelope("GAME_INVITATION", "referee:REF01", ticket, **about, **seat, **extra)


async def told(host: Any, tool: str, message: dict[str, Any]) -> str:
    """The error code that a call of another agent gets, or an empty text."""
    try:
        await host.call(tool, message, context())
    except CallRefused as refused:
        return str((refused.data or {})["error_code"])
    return ""


async def test_a_player_follows_nobody_without_the_ticket_of_that_match(subtests: pytest.Subtests):
    player = player_harness.player()
    mine = player_harness.PEER_TOKEN
    theirs = tokens.peer_token(OPERATOR, LEAGUE, "P02")
    call = player.agent
    assert await told(call, "handle_game_invitation", invitation("R1M1", None)) == "E011"
    for stolen in (
        "guessed",
        mine,
        tokens.match_ticket(mine, "R1M2", 1),
        tokens.match_ticket(mine, "R1M1", 2),
        tokens.match_ticket(theirs, "R1M1", 1),
        tokens.match_ticket(tokens.peer_token(OPERATOR, "winter", "P01"), "R1M1", 1),
    ):
        with subtests.test(stolen=stolen):
            assert await told(call, "handle_game_invitation", invitation("R1M1", stolen)) == "E012"
    assert await told(call, "handle_game_invitation", invitation("R1M1", tokens.match_ticket(mine, "R1M1", 1))) == ""


async def test_only_the_manager_starts_a_referees_matches():
    async with referee_harness.referee_harness() as made:
        wrong = {
            "match_id": "R1M1",
            "player_A_id": "P01",
            "player_B_id": "P02",
            "player_A_endpoint": "http://localhost:8101/mcp",
            "player_B_endpoint": "http://localhost:8102/mcp",
        }
        assert await told(made.agent, "start_match", wrong) == "E011"
        for token in ("guessed", tokens.peer_token(OPERATOR, LEAGUE, "P01"), tokens.match_ticket("x", "R1M1", 1)):
            assert await told(made.agent, "start_match", wrong | {"auth_token": token}) == "E012"
        for tool in ("collect_choices", "finalize_match"):
            manual = {"match_id": "R1M1", "auth_token": referee_harness.PEER_TOKEN}
            assert await told(made.agent, tool, manual) == "E012"

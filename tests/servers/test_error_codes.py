"""Every error code of the protocol, provoked as a peer would provoke it, with its JSON-RPC number."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from league_sdk.domain.commands import AssignMatch, CompleteLeague, CompleteRound, StartRound
from league_sdk.domain.model import Role
from league_sdk.errors import SPECS as ERRORS
from league_sdk.ports import CallRefused
from league_sdk.protocol.match import MoveCall
from servers.agent import identity as seats
from servers.agent.identity import Seat
from servers.referee.tools import tool_table
from tests.requirements.marker import requirement
from tests.servers.fakes import (
    LEAGUE,
    OPERATOR,
    SPECS,
    Manager,
    agent,
    context,
    enrol,
    envelope,
    manager,
    never,
    player_request,
    query,
    referee_request,
    result_report,
    settle,
    start,
    token_of,
)
from tests.servers.player.player_harness import call_for_move, invitation, player
from tests.servers.referee.referee_harness import PEER_TOKEN, assignment, referee_harness

pytestmark = pytest.mark.anyio

REJECTIONS = {"E015", "E016", "E017", "E018", "E019", "E020"}
"""A well-formed request that may not join: these come in a registration's answer."""

CALLING_SIDE = {
    "E001": "a peer that does not answer: the caller's own time limit",
    "E004": "a move in an answer: the referee tells it in GAME_ERROR, since a player refuses no call for its move",
    "E009": "no connection: there is nobody who could send it",
}
"""Codes that no agent answers a call with, and where they arise instead."""


async def running() -> Manager:
    made = await manager()
    await enrol(made.ledger, 2)
    await start(made.ledger)
    await made.ledger.execute(StartRound(1))
    await made.ledger.execute(AssignMatch("R1M1", "REF01"))
    return made


async def of_manager(tool: str, message: Any, token: str | None = None) -> Any:
    return await (await running()).call(tool, message, token)


async def registering(message: dict[str, Any], tool: str = "register_player", **rules: Any) -> Any:
    made = await manager(**rules)
    await enrol(made.ledger, 2)
    return await made.call(tool, message)


async def of_player(tool: str, message: dict[str, Any], token: str | None = None, *, settled: bool = True) -> Any:
    return await player(settled=settled).call(tool, message, token)


async def of_referee(tool: str, message: dict[str, Any], token: str = PEER_TOKEN) -> Any:
    async with referee_harness() as held:
        return await held.call(tool, message, token)


async def a_busy_referee() -> Any:
    async with referee_harness(most=1) as held:
        held.peers.script(MoveCall, never)
        await held.start("R1M1")
        await settle()
        return await held.start("R1M2")


async def a_different_report() -> Any:
    made = await running()
    await made.call("report_match_result", result_report())
    return await made.call("report_match_result", result_report(winner=None, score={"P01": 1, "P02": 1}))


async def a_league_that_is_over() -> Any:
    made = await running()
    await made.call("report_match_result", result_report())
    for command in (CompleteRound(1), CompleteLeague()):
        await made.ledger.execute(command)
    return await made.call("start_league", {}, OPERATOR)


async def before_the_start() -> Any:
    made = await manager()
    await enrol(made.ledger, 2)
    return await made.call("league_query", query("GET_SCHEDULE"))


async def a_fault_of_ours() -> Any:
    made = await running()
    made.ledger.execute = None  # type: ignore[method-assign,assignment]
    return await made.call("report_match_result", result_report())


def without(message: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name != field}


ASK = envelope("LEAGUE_QUERY", "player:P01", league_id=LEAGUE, query_type="GET_STATUS")
ROUND = envelope("ROUND_ANNOUNCEMENT", "league_manager", league_id=LEAGUE, round_id=1, matches=[])


async def an_unregistered_referee() -> Any:
    async with referee_harness() as held:
        seat = Seat(Role.REFEREE, "Whistle")
        host = agent(tool_table(held.service, SPECS), seat.identify, ready=seat.ready)
        return await host.call("notify_round", ROUND, context("x"))


Provoke = Callable[[], Awaitable[Any]]

WIRE: list[tuple[str, int, Provoke]] = [
    ("E002", -32602, lambda: of_manager("league_query", {**query("GET_STATUS"), "league_id": 7})),
    ("E002", -32602, lambda: of_player("handle_game_invitation", invitation(role_in_match="PLAYER_Z"))),
    ("E002", -32602, lambda: of_referee("start_match", assignment(attempt=0))),
    ("E003", -32602, lambda: of_manager("league_query", without(query("GET_STATUS"), "query_type"))),
    ("E003", -32602, lambda: of_player("handle_game_invitation", without(invitation(), "match_id"))),
    ("E003", -32602, lambda: of_referee("start_match", without(assignment(), "match_id"))),
    ("E005", 5, lambda: of_manager("league_query", query("GET_PLAYER_STATS", params={"player_id": "P77"}))),
    ("E005", 3002, lambda: of_player("notify_round", ROUND, "x", settled=False)),
    ("E005", 4002, lambda: of_player("handle_game_invitation", invitation(), "x", settled=False)),
    ("E006", 6, an_unregistered_referee),
    ("E007", 5002, lambda: of_manager("report_match_result", result_report("R9M9"))),
    ("E007", 7, lambda: of_referee("match_status", {"match_id": "R9M9"})),
    ("E008", 8, lambda: of_manager("start_league", {}, OPERATOR)),
    ("E008", 4005, lambda: of_player("choose_parity", call_for_move(), OPERATOR)),
    ("E010", 5003, a_different_report),
    ("E011", 11, lambda: of_manager("league_query", ASK)),
    ("E011", 11, lambda: of_player("handle_game_invitation", invitation())),
    ("E012", 6001, lambda: of_manager("league_query", {**ASK, "auth_token": "a guess"})),
    ("E012", 5001, lambda: of_manager("report_match_result", result_report(token="a guess"))),
    ("E012", 3001, lambda: of_player("notify_round", ROUND, "a guess")),
    ("E012", 4001, lambda: of_player("handle_game_invitation", invitation(), "a guess")),
    ("E012", 12, lambda: of_manager("start_league", {}, "a guess")),
    ("E012", 12, lambda: registering(player_request("Eve", token_of("P01")))),
    ("E013", 13, lambda: of_manager("start_league", {}, token_of("REF01"))),
    ("E014", 6003, lambda: of_manager("league_query", query("GET_STATUS", league_id="winter"))),
    ("E014", 14, lambda: registering({**player_request(), "league_id": "winter"})),
    ("E017", 17, lambda: of_referee("start_match", assignment(game_type="chess"))),
    ("E018", 18, lambda: of_manager("league_query", {**ASK, "protocol": "league.v3"})),
    ("E021", -32602, lambda: of_manager("league_query", {**ASK, "timestamp": "2025-01-15T10:00:00+02:00"})),
    ("E021", -32602, lambda: of_player("handle_game_invitation", {**invitation(), "timestamp": "yesterday"})),
    ("E022", 6002, lambda: of_manager("league_query", query("GET_RICH"))),
    ("E023", 23, a_busy_referee),
    ("E030", 30, before_the_start),
    ("E031", 31, a_league_that_is_over),
    ("E099", -32603, a_fault_of_ours),
]


REJECTED: list[tuple[str, Provoke]] = [
    ("E015", lambda: registering(player_request(), max_players=2)),
    ("E016", lambda: registering(player_request("Player 1"))),
    ("E017", lambda: registering(player_request(game_types=["chess"]))),
    ("E018", lambda: registering(player_request(protocol_version="1.0.0"))),
    ("E019", lambda: registering(player_request(contact_endpoint="nowhere"))),
    ("E020", lambda: registering(player_request(), expected_players=2)),
    ("E015", lambda: registering(referee_request(), "register_referee", max_referees=1)),
    ("E016", lambda: registering(referee_request("Referee 1"), "register_referee")),
]


@requirement(
    "000-LM-FAIL-01",
    "000-MAP-06",
    "001-ERR-01",
    "002-RREG-04",
    "002-RANN-03",
    "002-INV-03",
    "002-CALL-06",
    "002-REPORT-05",
    "002-LERR-02",
    "002-LERR-04",
    "002-GERR-02",
    "002-QUERY-03",
    "003-CODE-01",
    "004-V2-01",
    "004-V2-10",
    "004-ERR-05",
    "project-PROTO-03",
)
@pytest.mark.parametrize(("code", "number", "provoke"), WIRE, ids=[f"{code}, {number}" for code, number, _ in WIRE])
async def test_a_code_arises_with_its_number(code: str, number: int, provoke: Provoke, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(seats, "READY_SEC", 0.01)
    with anyio.fail_after(30), pytest.raises(CallRefused) as caught:
        await provoke()
    data = caught.value.data
    assert data is not None
    assert (caught.value.number, data["error_code"]) == (number, code)
    assert data["message_type"] == "LEAGUE_ERROR"
    assert data["error_description"] == ERRORS[code].name
    assert isinstance(data["context"], dict)


@requirement("002-RREG-05", "002-PREG-03", "002-LERR-04", "004-V2-10", "project-PROTO-03")
@pytest.mark.parametrize(("code", "provoke"), REJECTED, ids=[code for code, _ in REJECTED])
async def test_a_refused_registration_carries_its_code(code: str, provoke: Provoke):
    answer = await provoke()
    assert (answer["status"], answer["error_code"]) == ("REJECTED", code)
    assert answer["reason"]


def test_no_code_is_left_out():
    provoked = {code for code, _, _ in WIRE} | {code for code, _ in REJECTED}
    assert {code for code, _ in REJECTED} == REJECTIONS
    assert not provoked & set(CALLING_SIDE)
    assert provoked | set(CALLING_SIDE) == set(ERRORS)


def test_every_number_of_the_contracts_is_there():
    """002 gives these numbers; those of the 1000s and 2000s are the codes of a REJECTED registration."""
    told = {number for _, number, _ in WIRE}
    assert {3001, 3002, 4001, 4002, 4005, 5001, 5002, 5003, 6001, 6002, 6003} <= told

"""Agents that withdraw while their league is led: what they are answered, and how the league continues."""

from typing import Any

import anyio
import pytest

from league_sdk.domain.commands import AssignMatch, Command, WithdrawAgent
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.ports import CallRefused
from league_sdk.protocol.operator import MatchStatus, StartMatch
from league_sdk.protocol.rounds import LeagueCompletedMessage, RoundAnnouncement
from tests.servers.fakes import (
    OPERATOR,
    Manager,
    begun,
    enrol,
    envelope,
    manager,
    player_request,
    query,
    result_report,
    start,
    status,
    token_of,
)
from tests.servers.league_manager.runner_harness import runner_harness, until_called

pytestmark = pytest.mark.anyio


def request(agent_id: str, token: str | None = None, **fields: Any) -> dict[str, Any]:
    role = "referee" if agent_id.startswith("REF") else "player"
    return envelope("WITHDRAW_REQUEST", f"{role}:{agent_id}", token or token_of(agent_id), **fields)


async def refused(made: Manager, message: dict[str, Any], tool: str = "withdraw") -> tuple[str, str]:
    with pytest.raises(CallRefused) as caught:
        await made.call(tool, message)
    return (caught.value.data or {})["error_code"], caught.value.message


async def test_a_player_is_told_what_it_lost_and_told_the_same_again():
    made = await manager()
    await enrol(made.ledger, 4, 1)
    await start(made.ledger)
    first = await made.call("withdraw", request("P01", reason="out of budget"))
    assert (first["status"], first["agent_id"], first["withdrew"]) == ("WITHDRAWN", "P01", 0)
    assert first["lost_matches"] == ["R1M1", "R2M1", "R3M1"]
    again = await made.call("withdraw", request("P01", reason="another reason"))
    changing = ("timestamp", "conversation_id")
    assert {**first, **dict.fromkeys(changing)} == {**again, **dict.fromkeys(changing)}
    assert made.types.count("AgentWithdrew") == 1
    rows = await made.call("league_query", query("GET_STANDINGS"))
    row = next(row for row in rows["standings"] if row["player_id"] == "P01")
    assert (row["removed"], row["withdrew"], row["losses"]) == (True, 0, 3)


async def test_nobody_withdraws_for_another_and_the_operator_for_nobody():
    made = await manager()
    await enrol(made.ledger, 3, 1)
    assert (await refused(made, request("P01", token_of("P02"))))[0] == "E012"
    code, told = await refused(made, request("P01", OPERATOR))
    assert code == "E013"
    assert "removes a player" in told
    code, told = await refused(made, request("P01", reason="x" * 201))
    assert code == "E002"
    assert "reason" in told
    assert made.league.withdrew == {}


async def test_it_cannot_register_again_under_its_token_or_its_name():
    made = await manager()
    await enrol(made.ledger, 3, 1)
    await made.call("withdraw", request("P01"))
    code, told = await refused(made, player_request("Player 1", token_of("P01")), "register_player")
    assert (code, told) == ("E012", "P01 withdrew")
    answer = await made.call("register_player", player_request("Player 1"))
    assert (answer["status"], answer["error_code"]) == ("REJECTED", "E016")


async def test_the_others_play_on_and_a_late_report_is_refused_with_the_reason():
    async with runner_harness(4, 2) as held:
        held.peers.script(StartMatch, begun, held.plays)
        held.begin()
        await until_called(held, StartMatch, 2)
        await held.manager.call("withdraw", request("P01", reason="tired"))
        held.peers.script(MatchStatus, status("REPORTED", reported=True))
        report = result_report("R1M1", "P01", {"P01": 3, "P02": 0}, "REF01")
        code, told = await refused(held.manager, report, "report_match_result")
        assert (code, "P01 withdrew: tired" in told) == ("E008", True)
        await held.clock.pass_by(60)
        await held.over.wait()
        league = held.manager.league
    assert league.state is LeagueState.COMPLETED
    assert len(league.results) == 6
    assert sorted(match_id for match_id, _, _ in held.started()) == ["R1M1", "R1M2", "R2M2", "R3M2"]
    announced = [call.message for call in held.peers.calls if isinstance(call.message, RoundAnnouncement)]
    assert {match.match_id for each in announced if each.round_id > 1 for match in each.matches} == {"R2M2", "R3M2"}
    told_end = {call.to for call in held.peers.calls if isinstance(call.message, LeagueCompletedMessage)}
    assert "P01" in told_end


async def test_a_referee_brings_its_match_to_its_end_and_gets_no_new_one():
    async with runner_harness(4, 2) as held:
        gate = anyio.Event()
        held.peers.script(StartMatch, held.plays_when(gate))
        held.begin()
        await until_called(held, StartMatch, 2)
        answer = await held.manager.call("withdraw", request("REF02"))
        assert (answer["agent_id"], answer["withdrew"], answer["lost_matches"]) == ("REF02", 1, [])
        held.peers.script(StartMatch, held.plays)
        gate.set()
        await held.clock.pass_by(60)
        await held.over.wait()
    assert held.manager.league.state is LeagueState.COMPLETED
    assert {match_id: referee for match_id, referee, _ in held.started()} == {
        "R1M1": "REF01",
        "R1M2": "REF02",
        **dict.fromkeys(["R2M1", "R2M2", "R3M1", "R3M2"], "REF01"),
    }


async def test_a_referee_that_withdraws_just_before_it_is_given_a_match_does_not_end_the_league():
    async with runner_harness(2, 2) as held:
        ledger = held.manager.ledger
        execute = ledger.execute

        async def overtaken(command: Command) -> Any:
            if isinstance(command, AssignMatch) and not held.manager.league.withdrew:
                await execute(WithdrawAgent(command.referee_id))
            return await execute(command)

        ledger.execute = overtaken
        held.begin()
        await held.clock.pass_by(60)
        await held.over.wait()
    assert [(match_id, referee) for match_id, referee, _ in held.started()] == [("R1M1", "REF02")]

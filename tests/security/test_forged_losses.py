"""Villain: a guest that reports two technical losses of its opponents, which nobody had called, and is champion."""

from typing import Any

import anyio
import pytest

from league_sdk import plugins, tokens
from league_sdk.audit import audit
from league_sdk.domain.commands import AssignMatch, StartRound
from league_sdk.domain.league import League
from servers.league_manager.admission import Admission
from servers.league_manager.referee_admission import RefereeAdmission
from tests.faults.hostile_referees import Crook
from tests.faults.league_harness import HEALTHY, OPERATOR, LeagueHarness, healthy, league_harness, patient_client
from tests.faults.rogue import Call
from tests.security.guarded_manager import guarded, refusal, rejection
from tests.servers.fakes import enrol, player_request, referee_request, result_report, start

pytestmark = pytest.mark.anyio

JOIN = "what every guest has"
FRIEND = "Ada"
INVITATION = "an invitation that its operator should not have given"


def loss_of(player: str, winner: str) -> dict[str, Any]:
    """The result that the villain invents."""
    fault = {
        "player_id": player,
        "cause": "no_move",
        "phase": "move",
        "error_code": "E001",
        "tries": 4,
        "description": "it did not answer",
    }
    score = {winner: 3, player: 0}
    return {"winner": winner, "score": score, "details": {"status": "TECHNICAL_LOSS"}, "faults": [fault]}


async def test_with_what_a_guest_has_it_is_no_referee_and_reports_nothing():
    made = await guarded(admission=Admission(join_secret=JOIN), referees=RefereeAdmission("of the referees"))
    eve = await made.call("register_player", {**player_request("Eve"), "join_secret": JOIN})
    second_agent = {**referee_request("Eve's friend"), "join_secret": JOIN, "referee_secret": JOIN}
    assert (await rejection(made, "register_referee", second_agent))["error_code"] == "E013"
    await enrol(made.ledger, 3)
    await start(made.ledger)
    await made.ledger.execute(StartRound(1))
    fixture = next(each for each in made.league.round(1).fixtures if eve["player_id"] in each.players)
    (victim,) = {*fixture.players} - {eve["player_id"]}
    await made.ledger.execute(AssignMatch(fixture.match_id, "REF01"))
    forged = loss_of(victim, eve["player_id"])
    for referee, token in (("REF01", eve["auth_token"]), ("REF01", eve["peer_token"]), ("REF02", eve["auth_token"])):
        report = result_report(fixture.match_id, eve["player_id"], referee=referee, token=token, result=forged)
        assert (await refusal(made, "report_match_result", report))["error_code"] in ("E012", "E013")
    assert not made.league.results


async def judged_by(held: LeagueHarness, http: Any) -> League:
    """A league whose only referee is invited, and its friend's."""

    async def report(crook: Crook, call: Call) -> None:
        players = [call.params["player_A_id"], call.params["player_B_id"]]
        named = {agent.agent_id: agent.display_name for agent in held.league.players.values()}
        winner, loser = sorted(players, key=lambda player: named[player] != FRIEND)
        await crook.report(call.params["match_id"], winner, {}, result=loss_of(loser, winner))

    crook = Crook(report, {})
    crook.manager, crook.http = held.manager, http
    invitation = {"display_name": crook.name, "digest": tokens.digest(INVITATION)}
    invited = await http.post(
        held.manager.replace("/mcp", "/admin/invitations"),
        json=invitation,
        headers={"authorization": f"Bearer {OPERATOR}"},
    )
    assert invited.status_code == 200, invited.text
    await crook.listen()
    assert (await crook.register(held.manager, http, INVITATION))["status"] == "ACCEPTED"
    players = [healthy(name) for name in HEALTHY]
    for player in players:
        await player.listen()
        await player.register(held.manager, http)
    await held.over()
    for agent in (crook, *players):
        agent.vanish()
    assert not any(player.calls["join"] for player in players), "nobody was called"
    return held.league


async def test_an_invited_referee_that_lies_is_believed_and_the_audit_doubts_each_of_its_losses(tmp_path):
    with anyio.fail_after(60):
        async with patient_client() as http, league_harness(tmp_path, players=3, referees=1) as held:
            league = await judged_by(held, http)
    champion = league.standings()[0]
    assert league.player(champion.player_id).display_name == FRIEND
    report = audit(held.rows, lambda name, options: plugins.game(name, (), options))
    assert report.ok
    assert {found.match for found in report.doubtful} == set(league.results), "each is listed on top"
    assert all("by REF01's word alone" in found.message for found in report.doubtful)
    assert not audit(held.rows, lambda name, options: plugins.game(name, (), options), strict=True).ok

"""Roles: no credential of a player, and not the operator's token, makes a referee."""

from typing import Any

import pytest

from league_sdk import tokens
from servers.league_manager.admission import Admission
from servers.league_manager.referee_admission import RefereeAdmission
from tests.security.guarded_manager import guarded, refusal, rejection
from tests.servers.fakes import LEAGUE, OPERATOR, Manager, enrol, player_request, referee_request, start, token_of

pytestmark = pytest.mark.anyio

JOIN = "what every guest has"
SECRET = "what referees of the league have"


async def guests(**more: Any) -> Manager:
    """A league that guests join with the join secret, and referees with the referee secret."""
    return await guarded(admission=Admission(join_secret=JOIN), referees=RefereeAdmission(SECRET), **more)


def shown(name: str = "Whistle", secret: str | None = None, token: str | None = None) -> dict[str, Any]:
    """A registration as a referee that shows one secret wherever it can."""
    return {**referee_request(name, token), "join_secret": secret, "referee_secret": secret}


async def test_a_players_join_secret_makes_no_referee():
    made = await guests()
    joined = await made.call("register_player", {**player_request("Eve"), "join_secret": JOIN})
    assert joined["status"] == "ACCEPTED"
    for secret in (JOIN, joined["auth_token"], joined["peer_token"], None, "", SECRET.upper(), SECRET + " "):
        answer = await rejection(made, "register_referee", shown("Eve's friend", secret))
        assert answer["error_code"] == "E013", secret
        assert "security.referee_secret" in answer["reason"]
        assert "/" not in answer["reason"], "a path is the operator's"
    assert SECRET not in str(made.journal.events)


async def test_a_players_token_makes_no_referee():
    made = await guests()
    joined = await made.call("register_player", {**player_request("Eve"), "join_secret": JOIN})
    refused = await refusal(made, "register_referee", shown("Eve", token=joined["auth_token"]))
    assert refused["error_code"] == "E012"


async def test_the_operators_token_makes_no_referee():
    made = await guests()
    for request in (shown(secret=OPERATOR), shown()):
        refused = await made.call("register_referee", request, bearer=OPERATOR)
        assert (refused["status"], refused["error_code"]) == ("REJECTED", "E013")


async def test_a_token_that_the_league_derives_for_others_makes_no_referee():
    made = await guests()
    seats = tokens.seat_key(OPERATOR, LEAGUE)
    for secret in (tokens.peer_token(OPERATOR, LEAGUE, "REF01"), seats, tokens.digest(SECRET)):
        assert (await rejection(made, "register_referee", shown(secret=secret)))["error_code"] == "E013"


async def test_a_stranger_is_no_referee_of_a_running_league():
    made = await guests()
    await enrol(made.ledger, 4)
    await start(made.ledger)
    for number in range(30):
        answer = await rejection(made, "register_referee", shown(f"Black hole {number}"), address=f"10.0.0.{number}")
        assert answer["error_code"] == "E013"


async def test_a_referee_with_the_secret_is_taken_and_its_record_says_by_what():
    made = await guests()
    assert (await made.call("register_referee", shown(secret=SECRET)))["status"] == "ACCEPTED"
    assert made.records[-1].payload["admitted_by"] == "secret"
    assert SECRET not in str(made.records) + str(made.journal.events)


async def test_a_referee_that_returns_shows_its_token_and_nothing_else():
    made = await guests()
    await enrol(made.ledger, 2)
    back = await made.call("register_referee", shown("Referee 1", token=token_of("REF01")))
    assert (back["status"], back["referee_id"]) == ("ACCEPTED", "REF01")
    with_secret = await rejection(made, "register_referee", shown("Referee 1", SECRET))
    assert with_secret["error_code"] == "E016", "the secret takes no seat over"


async def test_where_all_agents_are_the_launchers_a_referee_needs_nothing_but_shows_nothing_wrong():
    made = await guarded(referees=RefereeAdmission(SECRET, own_agents_only=True))
    assert (await rejection(made, "register_referee", shown(secret=JOIN)))["error_code"] == "E013"
    assert (await made.call("register_referee", shown()))["status"] == "ACCEPTED"
    assert made.records[-1].payload["admitted_by"] == "open"

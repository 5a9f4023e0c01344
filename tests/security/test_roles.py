"""Roles: no credential of a player, and not the operator's token, makes a referee."""

from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from league_sdk import tokens
from league_sdk.domain.commands import AssignMatch, InviteReferee, RegisterPlayer, RevokeInvitation, StartRound
from league_sdk.domain.model import Agent, LeagueRules, Role
from league_sdk.ports import CallContext
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent
from servers.league_manager.admission import Admission
from servers.league_manager.referee_admission import RefereeAdmission
from tests.security.guarded_manager import guarded, refusal, rejection
from tests.servers.fakes import (
    LEAGUE,
    OPERATOR,
    Manager,
    enrol,
    player_request,
    query,
    referee_request,
    result_report,
    start,
    token_of,
)

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


# --- invitations


INVITATION = "an invitation of Rhea's"


async def inviting(name: str = "Rhea") -> Manager:
    """A league of guests to which a referee is invited."""
    made = await guests()
    await made.ledger.execute(InviteReferee(name, tokens.digest(INVITATION)))
    return made


async def test_an_invitation_is_for_one_name_and_one_registration():
    made = await inviting()
    for name in ("Rhea 2", "rhea\u0430", "Eve"):
        assert (await rejection(made, "register_referee", shown(name, INVITATION)))["error_code"] in ("E013", "E016")
    player = {**player_request("Rhea"), "join_secret": INVITATION}
    assert (await rejection(made, "register_player", player))["error_code"] == "E013"
    assert (await made.call("register_referee", shown("Rhea", INVITATION)))["status"] == "ACCEPTED"
    assert made.records[-1].payload["admitted_by"] == "invitation"
    again = shown("Rhea", INVITATION) | {"conversation_id": "from elsewhere"}
    assert (await rejection(made, "register_referee", again))["error_code"] == "E016"
    assert INVITATION not in str(made.records) + str(made.journal.events)


async def test_a_revoked_invitation_admits_nobody():
    made = await inviting()
    await made.ledger.execute(RevokeInvitation("Rhea"))
    assert (await rejection(made, "register_referee", shown("Rhea", INVITATION)))["error_code"] == "E013"


async def test_a_new_invitation_takes_the_place_of_the_one_before():
    made = await inviting()
    await made.ledger.execute(InviteReferee("Rhea", tokens.digest("another one")))
    assert (await rejection(made, "register_referee", shown("Rhea", INVITATION)))["error_code"] == "E013"
    assert (await made.call("register_referee", shown("Rhea", "another one")))["status"] == "ACCEPTED"


async def test_a_referee_whose_invitation_is_revoked_is_given_nothing_more_and_does_not_return():
    made = await inviting()
    await enrol(made.ledger, 4)
    token = (await made.call("register_referee", shown("Rhea", INVITATION)))["auth_token"]
    await start(made.ledger)
    await made.ledger.execute(RevokeInvitation("Rhea"))
    assert list(made.league.active_referees) == ["REF01"]
    assert (await refusal(made, "register_referee", shown("Rhea", token=token)))["error_code"] == "E012"


async def test_whose_invitation_is_revoked_is_told_so_once_its_matches_are_over_and_may_be_invited_anew():
    made = await inviting()
    await enrol(made.ledger, 4)
    token = (await made.call("register_referee", shown("Rhea", INVITATION)))["auth_token"]
    await start(made.ledger)
    await made.ledger.execute(StartRound(1))
    await made.ledger.execute(AssignMatch("R1M1", "REF02"))
    await made.ledger.execute(RevokeInvitation("Rhea"))
    assert (await made.call("league_query", query("GET_STATUS", "REF02", auth_token=token)))["status"][
        "state"
    ] == "RUNNING"
    await made.call("report_match_result", result_report("R1M1", referee="REF02", token=token))
    refused = await refusal(made, "league_query", query("GET_STATUS", "REF02", auth_token=token))
    assert (refused["error_code"], refused["message"]) == ("E012", "the invitation of this referee was revoked")
    await made.ledger.execute(InviteReferee("Rhea", tokens.digest("another one")))
    again = await made.call("register_referee", shown("Rhea", "another one", token))
    assert (again["status"], again["referee_id"]) == ("ACCEPTED", "REF03")
    assert again["auth_token"] != token


async def test_a_new_invitation_revokes_the_one_by_which_a_referee_is_there():
    made = await inviting()
    await enrol(made.ledger, 2)
    await made.call("register_referee", shown("Rhea", INVITATION))
    await made.ledger.execute(InviteReferee("Rhea", tokens.digest("another one")))
    assert list(made.league.active_referees) == ["REF01"]
    assert (await made.call("register_referee", shown("Rhea", "another one")))["referee_id"] == "REF03"


# --- known by its address


async def addressed(*, strangers: bool = True, endpoint: str = "http://referee.example:8001/mcp") -> Manager:
    """A league that expects a referee of the documents, which shows nothing, at an address of its own."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        if host == "gone.example":
            raise OSError("no such host")
        return {"referee.example": ["192.0.2.7", "2001:db8::7"], "localhost": ["127.0.0.1"]}.get(host, [host])

    admission = RefereeAdmission(SECRET, strangers=strangers, resolve=resolve)
    return await guarded(referees=admission, referees_expected={"Whistle": endpoint})


def at(endpoint: str = "http://referee.example:8001/mcp", name: str = "Whistle") -> dict[str, Any]:
    return referee_request(name, contact_endpoint=endpoint)


async def test_a_referee_that_is_expected_by_its_address_comes_from_there_and_names_it():
    made = await addressed()
    for request, address in (
        (at(), "198.51.100.1"),
        (at("http://referee.example:8002/mcp"), "192.0.2.7"),
        (at(name="Another"), "192.0.2.7"),
        ({**at(), "referee_secret": "guessed"}, "192.0.2.7"),
        (at(), "not an address"),
    ):
        assert (await rejection(made, "register_referee", request, address))["error_code"] == "E013"
    taken = await made.agent.call("register_referee", at(), CallContext(address="::ffff:192.0.2.7"))
    assert taken["status"] == "ACCEPTED"
    assert made.records[-1].payload["admitted_by"] == "address"


async def test_its_address_counts_once_and_it_returns_with_its_token():
    made = await addressed()
    first = await made.agent.call("register_referee", at(), CallContext(address="192.0.2.7"))
    assert (await rejection(made, "register_referee", at(), "192.0.2.7"))["error_code"] == "E016"
    back = at() | {"auth_token": first["auth_token"], "conversation_id": "after a restart"}
    assert (await made.agent.call("register_referee", back, CallContext(address="192.0.2.8")))["status"] == "ACCEPTED"
    moved = at("http://elsewhere.example:8001/mcp") | {"auth_token": first["auth_token"], "conversation_id": "moved"}
    assert (await rejection(made, "register_referee", moved, "192.0.2.7"))["error_code"] == "E013"


async def test_an_address_that_strangers_have_too_is_no_credential():
    made = await addressed()
    await made.agent.call("register_player", player_request("Eve"), CallContext(address="192.0.2.7"))
    refused = await rejection(made, "register_referee", at(), "192.0.2.7")
    assert "strangers may come from there" in refused["reason"]
    local = await addressed(endpoint="http://localhost:8001/mcp")
    assert (await rejection(local, "register_referee", at("http://localhost:8001/mcp")))["error_code"] == "E013"


async def test_the_name_of_a_referee_that_is_known_by_its_address_is_kept_for_it():
    made = await addressed()
    for name in ("Whistle", "whistle", "Wh\u0456stle"):
        answer = await rejection(made, "register_player", player_request(name))
        assert answer["error_code"] == "E016", name
    taken = await made.agent.call("register_referee", at(), CallContext(address="192.0.2.7"))
    assert taken["status"] == "ACCEPTED"


async def test_and_so_is_that_of_an_invited_one():
    made = await inviting()
    answer = await rejection(made, "register_player", {**player_request("rhea"), "join_secret": JOIN})
    assert answer["error_code"] == "E016"
    assert (await made.call("register_referee", shown("Rhea", INVITATION)))["status"] == "ACCEPTED"


async def test_no_player_is_where_a_referee_is_expected_and_no_referee_where_a_player_is():
    made = await addressed(strangers=False, endpoint="http://localhost:8001/mcp")
    for url in ("http://localhost:8001/mcp", "http://127.0.0.1:8001/else"):
        answer = await rejection(made, "register_player", player_request("Eve", contact_endpoint=url))
        assert answer["error_code"] == "E019"
    eve = await made.call("register_player", player_request("Eve"))
    here = made.league.player(eve["player_id"]).endpoint
    late = await guarded(referees=RefereeAdmission(SECRET), referees_expected={"Whistle": here})
    await late.ledger.execute(RegisterPlayer(Agent("", Role.PLAYER, "Eve", here, "d" * 64, game_types=("even_odd",))))
    answer = await rejection(late, "register_referee", at(here))
    assert answer["error_code"] == "E013"
    assert answer["reason"].startswith("the endpoint of 'Whistle' is that of player P01")


async def test_where_no_stranger_comes_the_documents_own_referee_may_be_on_this_machine():
    made = await addressed(strangers=False, endpoint="http://localhost:8001/mcp")
    await made.call("register_player", player_request("Ada"))
    assert (await made.call("register_referee", at("http://localhost:8001/mcp")))["status"] == "ACCEPTED"


async def test_a_referee_whose_host_cannot_be_found_is_refused():
    made = await addressed(endpoint="http://gone.example/mcp")
    assert (await rejection(made, "register_referee", at("http://gone.example/mcp")))["error_code"] == "E013"


async def test_a_league_of_strangers_that_expects_a_referee_on_this_machine_is_refused_at_its_start(tmp_path):
    told: list[Any] = []
    rules = LeagueRules("cup", "even_odd", referees_expected={"Whistle": "http://localhost:8001/mcp"})
    spec = AgentSpec(Role.LEAGUE_MANAGER, "Manager", tmp_path, league_id="cup", rules=rules, strangers=True)
    with anyio.fail_after(30):
        assert await run_agent(spec, told.append) == 1
    assert "participants.referees_expected" in told[-1]["text"]
    assert "'league invite'" in told[-1]["text"]

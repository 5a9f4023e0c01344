"""A league for a class: each student joins with a secret of its own."""

from dataclasses import replace
from typing import Any

import pytest

from league_sdk.clock import ManualIds
from league_sdk.domain.league import fold
from league_sdk.net.endpoints import read_endpoint
from league_sdk.ports import CallRefused
from servers.agent.class_roster import ClassRoster, read_roster
from servers.league_manager.admission import Admission
from servers.league_manager.peer_tokens import peer_token_of
from servers.league_manager.referee_admission import RefereeAdmission
from servers.league_manager.service import LeagueManagerService
from servers.league_manager.tools import tool_table
from tests.requirements.marker import requirement
from tests.servers.fakes import OPERATOR, Manager, agent, manager, player_request, query, referee_request

pytestmark = pytest.mark.anyio
HOUSE = "for the agents of the house"
ROSTER = "student_id,name,email\n4711,Ada,ada@example.org\n4712,Bob,bob@example.org\n"


@pytest.fixture
async def made(tmp_path) -> Manager:
    led = await manager()
    roster = ClassRoster(tmp_path / "class.json")
    roster.save(read_roster(ROSTER, led.clock, ManualIds()))
    led.clock.advance(60)
    led.service = LeagueManagerService(
        ledger=led.ledger,
        clock=led.clock,
        ids=led.ids,
        journal=led.journal,
        operator_token=OPERATOR,
        read_endpoint=read_endpoint,
        admission=Admission(join_secret=HOUSE, roster=roster),
    )
    led.agent = agent(tool_table(led.service), led.service.authentication.identify, journal=led.journal)
    return led


def roster_of(tmp_path) -> ClassRoster:
    return ClassRoster(tmp_path / "class.json")


async def join(made: Manager, name: str, secret: str | None, **meta: Any) -> dict[str, Any]:
    return await made.call("register_player", {**player_request(name, **meta), "join_secret": secret})


@requirement("project-CLI-16")
async def test_a_student_joins_in_its_own_name_alone(made, tmp_path):
    ada, bob = roster_of(tmp_path).students
    assert (await join(made, "Bob", ada.secret))["error_code"] == "E013"
    assert (await join(made, "Ada", ada.secret))["status"] == "ACCEPTED"
    again = await join(made, "Ada", ada.secret, contact_endpoint="http://localhost:9999/mcp")
    assert again["error_code"] == "E013"
    assert "was used" in again["reason"]
    assert (await join(made, "Bob", bob.secret))["player_id"] == "P02"


@requirement("project-CLI-16")
async def test_a_card_is_accepted_however_it_was_typed_and_an_old_one_letter_by_letter(made, tmp_path):
    roster = roster_of(tmp_path)
    ada, bob = roster.students
    assert (await join(made, "Ada", f" {ada.secret.lower().replace('-', ' ')}"))["status"] == "ACCEPTED"
    old = "aB3-_xyzaB3-_xyzaB3-_xyzaB3-_xyzaB3-_xyz123"
    roster.change(bob, secret=old)
    assert (await join(made, "Bob", old.upper()))["error_code"] == "E013"
    assert (await join(made, "Bob", old))["status"] == "ACCEPTED"


async def test_a_new_secret_takes_the_seat_over_and_the_old_token_is_worth_nothing(made, tmp_path):
    roster = roster_of(tmp_path)
    ada, _ = roster.students
    before = await join(made, "Ada", ada.secret)
    made.clock.advance(60)
    changed = roster.change(ada, secret="rotated", number=2)
    after = await join(made, "Ada", changed.secret, contact_endpoint="http://localhost:9999/mcp")
    assert (after["status"], after["player_id"]) == ("ACCEPTED", before["player_id"])
    assert after["auth_token"] != before["auth_token"]
    assert made.league.players["P01"].endpoint == "http://localhost:9999/mcp"
    assert len(made.league.players) == 1


async def test_whoever_holds_the_old_token_cannot_come_back_with_it_and_lock_the_student_out(made, tmp_path):
    roster = roster_of(tmp_path)
    ada, _ = roster.students
    stolen = (await join(made, "Ada", ada.secret))["auth_token"]
    changed = roster.change(ada, secret="rotated", number=2)
    for _ in range(3):  # before the student comes: this made the new secret a used one
        made.clock.advance(60)
        for message in (player_request("Ada", stolen), query("GET_STATUS", "P01", auth_token=stolen)):
            tool = "register_player" if "player_meta" in message else "league_query"
            with pytest.raises(CallRefused, match="'Ada' has a new card; register with its join secret") as refused:
                await made.call(tool, message)
            assert (refused.value.data or {})["error_code"] == "E012"
    after = await join(made, "Ada", changed.secret)
    assert (after["status"], after["player_id"], made.league.players["P01"].card) == ("ACCEPTED", "P01", 2)
    with pytest.raises(CallRefused):
        await made.call("league_query", query("GET_STATUS", "P01", auth_token=stolen))
    again = await join(made, "Ada", changed.secret)
    assert "was used" in again["reason"]


async def test_a_new_card_wins_over_the_old_token_that_a_student_still_has_in_its_folder(made, tmp_path):
    roster = roster_of(tmp_path)
    ada, _ = roster.students
    before = await join(made, "Ada", ada.secret)
    changed = roster.change(ada, secret="rotated", number=2)
    remembered = {**player_request("Ada", before["auth_token"]), "join_secret": changed.secret}
    for wrong in (ada.secret, "guessed", None):
        with pytest.raises(CallRefused, match="'Ada' has a new card"):
            await made.call("register_player", {**remembered, "join_secret": wrong})
    after = await made.call("register_player", remembered)
    assert (after["status"], after["player_id"], made.league.players["P01"].card) == ("ACCEPTED", "P01", 2)
    assert after["auth_token"] != before["auth_token"]


async def test_a_new_card_brings_a_new_peer_token_so_that_who_had_the_old_one_cannot_pass_for_the_manager(
    made, tmp_path
):
    roster = roster_of(tmp_path)
    ada, _ = roster.students
    before = await join(made, "Ada", ada.secret)
    changed = roster.change(ada, secret="rotated", number=2)
    after = await join(made, "Ada", changed.secret)
    assert after["peer_token"] != before["peer_token"]
    back = await made.call("register_player", player_request("Ada", after["auth_token"]))
    assert back["peer_token"] == after["peer_token"] == peer_token_of(OPERATOR, made.league, made.league.player("P01"))


async def test_a_manager_that_was_restarted_remembers_which_card_admitted_whom(made, tmp_path):
    ada, _ = roster_of(tmp_path).students
    await join(made, "Ada", ada.secret)
    assert fold(record.event for record in made.records).players["P01"].card == 1


async def test_who_comes_back_with_its_token_needs_no_secret_again(made, tmp_path):
    ada, _ = roster_of(tmp_path).students
    token = (await join(made, "Ada", ada.secret))["auth_token"]
    answer = await made.call("register_player", player_request("Ada", token))
    assert answer["status"] == "ACCEPTED"


async def test_a_league_that_asks_for_the_check_admits_who_has_passed_it_and_names_what_failed(made, tmp_path):
    admission = Admission(join_secret=HOUSE, roster=ClassRoster(tmp_path / "class.json", require_check=True))
    made.service._seats = replace(made.service._seats, admission=admission)
    roster = roster_of(tmp_path)
    ada, bob = roster.students
    refused = await join(made, "Ada", ada.secret)
    assert (refused["status"], refused["error_code"]) == ("REJECTED", "E013")
    assert "'Ada' has to pass 'league check' before it joins" in refused["reason"]
    roster.change(ada, verdict="would lose technically: GAME_JOIN_ACK: timestamp: no time", complies=False)
    refused = await join(made, "Ada", ada.secret)
    assert refused["reason"].endswith("it would lose technically: GAME_JOIN_ACK: timestamp: no time")
    roster.change(ada, verdict="would play and lose nothing", complies=True)
    assert (await join(made, "Ada", ada.secret))["status"] == "ACCEPTED"
    assert (await join(made, "Bob", bob.secret))["status"] == "REJECTED"
    assert (await join(made, "House bot", HOUSE))["status"] == "ACCEPTED"


async def test_players_of_the_house_join_with_the_operators_secret_and_no_student_is_a_referee(made, tmp_path):
    ada, _ = roster_of(tmp_path).students
    assert (await join(made, "House bot", HOUSE))["status"] == "ACCEPTED"
    made.service._seats = replace(made.service._seats, referees=RefereeAdmission("for referees"))
    for secret in (None, ada.secret, HOUSE):
        shown = {"join_secret": secret, "referee_secret": secret}
        assert (await made.call("register_referee", {**referee_request(), **shown}))["error_code"] == "E013"
    answer = await made.call("register_referee", {**referee_request(), "referee_secret": "for referees"})
    assert answer["status"] == "ACCEPTED"
